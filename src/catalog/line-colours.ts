import { Chance } from 'chance';
import { plainColours } from '../corners/corners.ts';
import type { Random } from '../random.ts';
import type { ProductKind } from './catalog.ts';
import { type Colour, colourDifference, fromHex, fromHsl } from './colour.ts';
import { atDeviation, normalQuantile } from './distributions.ts';
import { complexion, complexionCorrelation, effectKinds, shadesPerEffect } from './figures.ts';
import { palettes } from './palettes.ts';

/**
 * The `count` colours of one product line, from light to deep or dark, as a shop shows them: some of a wide range are for effect,
 * with values at which software may break. No two are closer than
 * `leastDifference` (CIEDE2000); with 0 only their hex values differ. Throws a `RangeError` if the kind's range has
 * no room for them.
 */
export function lineColours(
  kind: ProductKind,
  count: number,
  leastDifference: number,
  random: Random,
): Colour[] {
  const draw =
    kind === 'foundation' || kind === 'concealer'
      ? complexionDrawer(count, random)
      : paletteDrawer(kind, random);
  const colours = effectKinds.includes(kind)
    ? effectColours(Math.floor(count / shadesPerEffect), leastDifference, random)
    : [];
  let refused = 0;
  while (colours.length < count) {
    const colour = draw(colours.length, refused);
    if (isApart(colour, colours, leastDifference)) {
      colours.push(colour);
      refused = 0;
    } else if (++refused > 10_000) {
      throw new RangeError(
        `${count} ${kind} shades at least ${leastDifference} apart do not fit into its colours`,
      );
    }
  }
  return colours.sort((one, other) => other.lab.l - one.lab.l);
}

function isApart(colour: Colour, others: readonly Colour[], leastDifference: number): boolean {
  return others.every(
    (other) =>
      other.hex !== colour.hex &&
      (leastDifference <= 0 || colourDifference(other.lab, colour.lab) >= leastDifference),
  );
}

const effects: readonly Colour[] = plainColours.map(fromHex);

/** Up to `count` of the colours that every service takes, and software may take for something else: black, white, digits alone. */
function effectColours(count: number, leastDifference: number, random: Random): Colour[] {
  const chosen: Colour[] = [];
  for (const colour of new Chance(random).shuffle([...effects]))
    if (chosen.length < count && isApart(colour, chosen, leastDifference)) chosen.push(colour);
  return chosen;
}

type Drawer = (index: number, refused: number) => Colour;

/**
 * Complexion tones with a Gaussian copula. Lightness is stratified, so that every line runs from light to deep; hue
 * and saturation follow by their correlation. Each keeps its published percentiles.
 */
function complexionDrawer(count: number, random: Random): Drawer {
  return (index, refused) => {
    // A stratum that is full gives its place to any other.
    const stratum = refused < 50 ? index : Math.floor(random() * count);
    const depth = deviation((stratum + random()) / count);
    const undertone = deviation(random());
    const hue = blend(depth, undertone, complexionCorrelation.hueWithLightness);
    const purity = blend(undertone, deviation(random()), complexionCorrelation.saturationWithHue);
    const saturation = blend(depth, purity, complexionCorrelation.saturationWithLightness);
    return fromHsl(
      atDeviation(complexion.hue, hue),
      atDeviation(complexion.saturation, saturation),
      atDeviation(complexion.lightness, depth),
    );
  };
}

/** A standard normal number with this correlation with `z`, from another, `own`, that is independent of it. */
function blend(z: number, own: number, correlation: number): number {
  return correlation * z + Math.sqrt(1 - correlation ** 2) * own;
}

/** Cut at 2 standard deviations (the outer 5 %): the published percentiles do not cover the tails. */
function deviation(u: number): number {
  return Math.max(-2, Math.min(2, normalQuantile(u)));
}

function paletteDrawer(kind: keyof typeof palettes, random: Random): Drawer {
  const chance = new Chance(random);
  const families = [...palettes[kind]];
  const weights = families.map((family) => family.weight);
  const between = ([from, to]: readonly [number, number]): number => from + (to - from) * random();
  return () => {
    const family = chance.weighted(families, weights);
    return fromHsl(between(family.hue), between(family.saturation), between(family.lightness));
  };
}
