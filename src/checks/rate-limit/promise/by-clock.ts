import type { History } from '../../../history/history.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { DateStep } from '../../core/clock-step.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import type { JudgedStream } from '../traces/judged.ts';
import { despiteUse } from './set-aside.ts';

/** What follows from when the limiter counted what. */
const byClock: ReadonlySet<CheckId> = new Set([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/** Of these, what the requests after a step show whatever the limiter counted before it. */
const whateverCounted: ReadonlySet<CheckId> = new Set([
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-reset',
]);

/** A Retry-After that is wrong whatever the time is. */
const atAnyTime: ReadonlySet<string> = new Set([
  'rejections-no-date',
  'rejections-other-date',
  'rejections-fraction',
  'rejections-negative',
  'rejections-zero',
  'rejections-over-a-day',
]);

/** What the requests after a step show whatever the limiter may have counted when its clock was set. */
export function shownAfter(
  {
    results,
    streams,
  }: { readonly results: readonly CheckFinding[]; readonly streams: readonly JudgedStream[] },
  step: DateStep,
  history: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const atNs = step.atMs * 1e6;
  const despite = despiteUse(streams, history, { atNs, untilNs: atNs + Math.abs(step.byMs) * 1e6 });
  return results.filter(
    ({ id }) => whateverCounted.has(id) || despite.some((each) => each.id === id && each.verdict === 'fail'),
  );
}

/** What the requests on one side of a step show by themselves. */
export interface StepSide {
  readonly requests: number;
  readonly results: readonly CheckFinding[];
}

/**
 * A limiter whose clock was set within the run shows no limit across the step: what fails there fails only where one side of it
 * shows that by itself. That it rejects nothing, it shows all the same.
 */
export function orBySides(
  result: CheckFinding,
  { atMs, byMs, seqs }: DateStep,
  { after, before }: { readonly before: StepSide; readonly after: StepSide },
): CheckFinding {
  const { causes = [], id, verdict } = result;
  if (verdict !== 'fail' || !byClock.has(id)) return result;
  if (causes.some(({ cause }) => cause.code === 'limit-not-enforced')) return result;
  if (result.reasons.some(({ code }) => atAnyTime.has(code) || code === 'limit-clock-stepped')) return result;
  const failing = ({ results }: StepSide): CheckFinding | undefined =>
    results.find((each) => each.id === id && each.verdict === 'fail');
  const first = failing(before);
  const shown = first ?? failing(after);
  const { causes: _wrong, ...rest } = result;
  const seen: CheckFinding = shown ?? { ...rest, verdict: 'inconclusive', reasons: [] };
  const params = { byMs, atMs, before: before.requests, after: after.requests };
  const shownBy = shown === undefined ? 'neither' : first === undefined ? 'after' : 'before';
  return {
    ...seen,
    reasons: [reason('limit-clock-stepped', { ...params, shownBy }), ...seen.reasons],
    evidence: [...(seen.evidence ?? []), evidence('before and after the clock was set', seqs)],
  };
}
