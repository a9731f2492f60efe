import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { exitCode, targetError } from '../../exit.ts';
import { writeWhole } from '../../report/write-file.ts';
import type { RunEnd } from '../assess.ts';
import { type CodeCoverage, coverageSchema, isReached } from './coverage.ts';
import type { BaselineRun } from './try.ts';

const baselineSchema = z.object({
  /** Digest of the program that made it. */
  program: z.string(),
  runs: z.array(z.object({ name: z.string(), inconclusive: z.array(z.string()), coverage: coverageSchema })),
});
type Measured = z.output<typeof baselineSchema>['runs'][number];

/**
 * Runs of the service as it is: what they cannot judge, and which code they reach. Each is made when it is first asked
 * for, and read from the folder where the same program wrote it.
 */
export class BaselineRuns {
  readonly #file: string;
  readonly #program: string;
  readonly #measure: (name: string) => Promise<{ readonly end: RunEnd; readonly coverage: CodeCoverage }>;
  readonly #runs = new Map<string, Promise<Measured>>();

  private constructor(
    { folder, measure, program }: Parameters<typeof BaselineRuns.open>[0],
    known: readonly Measured[],
  ) {
    this.#file = fileIn(folder);
    this.#program = program;
    this.#measure = measure;
    for (const run of known) this.#runs.set(run.name, Promise.resolve(run));
  }

  static async open(options: {
    readonly folder: string;
    readonly program: string;
    /** Runs the service as it is, and says which of its code ran. */
    readonly measure: (name: string) => Promise<{ readonly end: RunEnd; readonly coverage: CodeCoverage }>;
  }): Promise<BaselineRuns> {
    return new BaselineRuns(options, await readRuns(fileIn(options.folder), options.program));
  }

  /** Throws a target error where the service as it is does not pass: then a mutant that fails shows nothing. */
  async run(name: string): Promise<BaselineRun> {
    let made = this.#runs.get(name);
    if (made === undefined) {
      made = this.#make(name);
      this.#runs.set(name, made);
    }
    const { coverage, inconclusive } = await made;
    return { inconclusive, reaches: ({ path, start }) => isReached(coverage, path, start) };
  }

  async #make(name: string): Promise<Measured> {
    const { coverage, end } = await this.#measure(name);
    const run = { name, coverage, inconclusive: inconclusiveIn(name, end) };
    const known = await readRuns(this.#file, this.#program);
    await writeWhole(this.#file, JSON.stringify({ program: this.#program, runs: [...known, run] }));
    return run;
  }
}

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

function fileIn(folder: string): string {
  return join(folder, 'baseline.json');
}

async function readRuns(file: string, program: string): Promise<readonly Measured[]> {
  try {
    const written = baselineSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return written.program === program ? written.runs : [];
  } catch {
    // There is none, or half of one: it is made again.
    return [];
  }
}
