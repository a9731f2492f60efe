import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../../amounts.ts';
import { mostOf } from '../../drive/budget.ts';
import { type ExitCode, exitCode, usageError } from '../../exit.ts';
import { differences } from '../../report/compare/comparable.ts';
import { obstaclesInWords } from '../../report/compare/words.ts';
import { tally } from '../../report/words.ts';
import { loadScenario } from '../../scenario/files.ts';
import type { RunArguments } from '../options.ts';
import { confirm, durationInWords } from '../run/announce.ts';
import { conclude, exitFor } from '../run/conclude.ts';
import { assertBudget } from '../run/fit-budget.ts';
import { readObserveSettings } from '../run/observe.ts';
import { openTarget, previewTarget, type Target } from '../run/open-target.ts';
import { type PlannedRun, type PlanParameters, parseWorkers, planRun } from '../run/plan-run.ts';
import { runAgainst } from '../run/run-against.ts';
import { describeRun } from '../run/run-info.ts';
import { environment, freeFolder, makeFolder, newRunFolder, newSeed, onInterrupt, say } from '../shell.ts';
import { compareRuns } from './compare-runs.ts';

type SideName = 'a' | 'b';
const sideNames: readonly SideName[] = ['a', 'b'];

/** One side: the command line of its runs, and how the first of them is planned. */
interface RepeatedSide {
  readonly args: RunArguments;
  readonly target: Target;
  readonly planned: PlannedRun;
}
type Sides = Readonly<Record<SideName, RepeatedSide>>;

/** A B, B A, A B …: a drift of the machine meets both sides alike. */
export function orderOf(repeat: number): readonly SideName[] {
  return Array.from({ length: repeat }, (_, pair): SideName[] =>
    pair % 2 === 0 ? ['a', 'b'] : ['b', 'a'],
  ).flat();
}

/** Runs a scenario several times against each of two targets, and compares them. Throws usage and target errors. */
export async function repeatRuns(args: RunArguments): Promise<ExitCode> {
  const { against, repeat } = args;
  if (repeat === undefined) throw usageError('--against: needs --repeat N, the number of runs of each side');
  if (against === undefined)
    throw usageError('--repeat: needs --against PROFILE, the profile of the other side');
  if (args['write-profile'] !== undefined)
    throw usageError('--write-profile: takes the results of one run, so it cannot be used with --repeat');
  for (const name of ['shard', 'gather'] as const)
    if (args[name] !== undefined)
      throw usageError(`--${name}: sends a part of one run, so it cannot be used with --repeat`);
  const file = await loadScenario(args.scenario);
  assertBudget(file, args);
  // Whatever it says that is wrong is said before the first run.
  readObserveSettings(args, environment(args['env-file']));
  const seed = args.seed ?? newSeed(process.env);
  const parameters = { file, seed, wanted: parseWorkers(args.workers) };
  const dir = args.out ?? freeFolder(`${file.scenario.name}-repeated`);
  newRunFolder(dir);
  const other = { ...args, profile: against, target: undefined, key: undefined };
  const sides = { a: sideOf(args, parameters), b: sideOf(other, parameters) };
  assertComparable(sides);
  process.stdout.write(announcement(sides, repeat, parameters));
  for (const { target } of Object.values(sides)) await confirm(target, args.yes);
  await makeFolder(dir);
  const code = await runInTurn(sides, orderOf(repeat), parameters, dir);
  if (code !== undefined) return code;
  process.stdout.write('\n');
  const fixed = { margin: 5, force: false, strict: false };
  return compareRuns({ base: join(dir, 'a'), others: [join(dir, 'b')], ...fixed });
}

function sideOf(args: RunArguments, parameters: PlanParameters): RepeatedSide {
  const target = previewTarget(args, parameters.file.scenario, environment(args['env-file']));
  return { args, target, planned: planRun(target, args, parameters) };
}

/** Throws a usage error where a comparison of the runs would be refused. */
function assertComparable({ a, b }: Sides): void {
  const of = (name: string, { planned }: RepeatedSide) => ({ name, run: describeRun(planned, 0) });
  const obstacles = differences(of('A', a), of('B', b));
  if (obstacles.length > 0)
    throw usageError(`--against: runs of A and B could not be compared: ${obstaclesInWords(obstacles)}`);
}

/** What all runs together will take. */
function announcement(sides: Sides, repeat: number, { file, seed }: PlanParameters): string {
  const budgets = Object.values(sides).map(({ planned }) => planned.budget);
  const sum = (of: (budget: PlannedRun['budget']) => number): number =>
    repeat * budgets.reduce((total, budget) => total + of(budget), 0);
  const most = (what: 'requests' | 'sessions') => sum((budget) => mostOf(budget, what));
  const time = { totalMs: sum(({ totalMs }) => totalMs), studyMs: sum(({ studyMs }) => studyMs) };
  const turns = orderOf(Math.min(repeat, 4)).join(' ').toUpperCase();
  return [
    `Scenario ${file.scenario.name}, seed ${seed}: ${counted(repeat, 'run')} of each side`,
    ...sideNames.map((name) => {
      const { baseUrl, kind, profile } = sides[name].target;
      const where = kind === 'embedded' ? profile.name : `${baseUrl.href} (${profile.name})`;
      return `${name.toUpperCase()}        ${where}`;
    }),
    `Order    ${turns}${repeat > 4 ? ' …' : ''}`,
    `Takes    ${durationInWords(time)} in all`,
    `Sends    up to ${counted(most('requests'), 'request')}, ${counted(most('sessions'), 'new session')} in all`,
    '',
  ].join('\n');
}

/** Makes the runs. Returns an exit code where they ended early; what is complete is kept. */
async function runInTurn(
  sides: Sides,
  order: readonly SideName[],
  parameters: PlanParameters,
  dir: string,
): Promise<ExitCode | undefined> {
  const made: Record<SideName, number> = { a: 0, b: 0 };
  const state = { isInterrupted: false };
  const off = onInterrupt(
    () => {
      state.isInterrupted = true;
    },
    () => process.exit(exitCode.interrupted),
  );
  // Only complete runs get to the folders of the sides, whatever ends this one.
  const underWay = join(dir, 'incomplete');
  try {
    for (const side of sideNames) await makeFolder(join(dir, side));
    for (const [at, side] of order.entries()) {
      const place = join(dir, side, String(made[side] + 1));
      process.stdout.write(`\nRun ${at + 1} of ${order.length}: ${place}\n`);
      const code = await runOnce(sides[side].args, parameters, underWay, () => state.isInterrupted);
      if (code !== exitCode.pass && code !== exitCode.checkFailed && code !== exitCode.inconclusive)
        return code;
      await rename(underWay, place);
      made[side]++;
      if (state.isInterrupted) return exitCode.interrupted;
    }
    return undefined;
  } catch (error) {
    if (state.isInterrupted) return exitCode.interrupted;
    throw error;
  } finally {
    off();
    const { a, b } = made;
    if (a + b < order.length) {
      say(`Ended early. Complete: ${counted(a, 'run')} of A, ${counted(b, 'run')} of B.`);
      if (a > 0 && b > 0) say(`tryon compare ${join(dir, 'a')} ${join(dir, 'b')} compares them.`);
    }
  }
}

async function runOnce(
  args: RunArguments,
  parameters: PlanParameters,
  outDir: string,
  isInterrupted: () => boolean,
): Promise<ExitCode> {
  const env = environment(args['env-file']);
  const target = await openTarget(args, parameters.file.scenario, env);
  try {
    if (isInterrupted()) return exitCode.interrupted;
    const confirmed = { ...args, yes: true };
    return await runAgainst(target, confirmed, {
      ...parameters,
      observing: readObserveSettings(args, env),
      outDir,
      isAnnounced: true,
      judge: async () => {
        const judgement = await conclude(outDir, { isQuiet: true });
        const bound = judgement.generatorBound ? '; generator-bound: remove it to compare the others' : '';
        process.stdout.write(`  ${judgement.verdict}: ${tally(judgement.checks)}${bound}\n`);
        return exitFor(judgement);
      },
    });
  } finally {
    await target.close();
  }
}
