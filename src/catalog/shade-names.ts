import { Chance } from 'chance';
import type { Random } from '../random.ts';
import type { ProductKind } from './catalog.ts';
import { type Colour, colourDifference, type Lab, labOf } from './colour.ts';
import { colourModifiers, colourNouns } from './colour-names.ts';
import { commonSkinNouns, skinDepths, skinNouns, skinUndertones } from './skin-names.ts';

/** How a line names its shades. */
export type NamingStyle = 'words' | 'number' | 'number-and-words' | 'given-names';

/** The shades of a line. */
export interface ShadesToName {
  readonly kind: ProductKind;
  readonly colours: readonly Colour[];
  readonly naming: NamingStyle;
}

/** Gives a name that is new at each call, such as a first name. */
type NameSource = () => string;

/**
 * Names for the shades of one line, in the order given; unique within the line. A noun comes from those nearest in
 * colour, with a modifier for the shade's difference from it. `givenName` is called only in the style `given-names`.
 */
export function nameShades(
  { colours, kind, naming }: ShadesToName,
  random: Random,
  givenName: NameSource,
): string[] {
  const chance = new Chance(random);
  const isComplexion = kind === 'foundation' || kind === 'concealer';
  const words = isComplexion ? skinWords(chance) : colourWords(chance);
  const numbers = numbering(colours.length, isComplexion, chance);
  const taken = new Set<string>();
  return colours.map((colour, index) => {
    const name = unused(taken, () => {
      if (naming === 'number') return numbers(index, colour);
      if (naming === 'given-names') return givenName();
      return words(colour);
    });
    return naming === 'number-and-words' ? `${numbers(index, colour)} ${name}` : name;
  });
}

/** The first new name that `propose` comes up with; failing that, one of its names with a number. */
function unused(taken: Set<string>, propose: () => string): string {
  let name = propose();
  for (let attempt = 0; attempt < 40 && taken.has(name); attempt++) name = propose();
  const base = name;
  for (let number = 2; taken.has(name); number++) name = `${base} No. ${number}`;
  taken.add(name);
  return name;
}

type Numbering = (index: number, colour: Colour) => string;

/** Numbers in sequence, in one of the ways that are seen in shops: `01`, `110`, `110N`, `N° 1`. */
function numbering(count: number, isComplexion: boolean, chance: Chance.Chance): Numbering {
  const digits = Math.max(2, String(count).length);
  const plain: Numbering = (index) => String(index + 1).padStart(digits, '0');
  const tens: Numbering = (index) => String(100 + 10 * (index + 1));
  const sign: Numbering = (index) => `N° ${index + 1}`;
  const withUndertone: Numbering = (index, colour) =>
    `${tens(index, colour)}${undertoneOf(colour).charAt(0).toUpperCase()}`;
  return chance.weighted([plain, tens, sign, withUndertone], [3, 3, 1, isComplexion ? 4 : 0]);
}

/** By hue: a third of complexion shades falls into each. */
function undertoneOf(colour: Colour): keyof typeof skinUndertones {
  if (colour.hue < 22.5) return 'cool';
  return colour.hue < 27.5 ? 'neutral' : 'warm';
}

type WordsFor = (colour: Colour) => string;

function skinWords(chance: Chance.Chance): WordsFor {
  const noun = nearestNoun(skinPalette, chance);
  // A line keeps to one manner for the most part: descriptors ("Medium Warm"), or things ("Warm Sand", "Honey").
  const [descriptors, described, alone] = chance.pickone([
    [6, 2, 1],
    [1, 3, 5],
    [2, 5, 3],
  ]) ?? [1, 1, 1];
  return (colour) => {
    const undertone = chance.weighted([...skinUndertones[undertoneOf(colour)]], [6, 2, 1]);
    const depth = skinDepths.find(([, leastLightness]) => colour.lab.l >= leastLightness)?.[0] ?? 'Very Deep';
    const manner = chance.weighted(['descriptors', 'described', 'alone'], [descriptors, described, alone]);
    if (manner === 'descriptors') return `${depth} ${undertone}`;
    const thing = noun(colour).name;
    return manner === 'alone' || thing.includes(undertone) ? thing : `${undertone} ${thing}`;
  };
}

function colourWords(chance: Chance.Chance): WordsFor {
  const noun = nearestNoun(colourPalette, chance);
  const modifiedShare = chance.pickone([25, 50, 80]);
  return (colour) => {
    const { name, lab } = noun(colour);
    if (!chance.bool({ likelihood: modifiedShare })) return name;
    const modifier = chance.pickone([...colourModifiers[contrast(colour.lab, lab)]]);
    return `${modifier} ${name}`;
  };
}

/** How a colour differs most from the one that its noun evokes. 6 units of L* or C* are plain to see. */
function contrast(colour: Lab, evoked: Lab): keyof typeof colourModifiers {
  const lightness = colour.l - evoked.l;
  const chroma = Math.hypot(colour.a, colour.b) - Math.hypot(evoked.a, evoked.b);
  if (Math.abs(lightness) < 6 && Math.abs(chroma) < 6) return 'alike';
  if (Math.abs(lightness) >= Math.abs(chroma)) return lightness > 0 ? 'lighter' : 'darker';
  return chroma > 0 ? 'brighter' : 'duller';
}

interface Noun {
  readonly name: string;
  readonly lab: Lab;
  /** How much nearer than it is a noun counts, for being common: a CIEDE2000 difference. */
  readonly favour: number;
}

const toNoun = ([name, hex]: readonly [name: string, hex: string]): Noun => ({
  name,
  lab: labOf(hex),
  // Enough to pass its near synonyms, too little to name a wrong colour.
  favour: commonSkinNouns.has(name) ? 4 : 0,
});
const skinPalette: readonly Noun[] = skinNouns.map(toNoun);
const colourPalette: readonly Noun[] = colourNouns.map(toNoun);

/** One of the nouns nearest in colour, preferring those not yet used in this line. */
function nearestNoun(palette: readonly Noun[], chance: Chance.Chance): (colour: Colour) => Noun {
  const uses = new Map<Noun, number>();
  const distances = new Map<Colour, readonly number[]>();
  return (colour) => {
    // A shade is named again until its name is new.
    const plain = distances.get(colour) ?? palette.map((noun) => distanceOf(noun, colour));
    distances.set(colour, plain);
    const ranked = palette
      // A word that was used counts as 6 further away, a difference that a shopper would not put down to chance.
      .map((noun, n) => ({ noun, distance: (plain[n] ?? 0) + 6 * (uses.get(noun) ?? 0) }))
      .sort((one, other) => one.distance - other.distance)
      // Only nouns about as near as the nearest: an aqua must not be called a mint because other nouns are used up.
      .filter(({ distance }, _, all) => distance <= (all[0]?.distance ?? 0) + 6)
      .slice(0, 4);
    const { noun } = chance.weighted(ranked, [5, 3, 2, 1].slice(0, ranked.length));
    uses.set(noun, (uses.get(noun) ?? 0) + 1);
    return noun;
  };
}

function distanceOf({ favour, lab }: Noun, colour: Colour): number {
  return colourDifference(lab, colour.lab) - favour;
}
