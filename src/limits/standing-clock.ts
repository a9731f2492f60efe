import { nearBelow, nearUpTo, orderOf, sortedNearly, valuesAt } from './arrays.ts';
import { isDecided, type Trace } from './trace.ts';

/** Answers so near each other were given in one go. Shorter standstills are within the slack on clocks. */
const togetherNs = 10e6;
/** HAProxy takes a pause of 100 ms or more for a change of the machine's clock, and does not count it. */
const leftOutNs = 100e6;
/** One late answer alone is no pause. */
const fewestOfPause = 2;

/**
 * Traces in which a request may be timed before it was sent, where the target seems to have paused: it was answered
 * together with an earlier one. A program that reads its clock once a loop (HAProxy, nginx) may use the reading from
 * before the pause. After a pause that its clock may have left out, all may be timed earlier by as much. Outcomes,
 * answers and the order of sending stay. O(n log n), and the answers given together, squared.
 */
export function withStandingClock(traces: readonly Trace[]): Trace[] {
  const slow = slowAnswers(traces);
  const { answered, sent } = slow;
  if (answered.length === 0) return [...traces];
  const lastSignOfLife = signsOfLife(answersOf(traces));
  const withoutPauses = clockWithoutPauses(slow, lastSignOfLife, traces);
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
    return { ...trace, sentNs: stoodSince.map(withoutPauses) };
  });
}

interface SlowAnswers {
  readonly answered: Float64Array;
  readonly sent: Float64Array;
}

/**
 * Requests in the order of their answers. A request that waited no longer than the slack cannot have waited long
 * before another.
 */
function slowAnswers(traces: readonly Trace[]): SlowAnswers {
  const sent: number[] = [];
  const answered: number[] = [];
  for (const trace of traces) {
    for (let i = 0; i < trace.length; i++) {
      const sentNs = trace.sentNs[i] as number;
      const answeredNs = trace.answeredNs[i] as number;
      if (!isDecided(trace.outcome[i]) || answeredNs - sentNs <= togetherNs) continue;
      sent.push(sentNs);
      answered.push(answeredNs);
    }
  }
  const [sentNs, answeredNs] = [Float64Array.from(sent), Float64Array.from(answered)];
  const order = orderOf(answeredNs);
  return { answered: valuesAt(answeredNs, order), sent: valuesAt(sentNs, order) };
}

/** The median trip of all. */
function usualTripNs(traces: readonly Trace[]): number {
  const trips = new Float64Array(traces.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const { answeredNs, length, outcome, sentNs } of traces)
    for (let i = 0; i < length; i++)
      if (isDecided(outcome[i])) trips[count++] = (answeredNs[i] as number) - (sentNs[i] as number);
  return trips.subarray(0, count).sort()[count >> 1] ?? 0;
}

/** Ascending. */
function answersOf(traces: readonly Trace[]): Float64Array {
  const answers = new Float64Array(traces.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const { answeredNs, length, outcome } of traces)
    for (let i = 0; i < length; i++) if (isDecided(outcome[i])) answers[count++] = answeredNs[i] as number;
  return sortedNearly(answers.subarray(0, count));
}

/** Who answers does not stand still: the last answer before those of the round, which has been on its way since. */
function signsOfLife(everyAnswer: Float64Array): (answeredNs: number) => number {
  const countBelow = nearBelow(everyAnswer);
  return (answeredNs) =>
    (everyAnswer[countBelow(answeredNs - togetherNs) - 1] ?? Number.NEGATIVE_INFINITY) - togetherNs;
}

/**
 * The earliest that a clock may show which leaves out pauses: those in which several requests came, nothing was answered, and
 * which all of them waited for, at least `leftOutNs` longer than usual.
 */
function clockWithoutPauses(
  { answered, sent }: SlowAnswers,
  lastSignOfLife: (answeredNs: number) => number,
  traces: readonly Trace[],
): (ns: number) => number {
  const beginsNs: number[] = [];
  /** What the clock shows in each pause, and how much it has left out after it. */
  const shownNs = [Number.NEGATIVE_INFINITY];
  const leftOut = [0];
  const countAnswered = nearUpTo(answered);
  let tripNs: number | undefined;
  for (let at = 0; at < answered.length; at++) {
    const endNs = answered[at] as number;
    const aliveNs = lastSignOfLife(endNs);
    if (endNs - aliveNs < leftOutNs) continue;
    tripNs ??= usualTripNs(traces);
    const waiting = sent.subarray(at, countAnswered(endNs + togetherNs + tripNs));
    at += waiting.length - 1;
    const beginNs = Math.max(least(waiting), aliveNs);
    if (waiting.length < fewestOfPause || endNs - beginNs < leftOutNs + tripNs) continue;
    const before = leftOut.at(-1) ?? 0;
    beginsNs.push(beginNs);
    shownNs.push(beginNs - before);
    leftOut.push(before + endNs - beginNs);
  }
  const countBegun = nearUpTo(Float64Array.from(beginsNs));
  return (ns) => {
    const begun = countBegun(ns);
    return Math.max(ns - (leftOut[begun] as number), shownNs[begun] as number);
  };
}

function least(values: Float64Array): number {
  return values.reduce((so, each) => Math.min(so, each), Number.POSITIVE_INFINITY);
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
