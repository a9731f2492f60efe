import { errorTypeProblem } from '../../../target/answer-problem.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { isProbe, isProbeOf } from '../../core/probe-names.ts';

/**
 * SQL: errors in no JSON. A path in another spelling, or an id of over a thousand characters, may be rejected before the
 * service.
 */
export const errorInNoJson = `(problem LIKE '${errorTypeProblem} %'
  AND NOT (probe IS NOT NULL AND (${isProbeOf('spelled')} OR ${isProbeOf('invalid')} OR ${isProbe('unknown-session:long', 'scope:spelled')})))`;

/** One cause for all of them: what writes errors is one part of a service. */
export function errorsNotJson(
  rows: readonly { readonly endpoint: string; readonly status: number; readonly seqs: readonly number[] }[],
): Suspect[] {
  if (rows.length === 0) return [];
  const different = <Value>(of: (row: (typeof rows)[number]) => Value): Value[] => [...new Set(rows.map(of))];
  return [
    shown(
      'errors-not-json',
      {
        statuses: different(({ status }) => status).toSorted((a, b) => a - b),
        endpoints: different(({ endpoint }) => endpoint),
      },
      rows.flatMap(({ seqs }) => seqs),
    ),
  ];
}
