import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { boundedEndpoints } from '../../vocabulary/requests.ts';
import { shown } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { is2xx, isProbe, readProbes } from '../core/probes.ts';
import { type CheckFinding, evidenceIfAny, type Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { tailBounds } from './slo.ts';
import { toMicroseconds } from './table.ts';

const listRow = z.object({ seq: z.number(), count: z.number().nullable(), took_ms: z.number() });
const pagesRow = z.object({
  pages: z.number(),
  shades: z.number().nullable(),
  took_ms: z.number().nullable(),
});
const ordinaryRow = z.object({ median_ms: z.number().nullable(), shades: z.number().nullable() });

/**
 * The scenario's tightest bound on lists of shades holds for the largest catalog that one import can make, too. It is judged
 * by the median of a few repetitions, and fails only if the fastest is too slow as well: only the target can have held that up. Of a target that answers in pages, a page has to keep
 * the bound. Nothing where the scenario bounds no tail of lists.
 */
export async function checkLargeList(history: History): Promise<CheckFinding[]> {
  const bounds = tailBounds(history.run.slo).filter(({ endpoint }) =>
    boundedEndpoints(endpoint).includes('list-shades'),
  );
  if (bounds.length === 0) return [];
  const boundMs = Math.min(...bounds.map((slo: Slo) => slo.max_ms));
  const lists = await history.rows(
    listRow,
    `SELECT seq, count, (answered_ns - sent_ns) / 1e6 AS took_ms FROM requests
     WHERE ${isProbe('large:list')} AND ${admitted} AND sent_ns IS NOT NULL ORDER BY took_ms`,
  );
  const [ordinary] = await history.rows(
    ordinaryRow,
    `SELECT quantile_disc(answered_ns - sent_ns, 0.5) / 1e6 AS median_ms, max(count) AS shades FROM requests
     WHERE probe IS NULL AND endpoint = 'list-shades' AND ${admitted} AND sent_ns IS NOT NULL`,
  );
  const probes = await readProbes(history);
  const batch = probes.findLast(({ probe }) => probe === 'batch-max');
  const imported = batch !== undefined && is2xx(batch) ? batch.items : null;
  const pages = await readPages(history);
  const [fastest] = lists;
  const middle = lists[Math.floor(lists.length / 2)];
  const shades = fastest?.count ?? null;
  const [fastestMs, medianMs] = [toMicroseconds(fastest?.took_ms ?? 0), toMicroseconds(middle?.took_ms ?? 0)];
  const ordinaryMs = toMicroseconds(ordinary?.median_ms ?? 0);
  const isOrdinaryKnown = ordinary?.median_ms != null;
  const seqs = lists.map(({ seq }) => seq);
  const common = {
    id: 'latency.large-list',
    titleParams: { isPaged: pages !== undefined, boundMs },
    expected: { 'median, ms': { max: boundMs } },
    observed: {
      shades,
      ...(pages && { pages: pages.pages, 'all pages, one after the other, ms': pages.tookMs }),
      lists: lists.length,
      'median, ms': middle === undefined ? null : medianMs,
      'fastest, ms': fastest === undefined ? null : fastestMs,
      'ordinary lists': {
        shades: ordinary?.shades ?? null,
        'median, ms': isOrdinaryKnown ? ordinaryMs : null,
      },
    },
    evidence: evidenceIfAny('lists of the largest catalog, the fastest first', seqs),
  } as const;
  const list = { shades, pageOf: pages?.shades ?? null };
  const beside = [
    ...(pages === undefined ? [] : [reason('large-list-pages', pages)]),
    ...(isOrdinaryKnown && ordinary.shades !== null
      ? [reason('large-list-ordinary', { shades: ordinary.shades, medianMs: ordinaryMs })]
      : []),
  ];
  const concluded = (verdict: Verdict, ...reasons: readonly Reason[]): CheckFinding[] => [
    { ...common, verdict, reasons },
  ];
  if (shades !== null && imported !== null && shades < imported && pages === undefined)
    return concluded('inconclusive', reason('large-list-cut', { shades, imported }));
  if (fastest === undefined || middle === undefined)
    return concluded('inconclusive', reason('large-list-unanswered'));
  const figures = { list, fastestMs, medianMs, lists: lists.length, boundMs };
  if (middle.took_ms <= boundMs) return concluded('pass', reason('large-list-kept', figures), ...beside);
  if (fastest.took_ms <= boundMs)
    return concluded('inconclusive', reason('large-list-in-doubt', figures), ...beside);
  const cause = { items: shades ?? undefined, tookMs: middle.took_ms, boundMs };
  return [
    {
      ...common,
      verdict: 'fail',
      causes: [shown('slow-by-size', cause, seqs)],
      reasons: [reason('large-list-slow', figures), ...beside],
    },
  ];
}

/** Of the list of the full batch, if it came in pages: how many, of how many shades, and how long they took to be read. */
async function readPages(
  history: History,
): Promise<{ readonly pages: number; readonly shades: number; readonly tookMs: number } | undefined> {
  const [row] = await history.rows(
    pagesRow,
    `WITH first AS (SELECT max(seq) AS seq FROM requests WHERE ${isProbe('batch-max:list')})
     SELECT count(*) AS pages, sum(count) AS shades, sum(answered_ns - sent_ns) / 1e6 AS took_ms
     FROM requests r LEFT JOIN bodies a ON a.seq = r.seq
     WHERE ${admitted} AND (r.seq = (SELECT seq FROM first) OR page_of = (SELECT seq FROM first))`,
  );
  if (row === undefined || row.pages < 2 || row.shades === null || row.took_ms === null) return undefined;
  return { pages: row.pages, shades: row.shades, tookMs: toMicroseconds(row.took_ms) };
}
