import { type Arrivals, arrivalsOf, mismatches } from './arrivals.ts';
import { keyOf, type LimiterKind, type LoadBounds, type Settled, scaleNsOf } from './kinds/kind.ts';
import { deciderOf, kindOf } from './kinds/table.ts';
import type { Settlement } from './settle.ts';
import { clockSlackNs } from './slack.ts';
import { exactly } from './span.ts';
import { limited, type Trace } from './trace.ts';
import type { View } from './view.ts';

/**
 * What a limiter would have counted when each request reached it, had it given the observed answers; an unclear one
 * counts as admitted. It assumes arrivals halfway through the round trip: for charts. By index of the trace.
 */
export function loadsOf(trace: Trace, settled: Settled): Float64Array {
  const loads = new Float64Array(trace.length);
  let current = 0;
  const decide = kindOf(settled).decide(settled, (load) => {
    loads[current] = load;
  });
  const { atNs, outcome, index } = arrivalsOf(trace);
  for (let k = 0; k < atNs.length; k++) {
    current = index[k] as number;
    decide(atNs[k] as number, outcome[k] !== limited);
  }
  return loads;
}

/**
 * Bounds on the same: for every arrival within the round trip, and as far as clocks agree. An honest limiter counts
 * less than its limit at each admission, and at least its limit less one at each rejection.
 */
export function loadBounds(view: View, settled: Settled): LoadBounds {
  const { boundaryNs, scaleNs, blockNs = scaleNs } = settled;
  const kind = kindOf(settled);
  const slackNs = clockSlackNs(blockNs);
  const block = { loNs: blockNs - slackNs, hiNs: blockNs + slackNs };
  const boundary = kind.period === undefined ? undefined : exactly(boundaryNs);
  return kind.loads({ ...view, block }, { scale: exactly(scaleNs), boundary });
}

/** Phases tried of windows on a grid, and of refill intervals. */
const phases = 48;

/**
 * Another kind at a given limit and window, for comparison; windows on a grid get the phase with the fewest errors.
 * `guesses`: possible arrivals, each with the traces of all keys.
 */
export function standIn(
  guesses: readonly (readonly Arrivals[])[],
  kind: LimiterKind,
  { limit, windowNs }: { readonly limit: number; readonly windowNs: number },
): Settlement {
  const scaleNs = scaleNsOf(kind, limit, windowNs);
  const periodNs = kind.period === 'window' ? windowNs : (kind.period ?? 0);
  let best: Settlement | undefined;
  for (let phase = 0; phase < (periodNs > 0 ? phases : 1); phase++) {
    const settled = { kind: keyOf(kind), limit, scaleNs, boundaryNs: (phase * periodNs) / phases };
    for (const arrivals of guesses) {
      const wrong = arrivals.reduce((sum, each) => sum + mismatches(each, deciderOf(settled)), 0);
      if (best === undefined || wrong < best.mismatches) best = { settled, mismatches: wrong };
    }
  }
  if (best === undefined) throw new Error('there is always a phase to try');
  return best;
}
