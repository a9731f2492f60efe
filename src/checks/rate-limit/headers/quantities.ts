import { counted, number } from '../../../amounts.ts';
import type { LimitReading } from '../../../history/limit-headers.ts';
import { readWait } from '../../../history/wait-times.ts';
import { countBelow, countUpTo, valuesAt } from '../../../limits/arrays.ts';
import { rowsWhere, wordAt } from '../../../limits/sent/columns.ts';
import { type Claims, type HeaderContext, lagNs } from './claims.ts';
import {
  anything,
  type ClaimedQuantity,
  compare,
  type Envelope,
  faultAt,
  type HeaderFault,
  isSystematic,
  type KnownComparison,
  maySpendUnseen,
  type Quantity,
  repeatedly,
  upTo,
} from './envelope.ts';
import { jitterNs, namedInstants, roundingNs } from './instants.ts';
import { anyLimiter } from './limiter.ts';

type ClaimedNumbers = Partial<Pick<LimitReading, 'limit' | 'remaining' | 'reset'>>;

/** A count may differ by this part of the limit, or by two requests. */
function slackOf({ limit }: Claims): number {
  return Math.max(2, limit / 20);
}

/** Another user may have spent what remained, but hardly within this part of a window and repeatedly. */
const freshPart = 1 / 10;

/** How many requests remain. */
export const remaining: Quantity = {
  values: ({ remaining: left }) => ({ least: left, most: left }),
  rules: {
    'remaining-above-limit':
      ({ statements }) =>
      (i) =>
        upTo(statements[i]?.limit ?? Number.POSITIVE_INFINITY),
    'used-and-remaining':
      ({ statements }) =>
      (i) => {
        const { limit, used } = statements[i] ?? {};
        if (limit === undefined || used === undefined) return undefined;
        const rest = Math.max(0, limit - used);
        return { least: rest - 1, most: rest + 1 };
      },
    // By another policy nothing may remain.
    'rejected-with-remaining': (claims) => (i) =>
      claims.limited[i] === 1 && (claims.statements[i]?.leastRemaining ?? 0) > slackOf(claims)
        ? upTo(slackOf(claims))
        : undefined,
    'rejected-next': beforeRejections,
  },
  patterns(claims, context, isKnown) {
    const { limit, sent, spending, windowNs } = claims;
    if (isKnown || windowNs === undefined) return [];
    const slack = slackOf(claims);
    let fewest: readonly number[] | undefined;
    for (const after of anyLimiter(sent, spending, { requests: limit, windowNs }, lagNs(context))) {
      const { above } = compare(claims, (i) => {
        const state = after(claims.rows[i] as number);
        return state === undefined ? undefined : upTo(state.left.most + slack);
      });
      if (!isSystematic(above)) return [];
      if (fewest === undefined || above.at.length < fewest.length) fewest = above.at;
    }
    const at = fewest ?? [];
    const isConstant = new Set(at.map((i) => claims.remaining[i])).size === 1;
    return faultAt(isConstant ? 'remaining-constant' : 'remaining-rises', claims, at);
  },
  errsByWindow: true,
  // Parts of a request may be rounded either way.
  inState: ({ left: { least, most } }, claims, i) =>
    Number.isFinite(least) && Number.isFinite(most) && !maySpendUnseen(claims, i)
      ? { least: Math.max(0, Math.floor(least)), most: Math.max(0, Math.ceil(most)) }
      : undefined,
  // More than there is, is wrong. Less may be due to other users of the key, unless there can be none.
  differs: ({ known }) => ({
    above: 'remaining-too-high',
    below: known?.seesAll === true ? 'remaining-too-low' : undefined,
  }),
};

/** What the very next request, which was rejected, and whatever else can have come between may have used up. */
function beforeRejections(claims: Claims, context: HeaderContext): Envelope {
  const { byAnswer, competing, own, sent, sentNs, statements } = claims;
  const inOrderNs = valuesAt(claims.answeredNs, byAnswer);
  const most = new Map<number, number>();
  for (const row of rowsWhere(sent, (each) => sent.status[each] === 429, own)) {
    const rejectedSentNs = sent.sentNs[row] as number;
    const place = countBelow(inOrderNs, rejectedSentNs) - 1;
    const before = byAnswer[place];
    if (before === undefined) continue;
    if (rejectedSentNs - (inOrderNs[place] as number) > context.promised.windowNs * freshPart) continue;
    const arrived = countUpTo(competing.sentNs, sent.answeredNs[row] as number);
    const done = countBelow(competing.answeredNs, (sentNs[before] as number) - lagNs(context));
    // Neither of the two took a place from the other.
    const between = (arrived - done) * context.mostCounted - 2 + slackOf(claims);
    if ((statements[before]?.leastRemaining ?? 0) > between) most.set(before, between);
  }
  return (i) => upTo(most.get(i) ?? Number.POSITIVE_INFINITY);
}

/**
 * Until when requests are refused, or places are taken. No specification says which (the end of a window, the next free place,
 * a full bucket), so only what fits none of them is wrong.
 */
export const reset: Quantity = {
  values: (claims, { clock }) => namedInstants(claims, clock),
  rules: {
    'reset-past':
      ({ sentNs, statements }, context) =>
      (i) => {
        const reading = statements[i] ?? {};
        const isInstant = isPointInTime(reading);
        if (isInstant && isUntouched(reading)) return undefined;
        const doubtNs = isInstant ? 2 * roundingNs + lagNs(context) : 0;
        return { ...anything, least: (sentNs[i] as number) - doubtNs };
      },
    // Only while places remain: a rejection may block a key for longer.
    'reset-too-far':
      ({ answeredNs, limited, statements, windowNs }) =>
      (i) =>
        windowNs === undefined || limited[i] === 1 || (statements[i]?.leastRemaining ?? 1) <= 0
          ? undefined
          : upTo((answeredNs[i] as number) + 2 * windowNs + 2 * roundingNs),
    // Both in one answer and both in seconds, so that no clock is between them. Where places come free one by one, `t` may mean
    // the last of them: only with windows is one of the two false.
    'reset-before-retry-after': (claims) => (i) => {
      const { dialect, remaining: left, reset: value } = claims.statements[i] ?? {};
      const isOf = dialect === 'draft-10' && claims.limited[i] === 1 && left === 0;
      const hasWindows = claims.isFixedWindow || claims.known?.hasWindows === true;
      if (!isOf || !hasWindows || value === undefined || !('inMs' in value)) return undefined;
      const wait = readWait(wordAt(claims.sent.retryAfter, claims.rows[i] as number) ?? '').value;
      return wait === undefined || !('inMs' in wait)
        ? undefined
        : upTo((claims.answeredNs[i] as number) + wait.inMs * 1e6 + roundingNs);
    },
  },
  patterns: (claims) => [
    ...mixedForms(claims),
    // The one-line forms exist in the drafts alone, where they mean seconds.
    ...(claims.dialect === 'draft-7' || claims.dialect === 'draft-10'
      ? faultAt('reset-unit', claims, indexesOf(claims, isPointInTime))
      : []),
    ...movesAway(claims),
  ],
  errsByWindow: true,
  inState(state, claims, i) {
    const { answeredNs, least, most, sentNs, statements, windowNs } = claims;
    if (!Number.isFinite(state.reset.hiNs) || maySpendUnseen(claims, i)) return undefined;
    if (isUntouched(statements[i] ?? {})) return undefined;
    // Some name a whole window, whenever they are asked: unhelpful, and not wrong.
    const isWholeWindow =
      windowNs !== undefined &&
      (most[i] as number) + roundingNs >= (sentNs[i] as number) + windowNs &&
      (least[i] as number) - roundingNs <= (answeredNs[i] as number) + windowNs;
    return isWholeWindow
      ? anything
      : { least: state.reset.loNs - roundingNs, most: state.reset.hiNs + roundingNs };
  },
  differs: (_, known, context) => ({
    above: mayBeJitter(known, context) ? undefined : 'reset-too-late',
    below: 'reset-too-early',
  }),
};

/** A limiter that has nothing to reset may leave the last instant standing. */
function isUntouched({ limit, remaining: left }: ClaimedNumbers): boolean {
  return left !== undefined && limit !== undefined && left >= limit - 1;
}

function isPointInTime({ reset: value }: ClaimedNumbers): boolean {
  return value !== undefined && 'atEpochMs' in value;
}

function indexesOf({ statements }: Claims, holds: (said: ClaimedNumbers) => boolean): number[] {
  return statements.flatMap((reading, i) => (holds(reading) ? [i] : []));
}

/** Now a time from now on, now a point in time: a client has to guess. No time at all may be said of what is not used yet. */
function mixedForms(claims: Claims): HeaderFault[] {
  const waits = indexesOf(claims, ({ reset: each }) => each !== undefined && 'inMs' in each && each.inMs > 0);
  const points = indexesOf(claims, isPointInTime);
  const [fewer, most, least] =
    waits.length < points.length
      ? [waits, 'a point in time', 'seconds from now']
      : [points, 'seconds from now', 'a point in time'];
  const example = claims.statements[fewer[0] ?? -1]?.reset;
  if (example === undefined) return [];
  const text = 'inMs' in example ? `${example.inMs / 1e3} s` : `${new Date(example.atEpochMs).toUTCString()}`;
  const how = `mostly ${most}, but ${least} in ${number(fewer.length)} of ${counted(waits.length + points.length, 'answer')}, for example ${text}`;
  return faultAt('reset-mixed', claims, fewer).map((fault) => ({ ...fault, how }));
}

/** A claim this close to a place's coming free is as near as whole seconds can tell. */
const nearNs = 2e9;
/** From this part of a window on a reset may mean: as long as nothing else is asked, which each request puts off. */
const wholePart = 0.75;
/** Resets that are put off more than `repeatedly` within this part of a window. */
const withinPart = 0.9;

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
  /** Two answers, by index: the second puts off what the first says. */
  const moves: (readonly [first: number, last: number])[] = [];
  let anchor: number | undefined;
  for (let i = 0; i < claims.length; i++) {
    if (Number.isNaN(least[i])) continue;
    if (limited[i] === 1 || isPutOffByEach(i)) anchor = undefined;
    else if (anchor === undefined || (answeredNs[i] as number) >= (least[anchor] as number) - roundingNs)
      anchor = i;
    else if ((answeredNs[anchor] as number) < (sentNs[i] as number)) {
      const by = (least[i] as number) - (most[anchor] as number) - 2 * roundingNs;
      if (by > roundingNs) moves.push([anchor, i]);
      if (by > roundingNs || (most[i] as number) < (most[anchor] as number)) anchor = i;
    }
  }
  const isOften = moves.some(([first], from) => {
    const last = moves[from + repeatedly]?.[1];
    const endNs = last === undefined ? Number.POSITIVE_INFINITY : (answeredNs[last] as number);
    return endNs - (sentNs[first] as number) < withinPart * windowNs;
  });
  return isOften ? faultAt('reset-moves-away', claims, [...new Set(moves.flat())]) : [];
}

/** Of resets with a random delay, this part at the most is late beyond doubt. */
const mostJittered = 0.9;

/** The drafts suggest a random delay on top of resets: some are then late, by a little, and others are not. */
function mayBeJitter({ above, compared }: KnownComparison, { promised }: HeaderContext): boolean {
  return above.seqs.length <= mostJittered * compared && above.by <= jitterNs(promised.windowNs);
}
