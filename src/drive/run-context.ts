import { type Shard, whole } from '../plan/lanes.ts';
import { randomStream } from '../random.ts';
import { onlyAudits } from '../scenario/study.ts';
import {
  addressesOf,
  type Learned,
  loadSpread,
  openPool,
  openQuestions,
  TargetClient,
} from '../target/client.ts';
import { RestLimit } from '../target/http/errors.ts';
import { eachRole, roles } from '../vocabulary/roles.ts';
import { Asker } from './ask/ask.ts';
import { Governor, PageBudget } from './ask/governor.ts';
import { SessionSample } from './ask/sample.ts';
import { zeroOf } from './clock/clock.ts';
import { freshnessPlan } from './load/freshness.ts';
import { type DriveOptions, type Load, newProgress, type RunUnderWay } from './load/load.ts';
import { LoadHere } from './load/load-here.ts';
import { ShardLoad } from './load/shard-load.ts';
import { Shards } from './load/shards.ts';
import type { TrafficOptions } from './load/traffic.ts';
import { Figures } from './observe/figures.ts';
import { KillSwitch } from './record/ending.ts';
import { eventIds, Ledger } from './record/ledger.ts';
import { Recorder } from './record/recorder.ts';
import { LiveStatistics } from './record/statistics.ts';
import { sessionsAfterQuota } from './settle/aftermath.ts';
import { readBackOf } from './settle/settle.ts';
import { crossedCostOf } from './setup/crossed-probes.ts';
import { setupSessions } from './setup/setup.ts';
import { Seen } from './study/sending/seen.ts';

export interface RunContext extends RunUnderWay {
  readonly seen: Seen;
}

/** Opens what the stages of a run share, with its connections. */
export function openRunContext(options: DriveOptions): RunContext {
  const { baseUrl, cap, clock, described, keys, observed, plan, profile, scenario, translation, writer } =
    options;
  const secrets = [...roles.flatMap((role) => keys[role]?.value ?? []), ...options.pool];
  const asksAnalytics = scenario.checks.includes('analytics') && !onlyAudits(scenario);
  const crossedSessions = crossedCostOf(scenario).sessions;
  const crosses = crossedSessions > 0 && cap.sessions >= 2 * (setupSessions + crossedSessions);
  const exploredSessions = options.exploration?.cost.sessions.load ?? 0;
  const explores =
    options.exploration !== undefined && cap.sessions >= 2 * (setupSessions + exploredSessions);
  const freshness = asksAnalytics ? freshnessPlan(plan, profile) : undefined;
  const seen = new Seen(writer, profile.rate_limit.windowMs);
  const shard = shardOf(options);
  const ledger = new Ledger(undefined, shard);
  const [memory] = observed?.memories ?? [];
  const figures = memory === undefined ? undefined : new Figures(memory);
  const statistics = new LiveStatistics(figures, freshness?.productId);
  const recorder = new Recorder({
    writer: scenario.study.length > 0 ? seen : writer,
    ...{ profile, secrets, statistics, ledger, described, traceRun: observed?.traceRun },
  });
  const governors = eachRole(() => new Governor(clock, profile.rate_limit, profile.redeliveries + 1));
  const learned: Learned = { rest: new RestLimit(), addresses: addressesOf(baseUrl, profile) };
  const questions = (connections: number): TargetClient =>
    new TargetClient(
      baseUrl,
      openQuestions(baseUrl, { ...profile, connections }, learned),
      clock.nowNs,
      translation,
    );
  const client = questions(profile.connections);
  const progress = newProgress();
  const requestsLeft = (): number => cap.requests - statistics.counts.sent - progress.closedRequests;
  const maySend = (): boolean => {
    const may = requestsLeft() > load.unheard + asker.underWay;
    if (!may) load.stopped ??= 'cap';
    return may;
  };
  const asker = new Asker({
    ...{ clock, client, recorder, keys, governors, windowMs: profile.rate_limit.windowMs },
    mayAsk: maySend,
  });
  const killSwitch = new KillSwitch();
  const shared = {
    ...options,
    ...{ asker, asksAnalytics, client, crosses, explores, freshness, governors, killSwitch },
    ...{ learned, ledger, maySend, progress, recorder, requestsLeft, seen, statistics },
    openConnection: () => questions(1),
    loadCap: {
      requests: Math.max(0, cap.requests - cap.reserved),
      sessions: Math.max(
        0,
        cap.sessions -
          setupSessions -
          (crosses ? crossedSessions : 0) -
          (explores ? exploredSessions : 0) -
          (options.quotaTried ? sessionsAfterQuota : 0),
      ),
    },
    pages: new PageBudget(),
    sample: new SessionSample(
      readBackOf(scenario, profile),
      randomStream(options.seed, 'read-back', shard.index),
    ),
    mayGoOn: () => load.stopped === undefined && maySend(),
    noteEnd: (atNs: number, failed: boolean) => {
      killSwitch.note(atNs, failed);
      if (failed && killSwitch.reason !== undefined) load.stopped ??= 'kill-switch';
    },
  };
  const load: Load =
    options.sharing === undefined ? loadHere(shared) : loadOfThreads(shared, options.sharing, secrets);
  return { ...shared, load };
}

type BeforeLoad = Omit<RunUnderWay, 'load'>;

function loadHere(run: BeforeLoad): Load {
  const { baseUrl, clock, governors, keys, learned, loadCap, part, profile, translation } = run;
  const shard = shardOf(run);
  const pool = openPool(baseUrl, profile, { ...learned, spread: loadSpread });
  const load = new LoadHere({
    ...run,
    shard,
    client: new TargetClient(baseUrl, pool, clock.nowNs, translation),
    governors: part === undefined ? governors : ofAll(governors, shard),
    inFlightBound: profile.in_flight,
    eventId: eventIds(),
    cap: loadCap,
  });
  if (part === undefined) return load;
  return new ShardLoad(load, { ...run, meeting: part.meeting, loadKey: keys.load?.value ?? '' });
}

/** Which shard this program is: of one, if it is alone. */
function shardOf({ part }: DriveOptions): Shard {
  if (part === undefined) return whole;
  const { index, of } = part.meeting.shard;
  return { index: index - 1, of };
}

/** The other shards send as much with the same keys, as far as this one can tell. */
function ofAll(governors: RunUnderWay['governors'], { of }: Shard): TrafficOptions['governors'] {
  return eachRole((role) => ({
    note(...given: Parameters<Governor['note']>) {
      for (let n = 0; n < of; n++) governors[role].note(...given);
    },
  }));
}

function loadOfThreads(
  run: BeforeLoad,
  { planInput, runDir, workers }: NonNullable<DriveOptions['sharing']>,
  secrets: readonly string[],
): Load {
  const { baseUrl, clock, described, freshness, keys, loadCap, observed, profile, scenario, seed } = run;
  return new Shards({
    ...run,
    of: workers,
    task: {
      ...{ planInput, runDir, profile, keys, secrets, seed, described, observed, cap: loadCap },
      baseUrl: baseUrl.href,
      zero: zeroOf(clock),
      readBack: readBackOf(scenario, profile),
      polledProductId: freshness?.productId,
    },
  });
}
