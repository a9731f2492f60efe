import { counted, number } from '../../../amounts.ts';
import { floats } from '../../../limits/arrays.ts';
import { wordAt } from '../../../limits/sent/columns.ts';
import { type Claims, type HeaderContext, lagNs, readingAt } from './claims.ts';
import {
  anything,
  type ClaimedQuantity,
  faultAt,
  type HeaderFault,
  type KnownComparison,
  type Quantity,
  repeatedly,
  upTo,
} from './comparison.ts';
import type { LimitReading } from './dialects.ts';
import { instantOf, jitterNs, readWait, roundingNs } from './instants.ts';

/** A claim this close to a place's coming free is as near as whole seconds can tell. */
const nearNs = 2e9;

/**
 * Until when requests are refused, or places are taken. No specification says which (the end of a window, the next free place,
 * a full bucket), so only what fits none of them is wrong.
 */
export const reset: Quantity = {
  values(claims, { clock }) {
    const spans = claims.statements.map(({ reading }, i) => {
      const given = { sentNs: claims.sentNs[i] as number, answeredNs: claims.answeredNs[i] as number };
      return reading.reset === undefined ? undefined : instantOf(reading.reset, given, clock);
    });
    return {
      least: floats(claims.length, (i) => spans[i]?.loNs ?? Number.NaN),
      most: floats(claims.length, (i) => spans[i]?.hiNs ?? Number.NaN),
    };
  },
  rules: [
    {
      wrong: 'reset-past',
      envelope: (claims, context) => (i) => {
        const reading = readingAt(claims, i);
        const isInstant = isPointInTime(reading);
        if (isInstant && isUntouched(reading)) return undefined;
        const doubtNs = isInstant ? 2 * roundingNs + lagNs(context) : 0;
        return { ...anything, least: (claims.sentNs[i] as number) - doubtNs };
      },
    },
    {
      // Only while places remain: a rejection may block a key for longer.
      wrong: 'reset-too-far',
      envelope:
        ({ answeredNs, limited, statements, windowNs }) =>
        (i) =>
          windowNs === undefined || limited[i] === 1 || (statements[i]?.leastRemaining ?? 1) <= 0
            ? undefined
            : upTo((answeredNs[i] as number) + 2 * windowNs + 2 * roundingNs),
    },
    {
      // Both in one answer and both in seconds, so that no clock is between them. Where places come free one by one, `t` may mean
      // the last of them: only with windows is one of the two false.
      wrong: 'reset-before-retry-after',
      envelope: (claims) => (i) => {
        const { dialect, remaining, reset: value } = readingAt(claims, i);
        const isOf = dialect === 'draft-10' && claims.limited[i] === 1 && remaining === 0;
        const hasWindows = claims.isFixedWindow || claims.known?.hasWindows === true;
        if (!isOf || !hasWindows || value === undefined || !('inMs' in value)) return undefined;
        const wait = readWait(wordAt(claims.sent.retryAfter, claims.rows[i] as number) ?? '').value;
        return wait === undefined || !('inMs' in wait)
          ? undefined
          : upTo((claims.answeredNs[i] as number) + wait.inMs * 1e6 + roundingNs);
      },
    },
  ],
  patterns: (claims) => [
    ...mixedForms(claims),
    // The one-line forms exist in the drafts alone, where they mean seconds.
    ...(claims.dialect === 'draft-7' || claims.dialect === 'draft-10'
      ? faultAt('reset-unit', claims, indexesOf(claims, isPointInTime))
      : []),
    ...movesAway(claims),
  ],
  inState:
    (claims, { promised: { windowNs } }) =>
    (state, i) => {
      if (!Number.isFinite(state.reset.hiNs) || isUntouched(readingAt(claims, i))) return undefined;
      // Some name a whole window, whenever they are asked: unhelpful, and remarked upon elsewhere.
      const isWholeWindow =
        (claims.most[i] as number) + roundingNs >= (claims.sentNs[i] as number) + windowNs &&
        (claims.least[i] as number) - roundingNs <= (claims.answeredNs[i] as number) + windowNs;
      return isWholeWindow
        ? anything
        : { least: state.reset.loNs - roundingNs, most: state.reset.hiNs + roundingNs };
    },
  differs: (_, known, context) => ({
    above: mayBeJitter(known, context) ? undefined : 'reset-too-late',
    below: 'reset-too-early',
  }),
  odd: (claims) => [
    // GitLab, for one, writes instants under the name that the drafts gave to seconds.
    ...(claims.dialect === 'draft-6' && indexesOf(claims, isPointInTime).length > 0
      ? (['reset-instant'] as const)
      : []),
    ...(isAlwaysWholeWindow(claims) ? (['reset-whole-window'] as const) : []),
  ],
};

/** A limiter that has nothing to reset may leave the last instant standing. */
function isUntouched({ limit, remaining }: LimitReading): boolean {
  return remaining !== undefined && limit !== undefined && remaining >= limit - 1;
}

function isPointInTime({ reset: value }: LimitReading): boolean {
  return value !== undefined && 'atEpochMs' in value;
}

function indexesOf({ statements }: Claims, holds: (reading: LimitReading) => boolean): number[] {
  return statements.flatMap(({ reading }, i) => (holds(reading) ? [i] : []));
}

/** Now a time from now on, now a point in time: a client has to guess. No time at all may be said of what is not used yet. */
function mixedForms(claims: Claims): HeaderFault[] {
  const waits = indexesOf(
    claims,
    ({ reset: value }) => value !== undefined && 'inMs' in value && value.inMs > 0,
  );
  const points = indexesOf(claims, isPointInTime);
  const [fewer, most, least] =
    waits.length < points.length
      ? [waits, 'a point in time', 'seconds from now']
      : [points, 'seconds from now', 'a point in time'];
  const [example] = fewer.map((i) => readingAt(claims, i).reset).flatMap((value) => value ?? []);
  if (example === undefined) return [];
  const text = 'inMs' in example ? `${example.inMs / 1e3} s` : `${new Date(example.atEpochMs).toUTCString()}`;
  const how = `mostly ${most}, but ${least} in ${number(fewer.length)} of ${counted(waits.length + points.length, 'answer')}, for example ${text}`;
  return faultAt('reset-mixed', claims, fewer).map((fault) => ({ ...fault, how }));
}

/** From this part of a window on a reset may mean: as long as nothing else is asked, which each request puts off. */
const wholePart = 0.75;

/** Two answers, by index: the second puts off what the first says. */
type Move = Readonly<Record<'first' | 'last', number>>;

/** Resets that are put off, again and again within one window, before they have come. Rejections may put them off. */
function movesAway(claims: ClaimedQuantity): HeaderFault[] {
  const { answeredNs, least, limit, limited, most, sentNs, windowNs } = claims;
  if (windowNs === undefined) return [];
  // A bucket may hold less than what is refilled in a window: no more than ever remained.
  const mostRemaining = claims.remaining.reduce((sofar, left) => (left > sofar ? left : sofar), 0);
  /** What each request may put off: the time until a bucket is full again, or until all that was counted is forgotten. */
  const isPutOffByEach = (i: number): boolean => {
    const leastNs = (least[i] as number) - (answeredNs[i] as number) - nearNs;
    const mostNs = (most[i] as number) - (sentNs[i] as number) + nearNs;
    if (leastNs <= 0) return true;
    if (claims.isFixedWindow) return false;
    const left = claims.remaining[i] as number;
    const isUntilFull = [limit, mostRemaining + 1].some((size) => {
      const untilFullNs = Number.isNaN(left) ? 0 : ((size - left) * windowNs) / limit;
      return leastNs <= untilFullNs && untilFullNs <= mostNs;
    });
    return mostNs >= wholePart * windowNs || isUntilFull;
  };
  const moves: Move[] = [];
  let anchor: number | undefined;
  for (let i = 0; i < claims.length; i++) {
    if (Number.isNaN(least[i])) continue;
    if (limited[i] === 1 || isPutOffByEach(i)) anchor = undefined;
    else if (anchor === undefined || (answeredNs[i] as number) >= (least[anchor] as number) - roundingNs)
      anchor = i;
    else if ((answeredNs[anchor] as number) < (sentNs[i] as number)) {
      const by = (least[i] as number) - (most[anchor] as number) - 2 * roundingNs;
      if (by > roundingNs) moves.push({ first: anchor, last: i });
      if (by > roundingNs || (most[i] as number) < (most[anchor] as number)) anchor = i;
    }
  }
  if (mostWithin(claims, moves, 0.9 * windowNs) <= repeatedly) return [];
  return faultAt('reset-moves-away', claims, [...new Set(moves.flatMap(({ first, last }) => [first, last]))]);
}

/** The most moves that lie together within a span of time shorter than `spanNs`. */
function mostWithin(
  { answeredNs, sentNs }: Pick<Claims, 'answeredNs' | 'sentNs'>,
  moves: readonly Move[],
  spanNs: number,
): number {
  let most = 0;
  let from = 0;
  moves.forEach(({ last }, to) => {
    const endNs = answeredNs[last] as number;
    while (from <= to && endNs - (sentNs[(moves[from] as Move).first] as number) >= spanNs) from++;
    most = Math.max(most, to - from + 1);
  });
  return most;
}

/** Also a while after the first answer, when less than a window is left by most reckonings. */
function isAlwaysWholeWindow({
  answeredNs,
  least,
  length,
  most,
  sentNs,
  windowNs,
}: ClaimedQuantity): boolean {
  if (windowNs === undefined) return false;
  const said = Array.from({ length }, (_, i) => i).filter((i) => !Number.isNaN(least[i]));
  const sinceNs = (i: number): number => (sentNs[i] as number) - (sentNs[said[0] ?? 0] as number);
  const aheadNs = (i: number): number => (most[i] as number) - (answeredNs[i] as number);
  const later = said.filter((i) => sinceNs(i) > nearNs && sinceNs(i) < windowNs - nearNs);
  return later.length >= repeatedly && said.every((i) => Math.abs(aheadNs(i) - windowNs) < roundingNs);
}

/** Of resets with a random delay, this part at the most is late beyond doubt. */
const mostJittered = 0.9;

/** The drafts suggest a random delay on top of resets: some are then late, by a little, and others are not. */
function mayBeJitter({ above, compared }: KnownComparison, { promised }: HeaderContext): boolean {
  return above.seqs.length <= mostJittered * compared && above.by <= jitterNs(promised.windowNs);
}
