/** A sentence that depends on parameters: plain data alone, since they are published in `verdicts.json`. */
export interface Wording<P extends object> {
  /** Parameters that can occur: the type of the parameters, and what tests render. */
  readonly example: P;
  /** Whole sentences with full stops. */
  readonly text: (params: P) => string;
}

/** Fixes the type of a wording's parameters. */
export function wording<P extends object>(example: P, text: (params: P) => string): Wording<P> {
  return { example, text };
}
