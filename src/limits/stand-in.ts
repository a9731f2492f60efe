import { type Arrivals, mismatches } from './arrivals.ts';
import { deciderOf, type Settled } from './deciders.ts';
import type { Mechanism } from './hypotheses.ts';

/** A kind of limiter at a limit and window that were not fitted to it, and in how many answers it differs from those observed. */
export interface StandIn {
  readonly settled: Settled;
  readonly mismatches: number;
}

/** Phases tried of windows on a grid, and of lumps. */
const phases = 48;

/**
 * A kind at a given limit and window, such as those of the kind that it is compared with; of windows on a grid, at the
 * phase at which it errs least. `guesses`: ways in which requests may have arrived, each the traces of all keys.
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

/** After which its boundaries come again; undefined where it has none of its own. */
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
