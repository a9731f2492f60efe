import { counted, number, verb } from '../../../amounts.ts';
import type { Span } from '../../../limits/span.ts';
import type { Shown } from '../../verdict.ts';
import { seconds } from '../words.ts';
import type { Advice } from './advice.ts';
import type { Fault } from './finding.ts';
import type { FittedLimiter } from './fitted.ts';
import { excludedText, faultIfSystematic } from './held.ts';

/** Whole seconds are rounded up: an advice may be so much later than needed, and is right. */
const roundingNs = 1e9;

/** Each advice beside the instant from which the fitted limiter would have admitted a request. */
export interface HeldAdvice {
  readonly labels: readonly string[];
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
 * Holds advices against the state of the limiter right after each refusal, as if nothing had been asked afterwards. Early is
 * what names an instant at which none of the kinds still possible would have admitted anything.
 */
export function holdAdvice(advices: readonly Advice[], fitted: FittedLimiter | undefined): HeldAdvice {
  const early: Off[] = [];
  const late: Off[] = [];
  let compared = 0;
  for (const advice of fitted === undefined ? [] : advices) {
    const free = fitted?.after(advice.row)?.free;
    // Where a place may have come free at once, no advice is too short.
    if (free === undefined || free.loNs <= advice.refused.answered_ns) continue;
    compared++;
    const byNs = free.loNs - latestOf(advice);
    if (byNs > 0) early.push({ advice, byNs });
    const lateByNs = lateness(advice, free);
    if (lateByNs > 0) late.push({ advice, byNs: lateByNs });
  }
  return { labels: fitted === undefined || compared === 0 ? [] : [fitted.label], compared, early, late };
}

/** Only resets may be rounded down: a `Retry-After` says how long to wait at least. */
function latestOf({ from, due, overNs }: Advice): number {
  return from === 'reset' ? overNs : due.hiNs;
}

function lateness({ due }: Advice, free: Span): number {
  return due.loNs - free.hiNs - roundingNs;
}

export function mergeHeldAdvice(all: readonly HeldAdvice[]): HeldAdvice {
  return {
    labels: [...new Set(all.flatMap(({ labels }) => labels))],
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    early: all.flatMap(({ early }) => early),
    late: all.flatMap(({ late }) => late),
  };
}

export function tooEarly({ compared, early, labels }: HeldAdvice): Fault[] {
  const wrong = early.map(({ advice }) => advice.refused.seq);
  return faultIfSystematic(
    { compared, wrong },
    `${number(early.length)} of ${counted(compared, 'advice')} ${verb(early.length, 'is', 'are')} too short, by up to ${seconds(mostOf(early))}: expected at least the time until ${labels.join(', or ')} admits again`,
  );
}

/** Sentences on what the comparison shows, faults apart. */
export function explainHeld({ compared, early, late, labels }: HeldAdvice, isFault: boolean): string[] {
  if (compared === 0) return [];
  const against = `held against ${labels.join(', or ')}`;
  return [
    ...(early.length === 0
      ? [`${excludedText(compared, 'advices are too short')}, ${against}.`]
      : isFault
        ? []
        : [
            `${number(early.length)} of ${number(compared)} advices ${verb(early.length, 'is', 'are')} too short, by up to ${seconds(mostOf(early))}, ${against}: too few to tell from an accident.`,
          ]),
    ...(late.length === 0
      ? []
      : [
          `${number(late.length)} of ${number(compared)} ${verb(late.length, 'asks', 'ask')} for over a second longer than needed, by up to ${seconds(mostOf(late) + roundingNs)}: cautious, not false.`,
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
