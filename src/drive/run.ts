import { AskingStopped } from './ask/ask.ts';
import { epochMs } from './clock/clock.ts';
import { type DriveOptions, nothing, type Segments } from './load/load.ts';
import { Figures } from './observe/figures.ts';
import { type Ending, endingOf } from './record/ending.ts';
import { SelfWatch } from './record/self.ts';
import { LiveStatistics } from './record/statistics.ts';
import { openRunContext, type RunContext } from './run-context.ts';
import { type Progress, runStages } from './stages.ts';

/** How often a run looks whether its history can still be written. */
const diskPollMs = 250;

/** A run under way: drives, remembers, and can be watched and stopped. */
export class Drive {
  readonly #options: DriveOptions;
  readonly #context: RunContext;
  readonly statistics: LiveStatistics;
  #overTime: string | undefined;
  readonly #progress: Progress = {
    activity: { kind: 'setup', step: 'connecting' },
    loadStartNs: undefined,
    settleStartNs: undefined,
    studying: 0,
    closedRequests: 0,
  };
  #stopping = false;

  constructor(options: DriveOptions) {
    this.#options = options;
    const [memory] = options.observed?.memories ?? [];
    this.statistics = new LiveStatistics(memory === undefined ? undefined : new Figures(memory));
    this.#context = openRunContext(options, this.statistics, () => this.#maySend());
  }

  async #destroy(): Promise<void> {
    await Promise.all([this.#context.load.destroy(), this.#context.questions.destroy()]);
  }

  #maySend(): boolean {
    const unheard = this.#context.load.unheard + this.#context.asker.underWay;
    const may = this.statistics.sent + unheard + this.#progress.closedRequests < this.#options.cap.requests;
    if (!may) this.stopLoad();
    return may;
  }

  /** What others than this thread have written of the history. */
  get segments(): Segments {
    return this.#context.load.segments;
  }

  /** How far the run has come, for the display. */
  get progress(): Readonly<Progress> {
    return this.#progress;
  }

  get inFlight(): number {
    return this.#context.ledger.inFlight + this.#progress.studying;
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

  /** Ends the run, as a cap on its time requires, in any stage. `why`: of a cap that was not given. */
  timeUp(why?: string): void {
    if (this.#context.load.stopped === undefined) this.#overTime = why;
    this.stopLoad();
    this.#context.asker.stopped = true;
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
      await runStages({
        options: this.#options,
        context: this.#context,
        statistics: this.statistics,
        progress: this.#progress,
        maySend: () => this.#maySend(),
        stopLoad: () => this.stopLoad(),
      });
      error = this.#context.load.failure;
    } catch (thrown) {
      if (!(thrown instanceof AskingStopped)) error = thrown;
    }
    await this.#leaveUnsent();
    this.#noteIdleTime();
    this.#noteAddresses();
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
    const { closedAfterMs } = this.#context.learned.rest;
    if (closedAfterMs === undefined) return;
    this.#options.writer.event({
      kind: 'discovered',
      what: 'idle connections',
      value: `closed by the target after ${(closedAfterMs / 1e3).toFixed(1)} s without a request`,
    });
  }

  /** Behind several addresses there may be several nodes. */
  #noteAddresses(): void {
    const { failed, inTurn } = this.#context.learned.addresses;
    const note = (what: string, value: string): void =>
      this.#options.writer.event({ kind: 'discovered', what, value });
    if (inTurn.length > 1) note('addresses', `${inTurn.join(', ')}, used in turn; --address chooses one`);
    for (const [address, why] of failed) note(`address ${address}`, `gave no connection: ${why}`);
  }

  /** A run that ends before its load still has a record for each planned request: it was not sent. */
  async #leaveUnsent(): Promise<void> {
    if (this.#progress.loadStartNs !== undefined) return;
    this.#context.load.stopped ??= 'error';
    await this.#context.load.run({ startNs: this.#options.clock.nowNs(), ...nothing });
  }

  #ending(error: unknown): Ending {
    return endingOf({
      atEpochMs: Math.round(epochMs(this.#options.clock, this.#options.clock.nowNs())),
      error,
      historyFailure: this.#options.writer.failure,
      gaveUp: this.#context.asker.gaveUp,
      overTime: this.#overTime,
      stopped: this.#stopping ? 'interrupted' : this.#context.load.stopped,
      killReason: this.#context.killSwitch.reason,
    });
  }
}
