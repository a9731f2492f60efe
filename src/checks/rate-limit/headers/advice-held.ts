import type { Span } from '../../../limits/span.ts';
import type { Shown } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { FittedKinds } from '../../reasons/words/limits.ts';
import type { Advice } from './advice.ts';
import { type HeaderFault, mergeFitted } from './finding.ts';
import type { FittedLimiter, PossibleLimiter } from './fitted.ts';
import { faultIfSystematic, isScattered, isSystematic } from './held.ts';
import { roundingNs } from './instant.ts';

/** Each advice beside the instant from which the fitted limiter would have admitted a request. */
export interface HeldAdvice {
  /** Undefined where there was nothing to compare with. */
  readonly fitted: FittedKinds | undefined;
  /** Those that could have been found too short, and those that could have been found longer than needed. */
  readonly compared: number;
  readonly comparedLate: number;
  /** Too short beyond doubt, and by at least how much. */
  readonly early: readonly Off[];
  /** Longer than needed beyond doubt, by more than rounding up; and the `seq`s of those that may be right. */
  readonly late: readonly Off[];
  readonly notLate: readonly number[];
}

interface Off {
  readonly advice: Advice;
  readonly byNs: number;
}

/**
 * Holds advices against the state of the limiter right after each rejection, as if no request had come afterwards: by the
 * limiter, of those that it can be, with which most of the advices agree. Early is what names an instant at which it would
 * have admitted nothing.
 */
export function holdAdvice(advices: readonly Advice[], fitted: FittedLimiter | undefined): HeldAdvice {
  const [best = nothingHeld] = (fitted?.possible ?? [])
    .map((after) => holdBy(after, advices, fitted?.knownFromNs ?? 0))
    .toSorted(
      (a, b) => a.early.length - b.early.length || a.late.length - b.late.length || a.compared - b.compared,
    );
  return { ...best, fitted: best.compared + best.comparedLate > 0 ? fitted?.fitted : undefined };
}

const nothingHeld = { compared: 0, comparedLate: 0, early: [], late: [], notLate: [] } as const;

function holdBy(
  after: PossibleLimiter,
  advices: readonly Advice[],
  knownFromNs: number,
): Omit<HeldAdvice, 'fitted'> {
  const early: Off[] = [];
  const late: Off[] = [];
  const notLate: number[] = [];
  let compared = 0;
  for (const advice of advices) {
    const { answered_ns, sent_ns, seq } = advice.rejected;
    const free = after(advice.row)?.free;
    if (free === undefined) continue;
    // Where a place may have come free at once, no advice is too short.
    if (free.loNs > answered_ns) {
      compared++;
      const byNs = free.loNs - latestOf(advice);
      if (byNs > 0) early.push({ advice, byNs });
    }
    // What was spent unseen before the run makes waits longer, and never shorter.
    if (!Number.isFinite(free.hiNs) || sent_ns < knownFromNs) continue;
    const byNs = lateness(advice, free);
    if (byNs > 0) late.push({ advice, byNs });
    else notLate.push(seq);
  }
  return { compared, comparedLate: late.length + notLate.length, early, late, notLate };
}

/** Only resets may be rounded down: a `Retry-After` says how long to wait at least. */
function latestOf({ from, due, overNs }: Advice): number {
  return from === 'reset' ? overNs : due.hiNs;
}

function lateness({ due }: Advice, free: Span): number {
  return due.loNs - free.hiNs - roundingNs;
}

export function mergeHeldAdvice(all: readonly HeldAdvice[]): HeldAdvice {
  const fitted = all.flatMap((each) => each.fitted ?? []);
  return {
    fitted: fitted.length === 0 ? undefined : mergeFitted(fitted),
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    comparedLate: all.reduce((sum, { comparedLate }) => sum + comparedLate, 0),
    early: all.flatMap(({ early }) => early),
    late: all.flatMap(({ late }) => late),
    notLate: all.flatMap((each) => each.notLate),
  };
}

export function tooEarly({ compared, early, fitted }: HeldAdvice): HeaderFault<Reason>[] {
  if (fitted === undefined) return [];
  return faultIfSystematic(
    { compared, wrong: early.map(({ advice }) => advice.rejected.seq) },
    reason('retry-after-too-short', {
      early: early.length,
      compared,
      byMs: mostOf(early) / 1e6,
      fitted,
    }),
  );
}

/** Waits longer than needed, where the profile promises the shortest. A reset may be that of several places. */
export function notShortest({ comparedLate, fitted, late, notLate }: HeldAdvice): HeaderFault<Reason>[] {
  const wrong = late.filter(({ advice }) => advice.from === 'retry-after');
  const seqs = wrong.map(({ advice }) => advice.rejected.seq);
  const isFault = isSystematic({ compared: comparedLate, wrong: seqs }) || isScattered(seqs, notLate);
  if (fitted === undefined || !isFault) return [];
  const byMs = (mostOf(wrong) + roundingNs) / 1e6;
  const params = { late: wrong.length, compared: comparedLate, byMs, fitted };
  return [{ what: reason('retry-after-not-shortest', params), seqs }];
}

/** Waits longer than needed that are also longer than any limiter of the window needs. */
export function beyondNeed(
  { comparedLate, fitted, late }: HeldAdvice,
  longestNs: number,
): HeaderFault<Reason>[] {
  const beyond = late.filter(
    ({ advice: { due, from, rejected } }) =>
      from === 'retry-after' && due.loNs - rejected.answered_ns > longestNs,
  );
  if (fitted === undefined) return [];
  return faultIfSystematic(
    { compared: comparedLate, wrong: beyond.map(({ advice }) => advice.rejected.seq) },
    reason('retry-after-beyond-need', {
      beyond: beyond.length,
      compared: comparedLate,
      longestMs: longestNs / 1e6,
      fitted,
    }),
  );
}

/** What the comparison shows, faults apart. */
export function heldReasons(
  { compared, comparedLate, early, fitted, late }: HeldAdvice,
  isFault: { readonly early: boolean; readonly late: boolean },
): Reason[] {
  if (fitted === undefined) return [];
  const few = { early: early.length, compared, byMs: mostOf(early) / 1e6, fitted };
  return [
    ...(early.length === 0
      ? compared === 0
        ? []
        : [reason('retry-after-none-too-short', { compared, fitted })]
      : isFault.early
        ? []
        : [reason('retry-after-few-too-short', few)]),
    ...(late.length === 0 || isFault.late
      ? []
      : [
          reason('retry-after-longer', {
            late: late.length,
            compared: comparedLate,
            byMs: (mostOf(late) + roundingNs) / 1e6,
          }),
        ]),
  ];
}

export function observedHeld({ compared, comparedLate, early, late }: HeldAdvice): Shown {
  const ms = (all: readonly Off[], extraNs: number): number =>
    all.length === 0 ? 0 : Math.round((mostOf(all) + extraNs) / 1e6);
  return {
    compared,
    early: early.length,
    early_by_ms: ms(early, 0),
    compared_late: comparedLate,
    late: late.length,
    late_by_ms: ms(late, roundingNs),
  };
}

function mostOf(all: readonly Off[]): number {
  return all.reduce((most, { byNs }) => Math.max(most, byNs), 0);
}
