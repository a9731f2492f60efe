import { type Arrivals, mismatches } from './arrivals.ts';
import { keyOf, type LimiterKind, type Settled, scaleNsOf } from './kinds/kind.ts';
import { deciderOf } from './kinds/table.ts';

/** A kind of limiter at a limit and window that were not fitted to it, and in how many answers it differs from those observed. */
export interface StandIn {
  readonly settled: Settled;
  readonly mismatches: number;
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
): StandIn {
  const scaleNs = scaleNsOf(kind, limit, windowNs);
  const periodNs = kind.period === 'window' ? windowNs : (kind.period ?? 0);
  let best: StandIn | undefined;
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
