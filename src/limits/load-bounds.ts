import { counterWindows } from './counter-windows.ts';
import type { Counts } from './counts.ts';
import type { Settled } from './deciders.ts';
import { loadsOf } from './load-of.ts';
import { openedWindows } from './opened-windows.ts';
import { clockSlackNs } from './slack.ts';
import { leastInTrailingWindow, mostInTrailingWindow } from './sliding-log.ts';
import { countBelow, countUpTo } from './sorted.ts';
import { exactly } from './span.ts';
import type { View } from './view.ts';
import { griddedWindows, type Windows } from './windows.ts';

/** The bounds on a limiter's count when each request reached it, by index of the trace. */
export interface LoadBounds {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/**
 * Bounds on what a limiter with these parameters would have counted, had it given the observed answers: for every
 * arrival within the round trip, and as far as clocks agree. O(n log n).
 */
export function loadBounds(view: View, settled: Settled): LoadBounds {
  const { trace } = view;
  const { mechanism, scaleNs, boundaryNs, blockNs = scaleNs } = settled;
  const counts = 'counted' in mechanism && mechanism.counted === 'all' ? view.allCounts : view.admittedCounts;
  switch (mechanism.kind) {
    case 'grid':
      return inWindows(view, counts, griddedWindows(trace, exactly(scaleNs), exactly(boundaryNs)));
    case 'first-grid': {
      const firstNs = trace.sentNs[0] ?? 0;
      const first = { loNs: firstNs, hiNs: Math.max(firstNs, view.judged.answeredNs[0] ?? firstNs) };
      return inWindows(view, counts, griddedWindows(trace, exactly(scaleNs), first));
    }
    case 'opened': {
      const slackNs = clockSlackNs(blockNs);
      const block = { loNs: blockNs - slackNs, hiNs: blockNs + slackNs };
      const windows = openedWindows({ ...view, block }, exactly(scaleNs), mechanism.lastsFrom);
      return inWindows(view, counts, windows);
    }
    case 'log':
      return {
        least: trace.sentNs.map((_, i) =>
          leastInTrailingWindow(trace, counts, scaleNs * (1 - (mechanism.part ?? 0)), i),
        ),
        most: trace.sentNs.map((_, i) => mostInTrailingWindow(trace, counts, scaleNs, i)),
      };
    case 'counter': {
      const windows = griddedWindows(trace, exactly(scaleNs), exactly(boundaryNs));
      return inWindows(view, counts, windows, { windowNs: scaleNs, blocks: mechanism.blocks });
    }
    case 'opened-counter': {
      const windows = counterWindows(view, exactly(scaleNs), mechanism.counted);
      return inWindows(view, counts, windows, { windowNs: scaleNs, blocks: false });
    }
    case 'bucket':
      return aboutLikely(view, settled, 0);
    case 'lumps':
      // A request close to a refill may have come before or after it.
      return aboutLikely(view, settled, mechanism.everyNs / scaleNs);
  }
}

/** The weights of a sliding counter on a window's count. */
interface Weighing {
  readonly windowNs: number;
  /** After a rejection it rejects for the rest of the window. */
  readonly blocks: boolean;
}

/** The counts in each of some windows, and before each begins. */
export interface CountsInWindows {
  readonly surelySent: Int32Array;
  readonly maybeAnswered: Int32Array;
  readonly inside: { readonly least: Int32Array; readonly most: Int32Array };
}

export function countsInWindows(
  { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs }: Counts,
  { length, beginLo, beginHi, endLo, endHi }: Windows,
): CountsInWindows {
  const each = (of: (k: number) => number): Int32Array => Int32Array.from({ length }, (_, k) => of(k));
  const surelySent = each((k) =>
    countBelow(sureSentNs, Math.min(beginHi[k] as number, endHi[k - 1] ?? Number.NEGATIVE_INFINITY)),
  );
  const maybeAnswered = each((k) => countBelow(mayAnsweredNs, beginLo[k] as number));
  return {
    surelySent,
    maybeAnswered,
    inside: {
      least: each((k) =>
        Math.max(0, countBelow(sureAnsweredNs, endLo[k] as number) - (surelySent[k] as number)),
      ),
      most: each((k) =>
        Math.max(0, countBelow(maySentNs, endHi[k] as number) - (maybeAnswered[k] as number)),
      ),
    },
  };
}

/**
 * The same calculation as `narrowBySlidingCounter`, which keeps only the limit; without `weighing` for fixed windows.
 */
function inWindows(view: View, counts: Counts, windows: Windows, weighing?: Weighing): LoadBounds {
  const { trace, refusals } = view;
  const { length, beginLo, beginHi, endHi } = windows;
  const { surelyBefore, maybeBefore } = counts;
  const { surelySent, maybeAnswered, inside } = countsInWindows(counts, windows);
  const least = new Float64Array(trace.length);
  const most = new Float64Array(trace.length);
  let earliest = 0;
  for (let i = 0; i < trace.length; i++) {
    const sentNs = trace.sentNs[i] as number;
    const answeredNs = trace.answeredNs[i] as number;
    while (earliest + 1 < length && (endHi[earliest] as number) <= sentNs) earliest++;
    let lowest = Number.POSITIVE_INFINITY;
    for (let k = earliest; k < length && (beginLo[k] as number) <= answeredNs; k++) {
      let low = Math.max(0, (surelyBefore[i] as number) - (surelySent[k] as number));
      let high = Math.max(0, (maybeBefore[i] as number) - (maybeAnswered[k] as number));
      if (weighing !== undefined) {
        const { windowNs, blocks } = weighing;
        const weigh = (ns: number): number => Math.min(1, Math.max(0, 1 - ns / windowNs));
        low += weigh(answeredNs - (beginLo[k] as number)) * (inside.least[k - 1] ?? 0);
        high += weigh(sentNs - (beginHi[k] as number)) * (inside.most[k - 1] ?? 0);
        if (blocks && (refusals.maybeBeforeNs[i] as number) >= (beginLo[k] as number))
          high = Number.POSITIVE_INFINITY;
        if (blocks && (refusals.surelyBeforeNs[i] as number) >= (beginHi[k] as number))
          low = Number.POSITIVE_INFINITY;
      }
      lowest = Math.min(lowest, low);
      most[i] = Math.max(most[i] as number, high);
    }
    least[i] = lowest;
  }
  return { least, most };
}

/** Bounds about the likely load: requests in flight at the same time, the drain of a long trip, and `slack`. */
function aboutLikely({ trace, every }: View, settled: Settled, slack: number): LoadBounds {
  const trips = Float64Array.from(
    every,
    (i) => (trace.answeredNs[i] as number) - (trace.sentNs[i] as number),
  ).sort();
  const longNs = (trips[Math.floor(trips.length * 0.99)] ?? 0) + clockSlackNs(settled.scaleNs);
  const answered = trace.answeredNs.toSorted();
  const doubt = (i: number): number => {
    const [sentNs, answeredNs] = [trace.sentNs[i] as number, trace.answeredNs[i] as number];
    const beside = countUpTo(trace.sentNs, answeredNs) - countBelow(answered, sentNs) - 1;
    return beside + (2 * longNs) / settled.scaleNs + slack;
  };
  return {
    least: loadsOf(trace, settled, false).map((load, i) => Math.max(0, load - doubt(i))),
    most: loadsOf(trace, settled, true).map((load, i) => load + doubt(i)),
  };
}
