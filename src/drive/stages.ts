import { TryonError } from '../exit.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import { sendsStep } from '../vocabulary/probes.ts';
import { Asker, AskingStopped } from './ask/ask.ts';
import { shareBeside } from './ask/governor.ts';
import { TargetClock } from './ask/target-clock.ts';
import { questionsAtTheLimit } from './budget.ts';
import { Days, dayQuery } from './clock/days.ts';
import { explore } from './explore/explore.ts';
import { pollBeside } from './load/freshness.ts';
import { askedAtTheLimit, askedWithBadKey, loadProbeInstants, probeLoaded } from './load/load-probe.ts';
import { firstWindow, startWithRoom } from './load/pace.ts';
import type { RunContext } from './run-context.ts';
import { settle } from './settle/settle.ts';
import { probeCrossed } from './setup/crossed-probes.ts';
import { type Discovered, setUp } from './setup/setup.ts';
import { refusedProductId } from './study/limits/scope-tries.ts';
import { tryShardScope } from './study/shard-scope.ts';
import { runStudies } from './study/studies.ts';

/** A run after its set-up. */
type RunSetUp = RunContext & Discovered & { readonly days: Days };

/** Set-up, load, studies and settling, one after another. Of several shards, all but the first have a load alone. */
export async function runStages(context: RunContext): Promise<void> {
  const { clock, load, onlyProbes, plan, progress, writer } = context;
  if (context.part?.meeting.isFirst === false) return sendPart(context);
  const clockMoves = clockPlan(plan);
  const targetClock = new TargetClock({ clock, writer, set: context.setClock });
  if (clockMoves !== undefined) await targetClock.move(clockMoves.eveEpochMs);
  const days = new Days(targetClock.nowEpochMs(), () => targetClock.nowEpochMs());
  const run: RunSetUp = { ...context, days, ...(await setUp({ ...context, days })) };
  await sendLoad(run, (startNs) =>
    targetClock.follow(clockMoves?.moves ?? [], startNs, () => load.stopped === undefined),
  );
  if (load.stopped === undefined) await study(run);
  if (load.stopped === 'kill-switch' || load.stopped === 'error') return;
  progress.settleStartNs = clock.nowNs();
  if (load.stopped === undefined && run.crosses && sendsStep('crossed', onlyProbes)) await probeCrossed(run);
  const isLimited = run.scenario.study.some(({ kind }) => kind === 'limits');
  await settle(run, isLimited ? refusedProductId(run.tag) : undefined);
  await exploreAtLast(run);
}

async function sendPart(run: RunContext): Promise<void> {
  const { load, progress } = run;
  progress.activity = { kind: 'setup', step: 'waiting for the first shard' };
  const start = await load.ready(undefined);
  progress.activity = { kind: 'load' };
  progress.loadStartNs = start.startNs;
  await load.run(start);
  await shardScope(run, start.startNs);
}

/** `moveClock` plays the days of a calendar from the start of the load, run nanoseconds. */
async function sendLoad(run: RunSetUp, moveClock: (startNs: number) => Promise<void>): Promise<void> {
  const { channel, corners, ledger, load, plan, progress, statistics, writer } = run;
  await waitForRoom(run);
  progress.activity = { kind: 'load' };
  const start = await load.ready({ channel, corners });
  const { startNs } = start;
  progress.loadStartNs = startNs;
  // What set-up did not need is the load's.
  ledger.noteOthers(statistics.counts.sent);
  await Promise.all([
    load.run(start),
    askWhileLoaded(run, startNs),
    askForFreshness(run, startNs),
    exploreBeside(run, startNs),
    moveClock(startNs),
  ]);
  for (const { phase, startNs: from, endNs } of plan.phases)
    writer.event({ kind: 'phase', name: phase.name, startNs: startNs + from, endNs: startNs + endNs });
  await shardScope(run, startNs);
}

/** Waits where set-up and the beginning of a load would together go beyond the limit that the load alone keeps to. */
async function waitForRoom(run: RunSetUp): Promise<void> {
  const limit = run.profile.rate_limit;
  const windowNs = limit.windowMs * 1e6;
  const planned = firstWindow(run.plan, run.channel, windowNs, limit.requests);
  if (planned === undefined) return;
  const nowNs = run.clock.nowNs();
  const requests = limit.requests * (run.explorationBeside === undefined ? 1 : 1 - shareBeside);
  const sent = run.governors.load.spentSince(nowNs - windowNs);
  const startNs = startWithRoom(nowNs, sent, planned, { ...limit, requests });
  if (startNs <= nowNs) return;
  run.progress.activity = { kind: 'setup', step: 'waiting for room under the rate limit' };
  await run.asker.until(startNs);
}

/** Of several shards, after the load: whose the limit is. */
async function shardScope(run: RunContext, startNs: number): Promise<void> {
  if (run.part === undefined || run.load.stopped !== undefined) return;
  await tryShardScope({ ...run, shard: run.part.meeting.shard.index, startNs });
}

async function study(run: RunSetUp): Promise<void> {
  await runStudies(run).catch((error: unknown) => {
    // A cap ends the load; created sessions are still settled.
    if (!(error instanceof AskingStopped) || run.asker.stopped) throw error;
  });
}

/** What can only be seen while the load is on: a key that was never issued, and analytics at the limit. */
async function askWhileLoaded(run: RunSetUp, startNs: number): Promise<void> {
  const { catalogs, dateFormat, days, keys, ledger, loadCap, plan, profile, roles, scenario } = run;
  if (!scenario.probes || roles.length === 0) return;
  const common = { ...run, startNs, spend: () => ledger.spendBeside(loadCap) };
  const badKey = askedWithBadKey(catalogs.load.id);
  const atLimit = keys.load && askedAtTheLimit(keys.load, () => dayQuery(days.wide(), dateFormat));
  await Promise.all([
    probeLoaded({ ...common, question: badKey, instants: loadProbeInstants(plan, profile.rate_limit) }),
    atLimit &&
      probeLoaded({ ...common, question: atLimit, instants: questionsAtTheLimit(plan, scenario, profile) }),
  ]);
}

/** How soon sessions show in analytics. */
async function askForFreshness(run: RunSetUp, startNs: number): Promise<void> {
  const { cap, freshness, governors, keys } = run;
  // Where requests are counted out, none is spent on what is only good to know.
  if (freshness === undefined || keys.load === undefined || Number.isFinite(cap.requests)) return;
  await pollBeside({ ...run, startNs, freshness, governor: governors.load, key: keys.load });
}

/** What ends the explorer here, such as a target that is silent under load, ends the load by other rules. */
async function exploreBeside(run: RunSetUp, startNs: number): Promise<void> {
  const { clock, explorationBeside: exploration, ledger, loadCap, mayGoOn, plan, profile } = run;
  if (exploration === undefined || !sendsStep('explored', run.onlyProbes)) return;
  const endNs = startNs + plan.horizonNs;
  const isOver = (): boolean => !mayGoOn() || clock.nowNs() >= endNs;
  const asker = new Asker({
    ...run,
    isOver,
    windowMs: profile.rate_limit.windowMs,
    mayAsk: () => !isOver() && ledger.spendBeside(loadCap),
  });
  const { former: _, ...beside } = run;
  try {
    await explore({
      ...beside,
      exploration,
      asker,
      onStep: () => undefined,
      duringLoad: { startNs, endNs },
    });
  } catch (error) {
    if (!(error instanceof AskingStopped || error instanceof TryonError)) throw error;
  }
}

/** Last of all: no other check counts what the explorer does. */
async function exploreAtLast(run: RunSetUp): Promise<void> {
  const { exploration, explores, load, onlyProbes, progress } = run;
  if (exploration === undefined || !explores || load.stopped !== undefined) return;
  if (!sendsStep('explored', onlyProbes)) return;
  await explore({
    ...run,
    exploration,
    onStep: (done, total) => {
      progress.activity = { kind: 'settle', step: 'exploring', done, total };
    },
  });
}
