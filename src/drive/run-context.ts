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
import { eachRole, type Role, roles } from '../vocabulary/roles.ts';
import { Asker } from './ask/ask.ts';
import { Governor } from './ask/governor.ts';
import { SessionSample } from './ask/sample.ts';
import { zeroOf } from './clock/clock.ts';
import { type FreshnessPlan, freshnessPlan, GrantCount } from './load/freshness.ts';
import type { DriveOptions, Load, WorkerSharing } from './load/load.ts';
import { LoadHere } from './load/load-here.ts';
import { ShardLoad } from './load/shard-load.ts';
import { Shards } from './load/shards.ts';
import { Traffic, type TrafficOptions } from './load/traffic.ts';
import { KillSwitch } from './record/ending.ts';
import { type Cap, eventIds, Ledger } from './record/ledger.ts';
import { Recorder } from './record/recorder.ts';
import type { LiveStatistics } from './record/statistics.ts';
import { sessionsAfterQuota } from './settle/aftermath.ts';
import { readBackOf } from './settle/settle.ts';
import { crossedCostOf } from './setup/crossed-probes.ts';
import { setupSessions } from './setup/probe-costs.ts';
import { Seen } from './study/sending/seen.ts';

/** What the stages of a run have in common. */
interface Common {
  /** Sends every request that is not part of the planned load. */
  readonly questions: TargetClient;
  readonly learned: Learned;
  readonly asker: Asker;
  readonly ledger: Ledger;
  /** What the run may spend by the end of the load. */
  readonly cap: Cap;
  readonly killSwitch: KillSwitch;
  readonly sample: SessionSample;
  readonly recorder: Recorder;
  readonly seen: Seen;
  /** The plan for polling analytics during the load; undefined if there is none. */
  readonly freshness: FreshnessPlan | undefined;
  readonly grants: GrantCount;
  readonly governors: Readonly<Record<Role, Governor>>;
  /** Whether endpoints are asked in pairs after the load: the caps leave sessions for that as well. */
  readonly crosses: boolean;
  /** Whether there is room for the explorer. */
  readonly explores: boolean;
  /** Whether analytics are asked what shoppers did. */
  readonly asksAnalytics: boolean;
}

export interface RunContext extends Common {
  readonly load: Load;
}

/** Opens the run context, with its connections. `mayAsk`: whether the caps leave room for one more request. */
export function openRunContext(
  options: DriveOptions,
  statistics: LiveStatistics,
  mayAsk: () => boolean,
): RunContext {
  const { baseUrl, cap, clock, described, keys, plan, profile, scenario, seed, sharing, writer } = options;
  const secrets = [...roles.flatMap((role) => keys[role]?.value ?? []), ...options.pool];
  const asksAnalytics = scenario.checks.includes('analytics') && !onlyAudits(scenario);
  const crossedSessions = crossedCostOf(scenario).sessions;
  const crosses = crossedSessions > 0 && cap.sessions >= 2 * (setupSessions + crossedSessions);
  const exploredSessions = options.exploration?.cost.sessions.load ?? 0;
  const explores =
    options.exploration !== undefined && cap.sessions >= 2 * (setupSessions + exploredSessions);
  const freshness = asksAnalytics ? freshnessPlan(plan, profile) : undefined;
  const seen = new Seen(writer, profile.rate_limit.windowMs);
  const grants = new GrantCount(scenario.study.length > 0 ? seen : writer, freshness?.productId);
  const shard = shardOf(options);
  const ledger = new Ledger(undefined, shard);
  const traceRun = options.observed?.traceRun;
  const recorder = new Recorder({
    writer: grants,
    ...{ profile, secrets, statistics, ledger, described, traceRun },
  });
  const governors = eachRole(() => new Governor(clock, profile.rate_limit, profile.redeliveries + 1));
  const learned = { rest: new RestLimit(), addresses: addressesOf(baseUrl, profile) };
  const questions = new TargetClient(
    baseUrl,
    openQuestions(baseUrl, profile, learned),
    clock.nowNs,
    options.translation,
  );
  const { windowMs } = profile.rate_limit;
  const asker = new Asker({ clock, client: questions, recorder, keys, governors, windowMs, mayAsk });
  const common: Common = {
    questions,
    learned,
    asker,
    ledger,
    cap: {
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
    killSwitch: new KillSwitch(),
    sample: new SessionSample(readBackOf(scenario, profile), randomStream(seed, 'read-back', shard.index)),
    recorder,
    seen,
    freshness,
    grants,
    governors,
    crosses,
    explores,
    asksAnalytics,
  };
  const load =
    sharing === undefined
      ? trafficHere(options, common)
      : trafficOfThreads(options, sharing, common, { secrets, statistics });
  return { ...common, load };
}

function trafficHere(options: DriveOptions, common: Common): Load {
  const { baseUrl, clock, keys, part, plan, profile, tag, translation } = options;
  const { cap, governors, grants, killSwitch, learned, ledger, recorder, sample } = common;
  const shard = shardOf(options);
  const traffic = new Traffic({
    plan,
    shard,
    ledger,
    clock,
    client: new TargetClient(
      baseUrl,
      openPool(baseUrl, profile, { ...learned, spread: loadSpread }),
      clock.nowNs,
      translation,
    ),
    recorder,
    keys,
    governors: part === undefined ? governors : ofAll(governors, shard),
    killSwitch,
    inFlightBound: profile.in_flight,
    eventId: eventIds(),
    sample,
    cap,
  });
  const load = new LoadHere(traffic, options);
  if (part === undefined) return load;
  const loadKey = keys.load?.value ?? '';
  return new ShardLoad(load, { ...part, clock, profile, sample, grants, loadKey, tag });
}

/** Which shard this program is: of one, if it is alone. */
function shardOf({ part }: DriveOptions): Shard {
  if (part === undefined) return whole;
  const { index, of } = part.meeting.shard;
  return { index: index - 1, of };
}

/** The other shards send as much with the same keys, as far as this one can tell. */
function ofAll(governors: RunContext['governors'], { of }: Shard): TrafficOptions['governors'] {
  return eachRole((role) => ({
    note(...given: Parameters<Governor['note']>) {
      for (let n = 0; n < of; n++) governors[role].note(...given);
    },
  }));
}

function trafficOfThreads(
  { baseUrl, clock, described, keys, observed, profile, scenario, seed }: DriveOptions,
  { planInput, runDir, workers }: WorkerSharing,
  { cap, freshness, governors, grants, killSwitch, ledger, sample }: Common,
  { secrets, statistics }: { readonly secrets: readonly string[]; readonly statistics: LiveStatistics },
): Load {
  return new Shards({
    of: workers,
    task: {
      planInput,
      baseUrl: baseUrl.href,
      profile,
      keys,
      secrets,
      runDir,
      zero: zeroOf(clock),
      cap,
      seed,
      readBack: readBackOf(scenario, profile),
      countedProductId: freshness?.productId,
      described,
      observed,
    },
    ledger,
    clock,
    statistics,
    killSwitch,
    governors,
    grants,
    sample,
  });
}
