import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { find, firstSeqs, seqsColumn } from '../../core/found.ts';
import { joined, joinedParts, loadBlocks, mostComparable } from '../../core/monotone-trend.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

/** A stretch of the load: its requests, and those that failed. */
export interface FailingBlock {
  readonly load: number;
  readonly tried: number;
  readonly failed: number;
}

/** How the share of failures grew while the load stayed the same. */
interface Growth {
  /** Shares in the first and in the last third of the comparable load. */
  readonly before: number;
  readonly after: number;
}

/**
 * What counts as growth: the correlation of the share with time that 16 shares in any order have once in a thousand times
 * (Student's t, 14 degrees of freedom), and a share that has at least doubled. Failures that come together make a stretch
 * stand out and do not make a trend, unlike in a test of single failures. `docs/accuracy.md` has its power.
 */
const leastCorrelation = 0.711;
const leastFactor = 2;
const leastFailures = 10;

/** Whether failures grow with time; undefined if there are too few failures or comparable stretches. */
export function growthIn(blocks: readonly FailingBlock[]): Growth | undefined {
  const parts = joinedParts(mostComparable(blocks)).map((part) => ({
    tried: part.reduce((sum, { tried }) => sum + tried, 0),
    failed: part.reduce((sum, { failed }) => sum + failed, 0),
  }));
  if (parts.length < joined || parts.reduce((sum, { failed }) => sum + failed, 0) < leastFailures) return;
  const third = Math.floor(joined / 3);
  const [before, after] = [shareOf(parts.slice(0, third)), shareOf(parts.slice(-third))];
  const correlation = withTime(parts.map((part) => shareOf([part])));
  return correlation > leastCorrelation && after >= leastFactor * before ? { before, after } : undefined;
}

function shareOf(parts: readonly { readonly tried: number; readonly failed: number }[]): number {
  const tried = parts.reduce((sum, each) => sum + each.tried, 0);
  return parts.reduce((sum, each) => sum + each.failed, 0) / Math.max(1, tried);
}

/** Pearson's correlation of a series with its places; 0 where it does not vary. */
function withTime(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centre = (values.length - 1) / 2;
  let [both, own, time] = [0, 0, 0];
  for (const [place, value] of values.entries()) {
    both += (value - mean) * (place - centre);
    own += (value - mean) ** 2;
    time += (place - centre) ** 2;
  }
  return own === 0 ? 0 : both / Math.sqrt(own * time);
}

/** A growth, and the first requests of the last stretch with failures. */
type SeenGrowth = Growth & { readonly seqs: readonly number[] };

export function growthReasons(growth: Growth | undefined): Reason[] {
  return growth === undefined ? [] : [reason('errors-grow', { before: growth.before, after: growth.after })];
}

export function growthCauses(growth: SeenGrowth | undefined): Suspect[] {
  if (growth === undefined) return [];
  const { seqs, ...shares } = growth;
  return [fits('errors-grow', shares, seqs)];
}

/** A span of the run, in milliseconds since its start. */
interface RunSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Bursts: at most this many, the fewest failures of each and of all, and the longest part of the run that they take. Ours. */
const burst = { most: 4, failures: 3, inAll: 8, part: 0.25 } as const;

/** The spans in which all failures come; empty where they come at any time. `atMs`: in order. */
export function burstsOf(atMs: readonly number[], runMs: number): readonly RunSpan[] {
  const apartMs = runMs / 50;
  const starts = atMs.flatMap((ms, n) => (n === 0 || ms - (atMs[n - 1] ?? 0) > apartMs ? [n] : []));
  if (atMs.length < burst.inAll || starts.length > burst.most) return [];
  const groups = starts.map((from, n) => atMs.slice(from, starts[n + 1]));
  const spans = groups.map((group) => ({ fromMs: group[0] ?? 0, toMs: group.at(-1) ?? 0 }));
  const lengthMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const areBursts = groups.every(({ length }) => length >= burst.failures) && lengthMs <= burst.part * runMs;
  return areBursts ? spans : [];
}

/** Failures beyond these are not looked at one by one. */
const mostTimes = 20_000;

/** The spans of the run in which all requests are for which an SQL condition holds; empty where they are anywhere. */
export async function burstsIn(history: History, failing: string): Promise<readonly RunSpan[]> {
  const rows = await history.rows(
    z.object({ at_ms: z.number(), run_ms: z.number() }),
    `SELECT sent_ns / 1e6 AS at_ms, (SELECT max(answered_ns) / 1e6 FROM requests) AS run_ms
     FROM requests WHERE sent_ns IS NOT NULL AND (${failing}) ORDER BY sent_ns LIMIT ${mostTimes}`,
  );
  const atMs = rows.map(({ at_ms }) => at_ms);
  return rows.length === mostTimes ? [] : burstsOf(atMs, rows[0]?.run_ms ?? 0);
}

const blockRow = z.object({ load: z.number(), tried: z.number(), failed: z.number(), seqs: seqsColumn });

/** How the requests of the load grew for which an SQL condition holds. */
export async function growthOf(history: History, failing: string): Promise<SeenGrowth | undefined> {
  // Most loads have next to none, which is seen sooner than how they are spread.
  const { total } = await find(
    history,
    `stage = 'load' AND probe IS NULL AND sent_ns IS NOT NULL AND (${failing})`,
  );
  const load = total < leastFailures ? undefined : await loadBlocks(history);
  if (load === undefined) return undefined;
  const rows = await history.rows(
    blockRow,
    `WITH ${load.blocked}
     SELECT any_value(busy.load) AS load, count(*) AS tried, count(*) FILTER (${failing}) AS failed,
       ${firstSeqs} FILTER (${failing}) AS seqs
     FROM blocked JOIN busy USING (block) WHERE probe IS NULL GROUP BY block ORDER BY block`,
  );
  const growth = growthIn(rows);
  return growth === undefined
    ? undefined
    : { ...growth, seqs: rows.findLast(({ failed }) => failed > 0)?.seqs ?? [] };
}
