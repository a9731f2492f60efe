import type { StepOutcome } from './step.ts';

/**
 * The knee as an interval. A step of a few seconds is a random experiment: near the knee it sometimes keeps the
 * promise. Assuming only that a higher load keeps it no more often, repeats at several loads combine. Steps at and
 * above a load count for its being kept, those at and below for its being broken.
 */

/** A step of the search, at a place in its lattice. */
export interface Trial {
  readonly place: number;
  readonly purpose: 'climb' | 'bisect' | 'repeat';
  readonly outcome: StepOutcome;
}

/** The chance that either end of the interval is wrong: that the load which it names is kept half the time or worse (or better). */
export const endRisk = 0.05;

/** Confidence of the interval, both ends together. */
export const kneeConfidence = 1 - 2 * endRisk;

interface KneeInterval {
  /** The highest place that certainly keeps the promise. */
  readonly keeps: number | undefined;
  /** The lowest place that certainly breaks it. */
  readonly breaks: number | undefined;
}

/** The interval that the repeats leave. Of steps that chose the bracket nothing is concluded: they were picked by their outcomes. */
export function kneeInterval(trials: readonly Trial[]): KneeInterval {
  const places = [...new Set(repeatsOf(trials).map(({ place }) => place))].toSorted((a, b) => a - b);
  return {
    keeps: places.findLast((place) => certainlyKeeps(trials, place)),
    breaks: places.find((place) => certainlyBreaks(trials, place)),
  };
}

/**
 * Whether the load is kept in more than half of all steps, at `endRisk`. If it were not, this many good steps at it
 * and above would be less likely than that (sign test; an unclear step counts as broken).
 */
export function certainlyKeeps(trials: readonly Trial[], place: number): boolean {
  return isBorneOut(
    repeatsOf(trials)
      .filter((trial) => trial.place >= place)
      .toSorted((a, b) => a.place - b.place),
    'good',
  );
}

/** Whether it is broken in more than half of all steps, by the same test; an unclear step counts as kept. */
export function certainlyBreaks(trials: readonly Trial[], place: number): boolean {
  return isBorneOut(
    repeatsOf(trials)
      .filter((trial) => trial.place <= place)
      .toSorted((a, b) => b.place - a.place),
    'bad',
  );
}

function repeatsOf(trials: readonly Trial[]): Trial[] {
  return trials.filter(
    ({ outcome, purpose }) =>
      purpose === 'repeat' && (outcome === 'good' || outcome === 'bad' || outcome === 'unclear'),
  );
}

/** Whether those up to some place, the nearest first, show it. */
function isBorneOut(nearestFirst: readonly Trial[], wanted: StepOutcome): boolean {
  let hits = 0;
  for (const [index, { outcome, place }] of nearestFirst.entries()) {
    if (outcome === wanted) hits++;
    // All steps of a load count, or none.
    const isLast = nearestFirst[index + 1]?.place !== place;
    if (isLast && upperTail(index + 1, hits) <= endRisk) return true;
  }
  return false;
}

/** The chance of `k` or more heads in `n` throws of a fair coin. */
export function upperTail(n: number, k: number): number {
  let chance = 2 ** -n;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    if (i >= k) sum += chance;
    chance *= (n - i) / (i + 1);
  }
  return sum;
}
