import type { Operator } from './operators.ts';

/** What is known of a mutant that no run kills. Compared by text, since lines move. */
export interface KnownMutant {
  readonly operator: Operator;
  /** The changed lines before and after. */
  readonly before: string;
  readonly after: string;
  /** `equivalent`: no caller can see it, so it is not tried. `open`: a property that no check has yet would show it. */
  readonly kind: 'equivalent' | 'open';
  /** Why no caller can see it, or which property would show it. */
  readonly text: string;
}

export const knownMutants: readonly KnownMutant[] = [];

/** What is known of a mutant, if anything. */
export function knownOf(
  mutant: Pick<KnownMutant, 'operator' | 'before' | 'after'>,
  known: readonly KnownMutant[] = knownMutants,
): KnownMutant | undefined {
  return known.find(
    ({ after, before, operator }) =>
      operator === mutant.operator && before === mutant.before && after === mutant.after,
  );
}
