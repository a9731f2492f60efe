import { limitsInTurn, type Stretch, shareOfRejectionsCounted } from '../../limits/changing.ts';
import { seqAt } from '../../limits/trace.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import { type JudgedStream, subjectOf, survivors, unprovenBy } from './judged.ts';

/** Where no limiter explains the answers: whether its limit changes, or whether it counts some of its rejections. */
export function withChangingLimit(result: CheckFinding, streams: readonly JudgedStream[]): CheckFinding {
  for (const judged of streams) {
    const { fit, promised, trace } = judged;
    if (fit.limited === 0 || survivors(fit).length > 0 || unprovenBy(judged) !== undefined) continue;
    const limits = limitsInTurn(trace, promised);
    if (limits !== undefined)
      return {
        ...result,
        verdict: 'fail',
        reasons: [
          reason('enforced-limits-in-turn', {
            ...subjectOf(judged),
            limits: limits.map(({ max, min }) => ({ min, max })),
          }),
        ],
        causes: [whyInTurn(judged, limits)],
      };
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

function whyInTurn({ promised, trace }: JudgedStream, limits: readonly Stretch[]): Suspect {
  const seqs = limits.flatMap(({ admission, rejection }) => [
    seqAt(trace, admission),
    seqAt(trace, rejection),
  ]);
  const [first, last] = [limits[0] as Stretch, limits.at(-1) as Stretch];
  const rises = limits.map((each, place) => each.min > (limits[place - 1]?.max ?? Number.POSITIVE_INFINITY));
  const isShrinking = !rises.includes(true);
  if (isShrinking || !rises.slice(1).includes(false))
    return fits(
      'limit-drifts',
      isShrinking
        ? { isShrinking, admittedAt: first.min - 1, rejectedAt: last.max }
        : { isShrinking, admittedAt: last.min - 1, rejectedAt: first.max },
      seqs,
    );
  return fits(
    'counts-forgotten',
    { admitted: Math.max(...limits.map(({ min }) => min)), limit: promised.requests },
    seqs,
  );
}
