import { keyOf, type LimiterKind, type Settled, scaleNsOf } from '../../../src/limits/kinds/kind.ts';
import { kinds } from '../../../src/limits/kinds/table.ts';
import { admitted, ambiguous, limited, type Trace } from '../../../src/limits/trace.ts';
import { randomStream } from '../../../src/random.ts';
import { traceOf } from '../trace-of.ts';

/** Every kind and every variant of one, by its key. */
export const allKinds: readonly (readonly [key: string, kind: LimiterKind])[] = kinds
  .flatMap((kind) => [kind, ...(kind.coarser ?? [])])
  .map((kind) => [keyOf(kind), kind]);

export const limit = 6;
export const windowNs = 2e9;

export function settledOf(kind: LimiterKind, boundaryNs: number): Settled {
  return { kind: keyOf(kind), limit, scaleNs: scaleNsOf(kind, limit, windowNs), boundaryNs };
}

/** What a sender sees of a limiter, and what only the limiter knows. */
export interface Observed {
  readonly trace: Trace;
  /** By index of the trace: what the limiter had counted when the request reached it. */
  readonly loads: readonly number[];
  /** Instants at which requests reached the limiter, in order. */
  readonly arrivals: readonly number[];
  /** By index of the trace: the place in `arrivals`. */
  readonly places: readonly number[];
}

/** How requests travel. */
export interface Network {
  /** The longest way there, and the longest way back. */
  readonly wayNs: number;
  /** The part of requests without an answer, all of which reach the limiter. */
  readonly loss?: number;
  readonly requests?: number;
  /** Requests are sent at multiples of this. */
  readonly apartNs?: number;
}

/** Dense requests with a pause now and then, decided by the kind itself. The same seed gives the same requests. */
export function observed(
  kind: LimiterKind,
  settled: Settled,
  seed: number,
  { apartNs, loss = 0, requests = 60, wayNs }: Network,
): Observed {
  const random = randomStream(seed, 'requests');
  let atNs = 0;
  const sent = Array.from({ length: requests }, (_, at) => {
    atNs += random() < 0.1 ? random() * 2 * windowNs : (random() * 1.2 * windowNs) / limit;
    if (apartNs !== undefined) atNs = (Math.floor(atNs / apartNs) + 1) * apartNs;
    const arrivesNs = atNs + random() * wayNs;
    const isLost = random() < loss;
    const answeredNs = isLost ? atNs + 3 * wayNs : arrivesNs + random() * wayNs;
    return { seq: at, sentNs: atNs, arrivesNs, answeredNs, isLost };
  });
  let load = Number.NaN;
  const decide = kind.decide(settled, (noted) => {
    load = noted;
  });
  const arrived = sent.toSorted((a, b) => a.arrivesNs - b.arrivesNs);
  const known = new Map(
    arrived.map(({ arrivesNs, seq }, place) => [seq, { passes: decide(arrivesNs), load, place }]),
  );
  const of = (seq: number) => {
    const found = known.get(seq);
    if (found === undefined) throw new Error('every request arrives');
    return found;
  };
  return {
    trace: traceOf(
      sent.map((each) => ({
        ...each,
        outcome: each.isLost ? ambiguous : of(each.seq).passes ? admitted : limited,
      })),
    ),
    loads: sent.map(({ seq }) => of(seq).load),
    arrivals: arrived.map(({ arrivesNs }) => arrivesNs),
    places: sent.map(({ seq }) => of(seq).place),
  };
}
