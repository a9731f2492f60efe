import { nearBelow, valuesAt } from '../../../limits/arrays.ts';
import { wordAt } from '../../../sent/columns.ts';
import {
  faultIfRepeated,
  type HeaderFault,
  type HeaderFinding,
  type Remark,
  repeatedly,
  type Wrong,
} from './finding.ts';
import { instantOf, type ResetValue, roundingNs } from './instant.ts';
import type { Dialect, LimitReading } from './reading.ts';
import { parseRetryAfter } from './retry-after.ts';
import { mostWithin, type Point, type Rise } from './rises.ts';
import {
  type HeaderContext,
  lagNs,
  limitOf,
  type Saying,
  type Series,
  saidOf,
  type Told,
  windowNsOf,
} from './series.ts';
import { heldResetFaults, holdReset } from './values-held.ts';

/** A claim this close to a place's coming free is as near as whole seconds can tell. */
const nearNs = 2e9;
/** From this part of a window on a reset may mean: as long as nothing else is asked, which each request puts off. */
const wholePart = 0.75;

/** The resets that answers name, by columns. */
interface Claims {
  readonly told: Told;
  /** Which of the answers name one, in order of sending. */
  readonly indexes: Int32Array;
  /** Between which instants lies the one that is named, by the index of the answer. */
  readonly loNs: Float64Array;
  readonly hiNs: Float64Array;
}

/**
 * Whether the resets can be true. No specification says what a reset is (the end of a window, the next free place, a full
 * bucket), so only what fits none of them is wrong: past instants, ones beyond two windows, and ones that keep moving.
 */
export function judgeReset(series: Series, context: HeaderContext): HeaderFinding {
  const claims = claimsIn(series, context);
  const held = holdReset(series, context);
  const early = retryBeforeReset(series);
  return {
    compared: claims.indexes.length,
    held,
    faults: [
      ...mixedForms(claims),
      ...wrongUnit(claims),
      ...gone(claims, context),
      ...tooFar(claims, series, context),
      ...movesAway(claims, series, context),
      ...heldResetFaults(held, context),
      ...early.faults,
    ],
    remarks: [...early.remarks, ...isInstantInDraft(claims), ...isWholeWindow(claims, series, context)],
  };
}

function claimsIn({ told }: Series, { clock }: HeaderContext): Claims {
  const { answeredNs, length, sentNs } = told;
  const loNs = new Float64Array(length);
  const hiNs = new Float64Array(length);
  const indexes = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const { reset } = saidOf(told, i);
    if (reset === undefined) continue;
    const given = { sentNs: sentNs[i] as number, answeredNs: answeredNs[i] as number };
    const span = instantOf(reset, given, clock);
    loNs[i] = span.loNs;
    hiNs[i] = span.hiNs;
    indexes[count++] = i;
  }
  return { told, indexes: indexes.slice(0, count), loNs, hiNs };
}

function gone(claims: Claims, context: HeaderContext): HeaderFault[] {
  const { hiNs, told } = claims;
  const negative = claimsWhere(claims, (_, { reset }) => 'inMs' in reset && reset.inMs < 0);
  const past = claimsWhere(claims, (i, { limit, remaining, reset }) => {
    // A limiter that has nothing to reset may leave the last instant standing.
    const isUntouched = remaining !== undefined && limit !== undefined && remaining >= limit - 1;
    if ('inMs' in reset || isUntouched) return false;
    return (hiNs[i] as number) + 2 * roundingNs + lagNs(context) < (told.sentNs[i] as number);
  });
  return [
    ...faultIfRepeated<Wrong>(seqsOf(claims, negative), { code: 'headers-reset-negative', params: {} }),
    ...faultIfRepeated<Wrong>(seqsOf(claims, past), { code: 'headers-reset-past', params: {} }),
  ];
}

/** Only while places remain: a rejection may block a key for longer. */
function tooFar(claims: Claims, series: Series, context: HeaderContext): HeaderFault[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const { loNs, told } = claims;
  const aheadOf = (i: number): number => (loNs[i] as number) - (told.answeredNs[i] as number);
  const far = claimsWhere(
    claims,
    (i) =>
      told.limited[i] === 0 &&
      (told.sayings[i]?.leastRemaining ?? 1) > 0 &&
      aheadOf(i) > 2 * windowNs + 2 * roundingNs,
  );
  const [first] = far;
  if (first === undefined) return [];
  const aheadNs = aheadOf(first);
  const { reset } = saidOf(told, first);
  const isWait = reset !== undefined && 'inMs' in reset;
  const isMilliseconds = isWait && aheadNs / 1e3 <= 2 * windowNs + 2 * roundingNs;
  return faultIfRepeated(seqsOf(claims, far), {
    code: 'headers-reset-too-far',
    params: { aheadMs: aheadNs / 1e6, mostMs: (2 * windowNs) / 1e6, looksLikeMs: isMilliseconds },
  });
}

/** Resets that are put off, again and again within one window, before they have come. Rejections may put them off. */
function movesAway(claims: Claims, series: Series, context: HeaderContext): HeaderFault[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const limit = limitOf(series, context);
  // A bucket may hold less than what is refilled in a window: no more than ever remained.
  const most = series.told.most.remaining + 1;
  const limiter = { isFixedWindow: series.isFixedWindow, limit, full: [limit, most], windowNs };
  const { hiNs, indexes, loNs, told } = claims;
  const point = (i: number): Point => ({
    seq: told.seq[i] as number,
    sentNs: told.sentNs[i] as number,
    answeredNs: told.answeredNs[i] as number,
    from: hiNs[i] as number,
    to: loNs[i] as number,
  });
  const moves: Rise[] = [];
  let anchor: Point | undefined;
  for (const i of indexes) {
    if (told.limited[i] === 1 || isPutOffByEach(claims, i, limiter)) {
      anchor = undefined;
    } else if (anchor === undefined || (told.answeredNs[i] as number) >= anchor.to - roundingNs) {
      anchor = point(i);
    } else if (anchor.answeredNs < (told.sentNs[i] as number)) {
      const by = (loNs[i] as number) - anchor.from - 2 * roundingNs;
      if (by > roundingNs) {
        const last = point(i);
        moves.push({ first: anchor, last, by });
        anchor = last;
      } else if ((hiNs[i] as number) < anchor.from) anchor = point(i);
    }
  }
  if (mostWithin(moves, 0.9 * windowNs) <= repeatedly) return [];
  const seqs = moves.flatMap(({ first, last }) => [first.seq, last.seq]);
  return [
    {
      what: { code: 'headers-reset-moves-away', params: {} },
      seqs: [...new Set(seqs)],
    },
  ];
}

/** What each request may put off: the time until a bucket is full again, or until all that was counted is forgotten. */
function isPutOffByEach(
  { hiNs, loNs, told }: Claims,
  i: number,
  {
    full,
    isFixedWindow,
    limit,
    windowNs,
  }: {
    readonly full: readonly number[];
    readonly isFixedWindow: boolean;
    readonly limit: number;
    readonly windowNs: number;
  },
): boolean {
  const leastNs = (loNs[i] as number) - (told.answeredNs[i] as number) - nearNs;
  const mostNs = (hiNs[i] as number) - (told.sentNs[i] as number) + nearNs;
  if (leastNs <= 0) return true;
  if (isFixedWindow) return false;
  const { remaining } = saidOf(told, i);
  const isUntilFull = full.some((size) => {
    const untilFullNs = ((size - (remaining ?? size)) * windowNs) / limit;
    return leastNs <= untilFullNs && untilFullNs <= mostNs;
  });
  return mostNs >= wholePart * windowNs || isUntilFull;
}

/** Instants in a dialect whose draft knows none. */
function inDraft(claims: Claims, dialects: readonly Dialect[]): Int32Array {
  return claimsWhere(claims, (_, { dialect, reset }) => dialects.includes(dialect) && 'atEpochMs' in reset);
}

/** The one-line forms exist in the drafts alone, where they mean seconds. */
function wrongUnit(claims: Claims): HeaderFault[] {
  return faultIfRepeated(seqsOf(claims, inDraft(claims, ['draft-7', 'draft-10'])), {
    code: 'headers-reset-unit',
    params: {},
  });
}

/** Now a time from now on, now a point in time: a client has to guess. No time at all may be said of what is not used yet. */
function mixedForms(claims: Claims): HeaderFault[] {
  const waits = claimsWhere(claims, (_, { reset }) => 'inMs' in reset && reset.inMs > 0);
  const instants = claimsWhere(claims, (_, { reset }) => 'atEpochMs' in reset);
  const fewer = waits.length < instants.length ? waits : instants;
  return faultIfRepeated(seqsOf(claims, fewer), {
    code: 'headers-reset-mixed',
    params: { waits: waits.length, instants: instants.length },
  });
}

/** GitLab, for one, writes instants under the name that the drafts gave to seconds. */
function isInstantInDraft(claims: Claims): Remark[] {
  return inDraft(claims, ['draft-6']).length > 0 ? [{ code: 'headers-reset-instant', params: {} }] : [];
}

/** Also to those who asked a while ago already, to whom less than a window is left by most reckonings. */
function isWholeWindow(claims: Claims, series: Series, context: HeaderContext): Remark[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const { hiNs, indexes, told } = claims;
  const sentNs = valuesAt(told.sentNs, indexes);
  const [justBefore, aWindowBefore] = [nearBelow(sentNs), nearBelow(sentNs)];
  let again = 0;
  for (const i of indexes) {
    const ns = told.sentNs[i] as number;
    if (justBefore(ns - nearNs) <= aWindowBefore(ns - windowNs + nearNs)) continue;
    if (Math.abs((hiNs[i] as number) - (told.answeredNs[i] as number) - windowNs) >= roundingNs) return [];
    again++;
  }
  return again >= repeatedly ? [{ code: 'headers-reset-whole-window', params: {} }] : [];
}

type SaidReset = LimitReading & { readonly reset: ResetValue };

/** Indexes of the answers whose claim is such. */
function claimsWhere(
  { indexes, told }: Claims,
  holds: (index: number, said: SaidReset) => boolean,
): Int32Array {
  return indexes.filter((i) => holds(i, saidOf(told, i) as SaidReset));
}

function seqsOf({ told }: Claims, indexes: Int32Array): number[] {
  return Array.from(indexes, (i) => told.seq[i] as number);
}

/**
 * Rejections whose `Retry-After` ends before the `t` of a policy that is used up, both in one answer and both in seconds, so
 * that no clock is between them. Where places come free one by one, `t` may mean the last of them: only with windows is one of
 * the two false.
 */
function retryBeforeReset({
  dialect,
  fitted,
  isFixedWindow,
  sent,
  told,
}: Series): Pick<HeaderFinding, 'faults' | 'remarks'> {
  const seqs: number[] = [];
  for (let i = 0; dialect === 'draft-10' && i < told.length; i++) {
    const { remaining, reset } = (told.sayings[i] as Saying).said;
    if (told.limited[i] === 0 || remaining !== 0 || reset === undefined || !('inMs' in reset)) continue;
    const retryAfter = parseRetryAfter(wordAt(sent.retryAfter, told.rows[i] as number) ?? '');
    if (retryAfter === undefined || !('inMs' in retryAfter)) continue;
    if (retryAfter.inMs + roundingNs / 1e6 < reset.inMs) seqs.push(told.seq[i] as number);
  }
  if (seqs.length < repeatedly) return { faults: [], remarks: [] };
  return isFixedWindow || fitted?.hasWindows === true
    ? { faults: [{ what: { code: 'headers-retry-before-reset', params: {} }, seqs }], remarks: [] }
    : { faults: [], remarks: [{ code: 'headers-retry-before', params: { rejections: seqs.length } }] };
}
