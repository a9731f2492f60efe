import type { StepOutcome } from './step.ts';

export interface SearchRules {
  /** Loads that may be tried, ascending. */
  readonly lattice: readonly number[];
  /** How much higher each step of the climb is. */
  readonly factor: number;
  /** Steps near the knee at most. */
  readonly mostRepeats: number;
}

/** Where the climb and the bisection left the knee: places in the lattice, `good` below it and `bad` above. */
interface Bracket {
  readonly good: number;
  readonly bad: number;
}

type Next = Pick<Trial, 'place' | 'purpose'>;

/**
 * A broken step of the climb is repeated: this many of at most `climbTries` must break. One hiccup of a machine must
 * not end a climb.
 */
const brokenEnough = 3;
const climbTries = 5;

/**
 * The next step of a search after those done, in order; undefined when it is over. It climbs until a load is broken
 * three times, bisects to neighbours in the lattice, and repeats on either side. A repeat that contradicts its side
 * moves it away from the knee. It ends when both sides are certain.
 */
export function nextTrial(done: readonly Trial[], rules: SearchRules): Next | undefined {
  if (done.some(({ outcome }) => outcome === 'limited' || outcome === 'unfinished')) return undefined;
  const top = rules.lattice.length - 1;
  let good = -1;
  let bad: number | undefined;
  for (let place = 0; bad === undefined; place = climbFrom(rules.lattice, place, rules.factor)) {
    const own = done.filter((trial) => trial.purpose === 'climb' && trial.place === place);
    if (own.some(({ outcome }) => outcome === 'good')) {
      if (place === top) return undefined;
      good = place;
    } else if (
      own.length >= climbTries ||
      own.filter(({ outcome }) => outcome === 'bad').length >= brokenEnough
    )
      bad = place;
    else return { place, purpose: 'climb' };
  }
  // The first load of all is too much: where the knee is, below, cannot be found by going up.
  if (good === -1) return undefined;
  const found = bisect(done, { good, bad });
  return 'purpose' in found ? found : repeat(done, found, rules);
}

/**
 * Places to move after `contradictions` contradictions: one, one, two, two, four … so that it soon leaves a bracket
 * that is far off.
 */
function strideAfter(contradictions: number): number {
  return 2 ** Math.floor(contradictions / 2);
}

function bisect(done: readonly Trial[], bracket: Bracket): Next | Bracket {
  let { bad, good } = bracket;
  while (bad - good > 1) {
    const place = Math.floor((good + bad) / 2);
    const trial = done.find((each) => each.purpose === 'bisect' && each.place === place);
    if (trial === undefined) return { place, purpose: 'bisect' };
    if (trial.outcome === 'good') good = place;
    else bad = place;
  }
  return { good, bad };
}

function repeat(
  done: readonly Trial[],
  bracket: Bracket,
  { lattice, mostRepeats }: SearchRules,
): Next | undefined {
  const repeats = done.filter(({ purpose }) => purpose === 'repeat');
  const top = lattice.length - 1;
  let { bad, good } = bracket;
  let downwards = 0;
  let upwards = 0;
  for (const { outcome, place } of repeats) {
    // Either end of the lattice is tried before it is left.
    if (place === good && outcome !== 'good')
      good = good === 0 ? -1 : Math.max(0, good - strideAfter(downwards++));
    else if (place === bad && outcome !== 'bad')
      bad = bad === top ? top + 1 : Math.min(top, bad + strideAfter(upwards++));
  }
  if (repeats.length >= mostRepeats) return undefined;
  const open = [
    ...(good >= 0 && !certainlyKeeps(done, good) ? [good] : []),
    ...(bad <= top && !certainlyBreaks(done, bad) ? [bad] : []),
  ];
  // By turns, so that a drift of the target's hits both sides alike.
  const last = repeats.at(-1);
  const wasBelow = last !== undefined && last.place <= bracket.good;
  const place = open.find((each) => each <= bracket.good !== wasBelow) ?? open[0];
  return place === undefined ? undefined : { place, purpose: 'repeat' };
}

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
function certainlyBreaks(trials: readonly Trial[], place: number): boolean {
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

/** The loads that a search may try, ascending: neighbours are as close as the search tells apart. */

/** Loads to one climb by `factor`: what the search tells apart is that factor's eighth root, 9 % for a factor of 2. */
const perClimb = 8;

/** Rates per second from `from` to `most`, in equal ratios. */
export function rateLattice(from: number, most: number, factor: number): number[] {
  const rates: number[] = [];
  for (let step = 0; ; step++) {
    const rate = from * factor ** (step / perClimb);
    if (rate > most * (1 + 1e-9)) return rates;
    // Three digits are enough for a reader; neighbours are further apart than that.
    rates.push(Number(rate.toPrecision(4)));
  }
}

/** Whole numbers from 1 to `most`, in about such ratios. */
export function connectionLattice(most: number, factor: number): number[] {
  return [...new Set(rateLattice(1, most, factor).map(Math.round))];
}

/** The place of the load that the climb tries next: `factor` times this one, or the highest. */
export function climbFrom(lattice: readonly number[], place: number, factor: number): number {
  const wanted = (lattice[place] ?? 0) * factor * (1 - 1e-3);
  const next = lattice.findIndex((load) => load >= wanted);
  return next === -1 ? lattice.length - 1 : next;
}
