import { counted } from '../../amounts.ts';
import { type Budget, budgetOf } from '../../drive/budget.ts';
import type { Scenario } from '../../scenario/define.ts';
import { previewTarget } from './open-target.ts';
import { prepare } from './prepare.ts';

/** How long a run takes, as every text says it, to half a minute. A study may end long before its time. */
export function durationInWords({ totalMs, studyMs }: Pick<Budget, 'totalMs' | 'studyMs'>): string {
  const [words, round] = studyMs > 0 ? (['up to', Math.ceil] as const) : (['about', Math.round] as const);
  return totalMs < 60_000
    ? `${words} ${counted(round(totalMs / 1_000), 'second')}`
    : `${words} ${counted(round(totalMs / 30_000) / 2, 'minute')}`;
}

/** The announced duration against the embedded service with default options. It starts nothing. */
export function usualDuration(scenario: Scenario): string {
  const target = previewTarget({}, scenario, {});
  return durationInWords(
    budgetOf(prepare(scenario, target, { seed: 0, tag: 'listing' }), scenario, target.profile),
  );
}
