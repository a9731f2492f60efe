import { z } from 'zod';
import { usageError } from '../../exit.ts';
import { type Case, expectations, harmlessRuns, honestRuns, type RunKind } from './expectations.ts';

/** What `tryon serve --list-defects --json` prints. */
export const listingSchema = z.object({
  defects: z.array(
    z.object({ id: z.string(), grade: z.int().min(1).max(4), group: z.string(), title: z.string() }),
  ),
  variants: z.array(z.object({ name: z.string(), title: z.string() })),
});
export type Listing = z.output<typeof listingSchema>;

/** The service as it is, among the variants. */
export const honest = 'honest';

/** Which cases are wanted; with nothing said, all of them. */
export interface Selection {
  readonly defects?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
  readonly firstSeed: number;
  /** How many seeds each harmless case is run with. */
  readonly seeds: number;
}

/** How long a run takes, roughly and among themselves: the long ones are to be begun first. */
const longestFirst: readonly RunKind[] = [
  'limiter',
  'launch',
  'quota',
  'edge',
  'busy',
  'crossed',
  'shoppers',
  'audit',
];

/** The cases that a selection wants. Throws a usage error for a name that does not exist. */
export function chooseCases(listing: Listing, selection: Selection): Case[] {
  const { firstSeed, seeds } = selection;
  const everything = selection.defects === undefined && selection.variants === undefined;
  const all = listing.defects.map(({ id }) => id);
  const wanted = selection.defects ?? (everything ? all : []);
  assertKnown('--defect', wanted, all);
  const harmless = [{ name: honest, title: 'The service without changes' }, ...listing.variants];
  const names = harmless.map(({ name }) => name);
  const variants = selection.variants ?? (everything ? names : []);
  assertKnown('--variant', variants, names);
  const cases = [
    ...listing.defects
      .filter(({ id }) => wanted.includes(id))
      .map(({ id, grade, title }): Case => {
        const expected = expectations[id];
        if (expected === undefined) throw new Error(`there is no expectation for defect ${id}`);
        return { id, grade, title, run: expected.run, seed: firstSeed, expected };
      }),
    ...harmless
      .filter(({ name }) => variants.includes(name))
      .flatMap(({ name, title }) => {
        const runs = name === honest ? honestRuns : harmlessRuns(name);
        return runs.flatMap((run) =>
          Array.from({ length: seeds }, (_, at): Case => ({ id: name, title, run, seed: firstSeed + at })),
        );
      }),
  ];
  return cases.toSorted((a, b) => longestFirst.indexOf(a.run) - longestFirst.indexOf(b.run));
}

function assertKnown(option: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw usageError(
      `${option}: there is no ${JSON.stringify(unknown)} (tryon serve --list-defects lists all)`,
    );
  }
}
