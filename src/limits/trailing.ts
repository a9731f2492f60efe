import { type Counted, countedInstants } from './counts.ts';
import { clockSlackNs } from './slack.ts';
import type { Trace } from './trace.ts';

/** The most counted requests in any window of a given length at any position, as far as known. */
export interface TrailingMost {
  /** Surely as many were in one window. */
  readonly atLeast: number;
  /** At most as many can have been in any window. */
  readonly atMost: number;
  /** The window that surely holds `atLeast`. Nanoseconds on the trace's clock. */
  readonly beginNs: number;
  readonly endNs: number;
}

/** The most in any window of `windowNs`, independent of any limiter model. O(n log n). */
export function trailingMost(trace: Trace, counted: Counted, windowNs: number): TrailingMost {
  const { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs } = countedInstants(trace, counted);
  const slackNs = clockSlackNs(windowNs);
  let atLeast = 0;
  let beginNs = 0;
  // Instants ascend, and so do the counts before them, so counting continues instead of searching again.
  for (let j = 0, answered = 0, before = 0; j < sureSentNs.length; j++) {
    const sentNs = sureSentNs[j] as number;
    while ((sureAnsweredNs[answered] as number) < sentNs + windowNs - slackNs) answered++;
    while ((sureSentNs[before] as number) < sentNs) before++;
    const inside = answered - before;
    if (inside <= atLeast) continue;
    atLeast = inside;
    beginNs = sentNs;
  }
  let atMost = 0;
  for (let j = 0, upTo = 0, gone = 0; j < maySentNs.length; j++) {
    const sentNs = maySentNs[j] as number;
    while ((maySentNs[upTo] as number) <= sentNs) upTo++;
    while ((mayAnsweredNs[gone] as number) < sentNs - windowNs - slackNs) gone++;
    atMost = Math.max(atMost, upTo - gone);
  }
  return { atLeast, atMost, beginNs, endNs: beginNs + windowNs };
}
