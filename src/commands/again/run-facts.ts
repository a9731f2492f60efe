import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { counted } from '../../amounts.ts';
import { kneeOf } from '../../checks/capacity/knee.ts';
import { readCapacity } from '../../checks/capacity/steps.ts';
import { TryonError, usageError } from '../../exit.ts';
import { parseVersioned } from '../../history/files.ts';
import { type History, openHistory } from '../../history/history.ts';
import { runInfoSchema, runInfoVersion } from '../../history/run.ts';
import { parametersOf } from '../../report/compare/changes.ts';
import type { RunFacts, Side } from '../../report/compare/facts.ts';
import {
  type FiguresFile,
  figuresFileSchema,
  figuresOf,
  figuresVersion,
} from '../../report/compare/facts.ts';
import type { JsonObject } from '../../target/json.ts';

/** The runs of a folder: itself, or each folder in it that is the folder of a run. Throws usage errors. */
export async function readSide(dir: string): Promise<Side> {
  const runs: RunFacts[] = [];
  for (const folder of await runsIn(dir)) runs.push(await readFacts(folder));
  return { name: dir, runs };
}

/** Of a folder with many runs, those that can be read; and why others cannot. Throws a usage error if none can. */
export async function readReadable(
  dir: string,
): Promise<{ readonly runs: readonly RunFacts[]; readonly unreadable: readonly string[] }> {
  const [runs, unreadable]: [RunFacts[], string[]] = [[], []];
  for (const folder of await runsIn(dir)) {
    try {
      runs.push(await readFacts(folder));
    } catch (error) {
      if (!(error instanceof TryonError)) throw error;
      unreadable.push(error.message);
    }
  }
  const [why] = unreadable;
  if (runs.length === 0 && why !== undefined) {
    const others = unreadable.length - 1;
    throw usageError(others === 0 ? why : `${why}; ${counted(others, 'other run')} cannot be read either`);
  }
  return { runs, unreadable };
}

async function runsIn(dir: string): Promise<string[]> {
  if (isRun(dir)) return [dir];
  const folders = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw usageError(`${dir}: no such folder`, error);
  });
  const runs = folders
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(dir, name))
    .filter(isRun);
  if (runs.length === 0)
    throw usageError(`${dir}: neither the folder of a run nor a folder with several (no run.json in it)`);
  return runs.toSorted();
}

export function isRun(dir: string): boolean {
  return existsSync(join(dir, 'run.json'));
}

/** The versions of the files that this program writes. */
const versions = { 'run.json': runInfoVersion, 'verdicts.json': 2, 'figures.json': figuresVersion } as const;

const verdictsSchema = z.object({
  run: z.object({ generator_bound: z.boolean() }),
  checks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      verdict: z.enum(['pass', 'fail', 'inconclusive']),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  limiter: z.unknown().optional(),
});

/** Throws a usage error if a folder is not that of a run of this version, or if the run has no end. */
export async function assertEnded(dir: string): Promise<void> {
  if (!isRun(dir)) throw usageError(`${dir}: not the folder of a run (no run.json in it)`);
  const described = await readVersioned(dir, 'run.json');
  if (described.ended === undefined)
    throw usageError(`${dir}: the run has no end: it is still running or was cut off`);
}

async function readFacts(dir: string): Promise<RunFacts> {
  await assertEnded(dir);
  const verdicts = verdictsSchema.safeParse(await readVersioned(dir, 'verdicts.json'));
  if (!verdicts.success) throw usageError(`${join(dir, 'verdicts.json')}: not the verdicts of a run`);
  const { checks, limiter, run } = verdicts.data;
  return {
    name: dir,
    isGeneratorBound: run.generator_bound,
    verdicts: checks,
    parameters: parametersOf(checks, limiter),
    ...(existsSync(join(dir, 'history')) ? await measuredIn(dir) : await summarizedIn(dir)),
  };
}

/** From the history, which has to be as the run closed it. */
async function measuredIn(dir: string): Promise<Pick<RunFacts, 'run' | 'figures'>> {
  const history = await openHistory(dir).catch((error: unknown) => {
    throw usageError(`${dir}: the history cannot be read (tryon verify ${dir} says more)`, error);
  });
  try {
    if (history.integrity.kind === 'altered')
      throw usageError(
        `${dir}: the history was changed after the run: ${history.integrity.differences.join('; ')}`,
      );
    return { run: history.run, figures: await measureFigures(history) };
  } finally {
    history.close();
  }
}

/** Without a history, from the summary that the run left. */
async function summarizedIn(dir: string): Promise<Pick<RunFacts, 'run' | 'figures'>> {
  const figures = figuresFileSchema.safeParse(await readVersioned(dir, 'figures.json'));
  if (!figures.success) throw usageError(`${join(dir, 'figures.json')}: not the figures of a run`);
  return { run: runInfoSchema.parse(await readVersioned(dir, 'run.json')), figures: figures.data };
}

/** A file of the run as JSON, if it has the version that this program knows. */
async function readVersioned(dir: string, name: keyof typeof versions): Promise<JsonObject> {
  const file = join(dir, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${dir}: no ${name} in it (tryon report ${dir} writes verdicts)`, error);
  });
  return parseVersioned(file, text, versions[name]);
}

/** What `figures.json` says of a run: of the 2xx answers of its planned load, and of its capacity study. */
export async function measureFigures(history: History): Promise<FiguresFile> {
  const planned = `FROM requests WHERE stage = 'load' AND planned IS NOT NULL AND probe IS NULL
    AND status BETWEEN 200 AND 299 AND answered_ns IS NOT NULL`;
  const endpoints = await history.rows(
    z.object({ endpoint: z.string() }),
    `SELECT DISTINCT endpoint ${planned} ORDER BY endpoint`,
  );
  const [times = new Float64Array(), places = new Float64Array()] = await history.columns(
    `SELECT ((answered_ns - intended_ns) / 1e6)::DOUBLE, (dense_rank() OVER (ORDER BY endpoint) - 1)::DOUBLE ${planned}
     ORDER BY intended_ns, seq`,
  );
  const capacity = await readCapacity(history);
  return figuresOf(
    // A logarithm is taken of each: a microsecond stands for less.
    times.map((each) => Math.max(1e-3, each)),
    endpoints.map(({ endpoint }) => endpoint),
    (place) => places[place] ?? 0,
    capacity === undefined ? undefined : kneeOf(capacity.rate).keeps,
  );
}
