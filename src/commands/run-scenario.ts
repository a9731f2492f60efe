import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { budgetOf } from '../drive/budget.ts';
import { systemClock } from '../drive/clock.ts';
import { Drive, type Ending } from '../drive/run.ts';
import { type ExitCode, exitCode, TryonError, usageError } from '../exit.ts';
import type { RunInfo } from '../history/run.ts';
import { HistoryWriter } from '../history/writer.ts';
import { loadScenario } from '../scenario/files.ts';
import { announcement, assertCaps, confirm } from './announce.ts';
import { conclude, exitFor } from './conclude.ts';
import { openTarget, prepare, type Target } from './prepare.ts';
import type { RunArguments } from './run.ts';
import { describeRun } from './run-info.ts';
import { watch } from './watch.ts';

/** Runs a scenario from the command line; returns the exit code. Throws usage and target errors. */
export async function runScenario(args: RunArguments): Promise<ExitCode> {
  const scenario = await loadScenario(args.scenario);
  const seed = args.seed ?? Math.floor(Math.random() * 2 ** 32);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw usageError(`--seed: expected a whole number from 0, got ${seed}`);
  assertCaps(args);
  const outDir = args.out ?? join('reports', `${scenario.scenario.name}-${utcStamp(new Date())}`);
  if (existsSync(outDir))
    throw usageError(`--out: ${outDir} exists already; a run never writes into another's folder`);
  const target = await openTarget(args, scenario.scenario, process.env);
  try {
    return await runAgainst(target, args, scenario, seed, outDir);
  } finally {
    await target.close();
  }
}

async function runAgainst(
  target: Target,
  args: RunArguments,
  scenario: Awaited<ReturnType<typeof loadScenario>>,
  seed: number,
  outDir: string,
): Promise<ExitCode> {
  const prepared = prepare(scenario.scenario, seed, target);
  const { catalogs, plan, tag } = prepared;
  const budget = budgetOf(prepared, scenario.scenario, target.profile);
  process.stdout.write(
    `Scenario ${scenario.scenario.name}, seed ${seed}\n${announcement(target, budget, args)}`,
  );
  await confirm(target, args.yes);

  const clock = systemClock();
  const info = describeRun({ scenario, seed, target, prepared, budget, zeroEpochMs: clock.zeroEpochMs });
  await makeFolder(outDir);
  await writeRunInfo(outDir, info);
  const writer = await HistoryWriter.create(outDir);
  const drive = new Drive({
    tag,
    seed,
    scenario: scenario.scenario,
    plan,
    catalogs,
    roles: prepared.roles,
    baseUrl: target.baseUrl,
    profile: target.profile,
    keys: target.keys,
    pool: target.pool,
    clock,
    writer,
    quotaTried: prepared.quotaAttempts > 0 && target.keys.quota !== undefined,
    cap: {
      requests: args['max-requests'] ?? Number.POSITIVE_INFINITY,
      sessions: args['max-sessions'] ?? Number.POSITIVE_INFINITY,
      reserved: budget.aroundRequests,
    },
  });
  const unwatch = watch({
    drive,
    info,
    clock,
    plan,
    aroundMs: budget.aroundMs,
    maxMinutes: args['max-minutes'],
  });
  const { ending, error } = await driven(drive, clock.zeroEpochMs);
  unwatch();
  await writer.close().catch((failure: unknown) => {
    throw new TryonError(
      exitCode.targetUnreachable,
      `the history in ${outDir} could not be written: ${String(failure)}`,
      { cause: failure },
    );
  });
  await writeRunInfo(outDir, { ...info, ended: ending });
  if (error !== undefined && drive.statistics.statuses.size === 0) throw error;
  const judgement = await conclude(outDir);
  if (error !== undefined) throw error;
  return exitAfter(ending, judgement);
}

/** Drives to the end, whatever the end. A target that cannot be used is an ending too, with the error to show. */
async function driven(drive: Drive, zeroEpochMs: number): Promise<{ ending: Ending; error?: TryonError }> {
  try {
    return { ending: await drive.run() };
  } catch (error) {
    if (!(error instanceof TryonError)) throw error;
    return {
      ending: { at_epoch_ms: Math.max(zeroEpochMs, Date.now()), how: 'error', detail: error.message },
      error,
    };
  }
}

function exitAfter(ending: Ending, judgement: Parameters<typeof exitFor>[0]): ExitCode {
  switch (ending.how) {
    case 'interrupted':
      return exitCode.interrupted;
    case 'kill-switch':
    case 'error':
      return exitCode.targetUnreachable;
    default:
      return exitFor(judgement);
  }
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (error) {
    throw usageError(`--out: cannot make ${dir}: ${error instanceof Error ? error.message : ''}`, error);
  }
}

async function writeRunInfo(dir: string, info: RunInfo): Promise<void> {
  try {
    await writeFile(join(dir, 'run.json'), `${JSON.stringify(info, null, 2)}\n`);
  } catch (error) {
    throw usageError(
      `${join(dir, 'run.json')}: cannot be written: ${error instanceof Error ? error.message : ''}`,
      error,
    );
  }
}

/** `2026-05-01T12-00-00Z`: sorts by time and suits every file system. */
function utcStamp(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(':', '-').concat('Z');
}
