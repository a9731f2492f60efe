import { countUpTo, floats } from './arrays.ts';
import { byAnswer, lastSentOf, type SubsetOfRequests } from './counts.ts';
import type { Trace } from './trace.ts';

/** For each request of a trace: which rejections came before it. */
export interface RefusalOrder {
  /** The latest answer to what may be a rejection, other than the request, that may have come before it; −∞ if none may. */
  readonly maybeBeforeNs: Float64Array;
  /** The last send time of a rejection that surely came before it; −∞ if none did. */
  readonly surelyBeforeNs: Float64Array;
}

/** `mayBeRefused`: the rejected requests, and those whose outcome is unknown. O(n log n). */
export function refusalOrderOf(
  trace: Trace,
  refused: SubsetOfRequests,
  mayBeRefused: SubsetOfRequests,
): RefusalOrder {
  const answers = byAnswer(refused);
  return {
    maybeBeforeNs: maybeBefore(trace, mayBeRefused),
    surelyBeforeNs: trace.sentNs.map((sentNs) => lastSentOf(answers, sentNs)),
  };
}

function maybeBefore(trace: Trace, mayBeRefused: SubsetOfRequests): Float64Array {
  const { sentNs, answeredNs, latestAnswerNs, index } = mayBeRefused;
  return floats(trace.length, (i) => {
    let upTo = countUpTo(sentNs, trace.answeredNs[i] as number);
    let latest = Number.NEGATIVE_INFINITY;
    // Requests that overlap this one, including itself, are examined one by one.
    while (upTo > 0 && (sentNs[upTo - 1] as number) >= (trace.sentNs[i] as number)) {
      upTo--;
      if (index[upTo] !== i) latest = Math.max(latest, answeredNs[upTo] as number);
    }
    return Math.max(latest, upTo > 0 ? (latestAnswerNs[upTo - 1] as number) : Number.NEGATIVE_INFINITY);
  });
}

/** A stray error or two is no limiter. */
const leastRefusals = 10;

/** The outcome of a request, as far as it shows how a service rejects. */
export interface Answered {
  readonly endpoint: string;
  readonly status: number | null | undefined;
}

/** The status of rejections if not the promised 429: the commonest error that only reads under load got. */
export function refusalStatusOf(requests: Iterable<Answered>): number {
  const counts = new Map<number, number>();
  for (const { endpoint, status } of requests) {
    if (status === 429) return 429;
    if (endpoint === 'list-shades' && mayRefuse(status)) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const [commonest] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return commonest !== undefined && commonest[1] >= leastRefusals ? commonest[0] : 429;
}

function mayRefuse(status: Answered['status']): status is number {
  return typeof status === 'number' && status >= 400 && status !== 404 && status !== 401;
}
