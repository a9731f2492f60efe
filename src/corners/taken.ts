/** With what a session is opened. */
export interface SessionValues {
  readonly productId: string;
  readonly locale: string;
}

/** Unusual values that a target took in set-up, so that shoppers may use them. */
export interface TakenValues {
  /** A catalog with such shades, and the SKUs that a session may select; undefined if the target took none. */
  readonly catalog: { readonly id: string; readonly skus: readonly string[] } | undefined;
  /** Sessions that were opened, of this catalog if there is one; never empty. */
  readonly openings: readonly SessionValues[];
  /** Whether a cart intent was taken before anything is selected. */
  readonly cartFirst: boolean;
}
