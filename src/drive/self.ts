import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { HistoryWriter } from '../history/writer.ts';
import type { Clock } from './clock.ts';
import type { LiveStatistics } from './statistics.ts';

const everyMs = 1_000;
const resolutionMs = 10;

/** Watches the generator itself, and puts what it sees into the history each second: rule 4 judges by it. */
export class SelfWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #observer: PerformanceObserver;
  #gcMs = 0;
  #cpu = process.cpuUsage();

  constructor(options: {
    readonly clock: Clock;
    readonly writer: HistoryWriter;
    readonly statistics: LiveStatistics;
    readonly inFlight: () => number;
  }) {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#gcMs += entry.duration;
    });
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#delay.enable();
    this.#timer = setInterval(() => {
      const cpu = process.cpuUsage(this.#cpu);
      this.#cpu = process.cpuUsage();
      options.writer.event({
        kind: 'self',
        atNs: options.clock.nowNs(),
        // The monitor measures from tick to tick of its own timer, which takes `resolutionMs` when nothing is late.
        loopDelayMaxMs: round(Math.max(0, this.#delay.max / 1e6 - resolutionMs)),
        gcMs: round(this.#gcMs),
        cpuMs: round((cpu.user + cpu.system) / 1e3),
        inFlight: options.inFlight(),
        sendLagMaxMs: round(options.statistics.takeSendLagMaxMs()),
      });
      this.#delay.reset();
      this.#gcMs = 0;
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
    this.#observer.disconnect();
  }
}

function round(ms: number): number {
  return Math.round(ms * 1e3) / 1e3;
}
