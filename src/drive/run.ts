import { randomUUID } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import type { RunInfo } from '../history/run.ts';
import type { HistoryWriter } from '../history/writer.ts';
import type { Plan } from '../plan/plan.ts';
import { randomStream } from '../random.ts';
import type { Scenario } from '../scenario/define.ts';
import { openPool, TargetClient, tlsOf } from '../target/client.ts';
import type { Keys } from '../target/keys.ts';
import { type Profile, type Role, roles } from '../target/profile.ts';
import { Asker, AskingStopped } from './ask.ts';
import type { Clock } from './clock.ts';
import { epochMs } from './clock.ts';
import { Days } from './days.ts';
import { Governor } from './governor.ts';
import { KillSwitch } from './kill-switch.ts';
import { Recorder } from './recorder.ts';
import { SessionSample } from './sample.ts';
import { saturate } from './saturate.ts';
import { SelfWatch } from './self.ts';
import { settle } from './settle.ts';
import { setUp } from './setup.ts';
import { LiveStatistics } from './statistics.ts';
import { Traffic } from './traffic.ts';

export interface DriveOptions {
  readonly tag: string;
  readonly seed: number;
  readonly scenario: Scenario;
  readonly plan: Plan;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Whose catalogs are needed. */
  readonly roles: readonly Role[];
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Keys;
  /** Further keys for closed-loop phases. */
  readonly pool: readonly string[];
  readonly clock: Clock;
  readonly writer: HistoryWriter;
  readonly quotaTried: boolean;
  /** What the whole run may send at most; `reserved` requests of that are for set-up and settling. */
  readonly cap: { readonly requests: number; readonly sessions: number; readonly reserved: number };
}

/** Sessions that set-up opens at most. */
const setupSessions = 1;

/** How often a run looks whether its history can still be written. */
const diskGlanceMs = 250;

export type Ending = NonNullable<RunInfo['ended']>;

/** What the run is doing, for the display. */
export type Activity =
  | {
      readonly kind: 'setup' | 'settle';
      readonly step: string;
      readonly done?: number;
      readonly total?: number;
    }
  | { readonly kind: 'load'; readonly step?: string };

/** A run under way: drives, remembers, and can be watched and stopped. */
export class Drive {
  readonly #options: DriveOptions;
  readonly #client: TargetClient;
  readonly #asker: Asker;
  readonly #traffic: Traffic;
  readonly #killSwitch = new KillSwitch();
  readonly #sample: SessionSample;
  readonly statistics = new LiveStatistics();
  activity: Activity = { kind: 'setup', step: 'connecting' };
  /** When the load started, in run nanoseconds; undefined before. */
  loadStartNs: number | undefined;
  #stopping = false;
  /** Requests of closed loops. */
  #closedRequests = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
    const { clock, keys, profile, scenario, seed, writer } = options;
    const pool = openPool(options.baseUrl, profile);
    this.#client = new TargetClient(options.baseUrl, pool, clock.nowNs, profile.timeouts);
    const secrets = [...roles.flatMap((role) => keys[role]?.value ?? []), ...options.pool];
    const recorder = new Recorder(writer, profile, secrets, this.statistics);
    const governor = (): Governor => new Governor(clock, profile.rate_limit);
    const governors = { load: governor(), quota: governor(), bystander: governor() };
    this.#sample = new SessionSample(scenario.settle.readBack, randomStream(seed, 'read-back'));
    const windowMs = profile.rate_limit.windowMs;
    this.#asker = new Asker({
      clock,
      client: this.#client,
      recorder,
      keys,
      governors,
      windowMs,
      mayAsk: () => {
        const may = this.statistics.sent + this.#closedRequests < options.cap.requests;
        if (!may) this.stopLoad();
        return may;
      },
    });
    const { cap } = options;
    this.#traffic = new Traffic({
      plan: options.plan,
      clock,
      client: this.#client,
      recorder,
      keys,
      governors,
      killSwitch: this.#killSwitch,
      inFlightBound: profile.in_flight,
      actId: actIds(),
      sample: this.#sample,
      cap: {
        requests: Math.max(0, cap.requests - cap.reserved),
        sessions: Math.max(0, cap.sessions - setupSessions),
      },
    });
  }

  get inFlight(): number {
    return this.#traffic.inFlight;
  }

  /** Ends the run early: what is in flight may finish, nothing new is sent, the history is kept. */
  stop(): void {
    this.#stopping = true;
    this.#traffic.stopped ??= 'interrupted';
    this.#asker.stopped = true;
  }

  /** Ends the load early, as a cap wants it; what was created is still read back. */
  stopLoad(): void {
    this.#traffic.stopped ??= 'cap';
  }

  /** Ends the run as a cap on its time wants it, whatever it is at. */
  timeUp(): void {
    this.stopLoad();
    this.#asker.stopped = true;
  }

  /** Gives up on what is in flight, too. */
  abort(): Promise<void> {
    this.stop();
    return this.#client.destroy();
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
      this.#traffic.stopped ??= 'error';
      this.#asker.stopped = true;
    }, diskGlanceMs);
    let error: unknown;
    try {
      await this.#stages();
      error = this.#traffic.failure;
    } catch (thrown) {
      if (!(thrown instanceof AskingStopped)) error = thrown;
    }
    await this.#leaveUnsent();
    self.stop();
    clearInterval(disk);
    await this.#client.destroy();
    const ending = this.#ending(error);
    if (ending.how !== 'completed') {
      writer.event({ kind: 'stopped', atNs: clock.nowNs(), reason: ending.how, detail: ending.detail ?? '' });
    }
    return error === undefined ? { ending } : { ending, error };
  }

  /** A run that ends before its load still owes the books each planned request: none of them was sent. */
  async #leaveUnsent(): Promise<void> {
    if (this.loadStartNs !== undefined) return;
    this.#traffic.stopped ??= 'error';
    await this.#traffic.run(this.#options.clock.nowNs(), undefined);
  }

  async #stages(): Promise<void> {
    const { clock, catalogs, keys, plan, profile, scenario, seed, tag, writer } = this.#options;
    const days = new Days(clock.zeroEpochMs, () => epochMs(clock, clock.nowNs()));
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
      onStep,
    });
    this.activity = { kind: 'load' };
    const startNs = clock.nowNs();
    this.loadStartNs = startNs;
    await Promise.all([this.#traffic.run(startNs, found.channel), this.#saturations(startNs)]);
    for (const { phase, startNs: from, endNs } of plan.phases) {
      writer.event({ kind: 'phase', name: phase.name, startNs: startNs + from, endNs: startNs + endNs });
    }
    if (this.#traffic.stopped === 'kill-switch' || this.#traffic.stopped === 'error') return;
    await settle({
      asker: this.#asker,
      clock,
      catalogs,
      sample: this.#sample,
      days,
      dateFormat: found.dateFormat,
      freshnessMs: profile.analytics.freshness,
      quotaTried: this.#options.quotaTried,
      analytics: scenario.checks.includes('analytics'),
      onStep: (step, done, total) => {
        this.activity = { kind: 'settle', step, done, total };
      },
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
          this.#traffic.cap.requests - this.#traffic.requestsSent - this.#closedRequests,
          // Any of its requests may be for a session.
          this.#traffic.cap.sessions - this.#closedRequests,
        ),
        isStopped: () => this.#traffic.stopped !== undefined,
        onCapped: () => this.stopLoad(),
        onStep: (connections) => {
          this.activity = { kind: 'load', step: `closed loop with ${connections} connections` };
        },
      });
    }
  }

  #ending(error: unknown): Ending {
    const atEpochMs = Math.round(epochMs(this.#options.clock, this.#options.clock.nowNs()));
    if (error !== undefined) {
      return {
        at_epoch_ms: atEpochMs,
        how: 'error',
        detail: error instanceof Error ? error.message : String(error),
      };
    }
    if (this.#options.writer.failure !== undefined) {
      return {
        at_epoch_ms: atEpochMs,
        how: 'error',
        detail: `history: ${this.#options.writer.failure.message}`,
      };
    }
    if (this.#asker.gaveUp !== undefined) {
      return { at_epoch_ms: atEpochMs, how: 'kill-switch', detail: this.#asker.gaveUp };
    }
    const stopped = this.#stopping ? 'interrupted' : this.#traffic.stopped;
    switch (stopped) {
      case undefined:
        return { at_epoch_ms: atEpochMs, how: 'completed' };
      case 'kill-switch':
        return {
          at_epoch_ms: atEpochMs,
          how: stopped,
          detail: this.#killSwitch.reason ?? 'the target was failing',
        };
      case 'cap':
        return {
          at_epoch_ms: atEpochMs,
          how: stopped,
          detail: 'a cap on requests, sessions or minutes was reached',
        };
      default:
        return { at_epoch_ms: atEpochMs, how: stopped };
    }
  }
}

/** Ids for acts, unique within the run, in the form of a UUID (version 4, variant 1): a random head, and a counter. */
function actIds(): () => string {
  const head = randomUUID().slice(0, 24);
  let count = 0;
  return () => head + (count++).toString(16).padStart(12, '0');
}
