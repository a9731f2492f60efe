import { countUpTo } from '../../../limits/arrays.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { joinedParts, mostComparable, trendOf } from '../../core/monotone-trend.ts';

/** How long sessions took to show in a count of them: pure, on instants of the run in nanoseconds. */

/** A session that was opened, or may have been. */
export interface SessionOpening {
  readonly fromNs: number;
  readonly toNs: number;
  readonly certain: boolean;
}

/** A count of the sessions that show, made at some instant between the two. */
export interface Poll {
  /** Requests of the load about then, by which polls are alike; absent where the load was short, or over. */
  readonly load?: number | undefined;
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly sessions: number;
}

/** The lag of one session: at least, and at most where it was ever seen to show. */
export interface Lag {
  readonly minNs: number;
  readonly maxNs: number | undefined;
}

/**
 * The lag of each session that certainly exists, in the order of opening, as far as counts tell: sessions are taken to show
 * in the order in which they were opened, so that the i-th shows once i do. A session whose place in that order is
 * uncertain has shown for sure once as many do as may have been before it, and has not while no more do than certainly
 * were. Sessions that no poll was sent for within `withinNs` of their opening are left out: no poll could show them.
 */
export function lagsOf(openings: readonly SessionOpening[], polls: readonly Poll[], withinNs: number): Lag[] {
  const certain = openings.filter((each) => each.certain).toSorted((a, b) => a.fromNs - b.fromNs);
  const ends = certain.map(({ toNs }) => toNs).toSorted(ascending);
  const starts = openings.map(({ fromNs }) => fromNs).toSorted(ascending);
  const asked = polls.toSorted((a, b) => a.sentNs - b.sentNs);
  return certain.flatMap(({ fromNs, toNs }): Lag[] => {
    const next = asked[firstFrom(asked, toNs)];
    if (next === undefined || next.sentNs > toNs + withinNs) return [];
    const surelyBefore = countUpTo(ends, fromNs);
    const maybeUpTo = countUpTo(starts, toNs);
    // Where a count falls again, sessions show once none is missing any more.
    const lastMissing = asked.findLastIndex(({ sessions }) => sessions <= surelyBefore);
    const missing = asked[lastMissing];
    const shown = asked.find(({ sessions }, place) => place > lastMissing && sessions >= maybeUpTo);
    return [
      {
        minNs: missing === undefined ? 0 : Math.max(0, missing.sentNs - toNs),
        maxNs: shown === undefined ? undefined : Math.max(0, shown.answeredNs - fromNs),
      },
    ];
  });
}

/** A quantile of lags that are known within bounds lies between that of the lower and that of the upper ones. */
export function quantile(lags: readonly Lag[], share: number): { minNs: number; maxNs: number | undefined } {
  const place = Math.max(0, Math.ceil(share * lags.length) - 1);
  const lows = lags.map(({ minNs }) => minNs).toSorted(ascending);
  const highs = lags.map(({ maxNs = Number.POSITIVE_INFINITY }) => maxNs).toSorted(ascending);
  const high = highs[place] ?? Number.POSITIVE_INFINITY;
  return { minNs: lows[place] ?? 0, maxNs: Number.isFinite(high) ? high : undefined };
}

/** How many sessions must have shown in a poll, given a bound of the lag, and how many can have. */
export function visibleBounds(openings: readonly SessionOpening[], poll: Poll, boundNs: number): Bounds {
  return {
    min: openings.filter(({ certain, toNs }) => certain && toNs <= poll.sentNs - boundNs).length,
    max: openings.filter(({ fromNs }) => fromNs <= poll.answeredNs).length,
  };
}

/**
 * The instants that a count can be of, if it leaves out nothing but what is newer than some instant: as many sessions
 * may have been opened by then as it shows, and no more certainly were.
 */
export function asOf(
  openings: readonly SessionOpening[],
): (sessions: number) => { fromNs: number; toNs: number } | undefined {
  const starts = openings.map(({ fromNs }) => fromNs).toSorted(ascending);
  const ends = openings
    .filter(({ certain }) => certain)
    .map(({ toNs }) => toNs)
    .toSorted(ascending);
  return (sessions) =>
    sessions > starts.length
      ? undefined
      : {
          fromNs: starts[sessions - 1] ?? Number.NEGATIVE_INFINITY,
          toNs: ends[sessions] ?? Number.POSITIVE_INFINITY,
        };
}

/** What counts as growth: by rank, by factor, and by this part of the bound. `docs/accuracy.md` has its power. */
const growing = { z: 3.5, factor: 1.5, ofBound: 0.1 } as const;

/** Ages of answers in the first and in the last quarter of the load. */
export interface AgeGrowth {
  readonly beforeNs: number;
  readonly afterNs: number;
}

/**
 * How answers got older while the load stayed the same. The sessions that are missing from an answer came at a known rate,
 * so that their number is an age.
 */
export function growthOfAge(
  openings: readonly SessionOpening[],
  polls: readonly Poll[],
  boundNs: number,
): AgeGrowth | undefined {
  const ends = openings.flatMap(({ certain, toNs }) => (certain ? [toNs] : [])).toSorted(ascending);
  const comparable = mostComparable(
    polls.flatMap(({ load, ...poll }) => (load === undefined ? [] : [{ ...poll, load }])),
  );
  const [fromNs = 0, toNs = 0] = [comparable[0]?.sentNs, comparable.at(-1)?.sentNs];
  const gapNs = (toNs - fromNs) / Math.max(1, countUpTo(ends, toNs) - countUpTo(ends, fromNs));
  // Medians of so small numbers would hide most of a growth.
  const parts = joinedParts(comparable).map((part) => {
    const missing = part.map(({ sentNs, sessions }) => Math.max(0, countUpTo(ends, sentNs) - sessions));
    return { load: 0, value: (gapNs * missing.reduce((sum, each) => sum + each, 0)) / part.length };
  });
  const { after, before, z } = trendOf(parts) ?? { after: 0, before: 0, z: 0 };
  const isGrowth =
    z > growing.z && after > growing.factor * before && after - before > growing.ofBound * boundNs;
  return isGrowth ? { beforeNs: before, afterNs: after } : undefined;
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** The place of the first poll that was sent at or after an instant. */
function firstFrom(polls: readonly Poll[], atNs: number): number {
  const place = polls.findIndex(({ sentNs }) => sentNs >= atNs);
  return place < 0 ? polls.length : place;
}

/** More sessions than were opened, and fewer later. */
export interface PassingSurplus {
  readonly kind: 'passing-surplus';
  /** Of the largest surplus, and of the first later poll that showed fewer. */
  readonly seqs: readonly number[];
  readonly shown: number;
  readonly opened: number;
  readonly later: number;
}

/**
 * More sessions than had been opened, even if each that is newer than the bound shows twice, as where messages come twice and are
 * removed a moment later. And a later poll shows fewer, when all that were opened before the first are older than the bound: so no
 * other way to count explains both, and no replica that is behind.
 */
export function passingSurplus(
  openings: readonly SessionOpening[],
  polls: readonly Poll[],
  boundNs: number,
): PassingSurplus | undefined {
  const inOrder = polls.toSorted((a, b) => a.sentNs - b.sentNs);
  const byStart = openings.toSorted((a, b) => a.fromNs - b.fromNs);
  const starts = byStart.map(({ fromNs }) => fromNs);
  const ends = openings.map(({ toNs }) => toNs).toSorted((a, b) => a - b);
  const found = inOrder.flatMap((poll, place) => {
    const opened = countUpTo(starts, poll.answeredNs);
    const young = Math.max(0, opened - countUpTo(ends, poll.sentNs - boundNs));
    if (poll.sessions <= opened + young) return [];
    const lastNs = byStart
      .slice(0, opened)
      .reduce((last, { toNs }) => Math.max(last, toNs), poll.answeredNs - boundNs);
    const fewer = inOrder
      .slice(place + 1)
      .find(
        ({ sentNs, sessions }) =>
          sentNs > poll.answeredNs && sentNs >= lastNs + boundNs && sessions < poll.sessions,
      );
    return fewer === undefined ? [] : [{ poll, opened, fewer }];
  });
  const [most] = found.toSorted((a, b) => b.poll.sessions - b.opened - (a.poll.sessions - a.opened));
  if (most === undefined) return undefined;
  const { fewer, opened, poll } = most;
  return {
    kind: 'passing-surplus',
    seqs: [poll.seq, fewer.seq],
    shown: poll.sessions,
    opened,
    later: fewer.sessions,
  };
}
