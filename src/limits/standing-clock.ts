import { countBelow } from './sorted.ts';
import { ambiguous, type Trace } from './trace.ts';

/** Answers so near each other were given in one go. Shorter standstills are within the slack on clocks. */
const togetherNs = 10e6;

/**
 * Traces in which a request may have been reckoned at an instant before it was sent, where the target seems to have stood
 * still: it was answered together with another that had waited since before, and a program that reads its clock once a
 * round (HAProxy, nginx) may have reckoned all of them by the reading of when it stopped. Outcomes and answers stay as
 * they are; whichever was sent first stays first. O(n log n), and the answers given together, squared.
 */
export function withStandingClock(traces: readonly Trace[]): Trace[] {
  const all = traces.flatMap(({ answeredNs, outcome, sentNs }) =>
    Array.from(sentNs, (sent, i) => ({
      sent,
      answered: answeredNs[i] as number,
      told: outcome[i] !== ambiguous,
    })),
  );
  const answers = all.filter(({ told }) => told).sort((a, b) => a.answered - b.answered);
  const answered = Float64Array.from(answers, (each) => each.answered);
  const sent = Float64Array.from(answers, (each) => each.sent);
  return traces.map((trace) => {
    const stoodSince = Float64Array.from(trace.sentNs, (sentNs, i) =>
      trace.outcome[i] === ambiguous
        ? sentNs
        : firstOfRound(answered, sent, sentNs, trace.answeredNs[i] as number),
    );
    for (let i = stoodSince.length - 2; i >= 0; i--)
      stoodSince[i] = Math.min(stoodSince[i] as number, stoodSince[i + 1] as number);
    return { ...trace, sentNs: stoodSince };
  });
}

/** When the first of those was sent that were in flight when a request was sent, and answered together with it. */
function firstOfRound(
  answered: Float64Array,
  sent: Float64Array,
  sentNs: number,
  answeredNs: number,
): number {
  let firstNs = sentNs;
  const fromNs = Math.max(sentNs, answeredNs - togetherNs);
  for (let at = countBelow(answered, fromNs); at < answered.length; at++) {
    if ((answered[at] as number) > answeredNs + togetherNs) break;
    firstNs = Math.min(firstNs, sent[at] as number);
  }
  return sentNs - firstNs > togetherNs ? firstNs : sentNs;
}
