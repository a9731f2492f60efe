import { floats } from '../arrays.ts';
import type { Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import type { View } from '../view.ts';
import {
  anyTime,
  type Between,
  type Box,
  type KnownBox,
  type LimiterKind,
  leftAfter,
  loadAt,
  noneLeft,
} from './kind.ts';

/** Bounds on what a limiter had counted when a request of the trace reached it; asked for ascending indexes. */
export interface LoadAt {
  readonly least: (index: number) => number;
  readonly most: (index: number) => number;
  /** What the target's arithmetic may add or take away; none where nothing is counted. */
  readonly noise?: number;
  /** The least limit with which as many passed in one window as surely did when an admission was answered. */
  readonly passed?: (index: number) => number;
}

/** What a kind does whose answers follow from its count. */
interface OfLoad {
  readonly loadOf: (view: View, box: Box) => LoadAt;
  /** Parts of a request count. Deployed ones differ in the last step: a 2xx only shows load < L, and a 429 load > L − 1. */
  readonly isWeighed?: boolean;
  /** All requests are tested always, since each costs a pass over those before it anyway. */
  readonly isThorough?: boolean;
}

/** A 2xx needs L > load and a 429 needs L <= load, each at the end of the load's interval that makes it easiest. */
export function byLoad({
  isThorough = false,
  isWeighed = false,
  loadOf,
}: OfLoad): Pick<LimiterKind, 'loads' | 'narrow'> {
  return {
    narrow: (view, box, range, thoroughness) => {
      const load = loadOf(view, box);
      const { noise = 0, passed } = load;
      const { outcome } = view.trace;
      const indexes = view[isThorough ? 'every' : thoroughness];
      for (let at = 0; at < indexes.length && !range.isEmpty; at++) {
        const i = indexes[at] as number;
        if (outcome[i] === admitted) {
          const least = load.least(i) - noise;
          // Admitted where the limiter surely rejects everything: no limit explains that.
          if (least === Number.POSITIVE_INFINITY) range.refute(i);
          else range.atLeast((isWeighed ? Math.floor(least) : Math.ceil(least)) + 1, i);
          if (passed !== undefined) range.atLeast(passed(i), i);
        } else {
          const most = load.most(i);
          range.atMost(most === 0 ? 0 : Math.ceil(most + noise), i);
        }
      }
    },
    loads: (view, box) => {
      const { length } = view.trace;
      const [lowest, highest] = [loadOf(view, box), loadOf(view, box)];
      const { noise = 0 } = lowest;
      return {
        least: floats(length, (i) => lowest.least(i) - noise),
        most: floats(length, (i) => highest.most(i) + noise),
      };
    },
  };
}

/** When what a limiter had counted leaves it, after a request that met a load. */
interface Leaving {
  /** When it has forgotten all requests. */
  readonly forgottenNs: (index: number, load: Between) => number;
  /** After a rejection: when a place is free. */
  readonly free: (index: number, load: Between) => Span;
}

/** The states of a limiter without windows: the next place that comes free and the last one bound what a reset may name. */
export function statesByLoad(
  loads: LimiterKind['loads'],
  leavingOf: (view: View, box: KnownBox) => Leaving,
): LimiterKind['states'] {
  return (view, box) => {
    const bounds = loads(view, box);
    const { forgottenNs, free } = leavingOf(view, box);
    return (i) => {
      const load = loadAt(bounds, i);
      const hiNs = forgottenNs(i, load);
      if (view.trace.outcome[i] !== limited)
        return {
          left: leftAfter(box.limits, load),
          free: anyTime,
          reset: { loNs: Number.NEGATIVE_INFINITY, hiNs },
        };
      const next = free(i, load);
      return { left: noneLeft, free: next, reset: { loNs: next.loNs, hiNs } };
    };
  };
}
