import type { Random } from '../random.ts';

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
