import type { History } from '../../history/history.ts';
import { type CandidateFit, fitLimiters } from '../../limits/fit.ts';
import { promisable } from '../../limits/kinds/table.ts';
import { traceOfRows, traceOptions } from '../../sent/charged.ts';
import { rowsWhere, wordAt } from '../../sent/columns.ts';
import { fits } from '../diagnosis/cause.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import { isTight, type JudgedStream, subjectOf } from './judged.ts';

/** Endpoints that do not count, and the limiter that explains the answers of the others. */
interface Exempt {
  readonly endpoints: readonly string[];
  readonly limiter: CandidateFit;
}

/** Of a stream that no limiter explains: whether one of exactly the promised limit explains all but one or two endpoints. */
export function withExemptEndpoints(
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
