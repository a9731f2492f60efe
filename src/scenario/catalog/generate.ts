import type { Faker, FakerOptions } from '@faker-js/faker';
// The package's front door loads every language there is: 35 MiB and a tenth of a second.
import { faker as french } from '@faker-js/faker/locale/fr';
import { Chance } from 'chance';
import { type Random, randomStream } from '../../random.ts';
import type { Shade } from '../../wire.ts';
import {
  type Catalog,
  kindRows,
  type Product,
  type ProductKind,
  productKinds,
  sizeQuantiles,
} from './catalog.ts';
import { lineColours } from './colour.ts';
import { givenNameShare, namingShares, quantile, sameBrandShare, visibleDifference } from './figures.ts';
import { type NamingStyle, nameShades, type ShadesToName } from './shade-names.ts';

interface CatalogOptions {
  readonly seed: number;
  /** Unique to the run, such as `r7k2f9`: catalog id, product ids and SKUs carry it. Letters, digits, `_` and `-`. */
  readonly tag: string;
  /** How many product lines. */
  readonly products: number;
  /** Kinds of product to choose from; all by default. */
  readonly kinds?: readonly ProductKind[];
  /** Finish values to choose from. By default only `matte`, the one value that the interface shows. */
  readonly finishes?: readonly string[];
  /** Default `en-GB`. */
  readonly locale?: string | undefined;
}

/**
 * A catalog of a cosmetics shop, as a function of its options: equal options give equal bytes, and product line p
 * does not depend on the lines after it. SKUs are unique in the catalog, names and colours in their line; shades of a
 * line are at least `visibleDifference` apart. Throws a `RangeError` on impossible options.
 */
export function generateCatalog(options: CatalogOptions): Catalog {
  const {
    seed,
    tag,
    products: count,
    kinds = productKinds,
    finishes = ['matte'],
    locale = 'en-GB',
  } = options;
  checkTag(tag);
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`expected at least one product, got ${count}`);
  if (kinds.length === 0) throw new RangeError('expected at least one kind of product');
  checkFinishes(finishes);

  const brands: Brand[] = [];
  const names = new Set<string>();
  const products: Product[] = [];
  for (let index = 0; index < count; index++) {
    const random = randomStream(seed, 'product', index);
    const chance = new Chance(random);
    // Every kind once, in order, so that a small catalog is a varied one; then by weight.
    const kind =
      kinds[index] ??
      chance.weighted(
        [...kinds],
        kinds.map((each) => kindRows[each].weight),
      );
    const brand = chooseBrand(brands, random);
    const name = lineName(brand, kind, names, chance);
    const number = String(index + 1).padStart(2, '0');
    const shadeCount = Math.round(quantile(sizeQuantiles(kindRows[kind]), random()));
    const givenNames = kind !== 'eyeshadow' && !isComplexion(kind) && random() < givenNameShare;
    // Numbers alone are for complexion; a house that uses them there gives its colours a word as well.
    const naming = brand.naming === 'number' && !isComplexion(kind) ? 'number-and-words' : brand.naming;
    products.push({
      id: `${slug(name)}-${number}-${tag}`,
      kind,
      brand: brand.name,
      name,
      shades: makeShades({
        kind,
        colours: lineColours(kind, shadeCount, visibleDifference, random),
        naming: givenNames ? 'given-names' : naming,
        finishes,
        sku: (shade) => `${brand.code}-${kindRows[kind].code}${number}-${shade}-${tag}`,
        random,
      }),
    });
  }
  return { id: `catalog-${tag}`, products, locale };
}

interface ShadeBatchOptions {
  readonly seed: number;
  /** As in `CatalogOptions`. */
  readonly tag: string;
  readonly count: number;
  readonly finishes?: readonly string[];
}

/**
 * Exactly `count` valid shades with unique SKUs, names and colours, to probe the limits of a batch import; the
 * colours may look alike. Throws a `RangeError` on a malformed tag or a negative count.
 */
export function generateShades(options: ShadeBatchOptions): Shade[] {
  const { seed, tag, count, finishes = ['matte'] } = options;
  checkTag(tag);
  checkFinishes(finishes);
  if (!Number.isInteger(count) || count < 0) throw new RangeError(`expected a count of shades, got ${count}`);
  const random = randomStream(seed, 'shade-batch', count);
  return makeShades({
    kind: 'nail-polish',
    colours: lineColours('nail-polish', count, 0, random),
    naming: 'words',
    finishes,
    sku: (shade) => `batch-${shade}-${tag}`,
    random,
  });
}

interface LineParts extends ShadesToName {
  readonly finishes: readonly string[];
  /** SKU of the shade with this number, such as `007`. */
  readonly sku: (shadeNumber: string) => string;
  readonly random: Random;
}

function makeShades({ kind, colours, naming, finishes, sku, random }: LineParts): Shade[] {
  const faker = fakerOn(random);
  const names = nameShades({ kind, colours, naming }, random, () => faker.person.firstName('female'));
  const chance = new Chance(random);
  const weights = finishes.map((finish) => kindRows[kind].finishes[finish] ?? 1);
  // Finishes of which none suits the kind are as good as each other.
  const usable = weights.some((weight) => weight > 0) ? weights : weights.map(() => 1);
  const chooseFinish = (): string => chance.weighted([...finishes], usable);
  const lineFinish = chooseFinish();
  return colours.map((colour, index) => ({
    sku: sku(String(index + 1).padStart(3, '0')),
    name: names[index] ?? '',
    hex: colour.hex,
    finish: kindRows[kind].hasMixedFinishes === true ? chooseFinish() : lineFinish,
  }));
}

function chooseBrand(brands: Brand[], random: Random): Brand {
  const known = brands[Math.floor(random() * brands.length)];
  if (known !== undefined && random() < sameBrandShare) return known;
  const brand = inventBrand(random, new Set(brands.map(({ name }) => name)));
  brands.push(brand);
  return brand;
}

function isComplexion(kind: ProductKind): boolean {
  return kindRows[kind].palette === undefined;
}

function slug(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function checkTag(tag: string): void {
  if (!/^[\w-]{1,40}$/.test(tag)) {
    throw new RangeError(`expected a tag of 1 to 40 letters, digits, "_" or "-", got ${JSON.stringify(tag)}`);
  }
}

function checkFinishes(finishes: readonly string[]): void {
  if (finishes.length === 0 || finishes.includes(''))
    throw new RangeError('expected at least one finish, none empty');
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** First parts of brand names that are not a person's. Made up; none is meant to be an existing house. */
const brandWords = words(`
  Halcyon Vesper Solène Noctua Aubade Marisol Ondine Perle Lumen Fable Sorrel Wren Ciel Ember Juniper
  Palais Orris Tansy Velia Nacre
`);

/** The second word of a brand name. */
const brandSuffixes = words(`
  Beauty Cosmetics Paris Botanica Studio Skin Lab
`);

/** First parts of the names of product lines. */
const lineAdjectives = words(`
  Velvet Soft Silk Bare Second Liquid Featherlight Luminous Endless Pure Midnight Daily Cloud Quiet
  Modern Golden High Slow Satin Wild
`);

/** A house whose lines share a name and a way of naming shades. */
export interface Brand {
  readonly name: string;
  /** Three ASCII letters, for SKUs; not unique. */
  readonly code: string;
  readonly naming: NamingStyle;
}

const FakerOf = french.constructor as new (options: FakerOptions) => Faker;

/** faker on one of our own streams, with French first, so that names carry the accents that real shops have. */
export function fakerOn(random: Random): Faker {
  // Seeding is the stream's business: faker only ever draws the next number from it.
  return new FakerOf({ locale: french.rawDefinitions, randomizer: { next: random, seed: () => undefined } });
}

/** Invents a house, with a name not in `known`. */
export function inventBrand(random: Random, known: ReadonlySet<string>): Brand {
  const chance = new Chance(random);
  const faker = fakerOn(random);
  const forms: readonly (() => string)[] = [
    () => `${chance.pickone(brandWords)} ${chance.pickone(brandSuffixes)}`,
    () => chance.pickone(brandWords),
    () => `Maison ${faker.person.lastName()}`,
    () => `${faker.person.firstName('female')} ${faker.person.lastName()}`,
    () => `${faker.person.lastName()} & ${faker.person.lastName()}`,
  ];
  const invent = (): string => chance.weighted([...forms], [4, 2, 3, 3, 1])();
  let name = invent();
  for (let attempt = 0; attempt < 50 && known.has(name); attempt++) name = invent();
  const unique = known.has(name) ? `${name} ${known.size + 1}` : name;
  return { name: unique, code: codeOf(unique), naming: chance.weighted(namingStyles, namingWeights) };
}

const namingStyles: NamingStyle[] = ['words', 'number-and-words', 'number'];
const namingWeights = [namingShares.words, namingShares.numberAndWords, namingShares.number];

/** The first letter and the next two consonants of a name, or as near as it comes: `Halcyon Beauty` is `HLC`. */
function codeOf(name: string): string {
  const ascii = name.normalize('NFD').replace(/[^a-z]/gi, '');
  const letters = ascii.toUpperCase().replace(/^MAISON/, '');
  const consonants = letters.slice(1).replace(/[AEIOU]/g, '');
  return `${letters.charAt(0)}${consonants}XXX`.slice(0, 3);
}

/** `Velvet Hour Lipstick`: new to the catalog, also across brands, so that a report can use it alone. */
export function lineName(brand: Brand, kind: ProductKind, taken: Set<string>, chance: Chance.Chance): string {
  const { name: kindName, nouns } = kindRows[kind];
  const invent = (): string => `${chance.pickone(lineAdjectives)} ${chance.pickone([...nouns])} ${kindName}`;
  let name = invent();
  for (let attempt = 0; attempt < 50 && taken.has(name); attempt++) name = invent();
  const base = taken.has(name) ? `${brand.name} ${name}` : name;
  name = base;
  for (let edition = 2; taken.has(name); edition++) name = `${base} ${edition}`;
  taken.add(name);
  return name;
}
