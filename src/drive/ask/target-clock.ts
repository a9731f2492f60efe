import type { HistoryWriter } from '../../history/writer.ts';
import type { ClockMove } from '../../plan/clock-moves.ts';
import { type Clock, epochMs } from '../clock/clock.ts';

interface TargetClockOptions {
  readonly clock: Clock;
  readonly writer: Pick<HistoryWriter, 'event'>;
  /** Sets the target's wall clock; undefined where that is not possible. */
  readonly set: ((epochMs: number) => Promise<void>) | undefined;
}

/** How often the wait for the next move looks whether the run was stopped. */
const pollIntervalNs = 100e6;

/** The target's wall clock, as far as the run knows it: the run's own, until the run sets it. */
export class TargetClock {
  readonly #options: TargetClockOptions;
  #moved: { readonly setNs: number; readonly toEpochMs: number } | undefined;

  constructor(options: TargetClockOptions) {
    this.#options = options;
  }

  nowEpochMs(): number {
    const { clock } = this.#options;
    const nowNs = clock.nowNs();
    return this.#moved === undefined
      ? epochMs(clock, nowNs)
      : this.#moved.toEpochMs + (nowNs - this.#moved.setNs) / 1e6;
  }

  /** Sets it, and remembers in the history between which instants of the run that happened. */
  async move(toEpochMs: number): Promise<void> {
    const { clock, set, writer } = this.#options;
    if (set === undefined) throw new Error('the clock of this target cannot be set');
    const askedNs = clock.nowNs();
    await set(toEpochMs);
    const setNs = clock.nowNs();
    this.#moved = { setNs, toEpochMs };
    writer.event({ kind: 'clock', askedNs, setNs, epochMs: toEpochMs });
  }

  /** Makes the moves of a plan, each when it is due. `startNs`: the start of the load. */
  async follow(moves: readonly ClockMove[], startNs: number, mayGoOn: () => boolean): Promise<void> {
    const { clock } = this.#options;
    for (const { atNs, toEpochMs } of moves) {
      const dueNs = startNs + atNs;
      for (let nowNs = clock.nowNs(); nowNs < dueNs && mayGoOn(); nowNs = clock.nowNs())
        await clock.until(Math.min(dueNs, nowNs + pollIntervalNs));
      if (!mayGoOn()) return;
      // The clock may stand late in an hour that took longer to play: it is never put back.
      if (toEpochMs >= this.nowEpochMs()) await this.move(toEpochMs);
    }
  }
}
