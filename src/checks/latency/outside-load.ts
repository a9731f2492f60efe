import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { sqlText } from '../../history/tables.ts';
import { boundedEndpoints, type Endpoint, endpoints } from '../../vocabulary/requests.ts';
import { caused, shown } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { inCommon, mostly, traitsOfRequests } from '../core/in-common.ts';
import { isProbeOf } from '../core/probes.ts';
import { type CheckFinding, evidence, evidenceIfAny } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import type { Trait } from '../reasons/words/traits.ts';
import { lateFirsts } from './late.ts';
import { toMicroseconds } from './table.ts';

/** Slow requests one after another, each of which a separate pause would have to explain. */
const fewestSlow = 3;
/** What a request can be about. Its number of entries is none: more work may take longer. */
const subjects = ['credential', 'catalog_id', 'product_id', 'locale'] as const satisfies readonly Trait[];

/** Of the load, these are enough to compare with. */
const mostCompared = 100_000;

/** SQL: what the target looked for, and found or not. Who is turned away need not wait. */
const judged = `(${admitted} OR status = 404)`;

const lateRow = z.object({
  requests: z.number(),
  over: z.number(),
  apart: z.number(),
  slowest: z.string().nullable(),
  slowest_ms: z.number().nullable(),
  slowest_seq: z.number().nullable(),
});

/**
 * Requests before and after the load keep the scenario's bounds as well, unless a few are slow by chance: no key, catalog,
 * product or locale has nearly all of its requests over them, and first lists of catalogs are not slow. Compared with
 * requests of the load to the same endpoints. No finding without bounds or without such requests.
 */
export async function checkOutsideLoad(history: History): Promise<CheckFinding[]> {
  const bounds = boundsOf(history.run.slo);
  const bounded = endpoints.filter((endpoint) => bounds.has(endpoint));
  if (bounded.length === 0) return [];
  const boundNs = `CASE endpoint ${bounded
    .map((endpoint) => `WHEN ${sqlText(endpoint)} THEN ${Math.floor((bounds.get(endpoint) ?? 0) * 1e6)}`)
    .join(' ')} END`;
  const late = `answered_ns - sent_ns > ${boundNs}`;
  const asked = `${judged} AND sent_ns IS NOT NULL AND stage IN ('setup', 'load', 'settle') AND ${boundNs} IS NOT NULL
    AND credential NOT IN ('none', 'bad') AND NOT ${isProbeOf('crossed')} AND (stage <> 'load' OR seq <= ${mostCompared})`;
  const outside = `${asked} AND NOT (stage = 'load' AND probe IS NULL)`;
  const [row] = await history.rows(
    lateRow,
    `WITH asked AS (SELECT *, ${late} AS is_late FROM requests WHERE ${outside}),
     late AS (
       SELECT sent_ns, max(answered_ns) OVER (
         ORDER BY sent_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
       FROM asked WHERE is_late)
     SELECT count(*) AS requests, count(*) FILTER (is_late) AS over,
       (SELECT count(*) FROM late WHERE sent_ns >= coalesce(before_ns, 0)) AS apart,
       max(answered_ns - sent_ns) / 1e6 AS slowest_ms, arg_max(endpoint, answered_ns - sent_ns) AS slowest,
       arg_max(seq, answered_ns - sent_ns) AS slowest_seq
     FROM asked`,
  );
  if (row === undefined || row.requests === 0) return [];
  const { apart, over, requests, slowest, slowest_ms, slowest_seq } = row;
  const figures = { requests, over, slowest: slowest ?? '', slowestMs: toMicroseconds(slowest_ms ?? 0) };
  const shared = apart < fewestSlow ? undefined : await sharedBy(history, asked, late);
  return [
    {
      id: 'latency.outside-load',
      expected: { 'kinds of requests over the bound': 0 },
      observed: { requests, 'over the bound': over, 'slowest, ms': figures.slowestMs },
      evidence: evidenceIfAny('the slowest', slowest_seq === null ? [] : [slowest_seq]),
      ...(shared ?? { verdict: 'pass', reasons: [reason('outside-load-kept', figures)] }),
    },
  ];
}

type Shared = Pick<CheckFinding, 'verdict' | 'reasons' | 'evidence' | 'causes'>;

/** What one catalog is, as columns: each account has its own of a name, or keys share them. */
const catalogs = ['credential, catalog_id', 'catalog_id'] as const;

async function sharedBy(history: History, asked: string, late: string): Promise<Shared | undefined> {
  const lists = `${asked} AND endpoint = 'list-shades' AND ${admitted}`;
  for (const catalog of catalogs) {
    const first = await lateFirsts({ history, sample: lists, late }, catalog, lists);
    if (first === undefined) continue;
    const { firstMs, nextMs, of, seqs, slow } = first;
    return {
      verdict: 'fail',
      reasons: [reason('outside-load-first', { slow, lists: of })],
      evidence: [evidence('first lists over the bound', seqs)],
      ...caused([shown('first-list-slow', { lists: slow, firstMs, nextMs }, seqs)]),
    };
  }
  const common = await inCommon(history, traitsOfRequests(asked, late), subjects, mostly);
  if (common === undefined) return undefined;
  const { failed: slow, others, seqs, trait, values } = common;
  const figures = { slow, others, trait, values };
  return {
    verdict: 'fail',
    reasons: [reason('outside-load-slow', figures)],
    evidence: [evidence('over the bound', seqs)],
    ...caused([shown('slow-by-value', figures, seqs)]),
  };
}

/** The longest that the scenario allows each endpoint, milliseconds: bounds of phases and of lower percentiles are shorter. */
function boundsOf(slos: readonly Slo[]): ReadonlyMap<Endpoint, number> {
  const bounds = new Map<Endpoint, number>();
  for (const { endpoint, max_ms } of slos)
    for (const each of endpoints)
      if (boundedEndpoints(endpoint).includes(each))
        bounds.set(each, Math.max(max_ms, bounds.get(each) ?? 0));
  // How long an import takes is no part of any shopper's wait.
  bounds.delete('import-shades');
  return bounds;
}
