import { Worker } from 'node:worker_threads';
import type { Waits } from '../history/record.ts';
import { MinHeap } from '../plan/heap.ts';
import { alarmMemory } from './alarm-memory.ts';

/** The file has the ending of this one: `.ts` in a clone, `.js` when compiled. */
const timerThread = new URL(
  `./alarm-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

/**
 * Wakes this thread at an instant to about 0.1 ms without busy-waiting. Timers of Node's count whole milliseconds; a second
 * thread can sleep to the microsecond. A timer ends the wait where that thread is missing or late.
 */
export class Alarm {
  readonly #memory = alarmMemory();
  /** By `performance.now()`. */
  #sleepers = new MinHeap<() => void>();
  readonly #hrtimeNs = hrtimeOfZeroNs();
  readonly #program: URL;
  #state: 'new' | 'started' | 'dead' = 'new';
  #thread = 0;
  #timer = 0;

  /** `program`: what the timer thread runs. */
  constructor(program = timerThread) {
    this.#program = program;
  }

  /** Resolves at or soon after an instant of `performance.now()`. */
  at(atMs: number): Promise<void> {
    this.#start();
    return new Promise((resolve) => {
      let isOver = false;
      // Timers of Node's may fire a millisecond early.
      const timer = setTimeout(
        () => {
          isOver = true;
          this.#timer++;
          resolve();
        },
        Math.max(0, Math.ceil(atMs - performance.now())) + 1,
      );
      if (this.#state === 'dead') return;
      this.#sleepers.push(atMs, () => {
        if (isOver) return;
        clearTimeout(timer);
        this.#thread++;
        resolve();
      });
      if (this.#sleepers.minKey === atMs) this.#set(atMs);
    });
  }

  /** How many waits are kept for the thread to end; none once it is dead. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** How the waits since the last call ended. */
  takeWaits(): Waits {
    const waits = { thread: this.#thread, timer: this.#timer };
    this.#thread = this.#timer = 0;
    return waits;
  }

  #start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    const thread = new Worker(this.#program, { workerData: this.#memory });
    // Timers go on without it. Nobody would wake the sleepers, or take them off the heap.
    thread.on('error', () => this.#die());
    thread.on('exit', () => this.#die());
    thread.unref();
    void this.#listen();
  }

  #die(): void {
    this.#state = 'dead';
    this.#sleepers = new MinHeap();
  }

  async #listen(): Promise<void> {
    const { rings } = this.#memory;
    for (;;) {
      const heard = Atomics.load(rings, 0);
      const nowMs = performance.now();
      while (this.#sleepers.minKey <= nowMs) this.#sleepers.pop()?.();
      if (this.#sleepers.size > 0) this.#set(this.#sleepers.minKey);
      await Atomics.waitAsync(rings, 0, heard).value;
    }
  }

  #set(atMs: number): void {
    const { dueNs } = this.#memory;
    Atomics.store(dueNs, 0, this.#hrtimeNs + BigInt(Math.round(atMs * 1e6)));
    Atomics.notify(dueNs, 0);
  }
}

/** What `process.hrtime` showed when this thread's `performance.now()` was zero; never less, so that no wake is early. */
function hrtimeOfZeroNs(): bigint {
  const tries = Array.from({ length: 50 }, () => {
    const nowMs = performance.now();
    return process.hrtime.bigint() - BigInt(Math.floor(nowMs * 1e6));
  });
  return tries.reduce((least, each) => (each < least ? each : least));
}
