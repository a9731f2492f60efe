import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimiterKind, Settled, State } from '../../../src/limits/kinds/kind.ts';
import { kindOf } from '../../../src/limits/kinds/table.ts';
import { exactly } from '../../../src/limits/span.ts';
import { admitted, limited } from '../../../src/limits/trace.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { times } from '../../effort.ts';
import { written } from '../written.ts';
import { allKinds, limit, type Observed, observed, settledOf, windowNs } from './observed.ts';

/** The limiter right after the request at an index: what it would say to requests at an instant, and what it had counted. */
function afterwards(kind: LimiterKind, settled: Settled, { arrivals, places }: Observed, i: number) {
  const ask = (atNs: number, times: number): { readonly passes: number; readonly load: number } => {
    let load = Number.NaN;
    const decide = kind.decide(settled, (noted) => {
      load = noted;
    });
    for (const each of arrivals.slice(0, (places[i] as number) + 1)) decide(each);
    const [first, ...others] = Array.from({ length: times }, () => ({ passes: decide(atNs), load }));
    return {
      passes: [first, ...others].filter((each) => each?.passes).length,
      load: first?.load ?? Number.NaN,
    };
  };
  const arrivedNs = arrivals[places[i] as number] as number;
  /** The first instant for which something holds that holds from then on, to 10 ns. */
  const firstNs = (holds: (ns: number) => boolean): number => {
    let [from, to] = [arrivedNs, arrivedNs + 4 * windowNs + 20e9];
    if (holds(from)) return from;
    while (to - from > 10) {
      const middle = (from + to) / 2;
      if (holds(middle)) to = middle;
      else from = middle;
    }
    return to;
  };
  return {
    left: () => ask(arrivedNs, limit + 1).passes,
    freeNs: () => firstNs((ns) => ask(ns, 1).passes === 1),
    forgottenNs: () => firstNs((ns) => ask(ns, 1).load < 1e-6),
  };
}

/** What a state says wrongly. */
function wrongIn(
  state: State,
  { left, freeNs, forgottenNs }: ReturnType<typeof afterwards>,
  isRejected: boolean,
) {
  const holds = ({ loNs, hiNs }: State['free'], ns: number): boolean => loNs - 10 <= ns && ns <= hiNs + 10;
  const places = left();
  return {
    left: places < Math.floor(state.left.least) || places > Math.ceil(state.left.most),
    free: isRejected && !holds(state.free, freeNs()),
    reset: !holds(state.reset, forgottenNs()) || (isRejected && !holds(state.reset, freeNs())),
  };
}

const right = { left: false, free: false, reset: false };

describe('the state after an answer holds what the limiter would say next:', () => {
  it.each(allKinds)('%s', (_, kind) => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.nat(2_000),
        fc.constantFrom(0, 20e6),
        fc.nat(59),
        (seed, boundaryMs, wayNs, from) => {
          const settled = settledOf(kind, boundaryMs * 1e6);
          const seen = observed(kind, settled, seed, { wayNs });
          const { trace } = seen;
          const stateAt = kind.states(viewOf(trace), {
            scale: exactly(settled.scaleNs),
            boundary: kind.period === undefined ? undefined : exactly(settled.boundaryNs),
            limits: { least: limit, most: limit },
          });
          // One admission and one rejection.
          for (const outcome of [admitted, limited]) {
            const i = trace.outcome.findIndex((each, at) => at >= from && each === outcome);
            if (i < 0) continue;
            const truth = afterwards(kind, settled, seen, i);
            expect([i, wrongIn(stateAt(i), truth, outcome === limited)]).toEqual([i, right]);
          }
        },
      ),
      { numRuns: times(12, 1_000) },
    );
  });
});

describe('after an answer that the limiter cannot give, everything is possible:', () => {
  const three = { least: 3, most: 3 };
  it.each([
    ['a fourth admission in a fixed window of three', 'fixed-window', '1+ 2+ 3+ 4+'],
    ['a third request rejected by a fixed window of three', 'fixed-window', '1+ 2+ 3-'],
    ['a fourth admission in a sliding counter of three', 'sliding-counter', '1+ 2+ 3+ 4+'],
    ['a second request rejected by a sliding counter of three', 'sliding-counter', '1+ 2-'],
    ['a first rejection by a block cache of three', 'sliding-counter-block-cache', '1+ 2-'],
  ])('%s', (_, id, requests) => {
    const kind = kindOf({ kind: id, limit: 3, scaleNs: 10e9, boundaryNs: 0 });
    const trace = written(requests);
    const box = { scale: exactly(10e9), boundary: exactly(0), limits: three };
    const { free, left, reset } = kind.states(viewOf(trace), box)(trace.length - 1);
    expect([left.most, free.hiNs, reset.hiNs]).toEqual(new Array(3).fill(Number.POSITIVE_INFINITY));
    expect([left.least, free.loNs, reset.loNs]).toEqual(new Array(3).fill(Number.NEGATIVE_INFINITY));
  });
});
