import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { exitCode, targetError } from '../../exit.ts';
import type { RunEnd } from '../assess.ts';
import { type Coverage, coverageSchema, isReached } from './coverage.ts';
import type { BaselineRun } from './try.ts';

const baselineSchema = z.object({
  /** Digest of the program that made it. */
  program: z.string(),
  runs: z.array(z.object({ name: z.string(), inconclusive: z.array(z.string()), coverage: coverageSchema })),
});
type Baseline = z.output<typeof baselineSchema>;
type Measured = Baseline['runs'][number];

const fileIn = (folder: string): string => join(folder, 'baseline.json');

/**
 * The runs of the service as it is: what they cannot judge, and which code they reach. Read from the folder where the
 * same program wrote it, and otherwise made.
 */
export async function baselineRuns(options: {
  readonly folder: string;
  readonly program: string;
  readonly names: readonly string[];
  /** Runs the service as it is, and says which of its code ran. */
  readonly measure: (name: string) => Promise<{ readonly end: RunEnd; readonly coverage: Coverage }>;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly onMeasured: (name: string) => void;
}): Promise<BaselineRun[]> {
  const { folder, measure, names, onMeasured, program, write } = options;
  const known = await readBaseline(folder);
  const runs: Measured[] = known?.program === program ? [...known.runs] : [];
  for (const name of names) {
    if (runs.some((run) => run.name === name)) continue;
    const { coverage, end } = await measure(name);
    runs.push({ name, coverage, inconclusive: inconclusiveIn(name, end) });
    await write(fileIn(folder), JSON.stringify({ program, runs } satisfies Baseline));
    onMeasured(name);
  }
  return names.flatMap((name) => {
    const run = runs.find((each) => each.name === name);
    if (run === undefined) return [];
    return [
      {
        name,
        inconclusive: run.inconclusive,
        reaches: ({ path, start }) => isReached(run.coverage, path, start),
      } satisfies BaselineRun,
    ];
  });
}

/** Throws a target error for a run that fails: then a mutant that fails shows nothing. */
function inconclusiveIn(name: string, { checks, code, output }: RunEnd): string[] {
  const failed = (checks ?? []).filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  if (checks === undefined || (code !== exitCode.pass && code !== exitCode.inconclusive)) {
    const why = failed.length > 0 ? `${failed.join(', ')} failed` : (output.trim().split('\n').at(-1) ?? '');
    throw targetError(
      `run ${name} of the reference service without a mutant did not pass: ${why}. Try again on a quieter machine`,
    );
  }
  return checks.filter(({ verdict }) => verdict === 'inconclusive').map(({ id }) => id);
}

async function readBaseline(folder: string): Promise<Baseline | undefined> {
  try {
    return baselineSchema.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch {
    // There is none, or half of one: it is made again.
    return undefined;
  }
}
