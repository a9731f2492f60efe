import type { History } from '../../../history/history.ts';
import { fits } from '../../causes/cause.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { type Group, knownOf, sessionGroups, sum } from './session-groups.ts';

/** What a total may count in place of sessions: what each session adds. */
const parts = {
  events: ({ carts, selections }) => selections + carts,
  selections: ({ selections }) => selections,
  shades: ({ shades }) => shades,
  'events-or-one': ({ carts, selections }) => Math.max(1, selections + carts),
  'selections-or-one': ({ selections }) => Math.max(1, selections),
  'shades-or-one': ({ shades }) => Math.max(1, shades),
} as const satisfies Record<string, (group: Group) => number>;

/** Wrong totals, of products alone or of all, that are numbers of rows of a join: every such total is just that. */
export async function totalHypotheses(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const { rows, search } = table;
  const wrong = wrongRows(table, 'total_sessions');
  if (wrong.length === 0 || search === undefined) return [];
  const isOfProducts = wrong.every(({ query }) => query.productId !== null);
  const all = await sessionGroups(history);
  const known = rows
    .filter(({ query }) => !isOfProducts || query.productId !== null)
    .flatMap((row) => knownOf(search.chosen, row, 'total_sessions', all));
  if (!wrong.every((row) => known.some((each) => each.row === row))) return [];
  const of = (Object.keys(parts) as (keyof typeof parts)[]).find((part) =>
    known.every(({ groups, value }) => {
      const { max, min } = sum(groups, parts[part]);
      return value >= min && value <= max;
    }),
  );
  return of === undefined
    ? []
    : hypotheses(table, ['total_sessions'], (seqs) => fits('total-of-other', { of, isOfProducts }, seqs));
}
