import { countBelow, countUpTo } from '../../../limits/arrays.ts';
import { admitted, countOutcome, limited } from '../../../limits/trace.ts';
import { admissionsNeedOver } from '../../../limits/window-search.ts';
import type { Profile } from '../../../target/profile.ts';
import { dataOf } from '../../core/check-data.ts';
import type { Redelivering } from '../../core/redeliveries.ts';
import { type CheckFinding, withReasons } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { JudgedStream } from '../traces/judged.ts';
import type { EndpointCost } from './costs.ts';

/** What headers count beside a run's own requests is others' use only below this part of what the run sent itself. */
const countedTwicePart = 0.8;

/** Checks that others' use of a key may make fail: too much was rejected. */
const restOnRefusals: ReadonlySet<string> = new Set([
  'rate-limit.wrongful',
  'rate-limit.recovery',
  'rate-limit.enforced',
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/**
 * And where requests are redelivered: a client that waits as told may be rejected for a second delivery of its retry, and
 * the peak that is allowed depends on the kind of limiter that these rejections suggest.
 */
const restOnRedeliveries: ReadonlySet<string> = new Set([
  ...restOnRefusals,
  'rate-limit.retry-after',
  'rate-limit.admitted',
]);
/** What a limiter is found to be, from requests that may have reached it several times. */
const restOnEachCount: ReadonlySet<string> = new Set([
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/**
 * Others may use the run's keys on a shared staging system, and spend their limits. Where headers or the profile say so, it is
 * reported as a separate result, and too many rejections no longer fail. Admissions over the limit still do. Redeliveries of
 * the run's requests spend the limit, too, and hide what kind of limiter it is.
 */
export function allowForOthers(
  results: readonly CheckFinding[],
  streams: readonly JudgedStream[],
  profile: Pick<Profile, 'shared_keys'> & Redelivering,
  costs: readonly EndpointCost[] = [],
): CheckFinding[] {
  const { redeliveries, shared_keys } = profile;
  const isDeclared = shared_keys || redeliveries > 0;
  const excused = redeliveries > 0 ? restOnRedeliveries : restOnRefusals;
  const sent = streams.reduce((sum, { trace }) => sum + countOutcome(trace, admitted), 0);
  const beside = countedBeside(results);
  const isCountedTwice = costs.length > 0 || beside > countedTwicePart * sent;
  if ((beside === 0 || isCountedTwice) && !isDeclared) return [...results];
  const missing = Math.max(0, ...streams.map(mostMissing));
  const isOver = streams.some(
    ({ trace, promised, algorithm }) => admissionsNeedOver(trace, promised, algorithm) !== undefined,
  );
  const why =
    beside > 0 && !isCountedTwice
      ? reason('others-counted-by-headers', { requests: beside })
      : shared_keys
        ? reason('others-share-keys')
        : redelivered(redeliveries);
  const mayHaveSpent = reason('others-may-have-spent', { isRedelivered: redeliveries > 0 });
  return [
    ...results.map((result) => {
      if (result.verdict === 'fail' && !isOver && excused.has(result.id))
        return doubted(result, mayHaveSpent, why);
      if (result.verdict === 'pass' && redeliveries > 0 && restOnEachCount.has(result.id))
        return doubted(result, reason('others-as-it-looks'), redelivered(redeliveries));
      return result;
    }),
    {
      id: 'rate-limit.others',
      verdict: missing > 0 || beside > 0 ? 'inconclusive' : 'pass',
      expected: expects('rate-limit.others'),
      observed: { counted_by_headers: beside, missing_in_a_window: missing },
      reasons: [
        why,
        missing > 0
          ? reason('others-spent', { requests: missing })
          : reason(beside > 0 ? 'others-not-needed' : 'others-own-requests', {}),
      ],
      evidence: [],
    },
  ];
}

function doubted(result: CheckFinding, ...doubts: readonly Reason[]): CheckFinding {
  return withReasons({ ...result, verdict: 'inconclusive' }, ...doubts);
}

function redelivered(redeliveries: number): Reason {
  return reason('others-redelivered', { deliveries: redeliveries + 1 });
}

/** Answers with a remaining number below which headers say little about other users. */
const leastCounting = 50;

/** Whether headers count the requests of this run and no others. */
export function countsOnlyOwn(results: readonly CheckFinding[]): boolean {
  const counting = (dataOf(results, 'rate-limit.headers')?.dialects ?? []).filter(
    ({ answers, remaining }) => remaining === 'consistent' && answers >= leastCounting,
  );
  return counting.length > 0 && counting.every(({ unexplained }) => unexplained === 0);
}

function countedBeside(results: readonly CheckFinding[]): number {
  const dialects = dataOf(results, 'rate-limit.headers')?.dialects ?? [];
  return Math.max(0, ...dialects.map(({ unexplained }) => unexplained));
}

/** The most of the limit that this run had not spent, within a window by the strictest reading, when it got 429. */
function mostMissing({ trace, promised }: JudgedStream): number {
  const { sentNs, answeredNs, outcome, length } = trace;
  const spentNs = answeredNs.filter((_, i) => outcome[i] !== limited).toSorted();
  const startedNs = sentNs.filter((_, i) => outcome[i] !== limited);
  let most = 0;
  for (let i = 0; i < length; i++) {
    if (outcome[i] !== limited) continue;
    const begun = countUpTo(startedNs, answeredNs[i] as number);
    const forgotten = countBelow(spentNs, (sentNs[i] as number) - promised.windowNs);
    most = Math.max(most, promised.requests - (begun - forgotten));
  }
  return most;
}
