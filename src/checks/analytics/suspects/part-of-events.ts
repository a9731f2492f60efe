import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';

/** With fewer shades a bound that fits may be chance. */
const leastShades = 5;
/** A bound nearer to the creation, or to the start of the run, than this may be chance, too. */
const leastMs = 1_000;

const partRow = z.object({
  over_ms: z.number().nullable(),
  under_ms: z.number().nullable(),
  shades: z.number(),
  more: z.number(),
});

/** By what events may be counted or not, as SQL: from the least to the most that it can be, with the cause that this shows. */
const orders = [
  [
    'r.sent_ns - s.answered_ns',
    'r.answered_ns - s.sent_ns',
    (lo, hi) => fits('late-events-ignored', { leastMs: Math.max(0, lo), mostMs: hi }),
  ],
  ['r.sent_ns', 'r.answered_ns', (lo, hi) => fits('events-counted-until', { leastMs: lo, mostMs: hi })],
  ['-r.answered_ns', '-r.sent_ns', (lo, hi) => fits('events-counted-since', { leastMs: -hi, mostMs: -lo })],
] as const satisfies readonly (readonly [string, string, (overMs: number, underMs: number) => Suspect])[];

/**
 * Selections of which only a part counts: those soon after the creation of their session, or before or after some instant.
 * One bound explains every count.
 */
export async function partOfEvents(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const { search } = table;
  // Sessions that do not count at all take their events with them.
  if (search === undefined || wrongRows(table, 'total_sessions').length > 0) return [];
  const wrong = wrongRows(table, 'top_shades');
  const said = wrong.flatMap(({ query: { credential, productId }, topShades: { returned } }, row) => {
    const keys = search.chosen.evaluation.frame.account.of[credential];
    return (returned ?? []).map(({ selections: n, sku }) => ({
      answer: row,
      keys,
      product_id: productId,
      sku,
      n,
    }));
  });
  if (said.length < leastShades) return [];
  for (const [low, high, suspectOf] of orders) {
    const [found] = await history.rows(partRow, partSql(low, high), { said: JSON.stringify(said) });
    if (found === undefined || found.shades < leastShades || found.more > 0) continue;
    const { over_ms: overMs, under_ms: underMs } = found;
    if (overMs !== null && underMs !== null && overMs < underMs && Math.abs(underMs) >= leastMs)
      return hypotheses(table, ['top_shades'], (seqs) => ({ ...suspectOf(overMs, underMs), seqs }));
  }
  return [];
}

/** SQL: over and under what the bound lies if as many selections of each shade are below it as the parameter `said` has. */
function partSql(least: string, most: string): string {
  return `
    WITH said AS (
      SELECT unnest(CAST(CAST($said AS JSON) AS STRUCT(answer BIGINT, keys VARCHAR[], product_id VARCHAR, sku VARCHAR, n BIGINT)[]), max_depth := 2)),
    placed AS (
      SELECT s.credential, s.product_id, i.sku, (${least}) / 1e6 AS least_ms, (${most}) / 1e6 AS most_ms
      FROM interactions i JOIN requests r ON r.seq = i.seq AND r.${admitted}
      JOIN sessions s ON s.session_id = i.session_id AND s.granted AND NOT s.again
      WHERE i.type = 'shade_selected' AND i.sku IN (SELECT sku FROM said)
    ), counted AS (
      SELECT q.answer, q.sku, any_value(n) AS n, list_sort(list(least_ms)) AS least, list_sort(list(most_ms)) AS most
      FROM said q JOIN placed p ON list_contains(q.keys, p.credential) AND p.sku = q.sku AND (q.product_id IS NULL OR q.product_id = p.product_id)
      GROUP BY q.answer, q.sku
    )
    SELECT max(least[n]) AS over_ms, min(most[n + 1]) AS under_ms, count(DISTINCT sku) FILTER (len(most) > n) AS shades,
      count(*) FILTER (len(most) < n) AS more
    FROM counted`;
}
