import { z } from 'zod';
import type { Mutant } from './enumerate.ts';
import written from './known.json' with { type: 'json' };
import { operators } from './operators.ts';

const lines = z.array(z.string()).transform((each) => each.join('\n'));
const knownSchema = z.strictObject({
  operator: z.enum(Object.keys(operators) as [keyof typeof operators]),
  /** The changed lines before and after. */
  before: lines,
  after: lines,
  /** The function around it, where the same lines stand in several. */
  name: z.string().optional(),
  /**
   * `equivalent`: no caller can see it, or the interface leaves it open, so it is not tried. `open`: a property that no
   * check has yet would show it.
   */
  kind: z.enum(['equivalent', 'open']),
  /** Why nothing promised changes, or which property would show it. */
  text: z.string(),
});

/** What is known of a mutant that no run kills. Compared by text, since lines move. */
export type KnownMutant = z.output<typeof knownSchema>;

export const knownMutants: readonly KnownMutant[] = z.array(knownSchema).parse(written);

/** What is known of a mutant, if anything. */
export function knownOf(
  mutant: Pick<Mutant, 'operator' | 'before' | 'after' | 'name'>,
  known: readonly KnownMutant[] = knownMutants,
): KnownMutant | undefined {
  return known.find(
    ({ after, before, name = mutant.name, operator }) =>
      operator === mutant.operator &&
      name === mutant.name &&
      before === mutant.before &&
      after === mutant.after,
  );
}
