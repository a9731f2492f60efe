import { countBelow, countUpTo } from '../arrays.ts';
import type { SubsetOfRequests } from '../counts.ts';
import { clockSlackNs, type Span } from '../span.ts';
import type { View } from '../view.ts';
import { decideSinceRequest, inFixedWindows } from './fixed-window.ts';
import type { LimiterKind } from './kind.ts';
import { narrowByTrailing } from './log.ts';
import { type EndOf, naturalEnd, openedWindows } from './opened-windows.ts';

/** A window started by a request; its first rejection starts a block of another length, the view's `block`. */
export const blockAfterRefusal: LimiterKind = {
  ...inFixedWindows((view, { scale }) => openedWindows(view, endOfBlock(view, scale)), {}),
  id: 'block-after-refusal',
  name: 'window (blocked after its first rejection)',
  rejectsCount: true,
  degreesOfFreedom: 2.5,
  phase: 'each-first-request',
  addsUp: true,
  prolongedBy: 'first rejection',
  decide: ({ limit, scaleNs, blockNs = scaleNs }, note) =>
    decideSinceRequest(limit, scaleNs, (endsNs, atNs, isFirst) => (isFirst ? atNs + blockNs : endsNs), note),
  narrowAnyPhase: (view, scale, range) => {
    const { admittedCounts, block } = view;
    if (block.loNs > block.hiNs) range.refute(-1);
    else
      narrowByTrailing(view, { scale, counts: admittedCounts, lookbackNs: scale.hiNs + block.hiNs }, range);
  },
  // A block longer than a window rejects what the promise admits.
  likenesses: ({ requests, windowNs }, block) =>
    block.loNs <= windowNs ? [{ name: blockAfterRefusal.name, scaleNs: windowNs, limits: [requests] }] : [],
};

function endOfBlock({ refused, block }: View, window: Span): EndOf {
  const naturally = naturalEnd(window);
  return (openLo, openHi) => {
    const natural = naturally(openLo, openHi);
    let firstLo = Number.POSITIVE_INFINITY;
    let firstHi = Number.POSITIVE_INFINITY;
    for (let j = countBelow(refused.latestAnswerNs, openLo); j < refused.length; j++) {
      const sentNs = refused.sentNs[j] as number;
      const answeredNs = refused.answeredNs[j] as number;
      if (sentNs > natural.hiNs || sentNs > firstHi) break;
      if (answeredNs < openLo) continue;
      if (firstLo === Number.POSITIVE_INFINITY) {
        firstLo = Math.max(sentNs, openLo);
        // Of the later ones, only those matter that were surely sent inside the window.
        if (sentNs < openHi) j = countBelow(refused.sentNs, openHi) - 1;
      }
      if (sentNs >= openHi && answeredNs < natural.loNs) firstHi = Math.min(firstHi, answeredNs);
    }
    if (firstLo === Number.POSITIVE_INFINITY) return natural;
    if (firstHi < Number.POSITIVE_INFINITY) return { loNs: firstLo + block.loNs, hiNs: firstHi + block.hiNs };
    return {
      loNs: Math.min(natural.loNs, firstLo + block.loNs),
      hiNs: Math.max(natural.hiNs, natural.hiNs + block.hiNs),
    };
  };
}

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

function endOfChain({ refused, mayBeRefused }: View, window: Span): EndOf {
  const naturally = naturalEnd(window);
  const { loNs: leastNs, hiNs: mostNs } = naturally(0, 0);
  // For each rejection, the last one that it leads to when each keeps the window open until the next.
  const sure = lastsOf(
    refused,
    (j) => (refused.answeredNs[j + 1] as number) < (refused.sentNs[j] as number) + leastNs,
  );
  const possible = lastsOf(
    mayBeRefused,
    (j) => (mayBeRefused.sentNs[j + 1] as number) <= (mayBeRefused.latestAnswerNs[j] as number) + mostNs,
  );
  return (openLo, openHi) => {
    let { loNs, hiNs } = naturally(openLo, openHi);
    const firstSure = countBelow(refused.sentNs, openHi);
    if (firstSure < refused.length && (refused.answeredNs[firstSure] as number) < loNs)
      loNs = Math.max(loNs, (refused.sentNs[sure[firstSure] as number] as number) + leastNs);
    // The last that may have come within the natural end leads on from there.
    const { latestAnswerNs } = mayBeRefused;
    const lastPossible = countUpTo(mayBeRefused.sentNs, hiNs) - 1;
    if (lastPossible >= 0 && (latestAnswerNs[lastPossible] as number) >= openLo) {
      const last = possible[lastPossible] as number;
      const answeredLast = latestAnswerNs[last] as number;
      hiNs = Math.max(hiNs, (last === lastPossible ? Math.min(answeredLast, hiNs) : answeredLast) + mostNs);
    }
    return { loNs, hiNs };
  };
}

/** For each of some requests, the last one that it leads to: each `leads` to the next, or to none. */
function lastsOf({ length }: SubsetOfRequests, leads: (place: number) => boolean): Int32Array {
  const lasts = new Int32Array(length);
  for (let j = length - 1; j >= 0; j--) lasts[j] = j + 1 < length && leads(j) ? (lasts[j + 1] as number) : j;
  return lasts;
}
