import type { Faker, FakerOptions } from '@faker-js/faker';
// The package's front door loads every language there is: 35 MiB and a tenth of a second.
import { faker as french } from '@faker-js/faker/locale/fr';
import { Chance } from 'chance';
import type { Random } from '../random.ts';
import { namingShares } from './figures.ts';
import { brandSuffixes, brandWords } from './line-names.ts';
import type { NamingStyle } from './shade-names.ts';

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
    () => `${chance.pickone([...brandWords])} ${chance.pickone([...brandSuffixes])}`,
    () => chance.pickone([...brandWords]),
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
  const letters = asciiLetters(name)
    .toUpperCase()
    .replace(/^MAISON/, '');
  const consonants = letters.slice(1).replace(/[AEIOU]/g, '');
  return `${letters.charAt(0)}${consonants}XXX`.slice(0, 3);
}

/** A text without accents, spaces and signs: `Éloïse & Co` is `EloiseCo`. */
function asciiLetters(text: string): string {
  return text.normalize('NFD').replace(/[^a-z]/gi, '');
}
