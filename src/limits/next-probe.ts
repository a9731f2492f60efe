import { randomStream } from '../random.ts';
import { isSettled, type LimiterInference, type OpenBounds, type Survivor } from './inference.ts';
import type { Settled } from './kinds/kind.ts';
import { deciderOf, kindOf } from './kinds/table.ts';
import { type ProbeKind, type ProbeScale, probeKinds, probeSchedule } from './probes.ts';

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
