import { countUpTo, valuesAt } from '../../../limits/arrays.ts';
import {
  byLimit,
  isSuccess,
  limitOfRow,
  type Rows,
  rowsWhere,
  type SentRequest,
  type SentRequests,
  sentRequestAt,
} from '../../../sent/columns.ts';
import type { Advice } from './advice.ts';

/** What the next request after a rejection got, with no other request in between. */
export interface Wait {
  readonly advice: Advice;
  readonly next: SentRequest;
  /** Waited as long as advised, beyond doubt; or beyond doubt less. */
  readonly length: 'full' | 'less';
  readonly admitted: boolean;
}

/** An advice and the first admission after it on the same key and endpoint, where that came before the wait was over. */
export interface Excess {
  readonly advice: Advice;
  readonly admitted: SentRequest;
  /** At least so much longer than needed. */
  readonly byNs: number;
}

/**
 * The waits that history holds: rejections with an advice, and no request at all until the next one.
 * `lostForNs`: how long after its sending a request without an answer may still be counted.
 */
export function waitsIn(
  advices: readonly Advice[],
  sent: SentRequests,
  competing: Rows,
  lostForNs: number,
): Wait[] {
  const byRow = new Map(advices.map((advice) => [advice.row, advice]));
  const waits: Wait[] = [];
  if (byRow.size === 0) return waits;
  const { answeredNs, sentNs, status } = sent;
  let busyUntilNs = Number.NEGATIVE_INFINITY;
  for (const [i, row] of competing.entries()) {
    const isAlone = busyUntilNs < (sentNs[row] as number);
    // Until when it may still have been counted.
    busyUntilNs = Math.max(
      busyUntilNs,
      status[row] === 0 ? (sentNs[row] as number) + lostForNs : (answeredNs[row] as number),
    );
    const advice = byRow.get(row);
    const next = competing[i + 1];
    if (advice === undefined || !isAlone || next === undefined) continue;
    if ((sentNs[next] as number) <= (answeredNs[row] as number)) continue;
    const after = competing[i + 2];
    const isNextAlone = after === undefined || (sentNs[after] as number) > (answeredNs[next] as number);
    const isSame = limitOfRow(sent, next) === limitOfRow(sent, row);
    const wait = isSame && isNextAlone ? waitOf(advice, sentRequestAt(sent, next)) : undefined;
    if (wait !== undefined) waits.push(wait);
  }
  return waits;
}

function waitOf(advice: Advice, next: SentRequest): Wait | undefined {
  const { status } = next;
  const admitted = status !== null && status >= 200 && status < 300;
  if (!admitted && status !== 429) return undefined;
  if (next.sent_ns >= advice.overNs) return { advice, next, length: 'full', admitted };
  if (next.answered_ns < advice.due.loNs) return { advice, next, length: 'less', admitted };
  return undefined;
}

/** Advices that were longer than needed: the same key passed on the same endpoint before, whatever other keys sent. */
export function excessesIn(advices: readonly Advice[], sent: SentRequests, own: Rows): Excess[] {
  if (advices.length === 0) return [];
  const admissions = new Map(
    [
      ...byLimit(
        sent,
        rowsWhere(sent, (row) => isSuccess(sent, row), own),
      ),
    ].map(([limit, rows]) => [limit, { rows, sentNs: valuesAt(sent.sentNs, rows) }]),
  );
  return advices.flatMap((advice) => {
    const same = admissions.get(limitOfRow(sent, advice.row));
    const row = same?.rows[countUpTo(same.sentNs, advice.rejected.answered_ns)];
    if (row === undefined) return [];
    const admitted = sentRequestAt(sent, row);
    const byNs = advice.due.loNs - admitted.answered_ns;
    return byNs > 0 ? [{ advice, admitted, byNs }] : [];
  });
}
