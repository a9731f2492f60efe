import { counterWindows } from './counter-windows.ts';
import type { Hypothesis, Mechanism } from './hypotheses.ts';
import type { LimitRange } from './limit-range.ts';
import { openedWindows } from './opened-windows.ts';
import { continuousRefill, intervalRefill } from './refill.ts';
import { clockSlackNs } from './slack.ts';
import { narrowBySlidingCounter } from './sliding-counter.ts';
import { leastInTrailingWindow, mostInTrailingWindow, narrowBySlidingLog } from './sliding-log.ts';
import type { Span } from './span.ts';
import { narrowBurst } from './token-bucket.ts';
import { admitted, limited } from './trace.ts';
import type { View } from './view.ts';
import { griddedWindows } from './windows.ts';

/** A box of a hypothesis' parameters, the limit apart. */
export interface Box {
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scale: Span;
  /** For windows on a grid and interval refills: where one boundary lies, on the traces' clock. */
  readonly boundary: Span | undefined;
}

/** A box, and the limits for which some parameters in it explain everything. */
export interface Cell extends Box {
  readonly range: LimitRange;
}

/** Which requests are tested against the model: the few most telling ones, or all. */
export type Thoroughness = 'critical' | 'every';

/** Narrows a cell's range to limits for which some parameters in its box may explain all traces; stops once it is empty. */
export function narrowInBox(
  views: readonly View[],
  { mechanism }: Hypothesis,
  { boundary: given, range, scale }: Cell,
  thoroughness: Thoroughness,
): void {
  for (const view of views) {
    if (range.isEmpty) return;
    range.base = view.base;
    const { trace } = view;
    const boundary = given ?? firstArrival(view);
    switch (mechanism.kind) {
      case 'grid':
      case 'first-grid':
        view.fixedWindow.narrow(griddedWindows(trace, scale, boundary), range);
        break;
      case 'opened':
        view.fixedWindow.narrow(openedWindows(view, scale, mechanism.lastsFrom), range);
        break;
      case 'log': {
        // For any position of its pieces, its count lies between a window without one of them and a whole one.
        const window = { loNs: scale.loNs * (1 - (mechanism.part ?? 0)), hiNs: scale.hiNs };
        narrowBySlidingLog(view, { counted: mechanism.counted, window }, range, view[thoroughness]);
        break;
      }
      case 'counter': {
        const windows = griddedWindows(trace, scale, boundary);
        narrowBySlidingCounter(view, { kind: mechanism, windows, window: scale }, range, view[thoroughness]);
        break;
      }
      case 'opened-counter': {
        const windows = counterWindows(view, scale, mechanism.counted);
        const kind = { counted: mechanism.counted, blocks: false };
        narrowBySlidingCounter(view, { kind, windows, window: scale }, range, view[thoroughness]);
        break;
      }
      case 'bucket':
        narrowBurst(trace, view.admittedCounts, continuousRefill(scale, mechanism.grain), range);
        break;
      case 'lumps': {
        const refill = intervalRefill(scale, mechanism.everyNs, boundary, lengthNs(view));
        narrowBurst(trace, view.admittedCounts, refill, range);
        break;
      }
    }
  }
}

/**
 * Narrows `range` to the limits that are possible for every phase of a grid.
 * A trailing window overlaps two windows of the grid, each of which admits at most L.
 * What a rejection was counted against lies within one trailing window, or two or three where earlier windows weigh
 * and rejections linger.
 * Where rejections extend the window, nothing is admitted within a window after one.
 */
export function narrowForAnyPhase(
  views: readonly View[],
  { mechanism }: Hypothesis,
  scale: Span,
  range: LimitRange,
): void {
  for (const view of views) {
    const { trace, admittedCounts, allCounts, critical, refusals, block } = view;
    const isCounter = mechanism.kind === 'counter' || mechanism.kind === 'opened-counter';
    const counted = isCounter && mechanism.counted === 'all' ? allCounts : admittedCounts;
    const lookbackNs = lookbackOf(mechanism, scale.hiNs, block);
    range.base = view.base;
    if (mechanism.kind === 'opened' && mechanism.lastsFrom === 'first-refusal' && block.loNs > block.hiNs) {
      refute(range, -1);
      return;
    }
    for (let at = 0; at < critical.length && !range.isEmpty; at++) {
      const i = critical[at] as number;
      if (
        mechanism.kind === 'opened' &&
        mechanism.lastsFrom === 'last-refusal' &&
        trace.outcome[i] === admitted &&
        (trace.answeredNs[i] as number) - (refusals.surelyBeforeNs[i] as number) <
          scale.loNs - clockSlackNs(scale.loNs)
      ) {
        refute(range, i);
      } else if (trace.outcome[i] === admitted) {
        range.atLeast(Math.ceil((leastInTrailingWindow(trace, admittedCounts, scale.loNs, i) + 1) / 2), i);
      } else if (trace.outcome[i] === limited) {
        range.atMost(mostInTrailingWindow(trace, counted, lookbackNs, i) + 1, i);
      }
    }
  }
}

/** Nothing explains request `i`. */
function refute(range: LimitRange, i: number): void {
  range.atLeast(Number.MAX_SAFE_INTEGER, i);
  range.atMost(0, i);
}

/** How long before a rejection the requests that it was counted against were admitted. */
function lookbackOf(mechanism: Mechanism, windowNs: number, block: Span): number {
  if (mechanism.kind === 'opened-counter') return 2 * windowNs;
  if (mechanism.kind === 'counter') return (mechanism.blocks ? 3 : 2) * windowNs;
  if (mechanism.kind !== 'opened' || mechanism.lastsFrom === 'opening') return windowNs;
  return mechanism.lastsFrom === 'first-refusal' ? windowNs + block.hiNs : Number.POSITIVE_INFINITY;
}

/** When the first request that can have opened anything reached the limiter. */
export function firstArrival({ openers, admitted: passed }: View): Span {
  const loNs = openers.sentNs[0] ?? 0;
  return { loNs, hiNs: Math.max(loNs, passed.answeredNs[0] ?? loNs) };
}

function lengthNs({ trace }: View): number {
  return (trace.sentNs[trace.length - 1] ?? 0) - (trace.sentNs[0] ?? 0);
}
