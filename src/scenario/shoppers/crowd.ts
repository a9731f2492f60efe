import { normalQuantile } from '../catalog/figures.ts';
import { createPicker, elementAt, type Picker, type Shelf, visitsByLineSize } from './popularity.ts';
import type { ShopperSettings } from './settings.ts';

/** How shoppers of one persona behave, with the population's figures worked in. */
interface Temper {
  readonly persona: string;
  /** Probability of leaving without trying a shade. */
  readonly bounce: number;
  /** Distinct shades tried, from a uniform number; at least 1, and at most what the product has. */
  readonly shades: (u: number) => number;
  /** Probability that a selection is followed by one of a shade tried before. */
  readonly reselect: number;
  /** Probability of cart intent after this many distinct shades. */
  readonly cart: (tried: number) => number;
  /** Milliseconds before an event, from a uniform number. */
  readonly think: (u: number) => number;
}

interface Crowd {
  /** Draws a temper's index. */
  readonly picker: Picker;
  readonly tempers: readonly Temper[];
}

/** Spreads the population's figures over its personas by their factors, so that the totals come out as set. */
export function gatherCrowd(settings: ShopperSettings, shelf: Shelf): Crowd {
  const names = Object.keys(settings.personas);
  const personas = Object.values(settings.personas);
  const picker = createPicker(personas.map(({ weight }) => weight));

  const everybody = personas.map((persona, index) => ({ persona, share: picker.share(index) }));
  const bounceOdds = commonOdds(
    everybody.map(({ persona, share }) => ({ share, factor: persona.bounce })),
    settings.bounce,
  );
  const bounces = personas.map(({ bounce }) => probabilityOf(bounceOdds * bounce));
  const stayers = everybody.map(({ persona, share }, index) => ({
    persona,
    share: share * (1 - elementAt(bounces, index)),
  }));
  const staying = stayers.reduce((sum, { share }) => sum + share, 0);

  const reselectOdds = commonOdds(
    stayers.map(({ persona, share }) => ({ share, factor: persona.reselect })),
    settings.reselect * staying,
  );
  const shades = shadeCounts(
    stayers.map(({ persona, share }) => ({
      share: staying > 0 ? share / staying : 0,
      factor: persona.shades,
    })),
    settings,
  );
  const visits = visitsByLineSize(shelf);
  const cartOdds = commonOdds(
    stayers.flatMap(({ persona, share }, index) =>
      triedShares(elementAt(shades, index), visits).map((group) => ({
        share: group.share * share,
        factor: persona.cart * group.tried ** settings.cartIntent.steepness,
      })),
    ),
    settings.cartIntent.rate,
  );

  const tempers = personas.map(
    (persona, index): Temper => ({
      persona: elementAt(names, index),
      bounce: elementAt(bounces, index),
      shades: elementAt(shades, index),
      reselect: probabilityOf(reselectOdds * persona.reselect),
      cart: (tried) => probabilityOf(cartOdds * persona.cart * tried ** settings.cartIntent.steepness),
      think: lognormal(settings.thinkMedian * settings.thinkTime * persona.pace, settings.thinkSigma),
    }),
  );
  return { picker, tempers };
}

type ShadeCount = (u: number) => number;

/**
 * Each persona's number of distinct shades: lognormal, rounded, capped. The personas' factors explain a part of the
 * variance σ² of the logarithm; the rest remains within each persona. So the population keeps the median e^μ and the
 * mean e^(μ + σ²/2).
 */
function shadeCounts(
  personas: readonly { readonly share: number; readonly factor: number }[],
  { shadesTried: { median, mean, cap } }: ShopperSettings,
): ShadeCount[] {
  const centre = personas.reduce((sum, { share, factor }) => sum + share * Math.log(factor), 0);
  const between = personas.reduce(
    (sum, { share, factor }) => sum + share * (Math.log(factor) - centre) ** 2,
    0,
  );
  const within = Math.sqrt(Math.max(0, 2 * Math.log(mean / median) - between));
  return personas.map(({ factor }) => {
    const count = lognormal(median * Math.exp(Math.log(factor) - centre), within);
    return (u) => Math.max(1, Math.min(cap, Math.round(count(u))));
  });
}

/** How many shades are tried in lines of these sizes, and in what share of the visits: on a grid of 200 quantiles. */
function triedShares(
  shades: ShadeCount,
  visits: ReadonlyMap<number, number>,
): { tried: number; share: number }[] {
  const grid = 200;
  const shares = new Map<number, number>();
  for (let cell = 0; cell < grid; cell++) {
    const wanted = shades((cell + 0.5) / grid);
    for (const [size, share] of visits) {
      const tried = Math.min(wanted, size);
      shares.set(tried, (shares.get(tried) ?? 0) + share / grid);
    }
  }
  return [...shares].map(([tried, share]) => ({ tried, share }));
}

/** A part of a population: its share of all, and the factor on its members' odds. */
interface OddsGroup {
  readonly share: number;
  readonly factor: number;
}

/** The probability that goes with odds of p : 1 − p; odds may be infinite. */
export function probabilityOf(odds: number): number {
  return 1 - 1 / (1 + odds);
}

/**
 * The common odds with which `target` of the population does something, if each group has these odds times its
 * factor. It is the root of Σ share · p(odds · factor) = target, by bisection of the logarithm. So factors change who
 * does it, not the total. 0 for a target of 0; infinite for a target that only the whole population reaches.
 */
export function commonOdds(groups: readonly OddsGroup[], target: number): number {
  const expected = (odds: number): number =>
    groups.reduce((sum, { share, factor }) => sum + share * probabilityOf(odds * factor), 0);
  if (target <= 0) return 0;
  if (target >= expected(Number.POSITIVE_INFINITY) - 1e-9) return Number.POSITIVE_INFINITY;
  let low = -40;
  let high = 40;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (expected(Math.exp(middle)) < target) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/** A lognormal number from a uniform one: `median` · e^(`sigma` · z), z standard normal. Its mean is median · e^(σ²/2). */
export function lognormal(median: number, sigma: number): (u: number) => number {
  return (u) => median * Math.exp(sigma * normalQuantile(u));
}
