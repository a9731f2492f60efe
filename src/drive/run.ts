import type { Catalog } from '../catalog/catalog.ts';
import type { HistoryWriter } from '../history/writer.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import type { Plan, PlanInput } from '../plan/plan.ts';
import { randomStream } from '../random.ts';
import type { Scenario } from '../scenario/define.ts';
import { onlyAudits } from '../scenario/study.ts';
import { openPool, TargetClient, tlsOf } from '../target/client.ts';
import type { Keys } from '../target/keys.ts';
import { eachRole, type Profile, type Role, roles } from '../target/profile.ts';
import { openUndici } from '../target/undici-pool.ts';
import { actIds } from './act-ids.ts';
import { actsProductId } from './act-probes.ts';
import { Asker, AskingStopped } from './ask.ts';
import type { Clock } from './clock.ts';
import { epochMs, zeroOf } from './clock.ts';
import { accompany, companionInstants } from './companion.ts';
import { Days } from './days.ts';
import { type Ending, endingOf } from './ending.ts';
import { type FreshnessPlan, freshnessPlan, GrantCount, pollBeside } from './freshness.ts';
import { Governor } from './governor.ts';
import { KillSwitch } from './kill-switch.ts';
import { type Cap, Ledger, sharedMemory } from './ledger.ts';
import { Recorder } from './recorder.ts';
import { SessionSample } from './sample.ts';
import { saturate } from './saturate.ts';
import { SelfWatch } from './self.ts';
import { settle } from './settle.ts';
import { type Discovered, setUp, setupSessions } from './setup.ts';
import { type Segments, Shards } from './shards.ts';
import { LiveStatistics } from './statistics.ts';
import { refusedProductId } from './study/scope-tries.ts';
import { Seen } from './study/seen.ts';
import { runStudies } from './study/studies.ts';
import { TargetClock } from './target-clock.ts';
import { Traffic } from './traffic.ts';

export interface DriveOptions {
  readonly tag: string;
  readonly seed: number;
  readonly scenario: Scenario;
  readonly plan: Plan;
  /** What has several worker threads drive the plan; without it, this thread does. */
  readonly sharing?: Sharing | undefined;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Whose catalogs are needed; none where nothing is to be written. */
  readonly roles: readonly Role[];
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Keys;
  /** Further keys for closed-loop phases. */
  readonly pool: readonly string[];
  readonly clock: Clock;
  readonly writer: HistoryWriter;
  readonly quotaTried: boolean;
  /** Sets the target's wall clock to an instant, epoch milliseconds; only where it can be set. */
  readonly setClock?: ((epochMs: number) => Promise<void>) | undefined;
  /** The service was started for this run: nobody has used it before. */
  readonly isFresh: boolean;
  /** What the whole run may send at most; `reserved` requests of that are for set-up and settling. */
  readonly cap: { readonly requests: number; readonly sessions: number; readonly reserved: number };
}

/** How a plan is shared among workers. */
export interface Sharing {
  readonly workers: number;
  /** What the plan is made from. */
  readonly planInput: PlanInput;
  /** Where the history is. */
  readonly runDir: string;
}

/** What a scenario asks about the time that a list takes. */
const timedLists: readonly string[] = ['list-shades', '*'];

/** How often a run looks whether its history can still be written. */
const diskGlanceMs = 250;

/** What the run is doing, for the display. */
export type Activity =
  | {
      readonly kind: 'setup' | 'settle';
      readonly step: string;
      readonly done?: number;
      readonly total?: number;
    }
  | { readonly kind: 'load'; readonly step?: string }
  | { readonly kind: 'study'; readonly step: string; readonly alive: readonly string[] };

/** A run under way: drives, remembers, and can be watched and stopped. */
export class Drive {
  readonly #options: DriveOptions;
  /** Carries whatever is asked besides the planned load. */
  readonly #questions: TargetClient;
  readonly #asker: Asker;
  /** Drives the plan: one traffic here, or those of several threads. */
  readonly #load: Traffic | Shards;
  readonly #ledger: Ledger;
  /** What the planned load may spend. */
  readonly #cap: Cap;
  readonly #killSwitch = new KillSwitch();
  readonly #sample: SessionSample;
  readonly #recorder: Recorder;
  readonly #seen: Seen;
  readonly #freshness: FreshnessPlan | undefined;
  readonly #grants: GrantCount;
  readonly #governors: Readonly<Record<Role, Governor>>;
  /** Requests of a study under way. */
  #studying = 0;
  readonly statistics = new LiveStatistics();
  activity: Activity = { kind: 'setup', step: 'connecting' };
  /** When the load started, in run nanoseconds; undefined before. */
  loadStartNs: number | undefined;
  /** Likewise for settling. */
  settleStartNs: number | undefined;
  #stopping = false;
  /** Requests of closed loops. */
  #closedRequests = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
    const { clock, keys, profile, scenario, seed, writer } = options;
    this.#questions = new TargetClient(options.baseUrl, openUndici(options.baseUrl, profile), clock.nowNs);
    const secrets = [...roles.flatMap((role) => keys[role]?.value ?? []), ...options.pool];
    this.#seen = new Seen(writer, profile.rate_limit.windowMs);
    const isStudy = scenario.study.length > 0;
    this.#freshness = this.#asksAnalytics() ? freshnessPlan(options.plan, profile) : undefined;
    this.#grants = new GrantCount(isStudy ? this.#seen : writer, this.#freshness?.productId);
    this.#ledger = new Ledger(options.sharing === undefined ? undefined : sharedMemory());
    this.#recorder = new Recorder(this.#grants, profile, secrets, this.statistics, this.#ledger);
    const governor = (): Governor => new Governor(clock, profile.rate_limit);
    this.#governors = eachRole(governor);
    this.#sample = new SessionSample(scenario.settle.readBack, randomStream(seed, 'read-back'));
    const windowMs = profile.rate_limit.windowMs;
    this.#asker = new Asker({
      clock,
      client: this.#questions,
      recorder: this.#recorder,
      keys,
      governors: this.#governors,
      windowMs,
      mayAsk: () => this.#maySend(),
    });
    const { cap } = options;
    this.#cap = {
      requests: Math.max(0, cap.requests - cap.reserved),
      sessions: Math.max(
        0,
        cap.sessions - (this.#mayProbeSessions() ? setupSessions.most : setupSessions.least),
      ),
    };
    this.#load = options.sharing === undefined ? this.#traffic() : this.#shards(options.sharing, secrets);
  }

  #traffic(): Traffic {
    const { baseUrl, clock, keys, plan, profile } = this.#options;
    return new Traffic({
      plan,
      ledger: this.#ledger,
      clock,
      client: new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs),
      recorder: this.#recorder,
      keys,
      governors: this.#governors,
      killSwitch: this.#killSwitch,
      inFlightBound: profile.in_flight,
      actId: actIds(),
      sample: this.#sample,
      cap: this.#cap,
    });
  }

  #shards({ planInput, runDir, workers }: Sharing, secrets: readonly string[]): Shards {
    const { baseUrl, clock, keys, profile, scenario, seed } = this.#options;
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
        cap: this.#cap,
        seed,
        readBack: scenario.settle.readBack,
        countedProductId: this.#freshness?.productId,
      },
      ledger: this.#ledger,
      clock,
      statistics: this.statistics,
      killSwitch: this.#killSwitch,
      governors: this.#governors,
      grants: this.#grants,
      sample: this.#sample,
    });
  }

  /** Probes leave at least as many sessions to the load as they open, or open none. */
  #mayProbeSessions(): boolean {
    return this.#options.scenario.probes && this.#options.cap.sessions >= 2 * setupSessions.most;
  }

  async #destroy(): Promise<void> {
    await Promise.all([this.#load.destroy(), this.#questions.destroy()]);
  }

  #maySend(): boolean {
    const unheard = this.#load instanceof Shards ? this.#load.unheard : 0;
    const may = this.statistics.sent + unheard + this.#closedRequests < this.#options.cap.requests;
    if (!may) this.stopLoad();
    return may;
  }

  /** What workers have written of the history. */
  get segments(): Segments {
    return this.#load instanceof Shards ? this.#load.segments : { kind: 'whole', files: {} };
  }

  get inFlight(): number {
    return this.#ledger.inFlight + this.#studying;
  }

  /** Ends the run early: what is in flight may finish, nothing new is sent, the history is kept. */
  stop(): void {
    this.#stopping = true;
    this.#load.stopped ??= 'interrupted';
    this.#asker.stopped = true;
  }

  /** Ends the load early, as a cap wants it; what was created is still read back. */
  stopLoad(): void {
    this.#load.stopped ??= 'cap';
  }

  /** Ends the run as a cap on its time wants it, whatever it is at. */
  timeUp(): void {
    this.stopLoad();
    this.#asker.stopped = true;
  }

  /** Gives up on what is in flight, too. */
  abort(): Promise<void> {
    this.stop();
    return this.#destroy();
  }

  /**
   * Set-up, load, settling. Resolves with how it ended once everything is in the history, and with the error if it was
   * one: a target that cannot be reached, a key that it does not accept, a defect of this program. Never rejects.
   */
  async run(): Promise<{ readonly ending: Ending; readonly error?: unknown }> {
    const { clock, writer } = this.#options;
    const self = new SelfWatch({ clock, writer, statistics: this.statistics, inFlight: () => this.inFlight });
    const disk = setInterval(() => {
      if (writer.failure === undefined) return;
      this.#load.stopped ??= 'error';
      this.#asker.stopped = true;
    }, diskGlanceMs);
    let error: unknown;
    try {
      await this.#stages();
      error = this.#load.failure;
    } catch (thrown) {
      if (!(thrown instanceof AskingStopped)) error = thrown;
    }
    await this.#leaveUnsent();
    self.stop();
    clearInterval(disk);
    await this.#destroy();
    const ending = this.#ending(error);
    if (ending.how !== 'completed') {
      writer.event({ kind: 'stopped', atNs: clock.nowNs(), reason: ending.how, detail: ending.detail ?? '' });
    }
    return error === undefined ? { ending } : { ending, error };
  }

  /** A run that ends before its load still owes the books each planned request: none of them was sent. */
  async #leaveUnsent(): Promise<void> {
    if (this.loadStartNs !== undefined) return;
    this.#load.stopped ??= 'error';
    await this.#load.run(this.#options.clock.nowNs(), undefined);
  }

  async #stages(): Promise<void> {
    const { clock, catalogs, keys, plan, profile, scenario, seed, tag, writer } = this.#options;
    const hands = clockPlan(plan);
    const targetClock = new TargetClock({ clock, writer, set: this.#options.setClock });
    if (hands !== undefined) await targetClock.move(hands.eveEpochMs);
    const days = new Days(targetClock.nowEpochMs(), () => targetClock.nowEpochMs());
    const onStep = (step: string): void => {
      this.activity = { kind: 'setup', step };
    };
    const host = this.#options.baseUrl.host;
    const found = await setUp({
      host,
      clock,
      tag,
      seed,
      asker: this.#asker,
      writer,
      profile,
      keys,
      catalogs,
      roles: this.#options.roles,
      days,
      probes: scenario.probes,
      probeSessions: this.#mayProbeSessions(),
      timesLists: scenario.slo.some(({ endpoint }) => timedLists.includes(endpoint)),
      sample: this.#sample,
      onStep,
    });
    this.activity = { kind: 'load' };
    const startNs = this.#load instanceof Shards ? await this.#load.ready() : clock.nowNs();
    this.loadStartNs = startNs;
    await Promise.all([
      this.#load.run(startNs, found.channel),
      this.#saturations(startNs),
      this.#companion(startNs),
      this.#pollFreshness(startNs, found, days),
      targetClock.follow(hands?.moves ?? [], startNs, () => this.#load.stopped === undefined),
    ]);
    for (const { phase, startNs: from, endNs } of plan.phases) {
      writer.event({ kind: 'phase', name: phase.name, startNs: startNs + from, endNs: startNs + endNs });
    }
    if (this.#load.stopped === undefined) await this.#studies(found, days);
    if (this.#load.stopped === 'kill-switch' || this.#load.stopped === 'error') return;
    this.settleStartNs = clock.nowNs();
    await settle({
      asker: this.#asker,
      clock,
      catalogs,
      sample: this.#sample,
      days,
      dateFormat: found.dateFormat,
      freshnessMs: profile.analytics.freshness,
      freshness: this.#freshness,
      granted: () => this.#grants.granted,
      quotaTried: this.#options.quotaTried,
      analytics: this.#asksAnalytics(),
      refusedProductId: scenario.study.some(({ kind }) => kind === 'limits')
        ? refusedProductId(tag)
        : undefined,
      actsProductId: found.acted ? actsProductId(tag) : undefined,
      onStep: (step, done, total) => {
        this.activity = { kind: 'settle', step, done, total };
      },
    });
  }

  async #studies({ channel, dateFormat }: Discovered, days: Days): Promise<void> {
    const { baseUrl, catalogs, clock, keys, profile, scenario, seed, tag } = this.#options;
    const studying = runStudies(scenario.study, {
      baseUrl,
      profile,
      catalogs,
      clock,
      keys,
      tag,
      seed,
      days,
      dateFormat,
      channel,
      isSetUp: this.#options.roles.length > 0,
      asker: this.#asker,
      client: this.#questions,
      pool: this.#options.pool,
      writer: this.#options.writer,
      recorder: this.#recorder,
      seen: this.#seen,
      governors: this.#governors,
      sample: this.#sample,
      killSwitch: this.#killSwitch,
      isFresh: this.#options.isFresh,
      mostSessions: this.#cap.sessions - this.#ledger.sessionsSent,
      mayGoOn: () => this.#load.stopped === undefined && !this.#asker.stopped && this.#maySend(),
      requestsLeft: () => this.#options.cap.requests - this.statistics.sent - this.#closedRequests,
      onClosedRequests: (n) => {
        this.#closedRequests += n;
      },
      onKilled: () => {
        this.#load.stopped ??= 'kill-switch';
      },
      onStep: (step, alive) => {
        this.activity = { kind: 'study', step, alive };
      },
      onInFlight: (n) => {
        this.#studying = n;
      },
    });
    await studying.catch((error: unknown) => {
      // A cap ends what goes past the limit; what was created is still looked after.
      if (!(error instanceof AskingStopped) || this.#asker.stopped) throw error;
    });
  }

  async #companion(startNs: number): Promise<void> {
    const { catalogs, clock, plan, profile, roles, scenario } = this.#options;
    if (!scenario.probes || roles.length === 0) return;
    await accompany({
      instants: companionInstants(plan, profile.rate_limit),
      startNs,
      clock,
      client: this.#questions,
      recorder: this.#recorder,
      catalogId: catalogs.load.id,
      mayGoOn: () => this.#load.stopped === undefined && this.#maySend(),
    });
  }

  /** Whether analytics are asked what shoppers did. */
  #asksAnalytics(): boolean {
    const { scenario } = this.#options;
    return scenario.checks.includes('analytics') && !onlyAudits(scenario);
  }

  async #pollFreshness(startNs: number, { dateFormat }: Discovered, days: Days): Promise<void> {
    const { cap, clock, keys } = this.#options;
    // Where requests are counted out, none is spent on what is only good to know.
    if (this.#freshness === undefined || keys.load === undefined || Number.isFinite(cap.requests)) return;
    await pollBeside({
      plan: this.#freshness,
      startNs,
      clock,
      client: this.#questions,
      recorder: this.#recorder,
      governor: this.#governors.load,
      key: keys.load,
      days,
      dateFormat,
      mayGoOn: () => this.#load.stopped === undefined && this.#maySend(),
    });
  }

  async #saturations(startNs: number): Promise<void> {
    const { baseUrl, catalogs, clock, keys, plan, pool, profile, writer } = this.#options;
    for (const placed of plan.phases) {
      if (placed.kind !== 'closed') continue;
      await clock.until(startNs + placed.startNs);
      this.#closedRequests += await saturate({
        baseUrl,
        phase: placed.phase,
        clock,
        writer,
        keys: pool.length > 0 || keys.load === undefined ? pool : [keys.load.value],
        catalogId: catalogs.load.id,
        productId: catalogs.load.products[0]?.id ?? '',
        timeoutMs: profile.timeouts.headers,
        tls: tlsOf(profile),
        most: Math.min(
          this.#cap.requests - this.#ledger.requestsSent - this.#closedRequests,
          // Any of its requests may be for a session.
          this.#cap.sessions - this.#closedRequests,
        ),
        isStopped: () => this.#load.stopped !== undefined,
        onCapped: () => this.stopLoad(),
        onStep: (connections) => {
          this.activity = { kind: 'load', step: `closed loop with ${connections} connections` };
        },
      });
    }
  }

  #ending(error: unknown): Ending {
    return endingOf({
      atEpochMs: Math.round(epochMs(this.#options.clock, this.#options.clock.nowNs())),
      error,
      historyFailure: this.#options.writer.failure,
      gaveUp: this.#asker.gaveUp,
      stopped: this.#stopping ? 'interrupted' : this.#load.stopped,
      killReason: this.#killSwitch.reason,
    });
  }
}
