import { countUpTo } from '../../../limits/sorted.ts';
import type { SentRequest } from '../streams.ts';
import type { Advice } from './advice.ts';
import { isAdmitted } from './series.ts';

/** What became of the next request after a refusal, with nothing else asked meanwhile. */
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
 * The waits that history holds: refusals with an advice after which nothing at all was asked until the next request.
 * `lostForNs`: how long after its sending a request without an answer may still be counted.
 */
export function waitsIn(
  advices: readonly Advice[],
  competing: readonly SentRequest[],
  lostForNs: number,
): Wait[] {
  const bySeq = new Map(advices.map((advice) => [advice.refused.seq, advice]));
  const waits: Wait[] = [];
  let busyUntilNs = Number.NEGATIVE_INFINITY;
  competing.forEach((refused, i) => {
    const advice = bySeq.get(refused.seq);
    const isAlone = busyUntilNs < refused.sent_ns;
    busyUntilNs = Math.max(busyUntilNs, busyNs(refused, lostForNs));
    const next = competing[i + 1];
    if (advice === undefined || !isAlone || next === undefined || next.sent_ns <= refused.answered_ns) return;
    const after = competing[i + 2];
    const isNextAlone = after === undefined || after.sent_ns > next.answered_ns;
    const isSame = next.charged_to === refused.charged_to && next.endpoint === refused.endpoint;
    const wait = isSame && isNextAlone ? waitOf(advice, next) : undefined;
    if (wait !== undefined) waits.push(wait);
  });
  return waits;
}

/** Until when a request may still have been counted. */
function busyNs({ status, sent_ns, answered_ns }: SentRequest, lostForNs: number): number {
  return status === null ? sent_ns + lostForNs : answered_ns;
}

function waitOf(advice: Advice, next: SentRequest): Wait | undefined {
  const admitted = isAdmitted(next);
  if (!admitted && next.status !== 429) return undefined;
  if (next.sent_ns >= advice.due.hiNs) return { advice, next, length: 'full', admitted };
  if (next.answered_ns < advice.due.loNs) return { advice, next, length: 'less', admitted };
  return undefined;
}

/** Advices that were longer than needed: the same key passed on the same endpoint before, whoever else was asking. */
export function excessesIn(advices: readonly Advice[], own: readonly SentRequest[]): Excess[] {
  const limitOf = (each: SentRequest): string => `${each.charged_to} ${each.endpoint}`;
  const admissions = Map.groupBy(own.filter(isAdmitted), limitOf);
  const sentNs = new Map(
    [...admissions].map(([limit, each]) => [limit, Float64Array.from(each, ({ sent_ns }) => sent_ns)]),
  );
  return advices.flatMap((advice) => {
    const limit = limitOf(advice.refused);
    const after = countUpTo(sentNs.get(limit) ?? new Float64Array(), advice.refused.answered_ns);
    const admitted = admissions.get(limit)?.[after];
    if (admitted === undefined) return [];
    const byNs = advice.due.loNs - admitted.answered_ns;
    return byNs > 0 ? [{ advice, admitted, byNs }] : [];
  });
}
