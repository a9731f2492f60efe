/** How one value differs from its schema. */
export interface Mismatch {
  /** The place in the body, with `*` for each entry of a list: `shades.*.hex`; empty for the whole. */
  readonly at: string;
  /** The keyword of JSON Schema that it contradicts: `type`, `required` … */
  readonly keyword: string;
  /** What the keyword demands, as JSON. */
  readonly wants: string;
  /** The value, as JSON and short; its kind alone where it is long. */
  readonly got: string;
}

interface Place {
  /** `POST /sessions`. */
  readonly operation: string;
  readonly status: number;
}

/** One way in which answers contradict the description. */
export type Fault =
  | { readonly kind: 'operation'; readonly operation: string; readonly status: number }
  | (Place & { readonly kind: 'status'; readonly described: readonly string[] })
  | (Place & { readonly kind: 'media-type'; readonly wants: readonly string[]; readonly got: string | null })
  | (Place & { readonly kind: 'header-missing'; readonly header: string })
  | (Place & { readonly kind: 'header-value'; readonly header: string; readonly mismatch: Mismatch })
  | (Place & { readonly kind: 'not-json' })
  | (Place & { readonly kind: 'body'; readonly mismatch: Mismatch });

/** A fault with the answers that show it. */
export interface Contradiction {
  readonly fault: Fault;
  readonly answers: number;
  /** The first few. */
  readonly seqs: readonly number[];
}
