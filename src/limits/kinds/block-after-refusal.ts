import { countBelow } from '../sorted.ts';
import type { Span } from '../span.ts';
import type { View } from '../view.ts';
import { narrowByTrailing } from './any-phase.ts';
import { decideSinceRequest, inFixedWindows } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
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
  runsFree: true,
  mostPerWindow: 2,
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
