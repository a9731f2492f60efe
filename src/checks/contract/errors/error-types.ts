import { sqlText } from '../../../history/tables.ts';
import { errorTypeProblem } from '../../../target/problems.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { isProbe } from '../../core/probe-names.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

/** SQL: calls of the explorer in another form than the usual one, which may be rejected before the service. */
export const oddForms = "SELECT seq FROM explored WHERE json_extract_string(call, '$.form') IS NOT NULL";

/** SQL: errors in no JSON. */
export const errorInNoJson = `(problem LIKE ${sqlText(`${errorTypeProblem} %`)}
  AND NOT ${isProbe('scope:spelled')} AND seq NOT IN (${oddForms}))`;

interface ErrorRow {
  readonly endpoint: string;
  readonly status: number;
  readonly seqs: readonly number[];
}

/** One cause for all of them: what writes errors is one part of a service. */
export function errorTypeCauses(rows: readonly ErrorRow[]): Suspect[] {
  if (rows.length === 0) return [];
  return [
    shown(
      'errors-not-json',
      whichOf(rows),
      rows.flatMap(({ seqs }) => seqs),
    ),
  ];
}

/** Where nothing is promised of errors. */
export function errorTypeRemarks(rows: readonly ErrorRow[]): Reason[] {
  return rows.length === 0 ? [] : [reason('errors-of-other-type', whichOf(rows))];
}

function whichOf(rows: readonly ErrorRow[]): { readonly statuses: number[]; readonly endpoints: string[] } {
  return {
    statuses: [...new Set(rows.map(({ status }) => status))].toSorted((a, b) => a - b),
    endpoints: [...new Set(rows.map(({ endpoint }) => endpoint))],
  };
}
