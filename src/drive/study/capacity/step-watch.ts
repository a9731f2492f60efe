import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { StepSelf } from '../../../history/record.ts';

const resolutionMs = 10;

/** Watches this program during one step. */
export class StepWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  #cpu = process.cpuUsage();
  #loop = performance.eventLoopUtilization();
  #startMs = performance.now();

  constructor() {
    this.#delay.enable();
  }

  /** Starts again: everything until now is warm-up. */
  restart(): void {
    this.#delay.reset();
    this.#cpu = process.cpuUsage();
    this.#loop = performance.eventLoopUtilization();
    this.#startMs = performance.now();
  }

  /** Ends it. `busyShare`: the part of its time in which the event loop was not waiting. */
  end(): { readonly self: StepSelf; readonly busyShare: number } {
    this.#delay.disable();
    const tookMs = Math.max(1, performance.now() - this.#startMs);
    const { system, user } = process.cpuUsage(this.#cpu);
    return {
      self: {
        // Between ticks of its timer, which takes the resolution when nothing is late.
        loopDelayMaxMs: rounded(Math.max(0, this.#delay.max / 1e6 - resolutionMs)),
        cpuShare: rounded((user + system) / 1e3 / tookMs),
      },
      busyShare: rounded(performance.eventLoopUtilization(this.#loop).utilization),
    };
  }
}

/** To three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
