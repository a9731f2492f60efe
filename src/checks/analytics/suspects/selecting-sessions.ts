import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits } from '../../causes/cause.ts';
import { fitTopShades } from '../compare/fit.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

const selectingRow = z.object({
  credential: z.string(),
  product_id: z.string().nullable(),
  sku: z.string(),
  sessions: z.number(),
});

/** Lists that are right if a shade is counted once in each session that selected it. */
export async function selectingSessions(
  history: History,
  table: AnalyticsTable,
): Promise<SuspectHypothesis[]> {
  const { search } = table;
  const [first] = wrongRows(table, 'top_shades');
  if (first === undefined || search === undefined) return [];
  const { of, frame, topLengths } = search.chosen.evaluation;
  const all = await history.rows(
    selectingRow,
    `SELECT credential, product_id, sku, count(*) AS sessions FROM (
       SELECT credential, product_id, unnest(list_distinct(shades)) AS number FROM sessions WHERE granted AND NOT again
     ) JOIN skus USING (number) GROUP BY ALL`,
  );
  const sessionsOf = ({ query: { credential, productId } }: AnswerRow): Map<string, number> => {
    const keys: readonly string[] = frame.account.of[credential];
    const sessions = new Map<string, number>();
    for (const each of all)
      if (keys.includes(each.credential) && (productId === null || each.product_id === productId))
        sessions.set(each.sku, (sessions.get(each.sku) ?? 0) + each.sessions);
    return sessions;
  };
  const areSessions = table.rows.every((row, place) => {
    const [around, expectation] = [of.circumstances[place], of.expectations[place]];
    // A period before or after all that was done shows nothing.
    if (around === undefined || expectation === undefined || expectation.shades.length === 0)
      return row.topShades.verdict !== 'fail';
    const shades = [...sessionsOf(row)].map(([sku, n]) => ({ sku, min: n, max: n, copies: n }));
    return (
      fitTopShades(row.topShades.returned, { ...expectation, shades }, topLengths, around).fit !== 'misfits'
    );
  });
  const [shade] = (first.topShades.expected ?? []).filter(
    ({ min, sku }) => min > (sessionsOf(first).get(sku) ?? 0),
  );
  if (!areSessions || shade === undefined) return [];
  const { min: selections, sku } = shade;
  return hypotheses(table, ['top_shades'], (seqs) =>
    fits('sessions-for-selections', { sku, sessions: sessionsOf(first).get(sku) ?? 0, selections }, seqs),
  );
}
