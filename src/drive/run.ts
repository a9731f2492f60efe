import { counted } from '../amounts.ts';
import { clockPlan } from '../plan/clock-moves.ts';
import { roles } from '../vocabulary/roles.ts';
import { AskingStopped } from './ask.ts';
import { askBeside } from './beside.ts';
import { epochMs } from './clock.ts';
import { contractIds } from './contract-probes.ts';
import { Days } from './days.ts';
import type { Activity, DriveOptions } from './drive-options.ts';
import { type Ending, endingOf } from './ending.ts';
import { eventsProductId } from './event-probes.ts';
import { PageBudget } from './page-budget.ts';
import { openRunContext, type RunContext } from './run-context.ts';
import { saturateInTurn } from './saturations.ts';
import { SelfWatch } from './self.ts';
import { otherKeysOf, settle } from './settle.ts';
import { type Discovered, setUp } from './setup.ts';
import { type Segments, Shards } from './shards.ts';
import { LiveStatistics } from './statistics.ts';
import { refusedProductId } from './study/scope-tries.ts';
import { runStudies } from './study/studies.ts';
import { TargetClock } from './target-clock.ts';
import { warmUp } from './warm-up.ts';
import { holdYoungGeneration } from './young-generation.ts';

/** The probes that time a list. */
const timedLists: readonly string[] = ['list-shades', '*'];

/** How often a run looks whether its history can still be written. */
const diskPollMs = 250;

/** A run under way: drives, remembers, and can be watched and stopped. */
export class Drive {
  readonly #options: DriveOptions;
  readonly #context: RunContext;
  /** Requests of a study under way. */
  #studying = 0;
  readonly statistics = new LiveStatistics();
  activity: Activity = { kind: 'setup', step: 'connecting' };
  /** When the load started, in run nanoseconds; undefined before. */
  loadStartNs: number | undefined;
  /** The same for settling. */
  settleStartNs: number | undefined;
  #stopping = false;
  /** Requests of closed loops. */
  #closedRequests = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
    this.#context = openRunContext(options, this.statistics, () => this.#maySend());
  }

  async #destroy(): Promise<void> {
    await Promise.all([this.#context.load.destroy(), this.#context.questions.destroy()]);
  }

  #maySend(): boolean {
    const unheard = this.#context.load instanceof Shards ? this.#context.load.unheard : 0;
    const may = this.statistics.sent + unheard + this.#closedRequests < this.#options.cap.requests;
    if (!may) this.stopLoad();
    return may;
  }

  /** What workers have written of the history. */
  get segments(): Segments {
    return this.#context.load instanceof Shards ? this.#context.load.segments : { kind: 'whole', files: {} };
  }

  get inFlight(): number {
    return this.#context.ledger.inFlight + this.#studying;
  }

  /** Ends the run early: what is in flight may finish, nothing new is sent, the history is kept. */
  stop(): void {
    this.#stopping = true;
    this.#context.load.stopped ??= 'interrupted';
    this.#context.asker.stopped = true;
  }

  /** Ends the load early because of a cap; created sessions are still read back. */
  stopLoad(): void {
    this.#context.load.stopped ??= 'cap';
  }

  /** Ends the run, as a cap on its time requires, in any stage. */
  timeUp(): void {
    this.stopLoad();
    this.#context.asker.stopped = true;
  }

  /** Gives up on what is in flight, too. */
  abort(): Promise<void> {
    this.stop();
    return this.#destroy();
  }

  /**
   * Runs set-up, load and settling; never rejects. Resolves once everything is in the history, with the ending and
   * its error: target out of reach, key rejected, or a defect of this program.
   */
  async run(): Promise<{ readonly ending: Ending; readonly error?: unknown }> {
    const { clock, writer } = this.#options;
    const self = new SelfWatch({ clock, writer, statistics: this.statistics, inFlight: () => this.inFlight });
    const disk = setInterval(() => {
      if (writer.failure === undefined) return;
      this.#context.load.stopped ??= 'error';
      this.#context.asker.stopped = true;
    }, diskPollMs);
    let error: unknown;
    try {
      await this.#stages();
      error = this.#context.load.failure;
    } catch (thrown) {
      if (!(thrown instanceof AskingStopped)) error = thrown;
    }
    await this.#leaveUnsent();
    this.#noteIdleTime();
    self.stop();
    clearInterval(disk);
    await this.#destroy();
    const ending = this.#ending(error);
    if (ending.how !== 'completed') {
      writer.event({ kind: 'stopped', atNs: clock.nowNs(), reason: ending.how, detail: ending.detail ?? '' });
    }
    return error === undefined ? { ending } : { ending, error };
  }

  #noteIdleTime(): void {
    const { closedAfterMs } = this.#context.rest;
    if (closedAfterMs === undefined) return;
    this.#options.writer.event({
      kind: 'discovered',
      what: 'idle connections',
      value: `closed by the target after ${(closedAfterMs / 1e3).toFixed(1)} s without a request`,
    });
  }

  /** A run that ends before its load still has a record for each planned request: it was not sent. */
  async #leaveUnsent(): Promise<void> {
    if (this.loadStartNs !== undefined) return;
    this.#context.load.stopped ??= 'error';
    await this.#context.load.run(this.#options.clock.nowNs(), undefined);
  }

  async #stages(): Promise<void> {
    const { clock, catalogs, keys, plan, profile, scenario, seed, tag, writer } = this.#options;
    const clockMoves = clockPlan(plan);
    const targetClock = new TargetClock({ clock, writer, set: this.#options.setClock });
    if (clockMoves !== undefined) await targetClock.move(clockMoves.eveEpochMs);
    const days = new Days(targetClock.nowEpochMs(), () => targetClock.nowEpochMs());
    const onStep = (step: string): void => {
      this.activity = { kind: 'setup', step };
    };
    const host = this.#options.baseUrl.host;
    const found = await setUp({
      baseUrl: this.#options.baseUrl,
      pages: new PageBudget(),
      host,
      clock,
      tag,
      seed,
      asker: this.#context.asker,
      writer,
      profile,
      keys,
      pool: this.#options.pool,
      catalogs,
      roles: this.#options.roles,
      days,
      probes: scenario.probes,
      probeSessions: this.#context.probesSessions,
      timesLists: scenario.slo.some(({ endpoint }) => timedLists.includes(endpoint)),
      sample: this.#context.sample,
      onStep,
    });
    this.activity = { kind: 'load' };
    if (!(this.#context.load instanceof Shards)) await warmUp(catalogs.load);
    const startNs = this.#context.load instanceof Shards ? await this.#context.load.ready() : clock.nowNs();
    this.loadStartNs = startNs;
    // What set-up did not need is the load's.
    this.#context.ledger.noteOthers(this.statistics.sent);
    // Each worker sets its own bound; the factor is the process's.
    const young = this.#context.load instanceof Shards ? undefined : holdYoungGeneration();
    try {
      await Promise.all([
        this.#context.load.run(startNs, found.channel),
        this.#saturations(startNs),
        askBeside({
          options: this.#options,
          context: this.#context,
          startNs,
          days,
          dateFormat: found.dateFormat,
          maySend: () => this.#maySend(),
        }),
        targetClock.follow(clockMoves?.moves ?? [], startNs, () => this.#context.load.stopped === undefined),
      ]);
    } finally {
      young?.stop();
    }
    for (const { phase, startNs: from, endNs } of plan.phases) {
      writer.event({ kind: 'phase', name: phase.name, startNs: startNs + from, endNs: startNs + endNs });
    }
    if (this.#context.load.stopped === undefined) await this.#studies(found, days);
    if (this.#context.load.stopped === 'kill-switch' || this.#context.load.stopped === 'error') return;
    this.settleStartNs = clock.nowNs();
    await settle({
      asker: this.#context.asker,
      clock,
      catalogs,
      sample: this.#context.sample,
      days,
      dateFormat: found.dateFormat,
      freshnessMs: profile.analytics.freshness,
      freshness: this.#context.freshness,
      granted: () => this.#context.grants.granted,
      quotaTried: this.#options.quotaTried,
      analytics: this.#context.asksAnalytics,
      refusedProductId: scenario.study.some(({ kind }) => kind === 'limits')
        ? refusedProductId(tag)
        : undefined,
      eventsProductId: found.interacted ? eventsProductId(tag) : undefined,
      unsoldProductId: contractIds(tag).unknown,
      otherKeys: otherKeysOf(
        this.#options.roles,
        roles.filter((role) => keys[role] !== undefined),
        scenario.probes,
      ),
      onStep: (step, done, total) => {
        this.activity = { kind: 'settle', step, done, total };
      },
    });
  }

  async #studies({ channel, dateFormat, interacted }: Discovered, days: Days): Promise<void> {
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
      otherProducts: interacted ? [eventsProductId(tag)] : [],
      isSetUp: this.#options.roles.length > 0,
      asker: this.#context.asker,
      client: this.#context.questions,
      rest: this.#context.rest,
      pool: this.#options.pool,
      writer: this.#options.writer,
      recorder: this.#context.recorder,
      seen: this.#context.seen,
      governors: this.#context.governors,
      sample: this.#context.sample,
      killSwitch: this.#context.killSwitch,
      isFresh: this.#options.isFresh,
      mostSessions: this.#context.cap.sessions - this.#context.ledger.sessionsSent,
      mayGoOn: () =>
        this.#context.load.stopped === undefined && !this.#context.asker.stopped && this.#maySend(),
      requestsLeft: () => this.#options.cap.requests - this.statistics.sent - this.#closedRequests,
      onClosedRequests: (n) => {
        this.#closedRequests += n;
      },
      onClosed: (status, tookMs) => this.statistics.noteClosed(status, tookMs),
      onKilled: () => {
        this.#context.load.stopped ??= 'kill-switch';
      },
      onStep: (step, alive) => {
        this.activity = { kind: 'study', step, alive };
      },
      onInFlight: (n) => {
        this.#studying = n;
      },
    });
    await studying.catch((error: unknown) => {
      // A cap ends the load; created sessions are still settled.
      if (!(error instanceof AskingStopped) || this.#context.asker.stopped) throw error;
    });
  }

  async #saturations(startNs: number): Promise<void> {
    const { cap, ledger, load } = this.#context;
    await saturateInTurn(this.#options, startNs, {
      // Any of its requests may be for a session.
      most: () => Math.min(ledger.left(cap), cap.sessions - this.#closedRequests),
      isStopped: () => load.stopped !== undefined,
      onCapped: () => this.stopLoad(),
      onStep: (connections) => {
        this.activity = {
          kind: 'load',
          step: `closed loop with ${counted(connections, 'connection')}`,
        };
      },
      onRequests: (n) => {
        this.#closedRequests += n;
        ledger.noteOthers(n);
      },
      onClosed: (status, tookMs) => this.statistics.noteClosed(status, tookMs),
    });
  }

  #ending(error: unknown): Ending {
    return endingOf({
      atEpochMs: Math.round(epochMs(this.#options.clock, this.#options.clock.nowNs())),
      error,
      historyFailure: this.#options.writer.failure,
      gaveUp: this.#context.asker.gaveUp,
      stopped: this.#stopping ? 'interrupted' : this.#context.load.stopped,
      killReason: this.#context.killSwitch.reason,
    });
  }
}
