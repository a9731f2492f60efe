import { plainColours, smallLetters } from './colours.ts';
import { coveringArray } from './covering-array.ts';
import { idClasses, nameClasses } from './texts.ts';
import type { TextClass } from './value-class.ts';

/** A shade for a batch, in the fields that the interface gives. */
export type CornerShade = {
  readonly sku: string;
  readonly name: string;
  readonly hex: string;
  readonly finish: string;
};

/** Shades that a service may refuse for one reason: where a batch of all is rejected, each group is sent alone. */
interface CornerGroup {
  readonly name: string;
  readonly shades: readonly CornerShade[];
}

interface DrawnGroup {
  readonly name: string;
  readonly field: 'sku' | 'name' | 'hex';
  readonly classes: readonly TextClass[];
}

function ids(classes: readonly TextClass[], ...chosen: readonly string[]): TextClass[] {
  return classes.filter(({ id }) => chosen.includes(id));
}

const longTexts = ['characters-255', 'characters-256', 'bytes-255'];

/** The groups, those first that hardly any service refuses. */
const groups: readonly DrawnGroup[] = [
  { name: 'colours', field: 'hex', classes: plainColours },
  { name: 'names', field: 'name', classes: nameClasses.filter(({ id }) => !longTexts.includes(id)) },
  {
    name: 'skus',
    field: 'sku',
    classes: ids(
      idClasses,
      'case-pair',
      'one-character',
      'reserved-word',
      'number-look',
      'number-pair',
      'same-start-pair',
    ),
  },
  {
    name: 'odd-skus',
    field: 'sku',
    classes: ids(
      idClasses,
      'url-characters',
      'quotes',
      'wildcard-pair',
      'not-ascii',
      'trailing-space-pair',
      'composition-pair',
    ),
  },
  { name: 'small-letters', field: 'hex', classes: smallLetters },
  { name: 'long-names', field: 'name', classes: ids(nameClasses, ...longTexts) },
  { name: 'long-skus', field: 'sku', classes: ids(idClasses, ...longTexts) },
];

/** How many groups `cornerGroups` gives. */
export const groupCount = groups.length;

/**
 * Shades with values of every class, one unusual value in each shade. `unique`: goes into what may differ; `finishes`: those that
 * the service takes, in turn.
 */
export function cornerGroups(unique: string, finishes: readonly string[]): CornerGroup[] {
  return groups.map(({ classes, field, name }) => ({
    name,
    shades: valuesOf(classes, unique).map((value, place) => ({
      ...plainShade(`${name}-${place}-${unique}`, place, finishes[place % finishes.length] ?? ''),
      [field]: value,
    })),
  }));
}

function valuesOf(classes: readonly TextClass[], unique: string): readonly string[] {
  return classes.flatMap(({ make }) => make(unique));
}

function plainShade(sku: string, place: number, finish: string): CornerShade {
  const digits = (0x40_50_60 + place * 0x01_03_05).toString(16).toUpperCase();
  return { sku, name: `Corner ${place + 1}`, hex: `#${digits}`, finish };
}

/** With more of them, the shades would not go into one batch. */
const mostFinishes = 8;

/**
 * Shades in which the values of any two fields meet, from the groups that were accepted one by one. The SKUs are new: a word
 * or a number can be one SKU only, so classes of such values are left out.
 */
export function pairedShades(
  unique: string,
  finishes: readonly string[],
  accepted: readonly string[],
): CornerShade[] {
  const of = (field: DrawnGroup['field']): TextClass[] =>
    groups
      .filter((group) => group.field === field && accepted.includes(group.name))
      .flatMap((group) => group.classes);
  const skus = of('sku').filter(({ make }) => new Set([...make('1'), ...make('2')]).size > make('1').length);
  const makers = skus.flatMap(({ make }) =>
    make('').map((_, place) => (row: string) => make(row)[place] ?? row),
  );
  const names = valuesOf(of('name'), unique);
  const colours = valuesOf(of('hex'), unique);
  if (makers.length === 0 || names.length === 0 || colours.length === 0) return [];
  const sizes = [makers.length, names.length, colours.length, Math.min(mostFinishes, finishes.length)];
  return coveringArray(sizes).map(([sku = 0, name = 0, hex = 0, finish = 0], row) => ({
    sku: makers[sku]?.(`${unique}-${row}`) ?? '',
    name: names[name] ?? '',
    hex: colours[hex] ?? '',
    finish: finishes[finish] ?? '',
  }));
}
