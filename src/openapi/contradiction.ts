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

interface OperationStatus {
  /** `POST /sessions`. */
  readonly operation: string;
  readonly status: number;
}

/** One way in which answers contradict the description. */
export type AnswerFault =
  | { readonly kind: 'operation'; readonly operation: string; readonly status: number }
  | (OperationStatus & { readonly kind: 'status'; readonly described: readonly string[] })
  | (OperationStatus & {
      readonly kind: 'media-type';
      readonly wants: readonly string[];
      readonly got: string | null;
    })
  | (OperationStatus & { readonly kind: 'header-missing'; readonly header: string })
  | (OperationStatus & {
      readonly kind: 'header-value';
      readonly header: string;
      readonly mismatch: Mismatch;
    })
  | (OperationStatus & { readonly kind: 'not-json' })
  | (OperationStatus & { readonly kind: 'body'; readonly mismatch: Mismatch });

/** A fault with the answers that show it. */
export interface Contradiction {
  readonly fault: AnswerFault;
  readonly answers: number;
  /** The first few. */
  readonly seqs: readonly number[];
}
