import type { HistoryWriter } from '../../history/writer.ts';
import { randomStream } from '../../random.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { CapacityStudy, Study } from '../../scenario/study.ts';
import {
  type Learned,
  loadSpread,
  openPool,
  openQuestions,
  type PoolSettings,
  TargetClient,
  tlsOf,
} from '../../target/client.ts';
import { isLoopback } from '../../target/guard.ts';
import type { Keys } from '../../target/keys.ts';
import { type Channel, interactionsCount, type Profile } from '../../target/profile.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { SessionGrant } from '../../wire.ts';
import { type Asker, AskingStopped } from '../ask/ask.ts';
import type { Governor } from '../ask/governor.ts';
import { plainSession, type SessionSample } from '../ask/sample.ts';
import { type Clock, epochMs } from '../clock/clock.ts';
import type { DateFormat, Days } from '../clock/days.ts';
import type { KillSwitch } from '../record/ending.ts';
import type { Recorder } from '../record/recorder.ts';
import { auditAnalytics } from './audit/audit.ts';
import { studyCapacity } from './capacity/capacity.ts';
import { costOf } from './cost.ts';
import { inferAside } from './limits/infer-aside.ts';
import { studyLimiter } from './limits/limits.ts';
import { requestsOfLimitsStudy } from './limits/requests.ts';
import { scopeTries } from './limits/scope-tries.ts';
import { studyQuota } from './quota/quota.ts';
import { aboutItsCall, Prober, type ProberOptions } from './sending/prober.ts';
import type { Seen } from './sending/seen.ts';

/** What requests of a study are sent with. */
export interface ProberSetting {
  readonly profile: Profile;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly client: TargetClient;
  readonly recorder: Recorder;
  readonly governors: Readonly<Record<Role, Governor>>;
  readonly sample: SessionSample;
  readonly killSwitch: KillSwitch;
  /** Sessions that the run's cap leaves. */
  readonly mostSessions: number;
  /** Whether the run goes on and its caps leave room for one more request. */
  readonly mayGoOn: () => boolean;
  /** The target is failing: nothing more is to be sent. */
  readonly onKilled: () => void;
  readonly onInFlight: (requests: number) => void;
}

interface StudiesOptions extends ProberSetting {
  readonly baseUrl: URL;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly tag: string;
  readonly seed: number;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  /** How shoppers send events, if known. */
  readonly channel: Channel | undefined;
  /** Whether catalogs have been imported. */
  readonly isSetUp: boolean;
  readonly asker: Asker;
  readonly learned: Learned;
  /** Keys to use in turn where no limit should interfere. Secrets. */
  readonly pool: readonly string[];
  readonly writer: HistoryWriter;
  readonly seen: Seen;
  readonly isFresh: boolean;
  /** Requests that the run's cap leaves. */
  readonly requestsLeft: () => number;
  readonly onClosedRequests: (requests: number) => void;
  /** Told of each request of a closed loop once it is over: its status, if it was answered, and after what time. */
  readonly onClosed: (status: number | undefined, tookMs: number) => void;
  readonly onStep: (step: string, alive: readonly string[]) => void;
}

/** Another address of every machine, if the target is on it too. */
const otherLoopbackAddress = '127.0.0.2';
/** A study that takes this many times its announced time is ended. */
const overTime = 1.5;

/** Runs a scenario's studies, one after another. Throws `AskingStopped` once the run is being ended. */
export async function runStudies(studies: readonly Study[], options: StudiesOptions): Promise<void> {
  if (studies.length === 0) return;
  const { baseUrl, client, clock, learned, profile } = options;
  const open = (settings: PoolSettings): TargetClient =>
    new TargetClient(baseUrl, openQuestions(baseUrl, profile, settings), clock.nowNs, client.translation);
  const elsewhere = isIpv4Loopback(baseUrl)
    ? open({ localAddress: otherLoopbackAddress, ...learned })
    : undefined;
  const prober = proberOf(options, { elsewhere, openClient: () => open(learned) });
  try {
    for (const study of studies) {
      prober.deadlineNs = clock.nowNs() + timeOf(study, profile) * 1e6;
      await runStudy(study, prober, elsewhere !== undefined, options).catch((error: unknown) => {
        // This study's time is up: its results are in the history, and the next study has a separate budget.
        if (!(error instanceof AskingStopped) || !options.mayGoOn()) throw error;
      });
    }
  } finally {
    await elsewhere?.destroy();
  }
}

/** Sends requests of a study, within the caps of the run and of what the target bears. */
export function proberOf(
  setting: ProberSetting,
  clients: Pick<ProberOptions, 'elsewhere' | 'openClient'>,
): Prober {
  const { killSwitch, profile } = setting;
  const prober: Prober = new Prober({
    ...setting,
    ...clients,
    assertGoingOn: () => {
      setting.onInFlight(prober.inFlight);
      if (!setting.mayGoOn()) throw new AskingStopped();
    },
    inFlightBound: profile.in_flight,
    noteEnd: (atNs, failed) => {
      setting.onInFlight(prober.inFlight);
      killSwitch.note(atNs, failed);
      if (failed && killSwitch.reason !== undefined) setting.onKilled();
    },
  });
  return prober;
}

/** The longest time of a study, milliseconds. Only the study of the limiter uses all of its budget. */
function timeOf(study: Study, profile: Profile): number {
  return study.kind === 'limits' ? study.budgetMs : overTime * costOf(study, profile).ms;
}

async function runStudy(
  study: Study,
  prober: Prober,
  hasElsewhere: boolean,
  options: StudiesOptions,
): Promise<void> {
  const { catalogs, clock, days, dateFormat, keys, profile, seed, tag } = options;
  if (study.kind === 'quota') {
    if (keys.quota === undefined) return;
    await studyQuota({
      prober,
      clock,
      keys,
      catalogs,
      tag,
      profile,
      opened: (role) => options.sample.countOf(role),
      cap: study.cap,
      race: study.race,
      onStep: (step) => options.onStep(step, []),
    });
    return;
  }
  if (study.kind === 'audit') {
    const onStep = (step: string): void => options.onStep(step, []);
    return auditAnalytics({ ...options, study, catalog: catalogs.load, onStep });
  }
  if (study.kind === 'capacity') return runCapacity(study, options);
  const session = await openSession(prober, options);
  await studyLimiter({
    prober,
    seen: options.seen,
    infer: inferAside,
    clock,
    random: randomStream(seed, 'study of limits'),
    promised: profile.rate_limit,
    clockSkewMs: profile.clock_skew_bound,
    keys,
    pool: options.pool,
    otherKeysPerSecond: study.otherKeysPerSecond,
    catalogs,
    tries: scopeTries({
      catalog: catalogs.load,
      otherCatalog: catalogs.bystander,
      tag,
      keys,
      days,
      dateFormat,
      session,
      channel: options.channel,
      nowEpochMs: () => epochMs(clock, clock.nowNs()),
      hasElsewhere,
    }),
    interactionsCount: interactionsCount(profile.channel),
    isFresh: options.isFresh,
    deadlineNs: prober.deadlineNs,
    mostRequests: requestsOfLimitsStudy(study.budgetMs, profile.rate_limit),
    onStep: options.onStep,
  });
}

async function runCapacity(study: CapacityStudy, options: StudiesOptions): Promise<void> {
  const { baseUrl, catalogs, clock, governors, keys, killSwitch, learned, pool, profile } = options;
  const { mayGoOn, onKilled } = options;
  const hasPool = pool.length > 0;
  // The client of the planned load: the generator's cost counts here.
  const { translation } = options.client;
  const client = new TargetClient(
    baseUrl,
    openPool(baseUrl, profile, { ...learned, spread: loadSpread }),
    clock.nowNs,
    translation,
  );
  const studying = studyCapacity({
    ...options,
    study,
    client,
    target: {
      baseUrl,
      keys: hasPool || keys.load === undefined ? pool : [keys.load.value],
      catalogId: catalogs.load.id,
      productId: catalogs.load.products[0]?.id ?? '',
      locale: catalogs.load.locale,
      timeoutMs: profile.timeouts.headers,
      addresses: learned.addresses,
      tls: tlsOf(profile),
      translation,
      isStopped: () => !mayGoOn(),
    },
    credential: hasPool ? 'pool' : 'load',
    inFlightBound: profile.in_flight,
    onSent: (atNs) => {
      if (!hasPool) governors.load.note(atNs);
    },
    noteEnd: (atNs, failed) => {
      killSwitch.note(atNs, failed);
      if (failed && killSwitch.reason !== undefined) onKilled();
    },
    onStep: (step) => options.onStep(step, []),
  });
  await studying.finally(() => client.destroy());
}

/** Opens a session to read from and send events in. */
async function openSession(prober: Prober, { catalogs }: StudiesOptions): Promise<SessionGrant | undefined> {
  const { reading } = await prober.send(
    aboutItsCall(plainSession(catalogs.load), { credential: 'load', phase: studyPhases.scope }),
  );
  return reading.grant;
}

function isIpv4Loopback({ hostname }: URL): boolean {
  return isLoopback(hostname) && !hostname.includes(':');
}
