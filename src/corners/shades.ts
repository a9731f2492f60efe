import { plainColours, smallLetters } from './colours.ts';
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
