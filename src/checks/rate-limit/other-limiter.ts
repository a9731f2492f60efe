import type { History } from '../../history/history.ts';
import { inferLimiter } from '../../limits/infer.ts';
import type { Survivor } from '../../limits/inference.ts';
import { isNear } from '../../limits/ranking.ts';
import { fits } from '../diagnosis/cause.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import { withExemptEndpoints } from './exempt.ts';
import { type JudgedStream, subjectOf, survivors, unprovenBy } from './judged.ts';
import { contains, windowBoundsOf } from './study/as-promised.ts';
import { certain } from './study/judge-size.ts';
import { sizeOf } from './study/size-of.ts';

/** What explains a load past the limit that no limiter of the promised limit and window does. */
export function withOtherLimiter(
  result: CheckFinding,
  streams: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  if (result.id !== 'rate-limit.enforced' || result.verdict !== 'inconclusive') return result;
  const unexplained = streams.filter(isUnexplained);
  const exempt = withExemptEndpoints(result, unexplained, history);
  return exempt === result ? withOtherWindow(result, unexplained) : exempt;
}

/**
 * Candidates are fitted at the promised window alone. Where none of them explains a load of which more passed than
 * promised, one of another window may: that is the limiter, and the promise is broken.
 */
function withOtherWindow(result: CheckFinding, unexplained: readonly JudgedStream[]): CheckFinding {
  for (const judged of unexplained) {
    const best = otherWindow(judged);
    if (best === undefined) continue;
    const { min: leastMs, max: mostMs } = best.windowMsBounds ?? {};
    return {
      ...result,
      verdict: 'fail',
      reasons: [
        reason('enforced-other-window', {
          ...subjectOf(judged),
          limiter: best.name,
          size: sizeOf(best),
          peak: judged.mostAdmitted.atLeast,
        }),
      ],
      causes: [
        fits('window-differs', {
          ...(leastMs === undefined ? {} : { leastMs }),
          ...(mostMs === undefined ? {} : { mostMs }),
          promisedMs: judged.promised.windowNs / 1e6,
        }),
      ],
    };
  }
  return result;
}

function isUnexplained(judged: JudgedStream): boolean {
  const { fit, mostAdmitted, promised } = judged;
  const isOver = fit.limited > 0 && mostAdmitted.atLeast > promised.requests;
  return isOver && survivors(fit).length === 0 && unprovenBy(judged) === undefined;
}

/** The one known kind that explains the answers, if only another window than the promised one lets it. */
function otherWindow({ promised, trace }: JudgedStream): Survivor | undefined {
  const windowMs = promised.windowNs / 1e6;
  const [best] = inferLimiter([trace], { windowsMs: [windowMs] }).survivors;
  const isSure =
    best?.settled !== undefined && best.confidence >= certain && isNear(best.mismatches, trace.length);
  const isPromised =
    best !== undefined && contains(windowBoundsOf(best, promised.requests), windowMs, 'window');
  return isSure && !isPromised ? best : undefined;
}
