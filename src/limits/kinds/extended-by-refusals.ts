import { clockSlackNs } from '../slack.ts';
import { countBelow, countUpTo } from '../sorted.ts';
import type { Span } from '../span.ts';
import type { View } from '../view.ts';
import { narrowByTrailing } from './any-phase.ts';
import { decideSinceRequest, inFixedWindows } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
import { type EndOf, naturalEnd, openedWindows } from './opened-windows.ts';

/** A window started by a request; it ends a window's length after its last rejection. */
export const extendedByRefusals: LimiterKind = {
  ...inFixedWindows((view, { scale }) => openedWindows(view, endOfChain(view, scale)), {
    free: ({ sentNs, answeredNs }, { loNs, hiNs }) => {
      const slackNs = clockSlackNs(hiNs);
      return { loNs: sentNs + loNs - slackNs, hiNs: answeredNs + hiNs + slackNs };
    },
  }),
  id: 'extended-by-refusals',
  name: 'window extended by rejections',
  rejectsCount: true,
  degreesOfFreedom: 2,
  phase: 'each-first-request',
  addsUp: true,
  prolongedBy: 'each rejection',
  runsFree: true,
  mostPerWindow: 2,
  decide: ({ limit, scaleNs }, note) => decideSinceRequest(limit, scaleNs, (_, atNs) => atNs + scaleNs, note),
  narrowAnyPhase: (view, scale, range) => {
    const { answeredNs } = view.trace;
    const { surelyBeforeNs } = view.refusals;
    const leastNs = scale.loNs - clockSlackNs(scale.loNs);
    // Nothing is admitted within a window after a rejection.
    const isImpossible = (i: number): boolean =>
      (answeredNs[i] as number) - (surelyBeforeNs[i] as number) < leastNs;
    const within = { scale, counts: view.admittedCounts, lookbackNs: Number.POSITIVE_INFINITY };
    narrowByTrailing(view, within, range, isImpossible);
  },
};

function endOfChain({ refused }: View, window: Span): EndOf {
  const { length, sentNs, answeredNs, latestAnswerNs } = refused;
  const naturally = naturalEnd(window);
  const { loNs: leastNs, hiNs: mostNs } = naturally(0, 0);
  // For each rejection, the last one that it leads to when each keeps the window open until the next: surely, or at most.
  const sure = new Int32Array(length);
  const possible = new Int32Array(length);
  for (let j = length - 1; j >= 0; j--) {
    const isLast = j === length - 1;
    const surelyLeads = !isLast && (answeredNs[j + 1] as number) < (sentNs[j] as number) + leastNs;
    const mayLead = !isLast && (sentNs[j + 1] as number) <= (latestAnswerNs[j] as number) + mostNs;
    sure[j] = surelyLeads ? (sure[j + 1] as number) : j;
    possible[j] = mayLead ? (possible[j + 1] as number) : j;
  }
  return (openLo, openHi) => {
    let { loNs, hiNs } = naturally(openLo, openHi);
    const firstSure = countBelow(sentNs, openHi);
    if (firstSure < length && (answeredNs[firstSure] as number) < loNs)
      loNs = Math.max(loNs, (sentNs[sure[firstSure] as number] as number) + leastNs);
    // The last that may have come within the natural end leads on from there.
    const lastPossible = countUpTo(sentNs, hiNs) - 1;
    if (lastPossible >= 0 && (latestAnswerNs[lastPossible] as number) >= openLo) {
      const last = possible[lastPossible] as number;
      const answeredLast = latestAnswerNs[last] as number;
      hiNs = Math.max(hiNs, (last === lastPossible ? Math.min(answeredLast, hiNs) : answeredLast) + mostNs);
    }
    return { loNs, hiNs };
  };
}
