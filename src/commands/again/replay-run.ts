import { type ExitCode, exitCode, TryonError, usageError } from '../../exit.ts';
import { profileFieldsOf } from '../../history/history.ts';
import type { RunInfo } from '../../history/run.ts';
import { programVersion } from '../../program-files.ts';
import { differences, obstaclesTo } from '../../report/compare/comparable.ts';
import type { RunFacts } from '../../report/compare/facts.ts';
import { obstaclesInWords } from '../../report/compare/words.ts';
import { loadScenario, type ScenarioFile } from '../../scenario/files.ts';
import type { Layer } from '../../target/profile-layers.ts';
import type { AgainArguments, ReplayArguments, RunArguments } from '../options.ts';
import { openTarget } from '../run/open-target.ts';
import { parseWorkers, scenarioDigest } from '../run/plan-run.ts';
import { type RunParameters, runAgainst } from '../run/run-against.ts';
import { environment, freeFolder, newRunFolder, say } from '../shell.ts';
import { compareRuns } from './compare-runs.ts';
import { assertEnded, readSide } from './run-facts.ts';

/** Sends the plan of a run again and compares both; returns the exit code of the comparison. Throws usage and target errors. */
export async function replay(args: ReplayArguments): Promise<ExitCode> {
  const { dir, force } = args;
  await assertEnded(dir);
  const [earlier] = (await readSide(dir)).runs;
  if (earlier === undefined) throw usageError(`${dir}: not the folder of a run (no run.json in it)`);
  const again = await againOf(earlier.run, args);
  if (!force) assertComparable(dir, obstaclesTo(earlier, []));
  const outDir = newRunFolder(args.out ?? freeFolder(`${earlier.run.scenario.name}-replay`));
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

/** A run that is sent again. */
export interface Again {
  readonly file: ScenarioFile;
  /** The command line of `tryon run` that makes the run again. */
  readonly args: RunArguments;
  /** What may differ and is no reason to refuse, in sentences. */
  readonly notes: readonly string[];
}

/** How to send a run again. Throws a usage error if its scenario is gone or has changed. */
export async function againOf(run: RunInfo, options: AgainArguments): Promise<Again> {
  const file = await scenarioOf(run, options);
  const notes = [
    ...(run.versions.tryon === programVersion()
      ? []
      : [`Version ${run.versions.tryon ?? '?'} of tryon made the run, and this is ${programVersion()}.`]),
    ...(run.asked === undefined
      ? ['An older version made the run: it does not say its caps, nor what its scenario defined.']
      : []),
  ];
  return { file, args: argumentsOf(run, options), notes };
}

async function scenarioOf(run: RunInfo, { dir, scenario }: AgainArguments): Promise<ScenarioFile> {
  const name = scenario ?? run.asked?.scenario ?? run.scenario.name;
  const file = await loadScenario(name).catch((error: unknown) => {
    if (!(error instanceof TryonError)) throw error;
    throw usageError(`${dir}: its scenario is needed (--scenario FILE names it): ${error.message}`, error);
  });
  const digest = run.asked?.scenario_sha256;
  if (digest === undefined || digest === scenarioDigest(file)) return file;
  throw usageError(
    `${dir}: ${name} is not the scenario of the run, or was changed since: its plan cannot be sent again. Use tryon run`,
  );
}

function argumentsOf(run: RunInfo, options: AgainArguments): RunArguments {
  const { asked, planted, seed, workers } = run;
  const isEmbedded = run.target.kind === 'embedded' && options.target === undefined;
  return {
    ...options,
    scenario: asked?.scenario ?? run.scenario.name,
    seed,
    verbose: false,
    workers: workers === undefined ? undefined : String(workers),
    budget: asked?.budget,
    scale: asked?.scale,
    'max-requests': asked?.max_requests,
    'max-sessions': asked?.max_sessions,
    'max-minutes': asked?.max_minutes,
    defect: isEmbedded ? given(planted?.defects) : undefined,
    variant: isEmbedded ? given(planted?.variants) : undefined,
    earlier: options.profile === undefined ? earlierLayer(run, options) : undefined,
  };
}

function given(names: readonly string[] = []): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}

/** The profile of a run. At another target, it keeps only what the run promised. */
function earlierLayer(run: RunInfo, { dir, target }: AgainArguments): Layer {
  const { base_url: _, exclusive_keys, name, quota, ...promises } = profileFieldsOf(run);
  const sessions =
    typeof quota === 'object' && quota !== null && 'sessions' in quota ? quota.sessions : undefined;
  // Another target has another name. Whether its quota is unspent and whose keys it has is not known.
  const own =
    target === undefined
      ? { exclusive_keys, name, quota }
      : sessions === undefined
        ? {}
        : { quota: { sessions } };
  const address = run.target.kind === 'foreign' ? { base_url: run.target.base_url } : {};
  return { fields: { ...promises, ...own, ...address }, origin: () => `${dir}/run.json` };
}
