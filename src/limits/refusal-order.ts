import { countUpTo } from './sorted.ts';
import { byAnswer, lastSentOf, type SubsetOfRequests } from './subset.ts';
import type { Trace } from './trace.ts';

/** For each request of a trace: which rejections came before it. */
export interface RefusalOrder {
  /** The latest answer to a rejection, other than the request, that may have come before it; −∞ if none may. */
  readonly maybeBeforeNs: Float64Array;
  /** The last send time of a rejection that surely came before it; −∞ if none did. */
  readonly surelyBeforeNs: Float64Array;
}

/** O(n log n). */
export function refusalOrderOf(trace: Trace, refused: SubsetOfRequests): RefusalOrder {
  const answers = byAnswer(refused);
  return {
    maybeBeforeNs: maybeBefore(trace, refused),
    surelyBeforeNs: trace.sentNs.map((sentNs) => lastSentOf(answers, sentNs)),
  };
}

function maybeBefore(trace: Trace, refused: SubsetOfRequests): Float64Array {
  const { sentNs, answeredNs, latestAnswerNs, index } = refused;
  return Float64Array.from(trace.answeredNs, (answered, i) => {
    let upTo = countUpTo(sentNs, answered);
    let latest = Number.NEGATIVE_INFINITY;
    // Requests that overlap this one, including itself, are examined one by one.
    while (upTo > 0 && (sentNs[upTo - 1] as number) >= (trace.sentNs[i] as number)) {
      upTo--;
      if (index[upTo] !== i) latest = Math.max(latest, answeredNs[upTo] as number);
    }
    return Math.max(latest, upTo > 0 ? (latestAnswerNs[upTo - 1] as number) : Number.NEGATIVE_INFINITY);
  });
}
