import { LimitRange } from './limit-range.ts';

/**
 * Judges every phase within [phaseLoNs, phaseHiNs] at once: narrows the range to limits that at least one of those
 * phases may explain. The narrower the interval, the sharper the answer; a sound judge never excludes too much.
 */
export type JudgePhases = (phaseLoNs: number, phaseHiNs: number, range: LimitRange) => void;

/** How far a search goes: intervals of phases no narrower than this, and no more of them judged than that. */
export interface SearchBounds {
  readonly finestNs: number;
  readonly mostJudged: number;
}

/** The result of a search over all phases of a grid of windows. */
export interface PhaseSearch {
  /** Least and largest limit that some phase explains; empty when none does. */
  readonly range: LimitRange;
  /** Some phase explains the promised limit exactly. */
  readonly fitsPromise: boolean;
  /**
   * A phase in the middle of those that fit the promised limit (or any limit, if none does), nanoseconds after the
   * first request.
   */
  readonly phaseNs: number | undefined;
  /** Of the phases that nothing fits, the one that comes nearest to fitting. */
  readonly nearest: LimitRange;
}

/** An interval of phases, with the limits that fit one of them. */
interface PhaseCell {
  readonly loNs: number;
  readonly hiNs: number;
  readonly range: LimitRange;
}

const coarseCells = 64;

/**
 * Branch and bound over the phase, in rounds: intervals that no limit fits are dropped, the others halved. If
 * rejections are followed by admissions, hardly any survives the first round. Otherwise the answer is vague anyway,
 * and stopping early only leaves it wider.
 */
export function searchPhases(
  windowNs: number,
  bounds: SearchBounds,
  promisedLimit: number,
  judge: JudgePhases,
): PhaseSearch {
  let nearest = new LimitRange();
  nearest.min = Number.POSITIVE_INFINITY;
  nearest.max = 0;
  let judged = 0;
  const judgeCell = (loNs: number, hiNs: number): PhaseCell[] => {
    const range = new LimitRange();
    judge(loNs, hiNs, range);
    judged++;
    if (!range.isEmpty) return [{ loNs, hiNs, range }];
    if (range.min - range.max < nearest.min - nearest.max) nearest = range;
    return [];
  };
  let widthNs = windowNs / coarseCells;
  let cells = coarse(windowNs).flatMap(([loNs, hiNs]) => judgeCell(loNs, hiNs));
  while (widthNs > bounds.finestNs && cells.length > 0 && judged + 2 * cells.length <= bounds.mostJudged) {
    widthNs /= 2;
    cells = cells.flatMap(({ loNs, hiNs }) => [
      ...judgeCell(loNs, loNs + widthNs),
      ...judgeCell(loNs + widthNs, hiNs),
    ]);
  }
  const promised = cells.filter((cell) => cell.range.includes(promisedLimit));
  const fitting = promised.length > 0 ? promised : cells;
  const middle = fitting[fitting.length >> 1];
  return {
    range: hull(cells),
    fitsPromise: promised.length > 0,
    phaseNs: middle === undefined ? undefined : (middle.loNs + middle.hiNs) / 2,
    nearest,
  };
}

/** The smallest range that holds all of the cells' ranges; empty without cells. */
function hull(cells: readonly PhaseCell[]): LimitRange {
  const whole = new LimitRange();
  whole.min = Number.POSITIVE_INFINITY;
  whole.max = Number.NEGATIVE_INFINITY;
  for (const { range } of cells) {
    if (range.min < whole.min) Object.assign(whole, { min: range.min, minSetBy: range.minSetBy });
    if (range.max > whole.max) Object.assign(whole, { max: range.max, maxSetBy: range.maxSetBy });
  }
  return whole;
}

/**
 * The least value over all phases, given a bound from below for each interval of them. Depth first, and done as soon as
 * the answer is known to be at most `enough`.
 */
export function leastOverPhases(
  windowNs: number,
  bounds: SearchBounds,
  enough: number,
  boundBelow: (phaseLoNs: number, phaseHiNs: number) => number,
): number {
  let least = Number.POSITIVE_INFINITY;
  let judged = 0;
  const visit = (loNs: number, hiNs: number): void => {
    if (least <= enough) return;
    const bound = boundBelow(loNs, hiNs);
    judged++;
    if (bound >= least) return;
    if (hiNs - loNs <= bounds.finestNs || judged > bounds.mostJudged) {
      least = bound;
      return;
    }
    const middleNs = (loNs + hiNs) / 2;
    visit(loNs, middleNs);
    visit(middleNs, hiNs);
  };
  for (const [loNs, hiNs] of coarse(windowNs)) visit(loNs, hiNs);
  return least;
}

function coarse(windowNs: number): [number, number][] {
  const widthNs = windowNs / coarseCells;
  return Array.from({ length: coarseCells }, (_, cell) => [cell * widthNs, (cell + 1) * widthNs]);
}
