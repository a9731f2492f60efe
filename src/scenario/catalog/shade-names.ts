import { Chance } from 'chance';
import type { Random } from '../../random.ts';
import { kindRows, type ProductKind } from './catalog.ts';
import { type Colour, colourDifference, type Lab, labOf } from './colour.ts';

/** A noun that shades are named with, and the colour that it evokes. */
type ColourNoun = readonly [name: string, hex: string];

/** A list of names, each with the six digits of its colour. */
function nouns(text: string): readonly ColourNoun[] {
  return [...text.matchAll(/([^\n,]+) ([\dA-F]{6})\b/g)].map(([, name = '', digits]) => [
    name.trim(),
    `#${digits}`,
  ]);
}

/** The words that lip, cheek, eye and nail colours are named with. Ours. */
export const colourNouns = nouns(`
  Pinks:
  Ballet F4C6CF, Rosewater F0B9C0, Petal F2AFBB, Blush E8A6A1, Rosé E59AA4, Macaron F3C1B8, Tutu F6D3D8,
  Carnation F58FA0, Peony E57A98, Camellia D8607F, Bubblegum F77FB0, Orchid C66BB0, Fuchsia D6247E,
  Magenta C2187B, Hibiscus D1335B, Raspberry B3204D, Framboise A81C4A, Dragonfruit D92B74, Lychee F1C9C6,
  Guava E9747C, Pomelo F3A6A0, Rhodonite C25B7A, Rose Quartz EBBFC0, Bonbon F2A0B8, Dahlia B8376B,
  Pink Clay C98683, Tea Rose D9868A, Antique Rose C47A80, Rosewood 8B3F45, Rose Fané B5757A,
  Corals and oranges:
  Watermelon F0596B, Grapefruit F2786B, Coral F2705C, Salmon F08C79, Peach F5B08E, Pêche Melba F2A58C,
  Apricot F2A06B, Bellini F3B99A, Papaya F1874A, Tangerine EF6A2B, Persimmon DE5430, Clay B9694D,
  Terracotta B25B3F, Paprika B93A22, Sunstone D98056,
  Reds:
  Poppy E0341F, Scarlet C8171E, Rouge B5172B, Crimson A80F2C, Cerise C01F4F, Cherry 9E1030, Ruby 9B0F33,
  Carmine 96152E, Chilli B4201F, Brick 8C3426, Rust 9A4120, Negroni B8321F, Cayenne 9C2B20, Geranium D93A4C,
  Lacquer C20F2F,
  Wines and berries:
  Garnet 731326, Pomegranate 8E1838, Cranberry 8B1431, Sangria 7A1730, Burgundy 6B1028, Currant 64142C,
  Merlot 5C1428, Bordeaux 571225, Pinot Noir 4B1424, Mulberry 78224D, Beetroot 75203F, Plum 5E2144,
  Fig 5A2A3B, Black Cherry 3F0E1C, Blackberry 3F1430, Aubergine 3C1A35, Cassis 4F1737, Kir Royale 8A2A4A,
  Mûre 54203A, Damson 69304F,
  Purples and mauves:
  Mauve B07A8C, Heather 9E7F99, Dusk 8A5F75, Thistle C9B3CC, Lilac C3A0CF, Lavender B9A4DA, Wisteria A98AC4,
  Amethyst 8B5FA8, Iris 6C5BB5, Violet 6D3FA0, Grape 55276B, Velours 472452, Nightshade 2E1A3A,
  Blues:
  Periwinkle 8C93DB, Cornflower 6C8FDB, Moonstone D5D8DE, Sky 8EBFE3, Glacier C3DDE8, Azure 3E8FD0,
  Cobalt 1E49B8, Sapphire 1F3F99, Lapis 264C8F, Denim 3F5F8C, Indigo 2C2A6E, Midnight 171B3E, Lagoon 1C8FA0,
  Teal 1A7378, Turquoise 31B5B0, Naïade 4C7F96, Storm 56677F,
  Greens:
  Mint A8DCC3, Seafoam 8CC9AE, Jade 3C9A72, Malachite 1B7E57, Emerald 126B4A, Forest 22452F, Sage A3AF8E,
  Pistachio B8CB8C, Matcha 97A957, Moss 6B7440, Olive 6E6A34, Fern 4F7A45, Eucalyptus 7FA392, Basil 46663A,
  Aqua 63DEDB, Clover 3FA23C, Green Apple 86CF77,
  Yellows and golds:
  Limoncello F2DF6B, Citron DCCB45, Mimosa F4B850, Saffron EBA521, Marigold F0A01E, Gold C79A3E,
  Honey C88F3D, Amber BF7420, Champagne E9CFAE, Brass A98446,
  Browns and nudes:
  Nude D6A58E, Bare DDB6A0, Buff E2BFA4, Biscuit D8B48F, Sand D2B08C, Fawn C49C7A, Latte BC9270,
  Praliné B58058, Caramel B07340, Copper AD5B33, Cinnamon 9A5731, Toffee 8F5A34, Bronze 8A5A32,
  Chestnut 743C28, Café 6E4A37, Mocha 75503A, Cocoa 5F3A2A, Espresso 3F2820, Truffle 5B4840, Mink 7A6055,
  Taupe 8E7969, Mushroom A48F80, Driftwood 9B8671, Cashmere CBB09A, Suede 9C7A5C, Crème F3E3C8,
  Vanilla F1DDB4, Shell F0D3C4, Chai AD7B56, Ginger B77B4A,
  Whites, greys and blacks:
  Pearl EFE5DA, Ivory F2E6D2, Oyster CFC4B8, Opal E6E1E6, Dove B4B0AE, Smoke 7D7F84, Slate 5A6470,
  Graphite 3E4146, Onyx 17161A, Obsidian 201D22, Noir 121014, Ash 938E8B,
`);

/** How a shade may differ from the colour of its noun, and the words for it. */
export const colourModifiers = {
  lighter: ['Soft', 'Pale', 'Sheer', 'Misty'],
  darker: ['Deep', 'Dark', 'Rich', 'Intense'],
  duller: ['Dusty', 'Smoky', 'Muted', 'Vintage'],
  brighter: ['Bright', 'Vivid', 'Wild'],
  alike: ['Velvet', 'Sweet', 'Modern', 'Crushed', 'French', 'Satin', 'First', 'Secret'],
} as const;

/**
 * The nouns for complexion shades: descriptors, foods, drinks, gems, rocks, textiles and skin. These are the groups of "The
 * Naked Truth" (see figures.ts); its commonest words are neutral, medium, light, warm, deep, porcelain, ivory, fair, tan
 * and sand. Colours are ours.
 */
export const skinNouns = nouns(`
  Gems, rocks and fine things:
  Porcelain F6E2D3, Alabaster F5E4D8, Ivory F3DDC3, Shell F2D6C4, Pearl EFDCCB, Opal F1DACB,
  Rose Quartz EFCBBB, Quartz EBC8B4, Limestone DDC1A0, Sandstone C89A6E, Citrine C69355, Topaz B67B45,
  Amber B5763C, Tiger’s Eye 8A5A2C, Jasper 84472A, Smoky Quartz 6D4A34, Sienna 8B5230, Terracotta 9A5837,
  Umber 66432A, Bronze A26A3D,
  Textiles, woods, land:
  Linen EED4B8, Chiffon F0D3B4, Silk F1D8BE, Cashmere D9B08C, Suede A97B55, Sand D3A77B, Dune CFA57A,
  Desert C3955F, Wheat D9AE77, Mahogany 5B2E1D, Ebony 3B241A, Sable 49301F, Chestnut 7A4526, Walnut 6B4426,
  Sequoia 77422A,
  Skin:
  Bare E3BC9C, Nude DDB290, Natural D9AE86, Buff E8C6A0, Beige DDB793, Bisque EFCFB0, Tan B98254,
  Golden C79458, Glow D29E6C,
  Foods:
  Vanilla F4DDB8, Cream F3D9B5, Crème Fraîche F5E3CC, Chantilly F7E6D0, Meringue F3DEC3, Eggshell F2DFC8,
  Oat E3C4A0, Macaron E9C3A0, Brioche D8A56C, Biscuit D6AA78, Shortbread DDB586, Pêche E5B08C,
  Apricot D99A6B, Honey C98F55, Almond BF8C60, Butterscotch B9793F, Caramel AD733F, Caramel Doré B87C45,
  Praliné AB7347, Maple A5683A, Toffee 9B6237, Noisette 9C6B42, Hazelnut 96633B, Ginger B5743F,
  Cinnamon 93582F, Pecan 85522D, Nutmeg 84512F, Clove 5F3A22, Cocoa 5E3922, Cacao 53311F, Chocolate 512F1D,
  Truffle 4B3022, Molasses 482A1A, Date 6A3B22, Fig 5A3426,
  Drinks:
  Almond Milk EBCFAE, Champagne ECCDA4, Prosecco EBCFA0, Latte BE9168, Café au Lait B78A63, Chai B07E50,
  Macchiato A87A50, Cappuccino A47650, Cognac 8A4F26, Bourbon 91582C, Rooibos 83452A, Mocha 6F452A,
  Coffee 593A26, Espresso 43281A, Rum 7A4523,
`);

/** The nouns among the ten commonest words. */
export const commonSkinNouns: ReadonlySet<string> = new Set(['Porcelain', 'Ivory', 'Tan', 'Sand']);

/** Descriptors of depth with the least CIELAB lightness L* that each names, lightest first. Bounds ours. */
export const skinDepths: readonly (readonly [name: string, leastLightness: number])[] = [
  ['Fair', 86],
  ['Light', 80],
  ['Light Medium', 74],
  ['Medium', 65],
  ['Tan', 56],
  ['Medium Deep', 47],
  ['Deep', 35],
  ['Very Deep', 0],
];

/**
 * Words for undertones, commonest first. In HSL, skin with a pink (cool) undertone has a lower hue than skin with a
 * golden (warm) one.
 */
export const skinUndertones = {
  cool: ['Cool', 'Rosy', 'Rosé'],
  neutral: ['Neutral', 'Natural', 'Nude'],
  warm: ['Warm', 'Golden', 'Doré'],
} as const;

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
  const isComplexion = kindRows[kind].palette === undefined;
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
    const plain =
      distances.get(colour) ?? palette.map(({ favour, lab }) => colourDifference(lab, colour.lab) - favour);
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
