import { hash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunEnd } from '../assess.ts';
import { eachAtOnce, longestRunMs, readVerdicts } from '../conduct.ts';
import type { Programs } from '../program.ts';
import { BaselineRuns } from './baseline.ts';
import { type CodeCoverage, readCoverage } from './coverage.ts';
import type { Mutant } from './enumerate.ts';
import { plant } from './plant.ts';
import type { MutantRun } from './runs.ts';
import { type TriedMutant, triedMutant, triedMutantSchema, tryMutant } from './try.ts';

/** Tries the mutants that the results do not hold yet, and appends each to them. */
export async function conductMutants(
  mutants: readonly Mutant[],
  options: {
    readonly programs: Programs;
    readonly runs: readonly MutantRun[];
    readonly folder: string;
    /** The OpenAPI description of the service, a file: what it promises beyond the interface. */
    readonly description?: string;
    /** Files of the service. */
    readonly paths: readonly string[];
    readonly jobs: number;
    /** Tries those too that have a result; the last one counts. */
    readonly again?: boolean;
    readonly goesOn: () => boolean;
    readonly onTried: (tried: TriedMutant) => void;
    readonly onMeasured: (run: string) => void;
  },
): Promise<void> {
  const {
    again = false,
    description,
    folder,
    goesOn,
    jobs,
    onMeasured,
    onTried,
    paths,
    programs,
    runs,
  } = options;
  const scratch = join(folder, 'runs');
  await mkdir(scratch, { recursive: true });
  const program = await programDigest();
  let count = 0;

  const runOnce = async (
    name: string,
    mutant: Mutant | undefined,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RunEnd> => {
    const run = runs.find((each) => each.name === name);
    if (run === undefined) throw new Error(`there is no run ${name}`);
    const out = join(scratch, `${process.pid}-${++count}`);
    const profile = `${out}.profile.json`;
    const planted = `${out}.planted.json`;
    await writeFile(profile, JSON.stringify({ ...run.profile, openapi: description }));
    const environment = { ...more, ...(await plant(planted, mutant, run.serve)) };
    const { code, output } = await programs.run(run.arguments(out, profile), longestRunMs, environment);
    const end = { code, output, ...(await readVerdicts(out)) };
    await Promise.all([out, profile, planted].map((each) => rm(each, { recursive: true, force: true })));
    return end;
  };

  const measure = async (name: string): Promise<{ end: RunEnd; coverage: CodeCoverage }> => {
    const written = join(scratch, `coverage-${process.pid}-${name}`);
    const end = await runOnce(name, undefined, { NODE_V8_COVERAGE: written });
    const coverage = await readCoverage(written, paths);
    await rm(written, { recursive: true, force: true });
    onMeasured(name);
    return { end, coverage };
  };

  const baseline = await BaselineRuns.open({ folder, program, measure });
  const tryOne = async (mutant: Mutant): Promise<void> => {
    const began = performance.now();
    const tried = await tryMutant(
      mutant,
      runs,
      (name) => baseline.run(name),
      (changed, name) => runOnce(name, changed),
    ).catch((error: unknown) => {
      // A run that was interrupted did not pass, and that shows nothing.
      if (goesOn()) throw error;
    });
    if (!goesOn() || tried === undefined) return;
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const result = triedMutant(mutant, tried, { seconds, program });
    await appendFile(resultsFile(folder), `${JSON.stringify(result)}\n`);
    onTried(result);
  };
  // A last line that was cut off stays alone.
  await appendFile(resultsFile(folder), '\n');
  const known = new Set((await readResults(folder)).map(({ id }) => id));
  const open = mutants.filter(({ id }) => again || !known.has(id));
  await eachAtOnce(open, jobs, tryOne, goesOn);
}

/** The results so far, in the order in which they came. */
export async function readResults(folder: string): Promise<TriedMutant[]> {
  let text: string;
  try {
    text = await readFile(resultsFile(folder), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => parsedLine(line) ?? []);
}

/** A line that was cut off belongs to a mutant that is tried again. */
function parsedLine(line: string): TriedMutant | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return triedMutantSchema.parse(value);
}

function resultsFile(folder: string): string {
  return join(folder, 'mutants.jsonl');
}

/** Tells one version of the program from another. */
export async function programDigest(): Promise<string> {
  const source = fileURLToPath(new URL('../..', import.meta.url));
  const names = (await readdir(source, { recursive: true })).filter((name) => /\.[jt]s$/.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
  return hash('sha256', JSON.stringify([names, texts])).slice(0, 12);
}
