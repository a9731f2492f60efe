import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { lastOf } from '../contract/asked.ts';
import { pageMarker } from '../contract/pages.ts';
import { admitted } from '../found.ts';
import { is2xx, readProbes } from '../probes.ts';
import { type CheckResult, evidence } from '../verdict.ts';
import { toMicroseconds } from './table.ts';
import { tailBounds } from './tail.ts';

const listRow = z.object({ seq: z.number(), count: z.number().nullable(), took_ms: z.number() });
const ordinaryRow = z.object({ median_ms: z.number().nullable(), shades: z.number().nullable() });

/**
 * The scenario's tightest bound on lists of shades holds for the largest catalog that one import can make, too: what takes
 * so long for each shade that it does not is a list that grows too slow with the catalog. The fastest of a few repetitions
 * counts, which nothing but the target can have held up. Nothing where the scenario bounds no tail of lists.
 */
export async function checkLargeList(history: History): Promise<CheckResult[]> {
  const bounds = tailBounds(history.run.slo).filter(
    ({ endpoint }) => endpoint === 'list-shades' || endpoint === '*',
  );
  if (bounds.length === 0) return [];
  const boundMs = Math.min(...bounds.map((slo: Slo) => slo.max_ms));
  const lists = await history.rows(
    listRow,
    `SELECT seq, count, (answered_ns - sent_ns) / 1e6 AS took_ms FROM requests
     WHERE probe = 'large:list' AND ${admitted} AND sent_ns IS NOT NULL ORDER BY took_ms`,
  );
  const [ordinary] = await history.rows(
    ordinaryRow,
    `SELECT quantile_disc(answered_ns - sent_ns, 0.5) / 1e6 AS median_ms, max(count) AS shades FROM requests
     WHERE probe IS NULL AND endpoint = 'list-shades' AND ${admitted} AND sent_ns IS NOT NULL`,
  );
  const probes = await readProbes(history);
  const batch = lastOf(probes, 'batch-max');
  const imported = batch !== undefined && is2xx(batch) ? (batch.items ?? undefined) : undefined;
  const isPaged = pageMarker(lastOf(probes, 'batch-max:list')) !== undefined;
  const [fastest] = lists;
  const middle = lists[Math.floor(lists.length / 2)];
  const size = fastest?.count ?? null;
  const common = {
    id: 'latency.large-list',
    title: `The list of as large a catalog as one import makes takes at most ${number(boundMs)} ms`,
    expected: { 'fastest, ms': { max: boundMs } },
    observed: {
      shades: size,
      lists: lists.length,
      'fastest, ms': fastest === undefined ? null : toMicroseconds(fastest.took_ms),
      'median, ms': middle === undefined ? null : toMicroseconds(middle.took_ms),
      'ordinary lists': {
        shades: ordinary?.shades ?? null,
        'median, ms': typeof ordinary?.median_ms === 'number' ? toMicroseconds(ordinary.median_ms) : null,
      },
    },
    evidence:
      lists.length === 0
        ? []
        : [
            evidence(
              'lists of the largest catalog, the fastest first',
              lists.map(({ seq }) => seq),
            ),
          ],
  } as const;
  if (fastest !== undefined && imported !== undefined && size !== null && size < imported && !isPaged)
    return [
      {
        ...common,
        verdict: 'inconclusive',
        explanation: `The lists held ${counted(size, 'shade')} of the ${number(imported)} imported: how long a whole one takes is not known.`,
      },
    ];
  if (fastest === undefined || middle === undefined)
    return [
      {
        ...common,
        verdict: 'inconclusive',
        explanation: 'No list of the largest catalog was answered.',
      },
    ];
  const of = size === null ? 'the largest catalog' : `${counted(size, 'shade')}`;
  const beside =
    typeof ordinary?.median_ms === 'number' && ordinary.shades !== null
      ? ` Ordinary lists of ${number(ordinary.shades)} took ${number(toMicroseconds(ordinary.median_ms))} ms (median).`
      : '';
  if (fastest.took_ms > boundMs)
    return [
      {
        ...common,
        verdict: 'fail',
        explanation: `A list of ${of} took ${number(toMicroseconds(fastest.took_ms))} ms at the least, the fastest of ${number(lists.length)} without any load; the bound on lists is ${number(boundMs)} ms.${beside}`,
      },
    ];
  return [
    middle.took_ms > boundMs
      ? {
          ...common,
          verdict: 'inconclusive',
          explanation: `A list of ${of} took ${number(toMicroseconds(middle.took_ms))} ms (median), over the bound of ${number(boundMs)} ms, but ${number(toMicroseconds(fastest.took_ms))} ms at the least: something else may have held it up.${beside}`,
        }
      : {
          ...common,
          verdict: 'pass',
          explanation: `A list of ${of} took ${number(toMicroseconds(middle.took_ms))} ms (median), within ${number(boundMs)} ms.${beside}`,
        },
  ];
}
