import type { Span } from '../../../limits/span.ts';
import type { FittedKinds } from '../../reasons/rate-limit/fitted.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Shown } from '../../verdict.ts';
import type { Advice } from './advice.ts';
import { type Fault, mergeFitted } from './finding.ts';
import type { FittedLimiter } from './fitted.ts';
import { faultIfSystematic } from './held.ts';
import { roundingNs } from './instant.ts';

/** Each advice beside the instant from which the fitted limiter would have admitted a request. */
export interface HeldAdvice {
  /** Undefined where there was nothing to compare with. */
  readonly fitted: FittedKinds | undefined;
  readonly compared: number;
  /** Too short beyond doubt, and by at least how much. */
  readonly early: readonly Off[];
  /** Longer than needed beyond doubt, by more than rounding up. */
  readonly late: readonly Off[];
}

interface Off {
  readonly advice: Advice;
  readonly byNs: number;
}

/**
 * Holds advices against the state of the limiter right after each rejection, as if no request had come afterwards. Early is
 * what names an instant at which none of the kinds still possible would have admitted anything.
 */
export function holdAdvice(advices: readonly Advice[], fitted: FittedLimiter | undefined): HeldAdvice {
  const early: Off[] = [];
  const late: Off[] = [];
  let compared = 0;
  for (const advice of fitted === undefined ? [] : advices) {
    const free = fitted?.after(advice.row)?.free;
    // Where a place may have come free at once, no advice is too short.
    if (free === undefined || free.loNs <= advice.rejected.answered_ns) continue;
    compared++;
    const byNs = free.loNs - latestOf(advice);
    if (byNs > 0) early.push({ advice, byNs });
    const lateByNs = lateness(advice, free);
    if (lateByNs > 0) late.push({ advice, byNs: lateByNs });
  }
  return { fitted: compared === 0 ? undefined : fitted?.fitted, compared, early, late };
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
    early: all.flatMap(({ early }) => early),
    late: all.flatMap(({ late }) => late),
  };
}

export function tooEarly({ compared, early, fitted }: HeldAdvice): Fault<Reason>[] {
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

/** What the comparison shows, faults apart. */
export function heldReasons({ compared, early, fitted, late }: HeldAdvice, isFault: boolean): Reason[] {
  if (compared === 0 || fitted === undefined) return [];
  const few = { early: early.length, compared, byMs: mostOf(early) / 1e6, fitted };
  return [
    ...(early.length === 0
      ? [reason('retry-after-none-too-short', { compared, fitted })]
      : isFault
        ? []
        : [reason('retry-after-few-too-short', few)]),
    ...(late.length === 0
      ? []
      : [
          reason('retry-after-longer', {
            late: late.length,
            compared,
            byMs: (mostOf(late) + roundingNs) / 1e6,
          }),
        ]),
  ];
}

export function observedHeld({ compared, early, late }: HeldAdvice): Shown {
  const ms = (all: readonly Off[], extraNs: number): number =>
    all.length === 0 ? 0 : Math.round((mostOf(all) + extraNs) / 1e6);
  return {
    compared,
    early: early.length,
    early_by_ms: ms(early, 0),
    late: late.length,
    late_by_ms: ms(late, roundingNs),
    right: compared - early.length - late.length,
  };
}

function mostOf(all: readonly Off[]): number {
  return all.reduce((most, { byNs }) => Math.max(most, byNs), 0);
}
