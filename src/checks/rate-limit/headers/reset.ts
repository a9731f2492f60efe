import { floats, nearBelow } from '../../../limits/arrays.ts';
import { wordAt } from '../../../limits/sent/columns.ts';
import type { HeaderWrong } from '../../reasons/rate-limit/headers.ts';
import { type Claims, type HeaderContext, lagNs, readingAt } from './claims.ts';
import {
  anything,
  type ClaimedValues,
  type ClaimRule,
  compare,
  compareKnown,
  faultIfRepeated,
  type HeaderFault,
  type HeaderFinding,
  isKnownAt,
  isSystematic,
  type KnownComparison,
  repeatedly,
  speaksOfKnown,
  upTo,
} from './comparison.ts';
import type { Dialect, LimitReading } from './dialects.ts';
import { type InstantValue, instantOf, jitterNs, parseRetryAfter, roundingNs } from './instants.ts';
import { mostWithin, type Rise } from './refill.ts';

type ResetReading = LimitReading & { readonly reset: InstantValue };

/** A limiter that has nothing to reset may leave the last instant standing. */
function isUntouched({ limit, remaining }: LimitReading): boolean {
  return remaining !== undefined && limit !== undefined && remaining >= limit - 1;
}

/**
 * No specification says what a reset is (the end of a window, the next free place, a full bucket), so only what fits none of
 * them is wrong.
 */
const resetRules: readonly ClaimRule[] = [
  {
    wrong: 'reset-past',
    envelope: (claims, context) => (i) => {
      const reading = readingAt(claims, i) as ResetReading;
      const isWait = 'inMs' in reading.reset;
      if (!isWait && isUntouched(reading)) return undefined;
      const doubtNs = isWait ? 0 : 2 * roundingNs + lagNs(context);
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
    // Both in one answer and both in seconds, so that no clock is between them.
    wrong: 'reset-before-retry-after',
    envelope: (claims) => (i) => {
      const { dialect, remaining, reset } = readingAt(claims, i);
      if (dialect !== 'draft-10' || claims.limited[i] === 0 || remaining !== 0) return undefined;
      const wait = parseRetryAfter(wordAt(claims.sent.retryAfter, claims.rows[i] as number) ?? '');
      if (wait === undefined || !('inMs' in wait) || reset === undefined || !('inMs' in reset))
        return undefined;
      return upTo((claims.answeredNs[i] as number) + wait.inMs * 1e6 + roundingNs);
    },
  },
];

/** Whether the resets can be true: under any limiter, and under the known one. */
export function judgeReset(claims: Claims, context: HeaderContext): HeaderFinding {
  const values = resetValues(claims, context);
  const known = speaksOfKnown(claims, context)
    ? compareKnown(values, claims.known, ({ reset }, i) => {
        const isOpen = !Number.isFinite(reset.hiNs) || isUntouched(readingAt(claims, i));
        if (isOpen || !isKnownAt(claims, i)) return undefined;
        // Some name a whole window, whenever they are asked: unhelpful, and remarked upon elsewhere.
        return isWholeWindow(values, i, claims, context.promised.windowNs)
          ? anything
          : { least: reset.loNs - roundingNs, most: reset.hiNs + roundingNs };
      })
    : undefined;
  const hasWindows = claims.isFixedWindow || claims.known?.hasWindows === true;
  const found = resetRules.flatMap(({ envelope, wrong }) => {
    const { above, below } = compare(values, envelope(claims, context));
    const at = [...above.at, ...below.at];
    return faultIfRepeated(wrong, [...above.seqs, ...below.seqs]).map((fault) => ({
      ...fault,
      given: at.map((i) => ({
        value: readingAt(claims, i).reset,
        sentNs: claims.sentNs[i] as number,
        answeredNs: claims.answeredNs[i] as number,
      })),
    }));
  });
  // Where places come free one by one, `t` may mean the last of them: only with windows is one of the two false.
  const isOdd = (wrong: HeaderWrong): boolean => wrong === 'reset-before-retry-after' && !hasWindows;
  const instantsIn = (dialects: readonly Dialect[]): number[] =>
    seqsWhere(claims, ({ dialect, reset }) => dialects.includes(dialect) && 'atEpochMs' in reset);
  return {
    values: values.least.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : 1), 0),
    known,
    faults: [
      ...faultIfRepeated('reset-mixed', mixedForms(claims)),
      // The one-line forms exist in the drafts alone, where they mean seconds.
      ...faultIfRepeated('reset-unit', instantsIn(['draft-7', 'draft-10'])),
      ...found.filter(({ wrong }) => !isOdd(wrong)),
      ...movesAway(claims, values),
      ...(known !== undefined &&
      isSystematic(known.above, known.fitted.windowMs) &&
      !mayBeJitter(known, context)
        ? [{ wrong: 'reset-too-late', seqs: known.above.seqs } as const]
        : []),
      ...(known !== undefined && isSystematic(known.below, known.fitted.windowMs)
        ? [{ wrong: 'reset-too-early', seqs: known.below.seqs } as const]
        : []),
    ],
    odd: [
      ...(found.some(({ wrong }) => isOdd(wrong)) ? (['retry-after-first'] as const) : []),
      // GitLab, for one, writes instants under the name that the drafts gave to seconds.
      ...(instantsIn(['draft-6']).length > 0 ? (['reset-instant'] as const) : []),
      ...(isAlwaysWholeWindow(claims, values) ? (['reset-whole-window'] as const) : []),
    ],
    unexplained: 0,
  };
}

interface ResetValues extends ClaimedValues {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Between which instants lies the one that each answer names. */
function resetValues(claims: Claims, { clock }: HeaderContext): ResetValues {
  const least = floats(claims.length, () => Number.NaN);
  const most = floats(claims.length, () => Number.NaN);
  for (let i = 0; i < claims.length; i++) {
    const { reset } = readingAt(claims, i);
    if (reset === undefined) continue;
    const given = { sentNs: claims.sentNs[i] as number, answeredNs: claims.answeredNs[i] as number };
    const { hiNs, loNs } = instantOf(reset, given, clock);
    least[i] = loNs;
    most[i] = hiNs;
  }
  return { ...claims, least, most };
}

function seqsWhere(claims: Claims, holds: (reading: ResetReading) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < claims.length; i++) {
    const { reset, ...reading } = readingAt(claims, i);
    if (reset !== undefined && holds({ ...reading, reset })) found.push(claims.seq[i] as number);
  }
  return found;
}

/** Now a time from now on, now a point in time: a client has to guess. No time at all may be said of what is not used yet. */
function mixedForms(claims: Claims): readonly number[] {
  const waits = seqsWhere(claims, ({ reset }) => 'inMs' in reset && reset.inMs > 0);
  const instants = seqsWhere(claims, ({ reset }) => 'atEpochMs' in reset);
  return waits.length < instants.length ? waits : instants;
}

/** A claim this close to a place's coming free is as near as whole seconds can tell. */
const nearNs = 2e9;
/** From this part of a window on a reset may mean: as long as nothing else is asked, which each request puts off. */
const wholePart = 0.75;

/** Resets that are put off, again and again within one window, before they have come. Rejections may put them off. */
function movesAway(claims: Claims, { least, most }: ResetValues): HeaderFault[] {
  const { windowNs } = claims;
  if (windowNs === undefined) return [];
  // A bucket may hold less than what is refilled in a window: no more than ever remained.
  const mostRemaining = claims.remaining.reduce((sofar, left) => (left > sofar ? left : sofar), 0);
  const counts = (i: number): boolean =>
    claims.limited[i] === 0 && !isPutOffByEach(i, [claims.limit, mostRemaining + 1]);
  /** What each request may put off: the time until a bucket is full again, or until all that was counted is forgotten. */
  const isPutOffByEach = (i: number, sizes: readonly number[]): boolean => {
    const leastNs = (least[i] as number) - (claims.answeredNs[i] as number) - nearNs;
    const mostNs = (most[i] as number) - (claims.sentNs[i] as number) + nearNs;
    if (leastNs <= 0) return true;
    if (claims.isFixedWindow) return false;
    const isUntilFull = sizes.some((size) => {
      const left = claims.remaining[i] as number;
      const untilFullNs = Number.isNaN(left) ? 0 : ((size - left) * windowNs) / claims.limit;
      return leastNs <= untilFullNs && untilFullNs <= mostNs;
    });
    return mostNs >= wholePart * windowNs || isUntilFull;
  };
  const moves: Rise[] = [];
  let anchor: number | undefined;
  for (let i = 0; i < claims.length; i++) {
    const dueNs = least[i] as number;
    if (Number.isNaN(dueNs)) continue;
    if (!counts(i)) anchor = undefined;
    else if (
      anchor === undefined ||
      (claims.answeredNs[i] as number) >= (least[anchor] as number) - roundingNs
    )
      anchor = i;
    else if ((claims.answeredNs[anchor] as number) < (claims.sentNs[i] as number)) {
      const by = dueNs - (most[anchor] as number) - 2 * roundingNs;
      if (by > roundingNs) moves.push({ first: anchor, last: i, by });
      if (by > roundingNs || (most[i] as number) < (most[anchor] as number)) anchor = i;
    }
  }
  if (mostWithin(claims, moves, 0.9 * windowNs) <= repeatedly) return [];
  const at = new Set(moves.flatMap(({ first, last }) => [first, last]));
  return [{ wrong: 'reset-moves-away', seqs: [...at].map((i) => claims.seq[i] as number) }];
}

function isWholeWindow(
  { least, most }: ResetValues,
  i: number,
  { answeredNs, sentNs }: Claims,
  windowNs: number,
): boolean {
  return (
    (most[i] as number) + roundingNs >= (sentNs[i] as number) + windowNs &&
    (least[i] as number) - roundingNs <= (answeredNs[i] as number) + windowNs
  );
}

/** Also to those who asked a while ago already, to whom less than a window is left by most reckonings. */
function isAlwaysWholeWindow(claims: Claims, { least, most }: ResetValues): boolean {
  const { windowNs } = claims;
  if (windowNs === undefined) return false;
  const sentNs = claims.sentNs.filter((_, i) => !Number.isNaN(least[i]));
  const [justBefore, aWindowBefore] = [nearBelow(sentNs), nearBelow(sentNs)];
  let again = 0;
  for (let i = 0; i < claims.length; i++) {
    const ns = claims.sentNs[i] as number;
    if (Number.isNaN(least[i])) continue;
    if (justBefore(ns - nearNs) <= aWindowBefore(ns - windowNs + nearNs)) continue;
    const aheadNs = (most[i] as number) - (claims.answeredNs[i] as number);
    if (Math.abs(aheadNs - windowNs) >= roundingNs) return false;
    again++;
  }
  return again >= repeatedly;
}

/** Of resets with a random delay, this part at the most is late beyond doubt. */
const mostJittered = 0.9;

/** The drafts suggest a random delay on top of resets: some are then late, by a little, and others are not. */
function mayBeJitter({ above, compared }: KnownComparison, { promised }: HeaderContext): boolean {
  return above.seqs.length <= mostJittered * compared && above.by <= jitterNs(promised.windowNs);
}
