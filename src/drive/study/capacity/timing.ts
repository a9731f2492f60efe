import { kneeInterval, type Trial } from '../../../capacity/knee.ts';
import { rateLattice } from '../../../capacity/lattice.ts';
import { nextTrial } from '../../../capacity/search.ts';
import type { CapacityStudy } from '../../../scenario/study.ts';
import { warmUpShare } from './open-step.ts';

/** The open model's share of the budget. */
export const openShare = 0.65;
/** Between steps, once nothing is under way: the target has its queue to forget. */
export const restMs = 250;
/**
 * A percentile is estimated from the samples above it. A repeat lasts until it may have this many, but at most
 * `longestRepeat` times a usual step.
 */
const wantedOver = 10;
const longestRepeat = 4;

/** How long a step lasts whose result counts. */
export function repeatMs(
  { percentile, stepMs }: Pick<CapacityStudy, 'percentile' | 'stepMs'>,
  ratePerSecond: number,
): number {
  const wantedMs = (wantedOver / (1 - percentile / 100) / ratePerSecond / (1 - warmUpShare)) * 1e3;
  return Math.min(Math.max(stepMs, wantedMs), longestRepeat * stepMs);
}

/** The shortest search for the highest rate that can end with an answer. */
interface ShortestSearch {
  readonly steps: number;
  /** The budget of a study that has room for it. */
  readonly budgetMs: number;
}

/**
 * The shortest search that finds every knee with honest steps of full length; a shorter study cannot be sure of any
 * knee. Undefined if no search finds one.
 */
export function shortestSearch(study: CapacityStudy): ShortestSearch | undefined {
  const rates = rateLattice(study.fromPerSecond, study.mostPerSecond, study.factor);
  const searches = rates.slice(0, -1).flatMap((_, knee) => {
    const done = searchFor(knee, rates, study);
    const { breaks, keeps } = kneeInterval(done);
    if (breaks === undefined || keeps === undefined) return [];
    const searchMs = done.reduce(
      (sum, { place, purpose }) =>
        sum + restMs + (purpose === 'repeat' ? repeatMs(study, rates[place] ?? 1) : study.stepMs),
      study.stepMs,
    );
    // The last rest is no part of it: by then the answer is there.
    return [{ steps: 1 + done.length, budgetMs: Math.ceil((searchMs - restMs) / openShare) }];
  });
  return searches.toSorted((a, b) => a.budgetMs - b.budgetMs)[0];
}

function searchFor(knee: number, lattice: readonly number[], study: CapacityStudy): Trial[] {
  const rules = { lattice, factor: study.factor, mostRepeats: study.mostRepeats };
  const done: Trial[] = [];
  for (let next = nextTrial(done, rules); next !== undefined; next = nextTrial(done, rules))
    done.push({ ...next, outcome: next.place <= knee ? 'good' : 'bad' });
  return done;
}
