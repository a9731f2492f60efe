import { countsOf, mostInTrailingWindow } from '../../../limits/counts.ts';
import { admitted, countOutcome, limited } from '../../../limits/trace.ts';
import { admissionsNeedOver } from '../../../limits/window-search.ts';
import type { Profile } from '../../../target/profile.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { fits } from '../../causes/cause.ts';
import { type CheckFinding, dataOf, type Evidence, withReasons } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { JudgedStream } from '../traces/judged.ts';

/** What may explain that checks fail, and the target is not to blame: a check that fails only without it is inconclusive. */
export interface SetAside {
  readonly checks: ReadonlySet<CheckId>;
  /** What fails all the same. */
  readonly stillFailing?: readonly CheckFinding[];
  readonly reasons: readonly Reason[];
  readonly evidence?: readonly Evidence[];
}

/** That never makes a pass, and several do not add up, so their order is of no matter. */
export function unlessSetAside(
  result: CheckFinding,
  { checks, evidence = result.evidence ?? [], reasons, stillFailing = [] }: SetAside,
): CheckFinding {
  if (result.verdict !== 'fail' || !checks.has(result.id)) return result;
  const still = stillFailing.find(({ id }) => id === result.id);
  if (still !== undefined) return still;
  const { causes: _ofAFail, ...rest } = result;
  return {
    ...rest,
    verdict: 'inconclusive',
    reasons: [...result.reasons, ...reasons],
    evidence,
  };
}

/** What headers count beside a run's own requests is others' use only below this part of what the run sent itself. */
const countedTwicePart = 0.8;
/** Answers with a remaining number below which headers say little about other users. */
const leastCounting = 50;

/** What a limiter is found to be, from requests that may have reached it several times. */
export const ofTheKind: readonly CheckId[] = [
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
];
/** Checks that others' use of a key may make fail: too much was rejected. */
const ofRejections: readonly CheckId[] = [
  'rate-limit.wrongful',
  'rate-limit.recovery',
  'rate-limit.enforced',
  ...ofTheKind,
];
/**
 * And where requests are redelivered: a client that waits as told may be rejected for a second delivery of its retry, and
 * the peak that is allowed depends on the kind of limiter that these rejections suggest.
 */
const ofRedeliveries: readonly CheckId[] = [...ofRejections, 'rate-limit.retry-after', 'rate-limit.admitted'];

/**
 * Others may use the run's keys on a shared staging system, and spend their limits. Where headers or the profile say so, it is
 * reported as a separate result, and too many rejections no longer fail. Admissions over the limit still do. Redeliveries of
 * the run's requests spend the limit, too, and hide what kind of limiter it is. `hasCosts`: requests count several times.
 */
export function allowForOthers(
  results: readonly CheckFinding[],
  streams: readonly JudgedStream[],
  { redeliveries, shared_keys }: Pick<Profile, 'shared_keys' | 'redeliveries'>,
  hasCosts = false,
): CheckFinding[] {
  const sent = streams.reduce((sum, { trace }) => sum + countOutcome(trace, admitted), 0);
  const dialects = dataOf(results, 'rate-limit.headers')?.dialects ?? [];
  const beside = Math.max(0, ...dialects.map(({ unexplained }) => unexplained));
  const isByOthers = beside > 0 && !hasCosts && beside <= countedTwicePart * sent;
  if (!isByOthers && !shared_keys && redeliveries === 0) return [...results];
  const missing = Math.max(0, ...streams.map(mostMissing));
  const isOver = streams.some(
    ({ algorithm, promised, trace }) => admissionsNeedOver(trace, promised, algorithm) !== undefined,
  );
  const redelivered = reason('others-redelivered', { deliveries: redeliveries + 1 });
  const why = isByOthers
    ? reason('others-counted-by-headers', { requests: beside })
    : shared_keys
      ? reason('others-share-keys')
      : redelivered;
  const excuse = {
    checks: new Set(redeliveries > 0 ? ofRedeliveries : ofRejections),
    stillFailing: isOver ? results : [],
    reasons: [reason('others-may-have-spent', { isRedelivered: redeliveries > 0 }), why],
  };
  const asItLooks = [reason('others-as-it-looks'), redelivered];
  const what: Reason =
    missing > 0
      ? reason('others-spent', { requests: missing })
      : reason(beside > 0 ? 'others-not-needed' : 'others-own-requests', {});
  return [
    ...results.map((result) =>
      result.verdict === 'pass' && redeliveries > 0 && ofTheKind.includes(result.id)
        ? withReasons({ ...result, verdict: 'inconclusive' }, ...asItLooks)
        : unlessSetAside(result, excuse),
    ),
    {
      id: 'rate-limit.others',
      verdict: missing > 0 || beside > 0 ? 'inconclusive' : 'pass',
      observed: { counted_by_headers: beside, missing_in_a_window: missing },
      reasons: [why, what],
      evidence: [],
    },
  ];
}

/** The most of the limit that this run had not spent, within a window by the strictest reading, when it got 429. */
function mostMissing({ trace, promised: { requests, windowNs } }: JudgedStream): number {
  const counts = countsOf(trace, 'admitted');
  return trace.outcome.reduce(
    (most, outcome, i) =>
      outcome === limited
        ? Math.max(most, requests - mostInTrailingWindow(trace, counts, windowNs, i))
        : most,
    0,
  );
}

/** Whether headers count the requests of this run and no others. */
export function countsOnlyOwn(results: readonly CheckFinding[]): boolean {
  const counting = (dataOf(results, 'rate-limit.headers')?.dialects ?? []).filter(
    ({ answers, remaining }) => remaining === 'consistent' && answers >= leastCounting,
  );
  return counting.length > 0 && counting.every(({ unexplained }) => unexplained === 0);
}

/**
 * Where others can reach the target, they may use the key. That explains all rejections there are, so it is named last, beside
 * what they look like.
 */
export function orOtherUsers(results: readonly CheckFinding[]): CheckFinding[] {
  if (countsOnlyOwn(results)) return [...results];
  return results.map((result) => {
    const { causes = [], verdict } = result;
    const below = causes.find(
      ({ cause }) =>
        cause.code === 'refused-below-limit' ||
        (cause.code === 'limit-differs' &&
          (cause.params.most ?? Number.POSITIVE_INFINITY) < cause.params.promised),
    );
    return verdict !== 'fail' || below === undefined
      ? result
      : { ...result, causes: [...causes, fits('other-users-of-key', {}, below.seqs)] };
  });
}
