import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { counted, number } from '../../amounts.ts';
import { systemClock } from '../../drive/clock/clock.ts';
import { shardWords } from '../../drive/gather/shards.ts';
import type { RunCap } from '../../drive/load/load.ts';
import type { Ending } from '../../drive/record/ending.ts';
import { Drive } from '../../drive/run.ts';
import {
  type ExitCode,
  exitCode,
  readOption,
  systemWords,
  TryonError,
  usageError,
  writeError,
} from '../../exit.ts';
import { addColumnarCopy } from '../../history/columnar.ts';
import { descriptionFile, segmentCount } from '../../history/files.ts';
import { endDigest, type RunInfo, runDigest } from '../../history/run.ts';
import { HistoryWriter } from '../../history/writer.ts';
import { visible } from '../../report/text.ts';
import { writeWhole } from '../../report/words.ts';
import { openTranslation } from '../../target/adapt/adapter-translation.ts';
import { parseDurationMs } from '../../vocabulary/quantities.ts';
import type { RunArguments } from '../options.ts';
import { makeFolder, makeFreeFolder, onInterrupt } from '../shell.ts';
import { announcement, confirm } from './announce.ts';
import { type Joined, shareOfShard } from './join-shards.ts';
import {
  type Observation,
  type ObserveSettings,
  observe,
  readObserveSettings,
  verdictsOf,
} from './observe.ts';
import { openDescription } from './open-description.ts';
import type { Target } from './open-target.ts';
import { type PlanParameters, planRun } from './plan-run.ts';
import { describeRun } from './run-info.ts';
import { watch } from './watch.ts';

/** How long a target may take to become ready, where the command line does not say. */
const usualWait = '5s';

/** The signal that ended the load may arrive once more, and late on a busy machine: it is not to cost the verdicts. */
const lateSignalMs = 2_000;

/** A planned run, and how it is made. */
export interface RunParameters extends PlanParameters {
  /** By default a new folder in `reports/`. */
  readonly outDir?: string | undefined;
  /** Throws a usage error where a run as described is of no use; nothing was sent yet. */
  readonly assertUseful?: (info: RunInfo) => void;
  /** Judges the run in its folder; by default as `tryon run` does, which prints a summary. */
  readonly judge?: (ending: Ending, outDir: string) => Promise<ExitCode>;
  /** Families of the contract probes that are wanted; undefined: all. */
  readonly onlyProbes?: readonly string[] | undefined;
  /** The caller has announced the run. */
  readonly isAnnounced?: boolean;
  /** Of a run that is one shard of several. */
  readonly joined?: Joined;
  /** What the run shows of itself; nothing by default. */
  readonly observing?: ObserveSettings;
}

/** Runs a scenario against a target that is ready, and judges it; returns the exit code. Throws usage and target errors. */
export async function runAgainst(
  target: Target,
  args: RunArguments,
  parameters: RunParameters,
): Promise<ExitCode> {
  const { assertUseful, joined, observing = readObserveSettings({}, {}) } = parameters;
  const waitReadyMs = readOption('--wait-ready', () => parseDurationMs(args['wait-ready'] ?? usualWait));
  const translation = await openTranslation(target.profile, target.baseUrl);
  const run = planRun(target, args, { ...parameters, description: await openDescription(target) });
  const { budget, description, scenario, shard, workers } = run;
  assertUseful?.(describeRun(run, Date.now()));
  if (parameters.isAnnounced !== true)
    process.stdout.write(`Scenario ${scenario.name}, seed ${run.seed}\n${announcement(run, waitReadyMs)}`);
  await confirm(target, args.yes);
  const clock = joined?.clock ?? systemClock();
  let drive: Drive | undefined;
  const inFlight = (): number => drive?.inFlight ?? 0;
  const observation = await observe(observing, { run, translation, clock, inFlight });
  process.stdout.write(observation.text);
  const { judge = (_ending, dir) => judgeRun(dir, args, observation) } = parameters;
  const info = describeRun(run, clock.zeroEpochMs, observation.observed.traceRun);
  const caps: RunCap = {
    requests: args['max-requests'] ?? Number.POSITIVE_INFINITY,
    sessions: args['max-sessions'] ?? Number.POSITIVE_INFINITY,
    reserved: budget.settleRequests + budget.exploreRequests,
  };
  const own =
    shard === undefined ? { profile: target.profile, cap: caps } : shareOfShard(shard, target.profile, caps);
  const outDir = parameters.outDir ?? (await makeFreeFolder(scenario.name));
  await makeFolder(outDir);
  await writeRunInfo(outDir, info);
  try {
    await joined?.meeting.agree(info);
  } catch (error) {
    // Nothing was sent: once that is put right, this shard may come again.
    await rm(outDir, { recursive: true });
    await observation.exporting?.close();
    throw error;
  }
  const writer = await startHistory(outDir);
  if (description !== undefined) await writeText(join(outDir, 'history', descriptionFile), description.text);
  drive = new Drive({
    ...target,
    ...run,
    ...own,
    ...{ clock, observed: observation.observed, translation, waitReadyMs, writer },
    sharing:
      workers.count === 1 ? undefined : { workers: workers.count, planInput: run.planInput, runDir: outDir },
    roles: run.imported,
    part: joined,
    described: description?.headers,
    quotaTried: run.quotaAttempts > 0 && target.keys.quota !== undefined,
    isFresh: target.profile.exclusive_keys,
    onlyProbes: parameters.onlyProbes,
  });
  const watched = watch({ drive, info, clock, run });
  let isJudging = false;
  const offInterrupt = onInterrupt(watched.interrupt, () => {
    if (!isJudging) process.exit(exitCode.interrupted);
  });
  const { ending: ended, error } = await drive.run();
  const ending = { ...ended, ...(await joined?.atEnd()) };
  isJudging = true;
  // Judging holds up the thread for seconds, in which no listener is called: a signal then ends the program by itself.
  if (ending.how === 'interrupted') setTimeout(offInterrupt, lateSignalMs).unref();
  else offInterrupt();
  // While the history is closed, which must not wait for a collector.
  const flushed = observation.exporting?.flush();
  watched.close();
  try {
    try {
      const { segments } = drive;
      // The segment of a worker that died is not known to the byte: such a history counts as cut off.
      if (segments.kind === 'whole') await writer.close(runDigest(info), endDigest(ending), segments.files);
      else await writer.end();
      if (segments.kind === 'unwritten') throw segments.why;
      await writeRunInfo(outDir, { ...info, ended: ending });
    } catch (failure) {
      const judgedBy = joined === undefined ? `report ${outDir}` : `merge ${joined.gather}`;
      throw writeError(
        `the history in ${outDir} could not be written: ${systemWords(failure)}. ` +
          `The records before that are safe. Solve the problem; then tryon ${judgedBy} judges them and writes the reports.`,
        failure,
      );
    }
    // An interrupted run should end quickly; a history without a copy can still be read.
    if (ending.how !== 'interrupted')
      await addColumnarCopy(outDir, segmentCount(info)).catch(() => undefined);
    const unsent = await flushed;
    if (unsent !== undefined) process.stderr.write(`tryon: ${visible(unsent)}\n`);
    // Without an answer but 5xx, or with a key that is not accepted, there is nothing to be judged, and one line says all.
    const isUsage = error instanceof TryonError && error.exit === exitCode.usage;
    const hasAnswered = [...drive.statistics.counts.statuses.keys()].some((status) => status < 500);
    if (error !== undefined && (isUsage || !hasAnswered)) throw error;
    const judged = joined === undefined ? await judge(ending, outDir) : sayPart(joined, drive, ending);
    await joined?.handIn(outDir);
    if (error !== undefined) throw error;
    return exitAfter(ending, judged);
  } finally {
    offInterrupt();
    await observation.exporting?.close();
  }
}

/** Says what a shard has done. It judges nothing: that takes the others. */
function sayPart({ gather, meeting: { shard } }: Joined, { statistics }: Drive, { how }: Ending): ExitCode {
  const { notSent, sent } = statistics.counts;
  process.stdout.write(
    `${shardWords(shard)}: ${how}, ${counted(sent, 'request')} sent, ${number(notSent)} not sent.\n` +
      `tryon merge ${gather} judges the run once all ${shard.of} shards are there.\n`,
  );
  return exitCode.pass;
}

async function judgeRun(outDir: string, args: RunArguments, { exporting }: Observation): Promise<ExitCode> {
  // Loaded now: what judges is as much again, and no request is to wait for it.
  const { conclude, exitFor } = await import('./conclude.ts');
  const judgement = await conclude(outDir, args);
  await exporting?.judged(verdictsOf(judgement));
  return exitFor(judgement);
}

/** Nothing was sent yet. Throws a usage error when no history can be begun in the folder. */
async function startHistory(outDir: string): Promise<HistoryWriter> {
  try {
    return await HistoryWriter.create(outDir);
  } catch (error) {
    throw usageError(
      `--out: no history can be written in ${outDir}: ${systemWords(error)}. Nothing was sent`,
      error,
    );
  }
}

function exitAfter(ending: Ending, judged: ExitCode): ExitCode {
  switch (ending.how) {
    case 'interrupted':
      return exitCode.interrupted;
    case 'kill-switch':
      return exitCode.targetUnreachable;
    case 'error':
      return exitCode.internal;
    default:
      return judged;
  }
}

async function writeRunInfo(dir: string, info: RunInfo): Promise<void> {
  await writeText(join(dir, 'run.json'), `${JSON.stringify(info, null, 2)}\n`);
}

async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeWhole(file, text);
  } catch (error) {
    throw usageError(`${file}: cannot be written: ${systemWords(error)}`, error);
  }
}
