import { Worker } from 'node:worker_threads';
import type { Waits } from '../../history/record.ts';
import { MinHeap } from '../../plan/heap.ts';
import { programFile } from '../../program-files.ts';

const timerThread = programFile('drive/clock/alarm-worker');

/** The second thread wakes this one up to so late, of 100 times once later. Node's timers are late by 1.5 ms. */
const spinMs = 0.3;

/**
 * Wakes this thread at an instant. A second thread wakes it a little before, and it polls the clock from there: late by
 * 0.05 ms. Where polling would cost too much of a core, the thread wakes it at the instant, late by 0.2 ms. A timer ends
 * the wait if that thread is missing or late.
 */
export class Alarm {
  readonly #memory = alarmMemory();
  /** By `performance.now()`. */
  #sleepers = new MinHeap<() => boolean>();
  readonly #hrtimeNs = hrtimeOfZeroNs();
  readonly #program: URL;
  #state: 'new' | 'started' | 'dead' = 'new';
  #spun = 0;
  #thread = 0;
  #timer = 0;
  readonly #budget: SpinBudget;

  /** `program`: what the timer thread runs. */
  constructor(program = timerThread, budget = new SpinBudget(performance.now())) {
    this.#program = program;
    this.#budget = budget;
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
        if (isOver) return false;
        clearTimeout(timer);
        resolve();
        return true;
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
    const waits = { spun: this.#spun, thread: this.#thread, timer: this.#timer };
    this.#spun = this.#thread = this.#timer = 0;
    return waits;
  }

  #start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    const thread = new Worker(this.#program, { workerData: this.#memory });
    // A thread that ends joins those that it started. Node ends them, but of some thousand that sleep so, one slept on.
    process.once('exit', this.#stop);
    // Timers take over: the lost thread would neither wake the sleepers nor take them off the heap.
    thread.on('error', () => this.#die());
    thread.on('exit', () => this.#die());
    thread.unref();
    void this.#listen();
  }

  readonly #stop = (): void => this.#setThread(theEnd);

  #die(): void {
    process.off('exit', this.#stop);
    this.#state = 'dead';
    this.#sleepers = new MinHeap();
  }

  async #listen(): Promise<void> {
    const { rings } = this.#memory;
    for (;;) {
      const heard = Atomics.load(rings, 0);
      this.#thread += this.#wakeSleepers();
      if (this.#sleepers.size > 0) this.#set(this.#sleepers.minKey);
      await Atomics.waitAsync(rings, 0, heard).value;
    }
  }

  /** Ends the waits that are due. How many it ended. */
  #wakeSleepers(): number {
    const nowMs = performance.now();
    let ended = 0;
    while (this.#sleepers.minKey <= nowMs) if (this.#sleepers.pop()?.() === true) ended++;
    return ended;
  }

  #set(atMs: number): void {
    const nowMs = performance.now();
    const leftMs = atMs - nowMs;
    if (leftMs <= 0 || !this.#budget.allows(Math.min(spinMs, leftMs), nowMs)) this.#setThread(this.#ns(atMs));
    else if (leftMs > 1.5 * spinMs) this.#setThread(this.#ns(atMs - spinMs));
    else {
      // On a machine with few cores, a thread that woke now would be in this one's way.
      Atomics.store(this.#memory.dueNs, 0, noInstant);
      this.#spin(atMs);
    }
  }

  #ns(ms: number): bigint {
    return this.#hrtimeNs + BigInt(Math.round(ms * 1e6));
  }

  #setThread(ns: bigint): void {
    Atomics.store(this.#memory.dueNs, 0, ns);
    Atomics.notify(this.#memory.dueNs, 0);
  }

  /** Polls the clock at every turn of the event loop until the instant, so that answers are read meanwhile. */
  #spin(atMs: number): void {
    const startMs = performance.now();
    if (startMs > atMs) this.#budget.cameLate();
    const look = (): void => {
      const nowMs = performance.now();
      if (nowMs < atMs) {
        setImmediate(look);
        return;
      }
      this.#budget.spent(nowMs - startMs);
      this.#spun += this.#wakeSleepers();
      if (this.#sleepers.size > 0) this.#set(this.#sleepers.minKey);
    };
    look();
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

/** The memory that a thread and its timer thread share. */
export interface AlarmMemory {
  /** The next instant to wake at, as `process.hrtime` counts, `noInstant`, or `theEnd`. */
  readonly dueNs: BigInt64Array<SharedArrayBuffer>;
  /** How often the timer thread has woken the other. */
  readonly rings: Int32Array<SharedArrayBuffer>;
}

export const noInstant = 0n;
/** The timer thread has nothing more to do. */
export const theEnd = -1n;

export function alarmMemory(): AlarmMemory {
  return {
    dueNs: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
    rings: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
}

/** Part of the time that a thread may spin. */
const share = 0.05;
/** Unspent time is saved up to this much: the warm-up spends 18 ms at once. */
const mostSavedMs = 200;
/** A wake that comes after its instant costs as much: the machine is busy, and spinning would make it busier. */
const latePenaltyMs = 10;

/** Limits how long a thread polls the clock to be awake at an instant. Times by `performance.now()`. */
export class SpinBudget {
  #leftMs: number;
  readonly #mostSavedMs: number;
  #countedAtMs: number;

  constructor(nowMs: number, savedMs = mostSavedMs) {
    this.#countedAtMs = nowMs;
    this.#leftMs = this.#mostSavedMs = savedMs;
  }

  /** Whether that many milliseconds are left. */
  allows(ms: number, nowMs: number): boolean {
    this.#leftMs = Math.min(this.#mostSavedMs, this.#leftMs + share * (nowMs - this.#countedAtMs));
    this.#countedAtMs = nowMs;
    return this.#leftMs >= ms;
  }

  spent(ms: number): void {
    this.#leftMs -= ms;
  }

  cameLate(): void {
    this.#leftMs -= latePenaltyMs;
  }
}
