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
import type { Keys } from '../../target/keys.ts';
import { eachRole, type Role } from '../../vocabulary/roles.ts';
import type { SimulateArguments } from '../options.ts';
import { assertBudget, fitBudget } from './fit-budget.ts';
import { embeddedAs, profileLayers } from './open-target.ts';
import { prepare } from './prepare.ts';

/** The tag of `tryon catalog`, which so shows the products and shades of a simulation. */
const tag = 'preview';

/** Nothing is sent, so a key is no more than a role that has one. */
const keys: Keys = eachRole(() => ({ value: '', from: 'simulation' }));

/** Simulates a scenario from the command line, and prints the result. Throws usage errors. */
export async function simulateScenario(args: SimulateArguments): Promise<void> {
  const file = await loadScenario(args.scenario);
  assertBudget(file, args);
  const days = daysOf(args);
  const { seed } = args;
  const { input } = profileLayers(args, process.env);
  const { profile } = embeddedAs(args, input, file.scenario);
  const { leftOut: untold, scenario } = fitBudget(file, args, { profile, keys }, seed);
  const played = days === undefined ? scenario : overDays(scenario, days);
  const { catalogs, plan } = prepare(played, { profile, keys }, { seed, tag });
  const closed = plan.phases.filter(({ kind }) => kind !== 'open').map(({ phase }) => phase.name);
  if (closed.length === plan.phases.length) {
    throw usageError(
      `scenario ${scenario.name}: all of its load depends on answers, so there is nothing to simulate; use --sessions-per-day to play days of its shoppers`,
    );
  }
  // A run spends the quota on a separate key; a shop has one key, and one pricing plan.
  const quota = days === undefined ? profile.quota.sessions : input.quota?.sessions;
  const bounded: readonly Role[] =
    quota === undefined ? [] : days === undefined ? ['quota', 'twin'] : ['load'];
  const quotas = Object.fromEntries(bounded.map((role) => [role, quota]));
  const model = modelOf(profile, quotas, args.limiter);
  const startMs = performance.now();
  const outcome = play({
    plan,
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
    leftOut: closed,
    untold: untold.map(({ name, why }) => `${name}: ${why}`),
    model,
    outcome,
  };
  process.stdout.write(
    args.json
      ? `${JSON.stringify(simulationJson(simulated), null, 2)}\n`
      : `${renderSimulation(simulated)}\nPlayed in ${span(tookMs)}.\n`,
  );
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
