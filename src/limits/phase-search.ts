import { LimitRange } from './limit-range.ts';

/**
 * Judges every phase within [phaseLoNs, phaseHiNs] at once: narrows the range to limits that at least one of those
 * phases may explain. The narrower the interval, the sharper the answer; a sound judge never excludes too much.
 */
export type JudgePhases = (phaseLoNs: number, phaseHiNs: number, range: LimitRange) => void;

/** What a search over all phases of a grid of windows found. */
export interface PhaseSearch {
  /** Least and largest limit that some phase explains; empty when none does. */
  readonly range: LimitRange;
  /** Some phase explains the promised limit exactly. */
  readonly fitsPromise: boolean;
  /** A phase in the middle of those that fit the promised limit (or else any limit), nanoseconds after the first request. */
  readonly phaseNs: number | undefined;
  /** For no phase at all: the least contradictory, with the requests that contradict each other. */
  readonly nearest: LimitRange;
}

const coarseCells = 64;

/**
 * Branch and bound over the phase: cells that no limit fits are dropped, the others halved until they are
 * `windowNs / finest` wide. With refusals followed by admissions in the trace, hardly any cell survives the first
 * round; without, the answer is vague anyway.
 */
export function searchPhases(
  windowNs: number,
  finest: number,
  promisedLimit: number,
  judge: JudgePhases,
): PhaseSearch {
  const hull = new LimitRange();
  hull.min = Number.POSITIVE_INFINITY;
  hull.max = Number.NEGATIVE_INFINITY;
  const nearest = new LimitRange();
  nearest.min = Number.POSITIVE_INFINITY;
  nearest.max = 0;
  const fitting: number[] = [];
  const promised: number[] = [];
  const finestNs = windowNs / finest;

  const visit = (loNs: number, hiNs: number): void => {
    const range = new LimitRange();
    judge(loNs, hiNs, range);
    if (range.isEmpty) {
      if (range.min - range.max < nearest.min - nearest.max) Object.assign(nearest, range);
      return;
    }
    const middleNs = (loNs + hiNs) / 2;
    if (hiNs - loNs > finestNs) {
      visit(loNs, middleNs);
      visit(middleNs, hiNs);
      return;
    }
    fitting.push(middleNs);
    if (range.includes(promisedLimit)) promised.push(middleNs);
    if (range.min < hull.min) Object.assign(hull, { min: range.min, minSetBy: range.minSetBy });
    if (range.max > hull.max) Object.assign(hull, { max: range.max, maxSetBy: range.maxSetBy });
  };
  for (let cell = 0; cell < coarseCells; cell++) {
    visit((cell * windowNs) / coarseCells, ((cell + 1) * windowNs) / coarseCells);
  }
  const phases = promised.length > 0 ? promised : fitting;
  return {
    range: hull,
    fitsPromise: promised.length > 0,
    phaseNs: phases[phases.length >> 1],
    nearest,
  };
}

/** The least, over all phases, of a bound that each interval of phases gives from below. */
export function leastOverPhases(
  windowNs: number,
  finest: number,
  boundBelow: (phaseLoNs: number, phaseHiNs: number) => number,
): number {
  const finestNs = windowNs / finest;
  let least = Number.POSITIVE_INFINITY;
  const visit = (loNs: number, hiNs: number): void => {
    const bound = boundBelow(loNs, hiNs);
    if (bound >= least) return;
    if (hiNs - loNs <= finestNs) {
      least = bound;
      return;
    }
    visit(loNs, (loNs + hiNs) / 2);
    visit((loNs + hiNs) / 2, hiNs);
  };
  for (let cell = 0; cell < coarseCells; cell++) {
    visit((cell * windowNs) / coarseCells, ((cell + 1) * windowNs) / coarseCells);
  }
  return least;
}
