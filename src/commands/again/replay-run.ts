import { existsSync } from 'node:fs';
import { differences, obstaclesTo } from '../../compare/comparable.ts';
import type { RunFacts } from '../../compare/facts.ts';
import { obstaclesInWords } from '../../compare/words.ts';
import { type ExitCode, exitCode, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import type { AgainArguments, ReplayArguments } from '../replay.ts';
import { environment } from '../run/environment.ts';
import { openTarget } from '../run/open-target.ts';
import { type RunParameters, runAgainst } from '../run/run-against.ts';
import { freeFolder } from '../run/run-folder.ts';
import { say } from '../run/say.ts';
import { parseWorkers } from '../run/workers.ts';
import { compareRuns } from './compare-runs.ts';
import { type Again, againOf } from './earlier-run.ts';
import { assertEnded, readSide } from './run-facts.ts';

/** Sends the plan of a run again and compares both; returns the exit code of the comparison. Throws usage and target errors. */
export async function replay(args: ReplayArguments): Promise<ExitCode> {
  const { dir, force } = args;
  await assertEnded(dir);
  const [earlier] = (await readSide(dir)).runs;
  if (earlier === undefined) throw usageError(`${dir}: not the folder of a run (no run.json in it)`);
  const again = await againOf(earlier.run, args);
  if (!force) assertComparable(dir, obstaclesTo(earlier, []));
  const outDir = newFolder(args, `${earlier.run.scenario.name}-replay`);
  const code = await sendAgain(again, args, outDir, {
    assertUseful: (info) => {
      if (!force) assertComparable(dir, differences(earlier, { name: outDir, run: info }));
      tell([...again.notes, ...otherKeys(earlier, info)]);
    },
  });
  // Of a run that ended early, the comparison would only say so.
  if (code !== exitCode.pass && code !== exitCode.checkFailed && code !== exitCode.inconclusive) return code;
  process.stdout.write('\n');
  return compareRuns({ ...args, base: dir, others: [outDir] });
}

function assertComparable(dir: string, obstacles: ReturnType<typeof obstaclesTo>): void {
  if (obstacles.length > 0)
    throw usageError(
      `a replay of ${dir} could not be compared with it (--force sends it): ${obstaclesInWords(obstacles)}`,
    );
}

/** Keys that the same role has now, and had not in the run. */
function otherKeys({ run }: Pick<RunFacts, 'run'>, now: RunInfo): string[] {
  if (run.target.kind === 'embedded') return [];
  const roles = Object.entries(run.keys).flatMap(([role, key]) =>
    now.keys[role as keyof typeof now.keys]?.fingerprint === key?.fingerprint ? [] : [role],
  );
  return roles.length === 0 ? [] : [`The run had other keys for ${roles.join(', ')}.`];
}

export function tell(notes: readonly string[]): void {
  for (const note of notes) say(`Note: ${note}`);
}

/** The folder for a run that is made again. Throws a usage error if it exists. */
export function newFolder({ out }: AgainArguments, name: string): string {
  const outDir = out ?? freeFolder(name);
  if (existsSync(outDir)) throw usageError(`--out: ${outDir} exists already; a run needs a new folder`);
  return outDir;
}

/** Makes a run again in a new folder. Throws usage and target errors. */
export async function sendAgain(
  { args, file }: Again,
  options: AgainArguments,
  outDir: string,
  more: Omit<RunParameters, 'file' | 'seed' | 'outDir' | 'wanted'>,
): Promise<ExitCode> {
  const target = await openTarget(args, file.scenario, environment(options['env-file']));
  try {
    const { seed = 0 } = args;
    return await runAgainst(target, args, {
      file,
      seed,
      outDir,
      wanted: parseWorkers(args.workers),
      ...more,
    });
  } finally {
    await target.close();
  }
}
