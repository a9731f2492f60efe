import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits } from '../diagnosis/cause.ts';
import { admitted, sqlText } from '../found.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from './hypothesis.ts';
import type { AnalyticsTable } from './table.ts';

/** With fewer shades an age that fits may be chance. */
const leastShades = 5;

const ageRow = z.object({
  over_ms: z.number().nullable(),
  under_ms: z.number().nullable(),
  shades: z.number(),
});

/** Selections that are missing because they came too long after the creation of their session: one age explains every count. */
export async function lateEvents(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const { search } = table;
  if (search === undefined) return [];
  const wrong = wrongRows(table, 'top_shades');
  const said = wrong.flatMap(({ query: { credential, productId }, topShades: { returned } }, row) => {
    const keys = search.chosen.evaluation.frame.account.of[credential];
    return (returned ?? []).map(
      ({ selections, sku }) =>
        `(${row}, [${keys.map(sqlText).join(', ')}], ${productId === null ? 'NULL' : sqlText(productId)}, ${sqlText(sku)}, ${selections})`,
    );
  });
  if (said.length < leastShades) return [];
  const [found] = await history.rows(
    ageRow,
    `WITH said(answer, keys, product_id, sku, n) AS (VALUES ${said.join(', ')}),
     aged AS (
       SELECT s.credential, s.product_id, i.sku, (r.sent_ns - s.answered_ns) / 1e6 AS least_ms, (r.answered_ns - s.sent_ns) / 1e6 AS most_ms
       FROM interactions i JOIN requests r ON r.seq = i.seq AND r.${admitted}
       JOIN sessions s ON s.session_id = i.session_id AND s.granted AND NOT s.again
       WHERE i.type = 'shade_selected' AND i.sku IN (SELECT sku FROM said)
     ), counted AS (
       SELECT q.answer, q.sku, any_value(n) AS n, list_sort(list(least_ms)) AS least, list_sort(list(most_ms)) AS most
       FROM said q JOIN aged a ON list_contains(q.keys, a.credential) AND a.sku = q.sku AND (q.product_id IS NULL OR q.product_id = a.product_id)
       GROUP BY q.answer, q.sku
     )
     SELECT max(least[n]) AS over_ms, min(most[n + 1]) AS under_ms, count(*) FILTER (len(most) > n) AS shades FROM counted`,
  );
  if (found === undefined || found.shades < leastShades) return [];
  const { over_ms: leastMs, under_ms: mostMs } = found;
  if (leastMs === null || mostMs === null || leastMs < 0 || leastMs >= mostMs) return [];
  return hypotheses(table, ['top_shades'], (seqs) => fits('late-events-ignored', { leastMs, mostMs }, seqs));
}
