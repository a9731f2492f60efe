import { bytes, orderOf, valuesAt } from './arrays.ts';
import {
  type Decide,
  keyOf,
  type LimiterKind,
  type LoadBounds,
  type Settled,
  scaleNsOf,
} from './kinds/kind.ts';
import { deciderOf, kindOf } from './kinds/table.ts';
import { clockSlackNs, exactly } from './span.ts';
import { admitted, isDecided, limited, type RequestOutcome, type Trace } from './trace.ts';
import type { View } from './view.ts';

/** A trace's requests in the order in which they are taken to have arrived. */
export interface Arrivals {
  readonly atNs: Float64Array;
  readonly outcome: Uint8Array;
  /** Where in the trace each stands. */
  readonly index: Int32Array;
}

/**
 * Where a slow round trip lost its time. `both ways`: equally; `afterwards`: after the limiter (a slow service, or a
 * queue); `before`: before it (a new connection, a slow network).
 */
type LostTime = 'both ways' | 'afterwards' | 'before';

/** Takes each request to have arrived halfway through its round trip; one without an answer, as soon as it was sent. */
export function arrivalsOf(trace: Trace): Arrivals {
  return guessedArrivals(trace, 'both ways');
}

/** All ways to guess at the arrivals: of each, what every trace's requests make. */
export function guessesOf(traces: readonly Trace[]): readonly (readonly Arrivals[])[] {
  const ways: readonly LostTime[] = ['both ways', 'afterwards', 'before'];
  return ways.map((lost) => traces.map((trace) => guessedArrivals(trace, lost)));
}

function guessedArrivals(trace: Trace, lost: LostTime): Arrivals {
  const usualNs = lost === 'both ways' ? Number.POSITIVE_INFINITY : usualTripNs(trace);
  const arrival = trace.sentNs.map((sent, i) => {
    const answered = trace.answeredNs[i] as number;
    const wayNs = Math.min(answered - sent, usualNs) / 2;
    if (!isDecided(trace.outcome[i])) return sent;
    return lost === 'before' ? answered - wayNs : sent + wayNs;
  });
  const order = orderOf(arrival);
  return {
    atNs: valuesAt(arrival, order),
    outcome: bytes(order.length, (at) => trace.outcome[order[at] as number] as number),
    index: order,
  };
}

/** The median trip: of rejections, which take no work, where there are any. */
function usualTripNs(trace: Trace): number {
  const trips = (wanted: RequestOutcome): Float64Array =>
    trace.answeredNs
      .map((ns, i) => ns - (trace.sentNs[i] as number))
      .filter((_, i) => trace.outcome[i] === wanted);
  const [refused, passed] = [trips(limited).sort(), trips(admitted).sort()];
  const told = refused.length > 0 ? refused : passed;
  return told[told.length >> 1] ?? 0;
}

/**
 * How many answers differ from a limiter's for every guess of the arrivals; `make` gives a fresh limiter for each
 * guess.
 */
export function agreedMismatches(guesses: readonly Arrivals[], make: () => Decide): number {
  const timesWrong = new Uint8Array(guesses[0]?.index.length ?? 0);
  for (const { atNs, outcome, index } of guesses) {
    const decide = make();
    for (let k = 0; k < atNs.length; k++) {
      const passed = isDecided(outcome[k]) ? outcome[k] === admitted : undefined;
      const passes = decide(atNs[k] as number, passed);
      if (passed !== undefined && passed !== passes)
        timesWrong[index[k] as number] = (timesWrong[index[k] as number] as number) + 1;
    }
  }
  return timesWrong.filter((times) => times === guesses.length).length;
}

/** How many answers differ from what `decide` says; counts no further than `enough`. */
export function mismatches({ atNs, outcome }: Arrivals, decide: Decide, enough = Infinity): number {
  let count = 0;
  for (let k = 0; k < atNs.length && count < enough; k++) {
    const passed = isDecided(outcome[k]) ? outcome[k] === admitted : undefined;
    const passes = decide(atNs[k] as number, passed);
    if (passed !== undefined && passed !== passes) count++;
  }
  return count;
}

/**
 * Bounds on what a limiter had counted when each request reached it, had it given the observed answers: for every arrival within
 * the round trip, and as far as clocks agree. An honest one counts less than its limit at each admission, and at least its limit
 * less one at each rejection.
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

/** Parameters of a kind, and the number of answers that differ from what they let through. */
export interface Settlement {
  readonly settled: Settled;
  readonly mismatches: number;
}
