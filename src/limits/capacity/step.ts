import type { Random } from '../../random.ts';

/**
 * One step of a search for capacity: a load held for a few seconds, and whether the target kept its promise under it.
 * Pure: the driver asks it to choose the next step, and checks ask it again from the history.
 */

/** The promise for a step. */
export interface CapacitySlo {
  /** 0 < percentile < 100. */
  readonly percentile: number;
  /** The most that the percentile of the latency may be. */
  readonly maxMs: number;
  /**
   * The share of requests that may fail: without an answer, or answered neither with 2xx nor with a 429 or 402.
   */
  readonly errorShare: number;
}

/**
 * How a step ended.
 * - `hopeless`: cut short, since the rest could not have kept the promise;
 * - `refused`: cut short by a 429 or 402;
 * - `stopped`: cut short together with the run.
 */
export const stepEnds = ['whole', 'hopeless', 'refused', 'stopped'] as const;
export type StepEnd = (typeof stepEnds)[number];

/** What became of the requests of a step, without those of its warm-up. */
export interface StepFigures {
  readonly ended: StepEnd;
  /** Requests planned to be judged; in a closed loop, those that were. */
  readonly planned: number;
  /** Requests that were judged, or could not be sent with as many in flight as the profile allows. */
  readonly judged: number;
  /** Of the judged: took longer than the bound, or never got an answer. */
  readonly over: number;
  /** Of the judged: failed. */
  readonly failed: number;
  /** 429 and 402, warm-up included. */
  readonly refused: number;
  /** Of the judged: may be over by the generator's own fault, since it sent them late or held them back. */
  readonly late: number;
}

/**
 * `unclear`: broken, but the generator caused as many requests as would have to be excused. `limited`: a limit
 * interfered. `unfinished`: cut short before it could show anything.
 */
const stepOutcomes = ['good', 'bad', 'unclear', 'limited', 'unfinished'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

/** What decided the outcome of a step. */
export type StepWhy =
  | { readonly kind: 'limited'; readonly rejected: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failed'; readonly failed: number; readonly judged: number }
  | {
      readonly kind: 'over';
      readonly over: number;
      readonly judged: number;
      readonly allowed: number;
      readonly boundMs: number;
      /** Where they leave the outcome unclear: requests that the generator sent late or held back. */
      readonly late?: number;
    };

export interface StepJudged {
  readonly outcome: StepOutcome;
  readonly why: StepWhy;
}

/** How many of `n` may be over a bound that their percentile (nearest rank) keeps. */
export function allowedOver(n: number, percentile: number): number {
  // A product of decimals may come out a little over the whole number that it is.
  return n - Math.ceil((n * percentile) / 100 - 1e-9);
}

/**
 * Whether the promise is certainly broken for any outcome of the remaining requests, even if all that were sent late
 * are excused.
 */
export function isHopeless(figures: StepFigures, slo: CapacitySlo): boolean {
  const { failed, late, over, planned } = figures;
  return over - late > allowedOver(planned, slo.percentile) || failed > planned * slo.errorShare;
}

/** Judges a step. */
export function judgeStep(figures: StepFigures, slo: CapacitySlo): StepJudged {
  const { ended, failed, judged, late, over, refused } = figures;
  // A step that was cut short is compared with its plan: the rest might have been in time.
  const n = ended === 'whole' ? judged : figures.planned;
  if (refused > 0) return { outcome: 'limited', why: { kind: 'limited', rejected: refused } };
  if (ended === 'stopped') return { outcome: 'unfinished', why: { kind: 'stopped' } };
  const allowed = allowedOver(n, slo.percentile);
  const why = { kind: 'over', over, judged, allowed, boundMs: slo.maxMs } as const;
  if (failed > n * slo.errorShare) return { outcome: 'bad', why: { kind: 'failed', failed, judged } };
  if (over > allowed)
    return over - late > allowed ? { outcome: 'bad', why } : { outcome: 'unclear', why: { ...why, late } };
  if (judged === 0) return { outcome: 'unfinished', why: { kind: 'silent' } };
  return { outcome: 'good', why };
}

/** Past this share of busy time, a closed loop waits for the generator's event loop. */
const mostBusy = 0.9;

/** Whether a step of a closed loop says more about the generator than about the target: its core or its sockets were used up. */
export function isSaturated(step: {
  readonly busyShare: number;
  readonly noSocket?: number | undefined;
}): boolean {
  return step.busyShare >= mostBusy || (step.noSocket ?? 0) > 0;
}

/**
 * Random arrivals: a Poisson process, as of many independent shoppers. Evenly spaced requests would never coincide,
 * so a target would look fine up to its saturation. @returns nanoseconds from the start, ascending, all under
 * `durationMs`.
 */
export function poissonArrivals(ratePerSecond: number, durationMs: number, random: Random): Float64Array {
  const endNs = durationMs * 1e6;
  const meanNs = 1e9 / ratePerSecond;
  const expected = endNs / meanNs;
  const instants = new Float64Array(Math.ceil(expected + 10 * Math.sqrt(expected) + 10));
  let count = 0;
  for (
    let atNs = gapNs(meanNs, random);
    atNs < endNs && count < instants.length;
    atNs += gapNs(meanNs, random)
  )
    instants[count++] = Math.round(atNs);
  return instants.subarray(0, count);
}

function gapNs(meanNs: number, random: Random): number {
  return -Math.log(1 - random()) * meanNs;
}
