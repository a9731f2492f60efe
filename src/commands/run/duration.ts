import { counted } from '../../amounts.ts';
import { type Budget, budgetOf } from '../../drive/budget.ts';
import type { Scenario } from '../../scenario/define.ts';
import { previewTarget } from './open-target.ts';
import { prepare } from './prepare.ts';

/** What a command takes beside its run: the program starts, and judges. */
const besideMs = 2_000;

/** Of Node's timers. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a run takes, as every text says it, to 5 s or half a minute. A study may end long before its time. */
export function durationInWords({ totalMs, studyMs }: Pick<Budget, 'totalMs' | 'studyMs'>): string {
  const [words, round] = studyMs > 0 ? (['up to', Math.ceil] as const) : (['about', Math.round] as const);
  const wholeMs = totalMs + besideMs;
  return wholeMs < 60_000
    ? `${words} ${counted(5 * Math.max(1, round(wholeMs / 5_000)), 'second')}`
    : `${words} ${counted(round(wholeMs / 30_000) / 2, 'minute')}`;
}

/** Where no cap on minutes is given, a run ends after this multiple of what it announced, and two minutes. */
const mostOverTime = { factor: 4, ms: 120_000 } as const;

/** The longest that a run without a cap on minutes may take: a target that answers slowly would otherwise hold it for hours. */
export function longestMs({ totalMs }: Pick<Budget, 'totalMs'>): number {
  return Math.min(totalMs * mostOverTime.factor + mostOverTime.ms, longestTimerMs);
}

/** The announced duration against the embedded service with default options. It starts nothing. */
export function usualDuration(scenario: Scenario): string {
  const target = previewTarget({}, scenario, {});
  return durationInWords(
    budgetOf(prepare(scenario, target, { seed: 0, tag: 'listing' }), scenario, target.profile),
  );
}
