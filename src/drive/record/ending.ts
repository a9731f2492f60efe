import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { counted, number } from '../../amounts.ts';
import type { RunInfo } from '../../history/run.ts';
import type { HistoryWriter } from '../../history/writer.ts';
import { type Clock, takeWaits } from '../clock/clock.ts';
import type { LiveStatistics } from './statistics.ts';

/** How a run ended. */
export type Ending = NonNullable<RunInfo['ended']>;

export type StopReason = 'interrupted' | 'kill-switch' | 'cap' | 'error';

/** Says how a run ended: the first thing that went wrong, if anything did. */
export function endingOf(run: {
  readonly atEpochMs: number;
  readonly error: unknown;
  readonly historyFailure: Error | undefined;
  /** Why the target was given up on by what asks outside the load. */
  readonly gaveUp: string | undefined;
  readonly stopped: StopReason | undefined;
  /** Of the cap on time that every run has, where that was reached. */
  readonly overTime?: string | undefined;
  readonly killReason: string | undefined;
}): Ending {
  const at = { at_epoch_ms: run.atEpochMs };
  if (run.error !== undefined) {
    const detail = run.error instanceof Error ? run.error.message : String(run.error);
    return { ...at, how: 'error', detail };
  }
  if (run.historyFailure !== undefined)
    return { ...at, how: 'error', detail: `history: ${run.historyFailure.message}` };
  if (run.gaveUp !== undefined) return { ...at, how: 'kill-switch', detail: run.gaveUp };
  switch (run.stopped) {
    case undefined:
      return { ...at, how: 'completed' };
    case 'kill-switch':
      return { ...at, how: run.stopped, detail: run.killReason ?? 'the target was failing' };
    case 'cap':
      return {
        ...at,
        how: run.stopped,
        detail: run.overTime ?? 'a cap on requests, sessions or minutes was reached',
      };
    default:
      return { ...at, how: run.stopped };
  }
}

const windowSeconds = 10;
/** Fewer outcomes than this are too few to say that a target is failing. */
const leastOutcomes = 20;
/**
 * A limiter that wrongly answers 503 for 429 stays well under this share: it must be judged, not end the run.
 */
const failingShare = 0.9;

/** Watches for a target that is down: nearly every request of the last ten seconds failed (5xx or connection errors). */
export class KillSwitch {
  readonly #failed = new Array<number>(windowSeconds).fill(0);
  readonly #all = new Array<number>(windowSeconds).fill(0);
  #second = 0;
  #firstFailureSecond: number | undefined;
  #failedInWindow = 0;
  #allInWindow = 0;

  note(atNs: number, failed: boolean): void {
    this.noteSecond(Math.floor(atNs / 1e9), 1, failed ? 1 : 0);
  }

  /** Notes the outcomes of a second of the run. Seconds before the last ten are dropped. */
  noteSecond(second: number, all: number, failed: number): void {
    if (second <= this.#second - windowSeconds) return;
    // After a silence longer than the window, every slot is cleared once.
    this.#second = Math.max(this.#second, second - windowSeconds);
    for (; this.#second < second; this.#second++) {
      const slot = (this.#second + 1) % windowSeconds;
      this.#failedInWindow -= this.#failed[slot] ?? 0;
      this.#allInWindow -= this.#all[slot] ?? 0;
      this.#failed[slot] = 0;
      this.#all[slot] = 0;
    }
    // What failed longer ago is over.
    if (this.#failedInWindow === 0) this.#firstFailureSecond = undefined;
    const slot = second % windowSeconds;
    this.#all[slot] = (this.#all[slot] ?? 0) + all;
    this.#allInWindow += all;
    if (failed > 0) {
      this.#failed[slot] = (this.#failed[slot] ?? 0) + failed;
      this.#failedInWindow += failed;
      this.#firstFailureSecond ??= second;
    }
  }

  /** Why the run has to stop, in words; undefined while the target answers. */
  get reason(): string | undefined {
    const all = this.#allInWindow;
    const failed = this.#failedInWindow;
    if (all < leastOutcomes || failed < all * failingShare) return undefined;
    if (this.#firstFailureSecond === undefined || this.#second - this.#firstFailureSecond < windowSeconds / 2)
      return undefined;
    return `${number(failed)} of the last ${counted(all, 'request')} failed (5xx or connection errors) within ${windowSeconds} s`;
  }
}

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
