import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { withTables } from '../../history/tables.ts';
import { boundedEndpoints } from '../../vocabulary/requests.ts';
import { shown } from '../causes/cause.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { aloneAmong } from './late.ts';
import { allowedShare, isBounded, tailBounds } from './slo.ts';
import { toMicroseconds } from './table.ts';

/** What a target may count: its name, and as SQL. A rejection for key or rate (401, 429) may come before any counting. */
const countings = [
  [
    'accepted request that is not an event',
    "endpoint <> 'interact' AND NOT coalesce(status IN (401, 429), false)",
  ],
  ['accepted request', 'NOT coalesce(status IN (401, 429), false)'],
  ['request', 'true'],
] as const;

/** An accident that is less likely than this (decimal logarithm) is excluded. */
const log10Accident = -7;
/** Slow answers beyond this many are left out: they are the SLO's matter. */
const mostSlow = 2_000;

const slowRow = z.object({
  seq: z.number(),
  endpoint: z.string(),
  phase: z.string(),
  took_ms: z.number(),
  ranks: z.array(z.coerce.number()),
  own_rank: z.number(),
  alone: z.boolean(),
});
type SlowRow = z.output<typeof slowRow>;

/** Slow answers at a regular distance in a counting. */
interface Pattern {
  readonly period: Periodicity;
  readonly of: string;
  readonly rows: readonly SlowRow[];
  readonly medianMs: number;
}

/**
 * No request at a regular distance, such as every 100th, is over its bound. Chance, the network and a busy machine hold up
 * everything that is in flight, so this shows a fault even where a percentile has too few requests. A share that the
 * percentile allows is a doubt. Nothing where the scenario bounds no tail of latency.
 */
export async function checkRegular(history: History): Promise<CheckFinding[]> {
  const bounds = tailBounds(history.run.slo);
  if (bounds.length === 0) return [];
  const bound = boundOf(bounds);
  const [{ answers, slow } = { answers: 0, slow: 0 }] = await history.rows(
    z.object({ answers: z.number(), slow: z.number() }),
    `SELECT count(*) AS answers, count(*) FILTER (${isSlow(bound)}) AS slow FROM requests WHERE ${judged} AND ${bound} IS NOT NULL`,
  );
  const alone = slow === 0 ? [] : (await readSlow(history, bound)).filter((row) => row.alone);
  const patterns = patternsOf(alone);
  const broken = patterns.find((each) => breaks(each, bounds));
  const [pattern = broken] = broken === undefined ? patterns : [broken];
  const common = {
    id: 'latency.regular',
    observed: { answers, 'over their bound': slow, 'slow while others were fast': alone.length },
  } as const;
  if (pattern === undefined)
    return [
      answers === 0
        ? { ...common, verdict: 'inconclusive', reasons: [reason('latency-no-answer')] }
        : { ...common, verdict: 'pass', reasons: [reason('latency-not-periodic', { slow, answers })] },
    ];
  const { medianMs, of, period, rows } = pattern;
  const { events, every, hits, log10Chance } = period;
  const chance = Math.floor(-log10Chance);
  const seqs = rows.map(({ seq }) => seq);
  const figures = { every, of, medianMs: toMicroseconds(medianMs), hits, events, chance };
  return [
    {
      ...common,
      verdict: broken === undefined ? 'inconclusive' : 'fail',
      observed: { ...common.observed, every, 'at that distance': hits, of: events },
      reasons: [
        reason('latency-periodic', figures),
        ...(broken === undefined ? [reason('latency-periodic-allowed')] : []),
      ],
      evidence: [evidence('slow while others were fast, at regular intervals', seqs)],
      ...(broken !== undefined && {
        causes: [shown('periodically-slow', { every, of, tookMs: medianMs }, seqs)],
      }),
    },
  ];
}

/** A pattern breaks a bound if it alone is as large a share of the requests as may be over it. */
const breaks = ({ period, rows }: Pattern, bounds: readonly Slo[]): boolean =>
  bounds.some(
    (bound) =>
      1 / period.every >= allowedShare(bound) - 1e-9 &&
      rows.every(
        (row) =>
          row.took_ms > bound.max_ms &&
          boundedEndpoints(bound.endpoint).includes(row.endpoint) &&
          (bound.phase === undefined || bound.phase === row.phase),
      ),
  );

/** The least likely by accident first. */
function patternsOf(alone: readonly SlowRow[]): Pattern[] {
  const sequences = [
    ...countings.map(([of], n) => ({ of, rows: alone, ranks: alone.map((row) => row.ranks[n] ?? 0) })),
    ...[...Map.groupBy(alone, ({ endpoint }) => endpoint)].map(([endpoint, rows]) => ({
      ...{ of: `request for ${endpoint}`, rows, ranks: rows.map((row) => row.own_rank) },
    })),
  ];
  return sequences
    .flatMap(({ of, ranks, rows }): Pattern[] => {
      const period = findPeriod(ranks);
      const took = rows.map((row) => row.took_ms).toSorted((a, b) => a - b);
      const medianMs = took[Math.floor(rows.length / 2)] ?? 0;
      return period !== undefined && period.log10Chance < log10Accident
        ? [{ period, of, rows, medianMs }]
        : [];
    })
    .toSorted((a, b) => a.period.log10Chance - b.period.log10Chance);
}

/** Ordinary answers of the load; a rejection for key or rate comes before the work. */
const judged =
  "stage = 'load' AND probe IS NULL AND status IS NOT NULL AND status NOT IN (401, 429) AND sent_ns IS NOT NULL";

const isSlow = (bound: string): string => `answered_ns - sent_ns > ${bound}`;

/** SQL: the tightest bound of the scenario on a request, ns; null where it has none. */
function boundOf(slo: readonly Slo[]): string {
  const cases = slo.map((bound) => {
    const inPhase = bound.phase === undefined ? '' : ` AND phase = ${ownText(bound.phase)}`;
    return `CASE WHEN ${isBounded(bound)}${inPhase} THEN ${Math.floor(bound.max_ms * 1e6)} END`;
  });
  return `list_min([${cases.join(', ')}])`;
}

/** Slow answers with their place in each counting, and whether they were slow by themselves; in order of sending. */
function readSlow(history: History, bound: string): Promise<SlowRow[]> {
  const order = '(ORDER BY sent_ns, seq)';
  const ranks = countings.map(([, who]) => `count(*) FILTER (${who}) OVER ${order}`).join(', ');
  const [, counted] = countings[1];
  return withTables(history, 'latency', async (tables) => {
    const slow = await tables.make(
      'slow',
      'seq endpoint phase sent_ns answered_ns ranks own_rank',
      `WITH sent AS (
         SELECT *, [${ranks}] AS ranks,
           count(*) FILTER (${counted}) OVER (PARTITION BY endpoint ORDER BY sent_ns, seq) AS own_rank
         FROM requests WHERE sent_ns IS NOT NULL)
       FROM sent WHERE ${judged} AND ${isSlow(bound)} ORDER BY sent_ns, seq LIMIT ${mostSlow}`,
    );
    return history.rows(
      slowRow,
      `WITH beside AS (${aloneAmong(`${slow}`)})
       SELECT s.seq, s.endpoint, s.phase, (s.answered_ns - s.sent_ns) / 1e6 AS took_ms, s.ranks, s.own_rank,
         coalesce(alone, false) AS alone
       FROM ${slow} s LEFT JOIN beside USING (seq) ORDER BY s.sent_ns, s.seq`,
    );
  });
}

/** A step at which events recur in a numbered sequence. */
export interface Periodicity {
  /** Every how many events of the sequence. */
  readonly every: number;
  /** How many of the events stand at that step. */
  readonly hits: number;
  readonly events: number;
  /** The decimal logarithm of a bound on the chance that this many would do so by accident. */
  readonly log10Chance: number;
}

/**
 * Events nearer to each other than this are one: what is slow together has one cause. However many follow each other so,
 * they have no step of their own.
 */
const apart = 8;
/** Fewer events show no step. */
const leastEvents = 6;
/** More are not looked at: this many settle it. */
const mostEvents = 400;
/** How far off its place an event may stand: requests arrive in another order than they were sent in. */
const widths = [1, 3, 5, 9] as const;
/** This many gaps between neighbours are tried as the step. */
const mostGaps = 100;
/** The part of the events that has to stand at the step. */
const leastPart = 0.8;

/**
 * The step at which events recur that is the least likely by accident; undefined where there are too few events, or most
 * of them fit no step. `ranks`: the events' places in the sequence, rising.
 *
 * Were the events anywhere, each of the other m − 1 would stand within a width w of a step k from a given one with chance
 * w/k, so that h of m do with at most m · C(m−1, h−1) · (w/k)^(h−1). That is multiplied by the number of steps and widths
 * that could have been tried, whether or not they were.
 */
export function findPeriod(ranks: readonly number[]): Periodicity | undefined {
  const events = separate(ranks).slice(0, mostEvents);
  if (events.length < leastEvents) return undefined;
  const gaps = events.slice(1, mostGaps).map((rank, n) => rank - (events[n] ?? 0));
  const steps = new Set(gaps.flatMap((gap) => [-2, -1, 0, 1, 2].map((off) => gap + off)));
  const tried = widths.length * Math.max(...gaps);
  let best: Periodicity | undefined;
  for (const every of steps) {
    for (const width of widths) {
      if (width * 4 > every) continue;
      const hits = mostInPlace(events, every, width);
      if (hits < leastPart * events.length) continue;
      const log10Chance = chanceOf(hits, events.length, width / every) + Math.log10(tried);
      if (best === undefined || log10Chance < best.log10Chance)
        best = { every, hits, events: events.length, log10Chance };
    }
  }
  return best;
}

function separate(ranks: readonly number[]): number[] {
  return ranks.filter((rank, n) => rank - (ranks[n - 1] ?? Number.NEGATIVE_INFINITY) >= apart);
}

/** The most events that lie within a width of the same remainder. */
function mostInPlace(events: readonly number[], every: number, width: number): number {
  const remainders = events.map((rank) => rank % every).toSorted((a, b) => a - b);
  // Once around, since the last remainders neighbour the first.
  const around = [...remainders, ...remainders.map((remainder) => remainder + every)];
  let most = 0;
  let from = 0;
  for (const [to, remainder] of around.entries()) {
    while ((around[from] ?? remainder) <= remainder - width) from++;
    most = Math.max(most, to - from + 1);
  }
  return Math.min(most, events.length);
}

function chanceOf(hits: number, events: number, chance: number): number {
  let log10 = Math.log10(events) + (hits - 1) * Math.log10(chance);
  for (let n = 1; n < hits; n++) log10 += Math.log10((events - n) / (hits - n));
  return log10;
}
