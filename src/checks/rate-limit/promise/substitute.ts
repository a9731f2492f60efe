import { fitLimiters } from '../../../limits/fit.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { rowsWhere, seqsOf } from '../../../sent/columns.ts';
import { traceOfRows } from '../../../sent/traces.ts';
import { isTight, type JudgedStream, survivors } from '../traces/judged.ts';

/** Statuses that have another meaning in the interface, and 422, which rejects a body and not a load. */
const otherMeaning: ReadonlySet<number> = new Set([401, 402, 404, 422, 429]);

/** A status that stands in for 429, with the requests answered so. */
interface Substitute {
  readonly status: number;
  readonly seqs: readonly number[];
}

/**
 * The status, if there is one, whose answers fall exactly as the rejections of a limiter of the promised limit would:
 * 503, say, where 429 is due. A target that merely breaks down under the load has no such order.
 */
export function substituteFor429({ stream, promised, algorithm }: JudgedStream): Substitute | undefined {
  const { charge, sent, rows } = stream;
  const statuses = new Set<number>();
  for (const row of rows) statuses.add(sent.status[row] as number);
  for (const status of statuses) {
    if (status < 400 || otherMeaning.has(status)) continue;
    const trace = traceOfRows(sent, rows, charge, {
      windowNs: promised.windowNs,
      refusalStatus: status,
      unknownNs: 0,
    });
    const fitting = survivors(fitLimiters(trace, promised, promisable(algorithm)));
    if (!fitting.some((each) => isTight(each, promised))) continue;
    const answered = rowsWhere(sent, (row) => sent.status[row] === status, rows);
    return { status, seqs: seqsOf(sent, answered) };
  }
  return undefined;
}
