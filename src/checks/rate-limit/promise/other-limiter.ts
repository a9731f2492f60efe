import type { History } from '../../../history/history.ts';
import { type CandidateFit, fitLimiters } from '../../../limits/fit.ts';
import { inferLimiter } from '../../../limits/infer.ts';
import { isNear, type Survivor } from '../../../limits/inference.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { rowsWhere, wordAt } from '../../../sent/columns.ts';
import { traceOfRows, traceOptions } from '../../../sent/traces.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { contains, sizeOf, windowBoundsOf } from '../study/as-promised.ts';
import { certain } from '../study/judge-size.ts';
import { isTight, type JudgedStream, subjectOf, survivors, unprovenBy } from '../traces/judged.ts';
import { withChangingLimit } from './changing-limit.ts';
import { withSecondLimit } from './second-limit.ts';

/** What explains a load past the limit that no limiter of the promised limit and window does. */
export function withOtherLimiter(
  result: CheckFinding,
  streams: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  if (result.id !== 'rate-limit.enforced' || result.verdict === 'pass') return result;
  const second = withSecondLimit(result, streams);
  if (second !== result) return second;
  const changing = withChangingLimit(result, streams);
  if (changing !== result) return changing;
  if (result.verdict === 'fail') return orExemptEndpoints(result, streams, history);
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
  const [best] = inferLimiter([trace], { promised }).survivors;
  const isSure =
    best?.settled !== undefined && best.confidence >= certain && isNear(best.mismatches, trace.length);
  const isPromised =
    best !== undefined &&
    contains(windowBoundsOf(best, { requests: promised.requests, windowMs }), windowMs, 'window');
  return isSure && !isPromised ? best : undefined;
}

/** Endpoints that do not count, and the limiter that explains the answers of the others. */
interface Exempt {
  readonly endpoints: readonly string[];
  readonly limiter: CandidateFit;
}

/** Of a stream that no limiter explains: whether one of exactly the promised limit explains all but one or two endpoints. */
function withExemptEndpoints(
  result: CheckFinding,
  unexplained: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  for (const judged of unexplained) {
    const found = exemptOf(judged, history);
    if (found === undefined) continue;
    const { endpoints, limiter } = found;
    const isPromised = history.profile.limit_endpoints === 'together';
    return {
      ...result,
      verdict: isPromised ? 'fail' : 'inconclusive',
      reasons: [
        reason('enforced-endpoints-exempt', {
          ...subjectOf(judged),
          endpoints,
          limiter: limiter.candidate.name,
          isPromised,
        }),
      ],
      ...(isPromised && { causes: endpoints.map((endpoint) => fits('endpoint-not-limited', { endpoint })) }),
    };
  }
  return result;
}

/** The same of a limiter that is known to be broken: what it admits too many may be requests that do not count. */
function orExemptEndpoints(
  result: CheckFinding,
  streams: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  if (history.profile.limit_endpoints !== 'together') return result;
  const over = streams.filter(
    ({ fit, mostAdmitted, promised }) => fit.limited > 0 && mostAdmitted.atLeast > promised.requests,
  );
  const { causes = [], reasons } = withExemptEndpoints(result, over, history);
  return causes === result.causes
    ? result
    : {
        ...result,
        reasons: [...result.reasons, ...reasons],
        // One limit, as promised and known to one request, explains thousands of answers but these.
        causes: [...(result.causes ?? []), ...causes.map(asShown)],
      };
}

function asShown(suspect: Suspect): Suspect {
  return { ...suspect, strength: 'shown' };
}

function exemptOf(judged: JudgedStream, history: Pick<History, 'profile' | 'run'>): Exempt | undefined {
  const { promised, stream } = judged;
  const { charge, rows, sent } = stream;
  const endpointOf = (row: number): string => wordAt(sent.endpoint, row) ?? '';
  const limited = new Set(
    Array.from(rows).flatMap((row) => (sent.status[row] === 429 ? endpointOf(row) : [])),
  );
  const free = [...new Set(Array.from(rows, endpointOf))].filter((endpoint) => !limited.has(endpoint));
  const pairs = free.flatMap((one, place) => free.slice(place + 1).map((other) => [one, other]));
  for (const endpoints of [...free.map((one) => [one]), ...pairs]) {
    const others = rowsWhere(sent, (row) => !endpoints.includes(endpointOf(row)), rows);
    const trace = traceOfRows(sent, others, charge, traceOptions(history, 429));
    const limiter = fitLimiters(trace, promised, promisable(undefined)).candidates.find(
      (each) => each.fitsPromise && isTight(each, promised),
    );
    if (limiter !== undefined) return { endpoints, limiter };
  }
  return undefined;
}
