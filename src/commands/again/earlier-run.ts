import { TryonError, usageError } from '../../exit.ts';
import { profileFieldsOf } from '../../history/history.ts';
import type { RunInfo } from '../../history/run.ts';
import { programVersion } from '../../program-files.ts';
import { loadScenario, type ScenarioFile } from '../../scenario/files.ts';
import type { Layer } from '../../target/profile-layers.ts';
import type { AgainArguments } from '../replay.ts';
import { scenarioDigest } from '../run/plan-run.ts';
import type { RunArguments } from '../run.ts';

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
    'k6-names': false,
    workers: workers === undefined ? undefined : String(workers),
    budget: asked?.budget,
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
