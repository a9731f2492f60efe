import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { urlOf } from './plant.ts';

/** How often a part of a file ran. Ranges lie within each other; the smallest one holds. */
const rangeSchema = z.tuple([z.int(), z.int(), z.int()]).readonly();
/** By file below `src/`: the ranges of each process that loaded it. */
export const coverageSchema = z.record(z.string(), z.array(z.array(rangeSchema)));
export type CodeCoverage = z.output<typeof coverageSchema>;

const writtenByNode = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          ranges: z.array(z.object({ startOffset: z.int(), endOffset: z.int(), count: z.int() })),
        }),
      ),
    }),
  ),
});

/** Reads what Node wrote into the folder `NODE_V8_COVERAGE`, of these files. */
export async function readCoverage(folder: string, paths: readonly string[]): Promise<CodeCoverage> {
  const pathOf = new Map(paths.map((path) => [urlOf(path), path]));
  const coverage: CodeCoverage = {};
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const { result } = writtenByNode.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
    for (const { functions, url } of result) {
      const path = pathOf.get(url);
      if (path === undefined) continue;
      const ranges = functions
        .flatMap((each) => each.ranges)
        .map(({ count, endOffset, startOffset }) => [startOffset, endOffset, count] as const);
      coverage[path] = [...(coverage[path] ?? []), ranges];
    }
  }
  return coverage;
}

/** Whether the place in a file ran. Node removes types without moving anything, so places are those of the source. */
export function isReached(coverage: CodeCoverage, path: string, at: number): boolean {
  return (coverage[path] ?? []).some((ranges) => {
    const around = ranges.filter(([start, end]) => start <= at && at < end);
    const smallest = around.toSorted(([a, b], [c, d]) => b - a - (d - c))[0];
    return smallest !== undefined && smallest[2] > 0;
  });
}
