import { certainlyBreaks, certainlyKeeps, type Trial } from './knee.ts';
import { climbFrom } from './lattice.ts';

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
