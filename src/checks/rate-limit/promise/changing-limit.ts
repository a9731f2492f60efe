import {
  limitsInTurn,
  passedTogether,
  type Stretch,
  shareOfRejectionsCounted,
} from '../../../limits/not-constant.ts';
import { seqAt } from '../../../limits/trace.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { type JudgedStream, otherwise, subjectOf, survivors, unprovenBy } from '../traces/judged.ts';

/** Where no limiter explains the answers: whether it counts too late, its limit changes, or it counts some of its rejections. */
export function withChangingLimit(result: CheckFinding, streams: readonly JudgedStream[]): CheckFinding {
  for (const judged of streams) {
    const { fit, promised, trace } = judged;
    if (fit.limited === 0 || survivors(fit).length > 0 || unprovenBy(judged) !== undefined) continue;
    // Another limit that explains every answer is the simpler explanation.
    const together = otherwise(fit).length > 0 ? undefined : passedTogether(trace, promised);
    if (together !== undefined) {
      const { index, over } = together;
      const params = { over, limit: promised.requests, windowMs: promised.windowNs / 1e6 };
      return {
        ...result,
        verdict: 'fail',
        reasons: [reason('enforced-not-atomic', { ...subjectOf(judged), over })],
        causes: [fits('limit-checked-before-counted', params, [seqAt(trace, index)])],
      };
    }
    const limits = limitsInTurn(trace, promised);
    if (limits !== undefined) {
      // Without a plain reason it is as wrong, and the causes stay that it had.
      const inTurn = areFarApart(limits) ? whyInTurn(judged, limits) : undefined;
      return {
        ...result,
        verdict: 'fail',
        reasons: [
          reason('enforced-limits-in-turn', {
            ...subjectOf(judged),
            limits: limits.map(({ max, min }) => ({ min, max })),
          }),
        ],
        ...(inTurn !== undefined && { causes: [inTurn] }),
      };
    }
    const share = shareOfRejectionsCounted(trace, promised);
    if (share !== undefined)
      return {
        ...result,
        verdict: 'fail',
        reasons: [reason('enforced-rejections-in-part', { ...subjectOf(judged), ...share })],
        causes: [fits('rejections-count-in-part', share)],
      };
  }
  return result;
}

/** A limit that changes once, by less than this, is rather one that no model here describes. */
const leastChange = 0.02;

function areFarApart(limits: readonly Stretch[]): boolean {
  const least = Math.min(...limits.map(({ max }) => max));
  const most = Math.max(...limits.map(({ min }) => min));
  return limits.length > 2 || most >= (1 + leastChange) * least;
}

/** Undefined where no more were admitted than are promised: then no count was forgotten. */
function whyInTurn({ promised, trace }: JudgedStream, limits: readonly Stretch[]): Suspect | undefined {
  const seqs = limits.flatMap(({ admission, rejection }) => [
    seqAt(trace, admission),
    seqAt(trace, rejection),
  ]);
  const [first, last] = [limits[0] as Stretch, limits.at(-1) as Stretch];
  const rises = limits.map((each, place) => each.min > (limits[place - 1]?.max ?? Number.POSITIVE_INFINITY));
  const isShrinking = !rises.includes(true);
  // A change once, from or to the promised limit: it may as well not have counted some requests for a while.
  const isAsPromised = ({ max, min }: Stretch): boolean =>
    min <= promised.requests && promised.requests <= max;
  if (limits.length === 2 && limits.some(isAsPromised)) return undefined;
  if (isShrinking || !rises.slice(1).includes(false))
    return fits(
      'limit-drifts',
      isShrinking
        ? { isShrinking, admittedAt: first.min - 1, rejectedAt: last.max }
        : { isShrinking, admittedAt: last.min - 1, rejectedAt: first.max },
      seqs,
    );
  const admitted = Math.max(...limits.map(({ min }) => min));
  return admitted <= promised.requests
    ? undefined
    : fits('counts-forgotten', { admitted, limit: promised.requests }, seqs);
}
