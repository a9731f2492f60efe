import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { TopShade } from '../../../wire.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Expectation } from '../expect/expectation.ts';
import { type AnswerPopulation, priorSelections } from '../expect/population.ts';

/** How long top_shades may be, and from which length on it may lack shades. Undefined where nothing is known of it. */
export interface TopLengths {
  readonly most: number | undefined;
  /** A list that is shorter has to hold every shade there is. */
  readonly due: number | undefined;
}

interface CountedShade {
  readonly selections: number;
}

/**
 * What the profile states; where it leaves the length open, what the lists of one target agree on: none is longer than the longest,
 * and what is cut off is cut off at one length.
 */
export function topLengthsOf(
  stated: number | undefined,
  lists: readonly (readonly CountedShade[] | null)[],
): TopLengths {
  if (stated !== undefined) return { most: stated, due: stated };
  const most = Math.max(0, ...lists.map((list) => list?.length ?? 0));
  return most === 0 ? { most: undefined, due: undefined } : { most, due: leastCut(lists) };
}

/**
 * The least length at which a target can have cut off all of its lists. One that goes on while shades have as many selections as
 * the last that is due (SQL's WITH TIES) may list more of them.
 */
export function leastCut(lists: readonly (readonly CountedShade[] | null)[]): number {
  return Math.max(
    0,
    ...lists.map((list) => {
      const last = list?.at(-1)?.selections;
      return (list ?? []).findIndex(({ selections }) => selections === last) + 1;
    }),
  );
}

/** Whether a returned value can be right: `unknown` where the history cannot say that it is wrong. */
export type Fit = 'fits' | 'misfits' | 'unknown';

/** What has to hold before a difference is held against the target. */
export interface Preconditions {
  /** Asked after the last event plus the freshness bound. */
  readonly timely: boolean;
  readonly population: AnswerPopulation;
  /** The answer's own total leaves no room for foreign sessions. */
  readonly noForeign: boolean;
  /** At most this number of sessions of others can be in the answer, as the totals show. */
  readonly foreignAtMost: number;
  /** `none`: no event happened, so that zeros show nothing. `unknown`: events may have happened that no history shows. */
  readonly acts: 'known' | 'none' | 'unknown';
}

/** Accuracy of double-precision arithmetic in another order, relative. */
const relativeSlack = 2 ** -48;

/** `value` within `bounds`, allowing for rounding to `decimals`. */
export function within(value: number, bounds: Bounds, decimals: number): boolean {
  const slack = 0.5 * 10 ** -decimals + Math.abs(value) * relativeSlack;
  return value >= bounds.min - slack && value <= bounds.max + slack;
}

/** How many decimals a number is written with; 16 where that is as many as a double has. */
export function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const shown = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent);
  return Math.min(16, Math.max(0, shown));
}

/** Doubles that were computed in another order, or as single precision, agree to this number of decimals. */
const mostDecimals = 5;

/**
 * The decimals to which a field has to be right: as promised; where `isOpen` what it is a mean of, nearly as many as are written,
 * since what fits only roughly is another measure. (The last digits of a percentage that was divided by 100 come from the division.)
 */
export function decimalsDue(values: readonly (number | null)[], promised: number, isOpen: boolean): number {
  const written = Math.max(0, ...values.map((value) => decimalsOf(Number((value ?? 0).toPrecision(12)))));
  return isOpen ? Math.max(promised, Math.min(written - 1, mostDecimals)) : promised;
}

export function fitTotal(value: number | null, bounds: Bounds, circumstances: Preconditions): Fit {
  if (value === null) return 'unknown';
  if (Number.isInteger(value) && value >= bounds.min && value <= bounds.max) return 'fits';
  if (!circumstances.timely) return 'unknown';
  return circumstances.population.kind === 'open' && value > bounds.max ? 'unknown' : 'misfits';
}

/** What a mean is about: an average of numbers from 0 up, or a rate of sessions; and over how many sessions at least. */
interface MeanKind {
  readonly what: 'average' | 'rate';
  readonly sessions: number;
}

export interface ExpectedMean extends MeanKind {
  readonly bounds: Bounds | null;
}

export function fitMean(
  value: number | null,
  expected: ExpectedMean,
  decimals: number,
  circumstances: Preconditions,
): Fit {
  const { bounds } = expected;
  if (value === null || bounds === null || circumstances.acts === 'unknown') return 'unknown';
  const inside = within(value, bounds, decimals);
  if (inside) return circumstances.acts === 'none' ? 'unknown' : 'fits';
  if (accusable(circumstances)) return 'misfits';
  return circumstances.timely &&
    !within(value, withForeign(bounds, circumstances.foreignAtMost, expected), decimals)
    ? 'misfits'
    : 'unknown';
}

/**
 * Where a mean can lie with up to `foreign` sessions of others in it: of n sessions that come to S, (S + s) / (n + f) is
 * least with f at its most and s = 0, and for a rate greatest with s = f.
 */
function withForeign({ min, max }: Bounds, foreign: number, { what, sessions }: MeanKind): Bounds {
  if (!Number.isFinite(foreign)) return { min: 0, max: what === 'rate' ? 1 : foreign };
  const all = sessions + foreign;
  if (all === 0) return { min, max };
  return {
    min: (min * sessions) / all,
    max: what === 'rate' ? (max * sessions + foreign) / all : foreign > 0 ? Number.POSITIVE_INFINITY : max,
  };
}

function accusable({ timely, population, noForeign }: Preconditions): boolean {
  return timely && (population.kind === 'closed' || noForeign);
}

/** What is wrong with a top_shades, most telling first; empty when it can be right. */
interface TopFit {
  readonly fit: Fit;
  readonly faults: readonly Reason[];
}

/**
 * Judges a list against per-SKU intervals. Ties may stand in any order; only a
 * SKU that was certainly selected more often than the last one listed must be listed itself.
 */
export function fitTopShades(
  list: readonly TopShade[] | null,
  expectation: Expectation,
  lengths: TopLengths,
  circumstances: Preconditions,
): TopFit {
  if (list === null || circumstances.acts === 'unknown') return { fit: 'unknown', faults: [] };
  const { population } = circumstances;
  const strict = accusable(circumstances);
  const bounds = new Map(expectation.shades.map((shade) => [shade.sku, shade]));
  const faults: Reason[] = [];
  let doubtful = false;
  const seen = new Set<string>();
  let previous = Number.POSITIVE_INFINITY;
  for (const { sku, selections } of list) {
    if (seen.has(sku)) faults.push(reason('top-shade-twice', { query: null, sku }));
    seen.add(sku);
    if (selections > previous)
      faults.push(reason('top-unsorted', { query: null, sku, selections, before: previous }));
    previous = selections;
    const own = bounds.get(sku);
    const prior = priorSelections(population, sku);
    const min = (own?.min ?? 0) + prior.min;
    const max = (own?.max ?? 0) + prior.max;
    if (selections < min) {
      if (circumstances.timely)
        faults.push(reason('top-too-few', { query: null, sku, selections, atLeast: min }));
      else doubtful = true;
    } else if (selections > max || !Number.isInteger(selections)) {
      if (strict) faults.push(tooMany(sku, selections, max, own?.copies));
      else doubtful = true;
    }
  }
  const lastListed = list.at(-1) ?? null;
  const last = lastListed?.selections ?? 0;
  const missing = expectation.shades.filter(
    (shade) => !seen.has(shade.sku) && shade.min + priorSelections(population, shade.sku).min > last,
  );
  for (const shade of missing.slice(0, 3)) {
    const { sku, min: atLeast } = shade;
    if (circumstances.timely)
      faults.push(reason('top-missing', { query: null, sku, atLeast, last: lastListed }));
    else doubtful = true;
  }
  const { most, due: dueLength } = lengths;
  if (most !== undefined && list.length > most)
    faults.push(reason('top-too-long', { query: null, shades: list.length, atMost: most }));
  if (dueLength !== undefined) {
    const due = Math.min(dueLength, expectation.shades.filter((shade) => shade.min > 0).length);
    if (list.length < due && missing.length === 0) {
      if (circumstances.timely)
        faults.push(reason('top-too-short', { query: null, shades: list.length, expected: due }));
      else doubtful = true;
    }
  }
  if (faults.length > 0) return { fit: 'misfits', faults };
  return { fit: doubtful || circumstances.acts === 'none' ? 'unknown' : 'fits', faults };
}

function tooMany(sku: string, selections: number, atMost: number, copies: number | undefined): Reason {
  const hasRepeats = atMost > 0 && copies !== undefined && copies > atMost && selections <= copies;
  return reason('top-too-many', { query: null, sku, selections, atMost, hasRepeats });
}
