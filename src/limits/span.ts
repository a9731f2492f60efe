/** A length of time, or an instant, known to lie between two bounds. Nanoseconds. */
export interface Span {
  readonly loNs: number;
  readonly hiNs: number;
}

/** A span without doubt. */
export function exactly(ns: number): Span {
  return { loNs: ns, hiNs: ns };
}

export function widthOf({ loNs, hiNs }: Span): number {
  return hiNs - loNs;
}

/** Parts of equal length. */
export function evenly({ loNs, hiNs }: Span, parts: number): Span[] {
  const width = (hiNs - loNs) / parts;
  return Array.from({ length: parts }, (_, k) => ({ loNs: loNs + k * width, hiNs: loNs + (k + 1) * width }));
}

/** Parts of equal ratio, `ratio` at most. */
export function logarithmic({ loNs, hiNs }: Span, ratio: number): Span[] {
  const parts = Math.max(1, Math.ceil(Math.log(hiNs / loNs) / Math.log(ratio)));
  const step = (hiNs / loNs) ** (1 / parts);
  return Array.from({ length: parts }, (_, k) => ({ loNs: loNs * step ** k, hiNs: loNs * step ** (k + 1) }));
}
