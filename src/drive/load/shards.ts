import { Worker } from 'node:worker_threads';
import type { FileStates } from '../../history/writer.ts';
import type { Shard } from '../../plan/lanes.ts';
import type { PlanInput } from '../../plan/plan.ts';
import { programFile } from '../../program-files.ts';
import type { Keys } from '../../target/keys.ts';
import type { Profile } from '../../target/profile.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { Governor, SpendCertainty } from '../ask/governor.ts';
import type { SampleShare, SessionSample } from '../ask/sample.ts';
import type { Clock, ClockZero } from '../clock/clock.ts';
import type { KillSwitch, StopReason } from '../record/ending.ts';
import type { Cap, Ledger } from '../record/ledger.ts';
import type { LiveCounts, LiveStatistics } from '../record/statistics.ts';
import { type FoundInSetup, type Load, nothing, type Observed, type Segments, type Start } from './load.ts';

/**
 * What a worker is given: the plan's input, not the scenario's file, since a script may return something else each
 * time. The plan is a pure function of this input.
 */
export interface ShardTask {
  readonly shard: Shard;
  readonly planInput: PlanInput;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Secrets, as are the further ones that no record may hold. They go from thread to thread within the process. */
  readonly keys: Keys;
  readonly secrets: readonly string[];
  /** Where the history is. */
  readonly runDir: string;
  /** Of the ledger. */
  readonly memory: SharedArrayBuffer;
  readonly zero: ClockZero;
  readonly cap: Cap;
  readonly seed: number;
  /** How many sessions are to be read back. */
  readonly readBack: number;
  /** The headers that a description of the target names; undefined where the run has none. */
  readonly described?: readonly string[] | undefined;
  /** The product whose analytics are polled. */
  readonly polledProductId: string | undefined;
  readonly observed?: Observed | undefined;
}

export type ToWorker =
  /** Drive the shard. */
  | { readonly kind: 'start'; readonly start: Start }
  /** Give up on what is in flight. */
  | { readonly kind: 'abort' };

/** Events since a worker's last message. */
export interface ShardProgress {
  readonly statistics: LiveCounts;
  /** For the kill switch: outcomes by second of the run. */
  readonly outcomes: readonly { readonly second: number; readonly all: number; readonly failed: number }[];
  /** Requests that spent the rate limit of a role's key, or may have. */
  readonly spent: Readonly<Record<Role, Readonly<Record<SpendCertainty, number>>>>;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShardProgress }
  | {
      readonly kind: 'done';
      readonly progress: ShardProgress;
      readonly sample: SampleShare;
      /** Its segment of the history, closed; undefined when it could not be written. */
      readonly files: FileStates | undefined;
      readonly error: unknown;
    };

/** So long before the load's first instant the workers are told of it. */
const leadNs = 100e6;

/** A worker's young objects: three halves of 8 MiB in V8's calculation. See `load.ts`. */
const youngMib = 24;

interface ShardsOptions {
  /** How many workers. */
  readonly of: number;
  readonly task: Omit<ShardTask, 'shard' | 'memory'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Told what the workers tell. */
  readonly statistics: LiveStatistics;
  readonly killSwitch: KillSwitch;
  readonly governors: Readonly<Record<Role, Governor>>;
  readonly sample: SessionSample;
  /** The worker's program, where it is another. */
  readonly program?: URL;
}

interface WorkerHandle {
  readonly thread: Worker;
  readonly ready: PromiseWithResolvers<void>;
  readonly done: PromiseWithResolvers<void>;
  isDone: boolean;
  sample: SampleShare | undefined;
}

/**
 * Drives a plan with worker threads, one shard each. They share a ledger and a clock, and no request waits for
 * another thread; workers report the rest from time to time. A worker that dies ends the load.
 */
export class Shards implements Load {
  readonly #options: ShardsOptions;
  readonly #workers: readonly WorkerHandle[];
  /** What went wrong in a worker. */
  failure: Error | undefined;
  segments: Segments = { kind: 'whole', files: {} };
  /** Requests of the load that workers have told the end of. */
  #heard = 0;

  constructor(options: ShardsOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.of }, (_, index) => this.#employ(index));
  }

  #employ(index: number): WorkerHandle {
    const { ledger, of, program = programFile('drive/load/shard-worker'), task } = this.#options;
    const workerData: ShardTask = { ...task, memory: ledger.memory, shard: { index, of } };
    const thread = new Worker(program, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: youngMib },
    });
    const worker: WorkerHandle = {
      thread,
      ready: Promise.withResolvers(),
      done: Promise.withResolvers(),
      isDone: false,
      sample: undefined,
    };
    const who = `worker ${index + 1} of ${of}`;
    thread.on('message', (message: FromWorker) => this.#hear(worker, who, message));
    thread.on('error', (cause) => this.#lose(worker, new Error(`${who} died: ${inWords(cause)}`, { cause })));
    thread.on('exit', (code) => this.#lose(worker, new Error(`${who} ended too soon (exit ${code})`)));
    return worker;
  }

  get stopped(): StopReason | undefined {
    return this.#options.ledger.stopped;
  }

  set stopped(reason: StopReason | undefined) {
    this.#options.ledger.stopped = reason;
  }

  /** Requests of the load that were sent and are not in the statistics yet. */
  get unheard(): number {
    return Math.max(0, this.#options.ledger.requestsSent - this.#heard);
  }

  /** Resolves once all workers are ready. */
  async ready(found: FoundInSetup = nothing): Promise<Start> {
    await this.#allReady();
    return { startNs: this.#options.clock.nowNs() + leadNs, ...found };
  }

  async #allReady(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.ready.promise));
  }

  /** As a `Traffic` does. Resolves when every worker has ended, well or not: then `failure` says. */
  async run(start: Start): Promise<void> {
    await this.#allReady();
    this.#tell({ kind: 'start', start });
    await Promise.all(this.#workers.map((worker) => worker.done.promise));
    // In the order of the workers and not of their ends, so that the same draws give the same sample.
    for (const { sample } of this.#workers) if (sample !== undefined) this.#options.sample.merge(sample);
  }

  /** Gives up on what is in flight. */
  destroy(): Promise<void> {
    this.#tell({ kind: 'abort' });
    return Promise.resolve();
  }

  #tell(message: ToWorker): void {
    for (const { isDone, thread } of this.#workers) if (!isDone) thread.postMessage(message);
  }

  #hear(worker: WorkerHandle, who: string, message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        worker.ready.resolve();
        return;
      case 'progress':
        this.#take(message.progress);
        return;
      case 'done': {
        const { error, files, progress, sample } = message;
        this.#take(progress);
        worker.sample = sample;
        this.#collect(files, new Error(`${who}: ${inWords(error)}`));
        if (error !== undefined) this.failure ??= new Error(`${who}: ${inWords(error)}`, { cause: error });
        worker.isDone = true;
        worker.done.resolve();
        return;
      }
    }
  }

  #collect(files: FileStates | undefined, why: Error): void {
    if (files === undefined) this.segments = { kind: 'unwritten', why };
    else if (this.segments.kind === 'whole')
      this.segments = { kind: 'whole', files: { ...this.segments.files, ...files } };
  }

  #take({ outcomes, spent, statistics }: ShardProgress): void {
    const { clock, governors, killSwitch } = this.#options;
    this.#options.statistics.add(statistics);
    this.#heard += statistics.sent;
    for (const { all, failed, second } of outcomes) killSwitch.noteSecond(second, all, failed);
    if (killSwitch.reason !== undefined) this.stopped ??= 'kill-switch';
    // Noted later than they were sent, so that they count for longer.
    const nowNs = clock.nowNs();
    for (const role of roles)
      for (const spending of ['certain', 'possible'] as const)
        for (let n = 0; n < spent[role][spending]; n++) governors[role].note(nowNs, spending);
  }

  /** A worker ended too soon: its requests in flight and the end of its segment are lost. */
  #lose(worker: WorkerHandle, why: Error): void {
    if (worker.isDone) return;
    worker.isDone = true;
    this.failure ??= why;
    if (this.segments.kind === 'whole') this.segments = { kind: 'torn' };
    this.stopped ??= 'error';
    worker.ready.resolve();
    worker.done.resolve();
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
