import { counted } from '../amounts.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import { openQuestions, TargetClient } from '../target/client.ts';
import { isChannelOpen } from '../target/profile.ts';
import { sendsStep } from '../vocabulary/probes.ts';
import { boundedEndpoints } from '../vocabulary/requests.ts';
import { roles } from '../vocabulary/roles.ts';
import { AskingStopped } from './ask/ask.ts';
import { TargetClock } from './ask/target-clock.ts';
import { askBeside } from './beside.ts';
import { Days } from './clock/days.ts';
import { explore } from './explore/explore.ts';
import { saturateInTurn } from './load/closed-loop.ts';
import type { Activity, DriveOptions } from './load/load.ts';
import { waitForRoom } from './load/pace.ts';
import type { LiveStatistics } from './record/statistics.ts';
import type { RunContext } from './run-context.ts';
import { otherKeysOf, settle } from './settle/settle.ts';
import { probeCrossed } from './setup/crossed-probes.ts';
import { usesCorners } from './setup/probe-costs.ts';
import { setUp } from './setup/setup.ts';
import type { SetupOptions } from './setup/setup-options.ts';
import { type Discovered, PageBudget } from './setup/setup-options.ts';
import { refusedProductId } from './study/limits/scope-tries.ts';
import { tryShardScope } from './study/shard-scope.ts';
import { type ProberSetting, runStudies } from './study/studies.ts';

/** How far a run has come. Its stages write it; the display and the caps read it. */
export interface Progress {
  activity: Activity;
  /** When the load started, in run nanoseconds; undefined before. */
  loadStartNs: number | undefined;
  /** The same for settling. */
  settleStartNs: number | undefined;
  /** Requests of a study under way. */
  studying: number;
  /** Requests of closed loops. */
  closedRequests: number;
}

/** A run, to its stages. */
interface StagedRun {
  readonly options: DriveOptions;
  readonly context: RunContext;
  readonly statistics: LiveStatistics;
  readonly progress: Progress;
  /** Whether the caps leave room for one more request. */
  readonly maySend: () => boolean;
  /** Ends the load early because of a cap. */
  readonly stopLoad: () => void;
}

/** Set-up, load, studies and settling, one after another. Of several shards, all but the first have a load alone. */
export async function runStages(run: StagedRun): Promise<void> {
  const { context, options, progress } = run;
  if (options.part?.meeting.isFirst === false) return sendPart(run);
  const { clock, plan, writer } = options;
  const clockMoves = clockPlan(plan);
  const targetClock = new TargetClock({ clock, writer, set: options.setClock });
  if (clockMoves !== undefined) await targetClock.move(clockMoves.eveEpochMs);
  const days = new Days(targetClock.nowEpochMs(), () => targetClock.nowEpochMs());
  const setup = setupOptions(run, days);
  const found = await setUp(setup);
  await load(run, found, setup, (startNs) =>
    targetClock.follow(clockMoves?.moves ?? [], startNs, () => context.load.stopped === undefined),
  );
  if (context.load.stopped === undefined) await study(run, found, days);
  if (context.load.stopped === 'kill-switch' || context.load.stopped === 'error') return;
  progress.settleStartNs = clock.nowNs();
  const { onlyProbes } = options;
  if (context.load.stopped === undefined && context.crosses && sendsStep('crossed', onlyProbes))
    await probeCrossed(setup, found);
  await settleRun(run, found, days);
  await exploreRun(run, found, days, setup);
}

/** Last of all: no other check counts what the explorer does. What it does during the load is in `beside.ts`. */
async function exploreRun(
  { context, options, progress }: StagedRun,
  { channel, dateFormat, former }: Discovered,
  days: Days,
  { openConnection, pages }: SetupOptions,
): Promise<void> {
  const { baseUrl, clock, exploration, keys, onlyProbes, profile } = options;
  if (exploration === undefined || !context.explores || context.load.stopped !== undefined) return;
  if (!sendsStep('explored', onlyProbes)) return;
  await explore({
    ...{ exploration, profile, asker: context.asker, clock, keys, channel, baseUrl, days, dateFormat },
    ...{ former, openConnection, pages },
    onStep: (done, total) => {
      progress.activity = { kind: 'settle', step: 'exploring', done, total };
    },
  });
}

async function sendPart(run: StagedRun): Promise<void> {
  const { context, progress } = run;
  progress.activity = { kind: 'setup', step: 'waiting for the first shard' };
  const start = await context.load.ready(undefined);
  progress.activity = { kind: 'load' };
  progress.loadStartNs = start.startNs;
  await context.load.run(start);
  await shardScope(run, start.startNs);
}

function setupOptions({ context, options, progress }: StagedRun, days: Days): SetupOptions {
  const { baseUrl, catalogs, clock, keys, profile, scenario, seed, tag, writer } = options;
  return {
    baseUrl,
    pages: new PageBudget(),
    host: baseUrl.host,
    clock,
    tag,
    seed,
    asker: context.asker,
    writer,
    profile,
    waitReadyMs: options.waitReadyMs,
    keys,
    catalogs,
    roles: options.roles,
    days,
    probes: scenario.probes,
    onlyProbes: options.onlyProbes,
    corners: usesCorners(scenario),
    timesLists: scenario.slo.some(({ endpoint }) => boundedEndpoints(endpoint).includes('list-shades')),
    openConnection: () =>
      new TargetClient(
        baseUrl,
        openQuestions(baseUrl, { ...profile, connections: 1 }, context.learned),
        clock.nowNs,
        options.translation,
      ),
    onStep: (step) => {
      progress.activity = { kind: 'setup', step };
    },
  };
}

/** `moveClock` plays the days of a calendar from the start of the load, run nanoseconds. */
async function load(
  run: StagedRun,
  { channel, corners, dateFormat }: Discovered,
  setup: SetupOptions,
  moveClock: (startNs: number) => Promise<void>,
): Promise<void> {
  const { context, maySend, options, progress, statistics } = run;
  const { plan, writer } = options;
  await waitForRoom(options, context, channel, () => {
    progress.activity = { kind: 'setup', step: 'waiting for room under the rate limit' };
  });
  progress.activity = { kind: 'load' };
  const start = await context.load.ready({ channel, corners });
  const { startNs } = start;
  progress.loadStartNs = startNs;
  // What set-up did not need is the load's.
  context.ledger.noteOthers(statistics.sent);
  await Promise.all([
    context.load.run(start),
    closedLoops(run, startNs),
    askBeside({ options, context, startNs, days: setup.days, dateFormat, channel, setup, maySend }),
    moveClock(startNs),
  ]);
  for (const { phase, startNs: from, endNs } of plan.phases) {
    writer.event({ kind: 'phase', name: phase.name, startNs: startNs + from, endNs: startNs + endNs });
  }
  await shardScope(run, startNs);
}

/** Of several shards, after the load: whose the limit is. */
async function shardScope(run: StagedRun, startNs: number): Promise<void> {
  const { catalogs, part, plan, scenario } = run.options;
  if (part === undefined || run.context.load.stopped !== undefined) return;
  const { index: shard } = part.meeting.shard;
  await tryShardScope({
    ...proberSetting(run),
    ...{ catalogs, plan, scenario, shard, startNs },
    requestsLeft: () => requestsLeft(run),
    onStep: (step) => {
      run.progress.activity = { kind: 'study', step, alive: [] };
    },
  });
}

function requestsLeft({ options, progress, statistics }: StagedRun): number {
  return options.cap.requests - statistics.sent - progress.closedRequests;
}

function proberSetting({ context, maySend, options, progress }: StagedRun): ProberSetting {
  const { governors, killSwitch, ledger, load, recorder, sample } = context;
  const { clock, keys, profile } = options;
  return {
    ...{ clock, keys, profile, governors, killSwitch, recorder, sample, client: context.questions },
    mostSessions: context.cap.sessions - ledger.sessionsSent,
    mayGoOn: () => load.stopped === undefined && !context.asker.stopped && maySend(),
    onKilled: () => {
      load.stopped ??= 'kill-switch';
    },
    onInFlight: (n) => {
      progress.studying = n;
    },
  };
}

async function closedLoops(run: StagedRun, startNs: number): Promise<void> {
  const { options, progress, statistics, stopLoad } = run;
  const { cap, ledger, load } = run.context;
  await saturateInTurn(options, startNs, {
    addresses: run.context.learned.addresses,
    // Any of its requests may be for a session.
    most: () => Math.min(ledger.left(cap), cap.sessions - progress.closedRequests),
    isStopped: () => load.stopped !== undefined,
    onCapped: stopLoad,
    onStep: (connections) => {
      progress.activity = { kind: 'load', step: `closed loop with ${counted(connections, 'connection')}` };
    },
    onRequests: (n) => {
      progress.closedRequests += n;
      ledger.noteOthers(n);
    },
    onClosed: (status, tookMs) => statistics.noteClosed(status, tookMs),
  });
}

async function study(run: StagedRun, found: Discovered, days: Days): Promise<void> {
  const { context, options, progress, statistics } = run;
  const { baseUrl, catalogs, isFresh, pool, scenario, seed, tag, writer } = options;
  const { channel, dateFormat } = found;
  const studying = runStudies(scenario.study, {
    ...proberSetting(run),
    baseUrl,
    catalogs,
    tag,
    seed,
    days,
    dateFormat,
    channel,
    isSetUp: options.roles.length > 0,
    asker: context.asker,
    learned: context.learned,
    pool,
    writer,
    seen: context.seen,
    isFresh,
    requestsLeft: () => requestsLeft(run),
    onClosedRequests: (n) => {
      progress.closedRequests += n;
    },
    onClosed: (status, tookMs) => statistics.noteClosed(status, tookMs),
    onStep: (step, alive) => {
      progress.activity = { kind: 'study', step, alive };
    },
  });
  await studying.catch((error: unknown) => {
    // A cap ends the load; created sessions are still settled.
    if (!(error instanceof AskingStopped) || context.asker.stopped) throw error;
  });
}

async function settleRun(run: StagedRun, { channel, dateFormat }: Discovered, days: Days): Promise<void> {
  const { context, options, progress } = run;
  const { catalogs, clock, keys, profile, quotaTried, scenario, tag } = options;
  const ownKeys = roles.filter((role) => keys[role] !== undefined);
  await settle({
    asker: context.asker,
    clock,
    catalogs,
    sample: context.sample,
    days,
    dateFormat,
    freshnessMs: profile.analytics.freshness,
    freshness: context.freshness,
    granted: () => context.grants.granted,
    quotaTried,
    isComplete: context.load.stopped === undefined,
    analytics: context.asksAnalytics,
    refusedProductId: scenario.study.some(({ kind }) => kind === 'limits')
      ? refusedProductId(tag)
      : undefined,
    // A filter that compares only the start of an id takes this one for the product's.
    unsoldProductId: catalogs.load.products[0]?.id.slice(0, -1) ?? `tryon-${tag}-unknown`,
    profile,
    channel: isChannelOpen(profile.channel) ? channel : undefined,
    otherKeys: otherKeysOf(options.roles, ownKeys, scenario.probes),
    onStep: (step, done, total) => {
      progress.activity = { kind: 'settle', step, done, total };
    },
  });
}
