import { Chance } from 'chance';
// Its one bundled file loads in a tenth of the time of its 150 modules.
import culori from 'culori/require';
import type { Random } from '../../random.ts';
import { type ColourFamily, kindRows, type ProductKind } from './catalog.ts';
import {
  atDeviation,
  complexion,
  complexionCorrelation,
  normalQuantile,
  shadesPerEffect,
} from './figures.ts';
import { plainColours } from './unusual-shades.ts';

/** A colour as a shade shows it, with its coordinates for comparing. */
export interface Colour {
  /** `#RRGGBB`, upper case. */
  readonly hex: string;
  /** Of HSL, degrees in [0, 360). */
  readonly hue: number;
  /** CIELAB under D65, of the colour as rounded to `hex`. */
  readonly lab: Lab;
}

/** CIELAB under D65 in culori's form: lightness `l` 0–100, green to red `a`, blue to yellow `b`. */
export interface Lab {
  readonly mode: 'lab65';
  readonly l: number;
  readonly a: number;
  readonly b: number;
}

const { converter, differenceCiede2000, formatHex } = culori;
const toLab = converter('lab65');
const toHsl = converter('hsl');
const difference = differenceCiede2000();

/** A colour from HSL: hue in degrees (any turn), saturation and lightness as fractions, clamped to [0, 1]. */
export function fromHsl(hueDegrees: number, saturation: number, lightness: number): Colour {
  const hue = ((hueDegrees % 360) + 360) % 360;
  const s = Math.min(1, Math.max(0, saturation));
  const l = Math.min(1, Math.max(0, lightness));
  const hex = formatHex({ mode: 'hsl', h: hue, s, l }).toUpperCase();
  return { hex, hue, lab: labOf(hex) };
}

/** A colour from `#RRGGBB`. A grey has a hue of 0. Throws a `RangeError` for anything else. */
export function fromHex(given: string): Colour {
  const hex = given.toUpperCase();
  const lab = labOf(hex);
  const { h: hue = 0 } = toHsl(hex) ?? {};
  return { hex, hue, lab };
}

/** CIELAB of `#RRGGBB`. Throws a `RangeError` for anything else. */
export function labOf(hex: string): Lab {
  const lab = /^#[\da-f]{6}$/i.test(hex) ? toLab(hex) : undefined;
  if (lab === undefined)
    throw new RangeError(`expected a colour of the form #RRGGBB, got ${JSON.stringify(hex)}`);
  return { mode: 'lab65', l: lab.l, a: lab.a, b: lab.b };
}

/** The CIEDE2000 difference of two colours (CIE 142-2001); about 1 is just noticeable side by side. */
export function colourDifference(one: Lab, other: Lab): number {
  return difference(one, other);
}

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
  const { hasEffects = false, palette } = kindRows[kind];
  const draw = palette === undefined ? complexionDrawer(count, random) : paletteDrawer(palette, random);
  const colours = hasEffects
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

function paletteDrawer(palette: readonly ColourFamily[], random: Random): Drawer {
  const chance = new Chance(random);
  const families = [...palette];
  const weights = families.map((family) => family.weight);
  const between = ([from, to]: readonly [number, number]): number => from + (to - from) * random();
  return () => {
    const family = chance.weighted(families, weights);
    return fromHsl(between(family.hue), between(family.saturation), between(family.lightness));
  };
}
