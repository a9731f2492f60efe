import { z } from 'zod';
import { usageError } from '../exit.ts';
import { type Expectation, expectations, harmlessRuns, honestRuns } from './expectations.ts';
import type { RunKind } from './runs.ts';

/** What `tryon serve --list-defects --json` prints. */
export const listingSchema = z.object({
  defects: z.array(
    z.object({ id: z.string(), grade: z.int().min(1).max(4), group: z.string(), title: z.string() }),
  ),
  variants: z.array(z.object({ name: z.string(), title: z.string() })),
});
export type Listing = z.output<typeof listingSchema>;

/** A run of the service with a defect, which has to fail for the right reason. */
export interface DefectCase {
  readonly kind: 'defect';
  readonly id: string;
  readonly grade: number;
  readonly title: string;
  readonly run: RunKind;
  readonly seed: number;
  readonly expected: Expectation;
}

/** A run of the service as it is, or with a harmless variant, which must not fail. */
export interface HarmlessCase {
  readonly kind: 'harmless';
  /** `honest`, or the variant's name. */
  readonly id: string;
  readonly title: string;
  readonly run: RunKind;
  readonly seed: number;
}

export type Case = DefectCase | HarmlessCase;

/** The service as it is, among the variants. */
export const honest = 'honest';

/** Which cases are wanted; with nothing said, all of them. */
export interface Selection {
  readonly defects?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
  readonly grades?: readonly number[] | undefined;
  readonly firstSeed: number;
  /** How many seeds each harmless case is run with. */
  readonly seeds: number;
}

/** How long a run takes, roughly and among themselves: the long ones are to be begun first. */
const longestFirst: readonly RunKind[] = ['limiter', 'launch', 'quota', 'edge', 'busy', 'shoppers', 'audit'];

/** The cases that a selection wants. Throws a usage error for a name that there is not. */
export function chooseCases(listing: Listing, selection: Selection): Case[] {
  const everything =
    selection.defects === undefined && selection.variants === undefined && selection.grades === undefined;
  const all = listing.defects.map(({ id }) => id);
  const wanted = selection.defects ?? (everything || selection.grades !== undefined ? all : []);
  assertKnown('--defect', wanted, all);
  const names = [honest, ...listing.variants.map(({ name }) => name)];
  const variants = selection.variants ?? (everything ? names : []);
  assertKnown('--variant', variants, names);
  const cases = [
    ...listing.defects
      .filter(({ id, grade }) => wanted.includes(id) && (selection.grades?.includes(grade) ?? true))
      .map(({ id, grade, title }) => defectCase(id, grade, title, selection.firstSeed)),
    ...names
      .filter((name) => variants.includes(name))
      .flatMap((name) => harmlessCases(name, listing, selection)),
  ];
  if (cases.length === 0)
    throw usageError(
      `--grade: none of ${wanted.join(', ')} is of grade ${selection.grades?.join(', ') ?? ''} (tryon serve --list-defects lists grades)`,
    );
  return cases.toSorted((a, b) => longestFirst.indexOf(a.run) - longestFirst.indexOf(b.run));
}

function defectCase(id: string, grade: number, title: string, seed: number): DefectCase {
  const expected = expectations[id];
  if (expected === undefined) throw new Error(`there is no expectation for defect ${id}`);
  return { kind: 'defect', id, grade, title, run: expected.run, seed, expected };
}

function harmlessCases(id: string, listing: Listing, { firstSeed, seeds }: Selection): HarmlessCase[] {
  const title =
    id === honest
      ? 'The service without changes'
      : (listing.variants.find(({ name }) => name === id)?.title ?? id);
  const runs = id === honest ? honestRuns : harmlessRuns(id);
  return runs.flatMap((run) =>
    Array.from(
      { length: seeds },
      (_, index): HarmlessCase => ({
        kind: 'harmless',
        id,
        title,
        run,
        seed: firstSeed + index,
      }),
    ),
  );
}

function assertKnown(option: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw usageError(
      `${option}: there is no ${JSON.stringify(unknown)} (tryon serve --list-defects lists all)`,
    );
  }
}
