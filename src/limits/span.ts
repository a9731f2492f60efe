/** A length of time, or an instant, known to lie between two bounds. Nanoseconds. */
export interface Span {
  readonly loNs: number;
  readonly hiNs: number;
}

/** A span without doubt. */
export function exactly(ns: number): Span {
  return { loNs: ns, hiNs: ns };
}
