import { counted } from '../amounts.ts';
import { type Budget, budgetOf } from '../drive/budget.ts';
import type { Scenario } from '../scenario/define.ts';
import type { Keys } from '../target/keys.ts';
import { eachRole } from '../vocabulary/roles.ts';
import { embeddedAs } from './open-target.ts';
import { prepare } from './prepare.ts';

/** How long a run takes, as it is said everywhere, in whole minutes. A study may be over long before its time is. */
export function durationInWords({ minutes, studyMs }: Pick<Budget, 'minutes' | 'studyMs'>): string {
  if (minutes < 1) return `${studyMs > 0 ? 'up to' : 'about'} ${counted(Math.round(minutes * 60), 'second')}`;
  return studyMs > 0
    ? `up to ${counted(Math.ceil(minutes), 'minute')}`
    : `about ${counted(Math.round(minutes), 'minute')}`;
}

/** The announced duration against the embedded service with default options. It starts nothing. */
export function usualDuration(scenario: Scenario): string {
  const { options, profile } = embeddedAs({}, {}, scenario);
  const keys: Keys = eachRole(() => ({ value: '', from: 'embedded' }));
  const pool = Array.from({ length: options.poolKeys }, () => '');
  return durationInWords(
    budgetOf(prepare(scenario, 0, { profile, keys, pool }, 'listing'), scenario, profile),
  );
}
