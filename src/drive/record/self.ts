import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { HistoryWriter } from '../../history/writer.ts';
import { type Clock, takeWaits } from '../clock/clock.ts';
import type { LiveStatistics } from './statistics.ts';

const everyMs = 1_000;
const resolutionMs = 10;

/**
 * Watches the generator and records its measurements each second; the judgement of generator-bound uses them.
 */
export class SelfWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #observer: PerformanceObserver;
  #gcMs = 0;
  #cpu: NodeJS.CpuUsage;

  constructor(options: {
    readonly clock: Clock;
    readonly writer: HistoryWriter;
    readonly statistics: LiveStatistics;
    readonly inFlight: () => number;
    /** The number of the worker whose thread this is, if it is one. */
    readonly worker?: number;
  }) {
    const { worker } = options;
    // Of a worker its own thread's, of the main thread the process's. Node has it since 23.9.
    const ofThread = worker !== undefined && 'threadCpuUsage' in process;
    const cpuUsage = ofThread ? process.threadCpuUsage : process.cpuUsage;
    this.#cpu = cpuUsage();
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#gcMs += entry.duration;
    });
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#delay.enable();
    this.#timer = setInterval(() => {
      const cpu = cpuUsage(this.#cpu);
      this.#cpu = cpuUsage();
      options.writer.event({
        kind: 'self',
        ...(worker === undefined ? {} : { worker }),
        atNs: options.clock.nowNs(),
        // The monitor measures between ticks of its timer, which takes `resolutionMs` when nothing is late.
        loopDelayMaxMs: round(Math.max(0, this.#delay.max / 1e6 - resolutionMs)),
        gcMs: round(this.#gcMs),
        cpuMs: round((cpu.user + cpu.system) / 1e3),
        inFlight: options.inFlight(),
        sendLagMaxMs: round(options.statistics.takeSendLagMaxMs()),
        waits: takeWaits(),
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
