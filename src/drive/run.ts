import { AskingStopped } from './ask/ask.ts';
import { epochMs } from './clock/clock.ts';
import { type DriveOptions, nothing, type Progress, type Segments } from './load/load.ts';
import { type Ending, endingOf, SelfWatch } from './record/ending.ts';
import type { LiveStatistics } from './record/statistics.ts';
import { openRunContext, type RunContext } from './run-context.ts';
import { runStages } from './stages.ts';

/** How often a run looks whether its history can still be written. */
const diskPollMs = 250;

/** A run under way: drives, remembers, and can be watched and stopped. */
export class Drive {
  readonly #run: RunContext;
  #overTime: string | undefined;
  #stopping = false;

  constructor(options: DriveOptions) {
    this.#run = openRunContext(options);
  }

  get statistics(): LiveStatistics {
    return this.#run.statistics;
  }

  /** What others than this thread have written of the history. */
  get segments(): Segments {
    return this.#run.load.segments;
  }

  /** How far the run has come, for the display. */
  get progress(): Readonly<Progress> {
    return this.#run.progress;
  }

  get inFlight(): number {
    return this.#run.ledger.inFlight + this.#run.progress.studying;
  }

  /** Ends the run early: what is in flight may finish, nothing new is sent, the history is kept. */
  stop(): void {
    this.#stopping = true;
    this.#end('interrupted');
  }

  /** Ends the load early because of a cap; created sessions are still read back. */
  stopLoad(): void {
    this.#run.load.stopped ??= 'cap';
  }

  /** Ends the run, as a cap on its time requires, in any stage. `why`: of a cap that was not given. */
  timeUp(why?: string): void {
    if (this.#run.load.stopped === undefined) this.#overTime = why;
    this.#end('cap');
  }

  #end(reason: 'interrupted' | 'cap' | 'error'): void {
    this.#run.load.stopped ??= reason;
    this.#run.asker.stopped = true;
  }

  /**
   * Runs set-up, load and settling; never rejects. Resolves once everything is in the history, with the ending and
   * its error: target out of reach, key rejected, or a defect of this program.
   */
  async run(): Promise<{ readonly ending: Ending; readonly error?: unknown }> {
    const { client, clock, load, statistics, writer } = this.#run;
    const self = new SelfWatch({ clock, writer, statistics, inFlight: () => this.inFlight });
    const disk = setInterval(() => {
      if (writer.failure !== undefined) this.#end('error');
    }, diskPollMs);
    let error: unknown;
    try {
      await runStages(this.#run);
      error = load.failure;
    } catch (thrown) {
      if (!(thrown instanceof AskingStopped)) error = thrown;
    }
    await this.#leaveUnsent();
    this.#noteConnections();
    self.stop();
    clearInterval(disk);
    await Promise.all([load.destroy(), client.destroy()]);
    const ending = this.#ending(error);
    if (ending.how !== 'completed')
      writer.event({ kind: 'stopped', atNs: clock.nowNs(), reason: ending.how, detail: ending.detail ?? '' });
    return error === undefined ? { ending } : { ending, error };
  }

  /** When the target closes idle connections; and its addresses, behind which there may be several nodes. */
  #noteConnections(): void {
    const { addresses, rest } = this.#run.learned;
    const note = (what: string, value: string): void =>
      this.#run.writer.event({ kind: 'discovered', what, value });
    if (rest.closedAfterMs !== undefined)
      note(
        'idle connections',
        `closed by the target after ${(rest.closedAfterMs / 1e3).toFixed(1)} s without a request`,
      );
    const { failed, inTurn } = addresses;
    if (inTurn.length > 1) note('addresses', `${inTurn.join(', ')}, used in turn; --address chooses one`);
    for (const [address, why] of failed) note(`address ${address}`, `gave no connection: ${why}`);
  }

  /** A run that ends before its load still has a record for each planned request: it was not sent. */
  async #leaveUnsent(): Promise<void> {
    const { clock, load, progress } = this.#run;
    if (progress.loadStartNs !== undefined) return;
    load.stopped ??= 'error';
    await load.run({ startNs: clock.nowNs(), ...nothing });
  }

  #ending(error: unknown): Ending {
    const { asker, clock, killSwitch, load, writer } = this.#run;
    return endingOf({
      atEpochMs: Math.round(epochMs(clock, clock.nowNs())),
      error,
      historyFailure: writer.failure,
      gaveUp: asker.gaveUp,
      overTime: this.#overTime,
      stopped: this.#stopping ? 'interrupted' : load.stopped,
      killReason: killSwitch.reason,
    });
  }
}
