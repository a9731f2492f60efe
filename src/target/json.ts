/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field as a path names it; in quotes where it might not be seen as one. */
export function fieldName(key: PropertyKey): string {
  const name = String(key);
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}
