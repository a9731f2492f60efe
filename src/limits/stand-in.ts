import { type Arrivals, mismatches } from './arrivals.ts';
import { deciderOf, type Settled } from './deciders.ts';
import type { Mechanism } from './hypotheses.ts';

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
  mechanism: Mechanism,
  { limit, windowNs }: { readonly limit: number; readonly windowNs: number },
): StandIn {
  const isBucket = mechanism.kind === 'bucket' || mechanism.kind === 'lumps';
  const scaleNs = isBucket ? windowNs / limit : windowNs;
  const periodNs = periodOf(mechanism, windowNs);
  const boundaries =
    periodNs === undefined ? [0] : Array.from({ length: phases }, (_, k) => (k * periodNs) / phases);
  let best: StandIn | undefined;
  for (const boundaryNs of boundaries) {
    const settled = { mechanism, limit, scaleNs, boundaryNs };
    for (const arrivals of guesses) {
      const wrong = arrivals.reduce((sum, each) => sum + mismatches(each, deciderOf(settled)), 0);
      if (best === undefined || wrong < best.mismatches) best = { settled, mismatches: wrong };
    }
  }
  if (best === undefined) throw new Error('there is always a phase to try');
  return best;
}

/** The period of the boundaries; undefined if the mechanism has none. */
function periodOf(mechanism: Mechanism, windowNs: number): number | undefined {
  switch (mechanism.kind) {
    case 'grid':
    case 'counter':
      return windowNs;
    case 'lumps':
      return mechanism.everyNs;
    case 'first-grid':
    case 'opened':
    case 'log':
    case 'opened-counter':
    case 'bucket':
      return undefined;
  }
}
