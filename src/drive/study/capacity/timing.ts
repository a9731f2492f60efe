import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { StepSelf } from '../../../history/record.ts';
import { kneeInterval, nextTrial, rateLattice, type Trial } from '../../../limits/capacity/search.ts';
import type { CapacityStudy } from '../../../scenario/study.ts';

/** The share of each step that is warm-up: a queue takes time to form. */
export const warmUpShare = 0.2;
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

const resolutionMs = 10;

/** Watches this program during one step. */
export class StepWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  #cpu = process.cpuUsage();
  #loop = performance.eventLoopUtilization();
  #startMs = performance.now();

  constructor() {
    this.#delay.enable();
  }

  /** Starts again: everything until now is warm-up. */
  restart(): void {
    this.#delay.reset();
    this.#cpu = process.cpuUsage();
    this.#loop = performance.eventLoopUtilization();
    this.#startMs = performance.now();
  }

  /** Ends it. `busyShare`: the part of its time in which the event loop was not waiting. */
  end(): { readonly self: StepSelf; readonly busyShare: number } {
    this.#delay.disable();
    const tookMs = Math.max(1, performance.now() - this.#startMs);
    const { system, user } = process.cpuUsage(this.#cpu);
    return {
      self: {
        // Between ticks of its timer, which takes the resolution when nothing is late.
        loopDelayMaxMs: rounded(Math.max(0, this.#delay.max / 1e6 - resolutionMs)),
        cpuShare: rounded((user + system) / 1e3 / tookMs),
      },
      busyShare: rounded(performance.eventLoopUtilization(this.#loop).utilization),
    };
  }
}

/** To three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
