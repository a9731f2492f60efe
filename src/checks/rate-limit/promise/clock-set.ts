import type { History } from '../../../history/history.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { DateStep } from '../../core/moved-clock.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { isPastLimit, type JudgedStream, judgeStream } from '../traces/judged.ts';
import { judgePromise } from './checks.ts';
import type { SetAside } from './others.ts';
import { afterUse, ofTheLimit } from './set-aside.ts';

/** What follows from when the limiter counted what. */
const byClock: ReadonlySet<CheckId> = new Set<CheckId>([
  ...ofTheLimit,
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/** Of these, what the requests after a step show whatever the limiter counted before it. */
const whateverCounted: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-reset',
]);

/** What the requests on one side of a step of the clock show by themselves. */
export interface StepSide {
  readonly requests: number;
  readonly results: readonly CheckFinding[];
}

/** What the requests after a step show whatever the limiter may have counted when its clock was set. */
export function shownAfter(
  { results, streams }: Pick<StepSide, 'results'> & { readonly streams: readonly JudgedStream[] },
  step: DateStep,
  history: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const atNs = step.atMs * 1e6;
  const used = streams.map((judged) =>
    judgeStream(afterUse(judged, atNs, atNs + Math.abs(step.byMs) * 1e6), history),
  );
  const despite = judgePromise(used, used.filter(isPastLimit));
  return results.filter(
    ({ id }) => whateverCounted.has(id) || despite.some((each) => each.id === id && each.verdict === 'fail'),
  );
}

/**
 * The clock of the target was set within the run. A limiter that goes by it shows no limit across the step: what fails there
 * fails only where one side of it shows that by itself. That it rejects nothing, it shows all the same.
 */
export function clockWasSet(
  results: readonly CheckFinding[],
  { atMs, byMs, seqs }: DateStep,
  sides: { readonly before: StepSide; readonly after: StepSide },
): SetAside {
  const isSureAnyway = ({ causes = [], reasons }: CheckFinding): boolean =>
    causes.some(({ cause }) => cause.code === 'limit-not-enforced') ||
    reasons.some(
      (each) =>
        each.code === 'limit-clock-stepped' ||
        // A Retry-After that is wrong whatever the time is.
        (each.code === 'rejections-wrong' && each.params.isForm),
    );
  const { before, after } = sides;
  const params = { byMs, atMs, before: before.requests, after: after.requests };
  const bothSides = evidence('before and after the clock was set', seqs);
  const stillFailing = results.flatMap((result): CheckFinding[] => {
    if (isSureAnyway(result)) return [result];
    for (const shownBy of ['before', 'after'] as const) {
      const own = sides[shownBy].results.find((each) => each.id === result.id && each.verdict === 'fail');
      const stepped = reason('limit-clock-stepped', { ...params, shownBy });
      if (own !== undefined)
        return [
          { ...own, reasons: [stepped, ...own.reasons], evidence: [...(own.evidence ?? []), bothSides] },
        ];
    }
    return [];
  });
  return {
    checks: byClock,
    stillFailing,
    reasons: [reason('limit-clock-stepped', { ...params, shownBy: 'neither' })],
    evidence: [bothSides],
  };
}
