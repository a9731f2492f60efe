import { span } from '../../amounts.ts';
import { usageError } from '../../exit.ts';
import { loadScenario } from '../../scenario/files.ts';
import {
  comeInWaves,
  modelOf,
  overDays,
  type Simulated,
  type SimulatedDays,
} from '../../simulate/assumptions.ts';
import { play } from '../../simulate/play.ts';
import { renderSimulation, simulationJson } from '../../simulate/print.ts';
import { eachRole, type Role } from '../../vocabulary/roles.ts';
import { planOptions, runOptions, type SimulateArguments } from '../options.ts';
import { say } from '../shell.ts';
import { announcement } from './announce.ts';
import { assertBudget } from './fit-budget.ts';
import { embeddedAs, profileLayers, type Target } from './open-target.ts';
import { parseWorkers, planRun } from './plan-run.ts';
import { prepare } from './prepare.ts';

/** The tag of `tryon catalog`, which so shows the products and shades of a simulation. */
const tag = 'preview';

/** Simulates a scenario from the command line, and prints what a run would cost and get. Throws usage errors. */
export async function simulateScenario(args: SimulateArguments): Promise<void> {
  const file = await loadScenario(args.scenario);
  assertBudget(file, args);
  const days = daysOf(args);
  const { seed } = args;
  const { input } = profileLayers(args, process.env);
  const { options, profile } = embeddedAs(args, input, file.scenario);
  const target: Target = {
    kind: 'embedded',
    baseUrl: new URL(input.base_url ?? 'http://127.0.0.1/v1'),
    profile,
    // Nothing is sent, so a key is no more than a role that has one.
    keys: eachRole(() => ({ value: '', from: 'simulation' })),
    pool: Array.from({ length: options.poolKeys }, () => ''),
    close: () => Promise.resolve(),
  };
  const run = planRun(target, args, { file, seed, wanted: parseWorkers(args.workers), tag });
  const { scenario } = run;
  const { catalogs, plan } =
    days === undefined ? run : prepare(overDays(scenario, days), target, { seed, tag });
  // A run spends the quota on a separate key; a shop has one key, and one pricing plan.
  const quota = days === undefined ? profile.quota.sessions : input.quota?.sessions;
  const bounded: readonly Role[] =
    quota === undefined ? [] : days === undefined ? ['quota', 'twin'] : ['load'];
  const quotas = Object.fromEntries(bounded.map((role) => [role, quota]));
  const model = modelOf(profile, quotas, args.limiter);
  const startMs = performance.now();
  const outcome = play({
    plan,
    cap: days === undefined ? run.loadCap : undefined,
    model,
    catalog: catalogs.load,
    days: days?.days ?? 0,
    onProgress: (atNs) => draw(`\r${Math.floor((100 * atNs) / plan.horizonNs)} % played`),
  });
  const tookMs = performance.now() - startMs;
  draw('\r\u001b[K');
  const simulated: Simulated = {
    scenario,
    seed,
    ...(days === undefined ? {} : { days: { ...days, inWaves: comeInWaves(scenario.load) } }),
    leftOut: days === undefined ? scenario.study.map(({ kind }) => `the study of ${kind}`) : [],
    untold: run.leftOut.map(({ name, why }) => `${name}: ${why}`),
    model,
    outcome,
  };
  if (args.json) {
    process.stdout.write(`${JSON.stringify(simulationJson(simulated), null, 2)}\n`);
    return;
  }
  if (days === undefined) process.stdout.write(`A run:\n${announcement(run)}`);
  const idle = Object.keys(runOptions).filter(
    (name) =>
      !(name in planOptions) && Object.entries(args).some(([given, value]) => given === name && value),
  );
  if (idle.length > 0) say(`Without effect here: ${idle.map((name) => `--${name}`).join(', ')}`);
  process.stdout.write(`\n${renderSimulation(simulated)}\nPlayed in ${span(tookMs)}.\n`);
}

/** On a separate line that is overwritten; only for a terminal. */
function draw(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(text);
}

function daysOf({ days, 'sessions-per-day': sessionsPerDay }: SimulateArguments): SimulatedDays | undefined {
  if (sessionsPerDay === undefined) {
    if (days !== undefined) throw usageError('--days: needs --sessions-per-day');
    return undefined;
  }
  return { sessionsPerDay, days: days ?? 1 };
}
