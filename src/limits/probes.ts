import { type Random, randomStream } from '../random.ts';
import { countUpTo } from './arrays.ts';
import { isSettled, type LimiterInference, type OpenBounds, type Survivor } from './inference.ts';
import type { PromisedLimit, Settled } from './kinds/kind.ts';
import { deciderOf, kindOf } from './kinds/table.ts';
import type { Trace } from './trace.ts';

/**
 * Loads that tell limiters apart.
 * A: a burst, then a drip.
 * B: a paced load, then a drip.
 * C: one request, then bursts late in its window and just after.
 * D: two keys, the second started a third of a window after the first.
 * E: a burst, a drip while it is still remembered, and bursts just after it is forgotten and later.
 * F: a burst, silence until a dense drip as it is being forgotten, then single requests slightly less and slightly
 * more than a window apart, a burst, and one more a window later. It measures the window of limiters that never
 * recover under load.
 * G: a burst, then a trickle of single requests, on two keys one after the other. It tells windows extended by
 * rejections from limiters that only count rejections, and windows started by a key from those of a clock.
 * H: after a longer silence one request, silence, and a dense drip before and after its window is over. However long
 * rejections last, there are none until the limit was used up in the next window; the first rejected request shows
 * when that window began.
 */
export type ProbeKind = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H';

export const probeKinds: readonly ProbeKind[] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];

/** One request of a probe: milliseconds after its beginning, and which of two keys it is sent with. */
export interface ProbeSend {
  readonly atMs: number;
  readonly key: 0 | 1;
}

/** The scale of a probe: the assumed limit and window. */
export interface ProbeScale {
  readonly limit: number;
  readonly windowMs: number;
}

/** A stretch of steady load from `from` to `to` windows: `requests` × limit, or `count` requests. */
interface ProbeStretch {
  readonly from: number;
  readonly to: number;
  readonly requests: number;
  readonly count?: number;
  readonly key?: 0 | 1;
}

const burst = (from: number, requests: number, key: 0 | 1 = 0): ProbeStretch => ({
  from,
  to: from + 0.05,
  requests,
  key,
});
/** A drip of `rate` × limit per window. Above 1, for a slower one tells fixed windows from sliding counters in nothing. */
const drip = (from: number, to: number, rate: number, key: 0 | 1 = 0): ProbeStretch => ({
  from,
  to,
  requests: rate * (to - from),
  key,
});

const single = (at: number): ProbeStretch => ({ from: at, to: at, requests: 0, count: 1 });
/** A fixed small number of requests for any limit: never more than two slots apart. */
const trickle = (from: number, to: number, count: number, key: 0 | 1 = 0): ProbeStretch => ({
  from,
  to,
  requests: 0,
  count,
  key,
});

const stretches: Readonly<Record<ProbeKind, readonly ProbeStretch[]>> = {
  A: [burst(0, 1.2), drip(0.05, 1.25, 2.4)],
  B: [drip(0, 0.83, 1.2), drip(0.83, 2.08, 2.4)],
  C: [burst(0.75, 1.08), burst(1.025, 1.08)],
  D: [burst(0, 1.2), drip(0.05, 1.42, 1.15), burst(0.33, 1.2, 1), drip(0.38, 1.42, 1.15, 1)],
  E: [burst(0, 1.2), drip(0.67, 0.87, 1.8), burst(1.035, 1.1), burst(1.79, 1.1)],
  F: [burst(0, 1.2), drip(0.97, 1.08, 4), single(2.07), single(3.074), burst(3.08, 1.1), single(4.15)],
  G: [burst(0, 1.2), trickle(0.3, 2.7, 16), burst(0.4, 1.2, 1), trickle(0.7, 2.7, 14, 1)],
  H: [single(0.5), drip(1.3, 1.85, 4)],
};

/** How long each probe lasts, in windows. */
export const probeWindows: Readonly<Record<ProbeKind, number>> = {
  A: 1.25,
  B: 2.08,
  C: 1.08,
  D: 1.42,
  E: 1.84,
  F: 4.15,
  G: 2.7,
  H: 1.85,
};

/**
 * When a probe sends what, in order. Within each stretch the sends are evenly spaced and each jittered by up to a
 * whole slot: a grid that divides the window can make a model look false by chance.
 */
export function probeSchedule(kind: ProbeKind, scale: ProbeScale, random: Random): ProbeSend[] {
  const sends: ProbeSend[] = kind === 'C' ? [{ atMs: 0, key: 0 }] : [];
  for (const { from, to, requests, key = 0, ...exactly } of stretches[kind]) {
    const count = exactly.count ?? Math.max(1, Math.round(requests * scale.limit));
    const slotMs = ((to - from) * scale.windowMs) / count;
    for (let k = 0; k < count; k++)
      sends.push({ atMs: from * scale.windowMs + (k + random()) * slotMs, key });
  }
  return sends.toSorted((a, b) => a.atMs - b.atMs);
}

/** How long to be silent after a probe: longer than a window, and no multiple of it. Milliseconds. */
export function silenceAfter({ windowMs }: ProbeScale, random: Random): number {
  return windowMs * (1.29 + 0.31 * random());
}

/** Answers that have to differ before a probe is taken to separate two kinds. */
const tellingDifference = 5;
const mostCompared = 6;
/** One burst says little of limits on requests at the same time: where answers are quick, it may not meet one. */
const fewestProbes = 2;

/**
 * The order in which unsent probes are tried when the survivors give no reason to choose: the most telling first.
 */
const byDefault: readonly ProbeKind[] = ['E', 'F', 'B', 'G', 'D', 'C', 'A'];

/**
 * The probe that best separates the survivors of an inference, by letting each decide on each probe's schedule. If
 * none separates them but no survivor is likely, a probe not sent yet. Undefined if nothing is left to learn. It is
 * deterministic. `scale` defaults to the likeliest survivor's. `among`: the probes for which there is time.
 */
export function nextProbe(
  inference: LimiterInference,
  already: readonly ProbeKind[] = [],
  scale?: ProbeScale,
  among: readonly ProbeKind[] = probeKinds,
): ProbeKind | undefined {
  const rivals = inference.survivors.filter(isSettledKind).slice(0, mostCompared);
  const unused = byDefault.find((kind) => among.includes(kind) && !already.includes(kind));
  const likely = rivals.reduce((sum, { confidence }) => sum + confidence, 0);
  const [best] = rivals;
  if (best === undefined || likely < 0.5)
    return isSettled(inference) && already.length >= fewestProbes ? undefined : unused;
  let chosen: ProbeKind | undefined;
  let most = 0;
  for (const kind of among) {
    // A repeated probe adds little.
    const repeated = already.filter((each) => each === kind).length;
    const worth = separation(kind, scale ?? scaleOf(best), rivals) / (1 + 4 * repeated);
    if (worth > most) {
      chosen = kind;
      most = worth;
    }
  }
  return chosen ?? (isSettled(inference) ? undefined : unused);
}

/** Windows whose bounds are further apart than this part are worth a separate probe. */
const exactPart = 0.01;

/**
 * Sizes of a pair of limits are measured while their bounds are further apart than this part. The shorter one often hides the
 * end of the longer window, so less would cost probes and show nothing.
 */
const pairedPart = 0.2;
/** Probes of one key, those first that meet both limits of a pair most often. Without the first, sizes are too often off. */
const ofPairs: readonly ProbeKind[] = ['B', 'A', 'H', 'C', 'E'];

/**
 * A probe that measures the window of the likeliest survivor where other probes show little of it. Windows extended
 * by rejections do not recover under load, so few of their ends can be seen; two limits hide each other. Undefined if the
 * window is known.
 */
export function measuringProbe(
  { survivors: [best] }: LimiterInference,
  already: readonly ProbeKind[],
): ProbeKind | undefined {
  if (best?.beside !== undefined) {
    const sizes = [best.limitBounds, best.windowMsBounds, best.beside.windowMsBounds];
    const isVague = sizes.some((bounds) => bounds !== null && widthOf(bounds) > pairedPart * bounds.min);
    return isVague || !already.includes('B') ? ofPairs.find((kind) => !already.includes(kind)) : undefined;
  }
  if (best?.settled === undefined || already.includes('H')) return undefined;
  if (kindOf(best.settled).prolongedBy === undefined) return undefined;
  const { min = 0, max } = best.windowMsBounds ?? {};
  return widthOf({ min, ...(max !== undefined && { max }) }) > exactPart * min ? 'H' : undefined;
}

function widthOf({ max = Number.POSITIVE_INFINITY, min }: OpenBounds): number {
  return max - min;
}

/**
 * The probe that reaches the promised limit where a smaller one is found with a higher rate: both may be there, and the smaller
 * one keeps bursts from the other. Undefined if the one found cannot hide another.
 */
export function reachingProbe(
  { survivors: [best] }: LimiterInference,
  promised: ProbeScale,
): ProbeKind | undefined {
  const { limit, windowMs } = best ?? {};
  if (typeof limit !== 'number' || typeof windowMs !== 'number') return undefined;
  const isFaster = limit / windowMs > promised.limit / promised.windowMs;
  return isFaster && limit < promised.limit ? 'B' : undefined;
}

/** The scale to probe at: the likeliest survivor's limit and window. */
export function scaleOf(survivor: Survivor): ProbeScale {
  return { limit: survivor.limit ?? 1_000, windowMs: survivor.windowMs ?? 60_000 };
}

/** How likely it is that the probe tells two survivors drawn by their confidence apart, and by how much. */
function separation(
  kind: ProbeKind,
  scale: ProbeScale,
  rivals: readonly (Survivor & { settled: Settled })[],
): number {
  const sends = probeSchedule(kind, scale, randomStream(1, `probe ${kind}`));
  const answers = rivals.map(({ settled }) => {
    const keys = [deciderOf(settled), deciderOf(settled)] as const;
    return Uint8Array.from(sends, ({ atMs, key }) => (keys[key](atMs * 1e6) ? 1 : 0));
  });
  let worth = 0;
  for (let a = 0; a < rivals.length; a++) {
    for (let b = a + 1; b < rivals.length; b++) {
      let differences = 0;
      for (let k = 0; k < sends.length; k++) if (answers[a]?.[k] !== answers[b]?.[k]) differences++;
      if (differences < tellingDifference) continue;
      const weight = Math.sqrt(((rivals[a]?.confidence ?? 0) + 1e-3) * ((rivals[b]?.confidence ?? 0) + 1e-3));
      worth += weight * (1 - Math.exp(-differences / (0.05 * sends.length)));
    }
  }
  return worth;
}

function isSettledKind(survivor: Survivor): survivor is Survivor & { settled: Settled } {
  return survivor.settled !== undefined;
}

/** The requests of each kind in a volley at the limit: the limited call, and what is tried beside it. */
export const inVolley = 4;
/** How often a volley is repeated at most, if the key was not at its limit: it shows nothing then. */
export const mostVolleys = 3;

/**
 * A lower bound on the requests that a rested limiter admits at one moment: what passed of a burst, less the places
 * that may have become free during the burst.
 */
export function admittedAtOnce(
  passed: number,
  tookNs: number,
  { requests, windowNs }: PromisedLimit,
): number {
  return Math.max(0, passed - Math.ceil((tookNs * requests) / windowNs));
}

/**
 * Whether rejections in a volley can show that a limit is shared. A limiter that admits fewer at once than a volley
 * holds (nginx without `burst`: one) rejects the rest of any volley.
 */
export function volleysTell(atOnce: number): boolean {
  return atOnce >= inVolley;
}

/** The most requests that waited for an answer at the same time, over all keys together. */
export function mostUnanswered(traces: readonly Trace[]): number {
  const sent = inOrder(traces.map(({ sentNs }) => sentNs));
  const answered = inOrder(traces.map(({ answeredNs }) => answeredNs));
  return sent.reduce((most, ns, place) => Math.max(most, place + 1 - countUpTo(answered, ns)), 0);
}

function inOrder(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let room = 0;
  for (const column of columns) {
    all.set(column, room);
    room += column.length;
  }
  return all.sort();
}
