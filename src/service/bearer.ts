/** The credentials of an `Authorization: Bearer …` header (RFC 6750; the scheme's case does not matter). */
export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
}
