import { clockSlackNs } from './slack.ts';
import { countBelow } from './sorted.ts';
import type { Span } from './span.ts';
import { byAnswer, lastSentOf, type SubsetOfRequests } from './subset.ts';

/** Shorter blocks are not looked for, as shorter windows are not. */
const shortestNs = 0.2e9;

/**
 * How long a block can have lasted that each rejection after an admission starts, and during which nothing is
 * admitted. At most one block lies between two admissions, so its length follows from the order of answers alone.
 * Empty (lo > hi) if the answers contradict every such block. It assumes that requests without an answer did not fill
 * a window.
 */
export function blockOf(passed: SubsetOfRequests, refused: SubsetOfRequests): Span {
  const loNs = longestRun(passed, refused);
  const hiNs = shortestRecovery(passed, refused);
  return {
    loNs: Math.max(shortestNs, loNs - clockSlackNs(loNs)),
    hiNs: hiNs === Number.POSITIVE_INFINITY ? hiNs : hiNs + clockSlackNs(hiNs),
  };
}

/** The longest time that surely lay between two rejections without an admission between them. */
function longestRun(passed: SubsetOfRequests, refused: SubsetOfRequests): number {
  let longestNs = 0;
  let earliestAnswerNs = Number.POSITIVE_INFINITY;
  let first = 0;
  let at = 0;
  for (let j = 0; j < refused.length; j++) {
    // Every admission that may have come before this rejection must have come before the run's first one.
    const before = countBelow(passed.sentNs, refused.answeredNs[j] as number);
    const lastAdmittedNs = passed.latestAnswerNs[before - 1] ?? Number.NEGATIVE_INFINITY;
    if (at <= first || (refused.sentNs[first] as number) <= lastAdmittedNs) {
      while (first < refused.length && (refused.sentNs[first] as number) <= lastAdmittedNs) first++;
      earliestAnswerNs = Number.POSITIVE_INFINITY;
      at = first;
    }
    for (; at <= j; at++) earliestAnswerNs = Math.min(earliestAnswerNs, refused.answeredNs[at] as number);
    longestNs = Math.max(longestNs, (refused.sentNs[j] as number) - earliestAnswerNs);
  }
  return longestNs;
}

/**
 * The shortest time in which a block can have ended: from the first rejection that can have started it to an
 * admission.
 */
function shortestRecovery(passed: SubsetOfRequests, refused: SubsetOfRequests): number {
  const admissions = byAnswer(passed);
  const refusals = byAnswer(refused);
  const leastSentFrom = refusals.sentNs.slice();
  for (let k = leastSentFrom.length - 2; k >= 0; k--) {
    leastSentFrom[k] = Math.min(leastSentFrom[k] as number, leastSentFrom[k + 1] as number);
  }
  let shortestNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < passed.length; i++) {
    // A rejection that surely came before this admission, and the last admission that surely came before that
    // rejection.
    const last = lastSentOf(refusals, passed.sentNs[i] as number);
    if (last === Number.NEGATIVE_INFINITY) continue;
    const previousNs = lastSentOf(admissions, last);
    const firstPossible = leastSentFrom[countBelow(refusals.answeredNs, previousNs)] ?? last;
    const begunNs = Math.max(previousNs, firstPossible);
    shortestNs = Math.min(shortestNs, (passed.answeredNs[i] as number) - begunNs);
  }
  return shortestNs;
}
