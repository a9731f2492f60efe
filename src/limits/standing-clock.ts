import { nearBelow } from './sorted.ts';
import { isDecided, type Trace } from './trace.ts';

/** Answers so near each other were given in one go. Shorter standstills are within the slack on clocks. */
const togetherNs = 10e6;

/**
 * Traces in which a request may be timed before it was sent, where the target seems to have paused: it was answered
 * together with an earlier one. A program that reads its clock once a loop (HAProxy, nginx) may use the reading from
 * before the pause. Outcomes, answers and the order of sending stay. O(n log n), and the answers given together,
 * squared.
 */
export function withStandingClock(traces: readonly Trace[]): Trace[] {
  const { answered, sent } = slowAnswers(traces);
  const lastSignOfLife = signsOfLife(answersOf(traces));
  const firstOfRound = rounds(answered, sent);
  return traces.map((trace) => {
    const stoodSince = trace.sentNs.map((sentNs, i) =>
      !isDecided(trace.outcome[i])
        ? sentNs
        : Math.min(
            sentNs,
            Math.max(
              firstOfRound(sentNs, trace.answeredNs[i] as number),
              lastSignOfLife(trace.answeredNs[i] as number),
            ),
          ),
    );
    for (let i = stoodSince.length - 2; i >= 0; i--)
      stoodSince[i] = Math.min(stoodSince[i] as number, stoodSince[i + 1] as number);
    return { ...trace, sentNs: stoodSince };
  });
}

/**
 * Requests in the order of their answers. A request that waited no longer than the slack cannot have waited long
 * before another.
 */
function slowAnswers(traces: readonly Trace[]): { answered: Float64Array; sent: Float64Array } {
  const slow: { readonly sentNs: number; readonly answeredNs: number }[] = [];
  for (const trace of traces) {
    for (let i = 0; i < trace.length; i++) {
      const sentNs = trace.sentNs[i] as number;
      const answeredNs = trace.answeredNs[i] as number;
      if (isDecided(trace.outcome[i]) && answeredNs - sentNs > togetherNs) slow.push({ sentNs, answeredNs });
    }
  }
  slow.sort((a, b) => a.answeredNs - b.answeredNs);
  return {
    answered: Float64Array.from(slow, (each) => each.answeredNs),
    sent: Float64Array.from(slow, (each) => each.sentNs),
  };
}

/** Ascending. */
function answersOf(traces: readonly Trace[]): Float64Array {
  const answers = new Float64Array(traces.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const { answeredNs, length, outcome } of traces)
    for (let i = 0; i < length; i++) if (isDecided(outcome[i])) answers[count++] = answeredNs[i] as number;
  return answers.subarray(0, count).sort();
}

/** Who answers does not stand still: the last answer before those of the round, which has been on its way since. */
function signsOfLife(everyAnswer: Float64Array): (answeredNs: number) => number {
  const countBelow = nearBelow(everyAnswer);
  return (answeredNs) =>
    (everyAnswer[countBelow(answeredNs - togetherNs) - 1] ?? Number.NEGATIVE_INFINITY) - togetherNs;
}

/** When the first of those was sent that were in flight when a request was sent, and answered together with it. */
function rounds(answered: Float64Array, sent: Float64Array): (sentNs: number, answeredNs: number) => number {
  const countBelow = nearBelow(answered);
  return (sentNs, answeredNs) => {
    let firstNs = sentNs;
    const fromNs = Math.max(sentNs, answeredNs - togetherNs);
    for (let at = countBelow(fromNs); at < answered.length; at++) {
      if ((answered[at] as number) > answeredNs + togetherNs) break;
      firstNs = Math.min(firstNs, sent[at] as number);
    }
    return sentNs - firstNs > togetherNs ? firstNs : sentNs;
  };
}
