import { randomUUID } from 'node:crypto';
import { type Shard, whole } from '../../plan/lanes.ts';
import type { StopReason } from './ending.ts';

/**
 * Words of memory between counters: one cache line each, so that writers of one do not slow down readers of another.
 */
const lineWords = 16;
const places = ['seq', 'requests', 'sessions', 'others', 'inFlight', 'stopped'] as const;
const at = Object.fromEntries(places.map((place, n) => [place, n * lineWords])) as Readonly<
  Record<(typeof places)[number], number>
>;

const reasons: readonly (StopReason | undefined)[] = [
  undefined,
  'interrupted',
  'kill-switch',
  'cap',
  'error',
];

const bytes = places.length * lineWords * Int32Array.BYTES_PER_ELEMENT;

/** The most that a run may send by the end of its load. */
export interface Cap {
  /** Of set-up, of the load and beside it. */
  readonly requests: number;
  /** Of the load alone. */
  readonly sessions: number;
}

/**
 * The state that all senders of a program share: numbers of requests, what has been spent, and why sending stopped. Each
 * step is atomic, so caps and bounds are exact across threads. It counts to 2³¹.
 */
export class Ledger {
  /** What threads share. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #shard: Shard;

  /** `shard`: which of several programs numbers its requests here; the n-th of them has the number (n - 1)·of + index + 1. */
  constructor(memory = new SharedArrayBuffer(bytes), shard = whole) {
    this.memory = memory;
    this.#shard = shard;
    this.#words = new Int32Array(memory);
  }

  /** 1, 2, 3 …, each given out once; of several programs by one of them. */
  nextSeq(): number {
    const { index, of } = this.#shard;
    return this.#add(at.seq, 1) * of + index + 1;
  }

  get inFlight(): number {
    return this.#read(at.inFlight);
  }

  /** Requests that the planned load has spent. */
  get requestsSent(): number {
    return this.#read(at.requests);
  }

  /** Requests for sessions, of the planned load and of closed loops. */
  get sessionsSent(): number {
    return this.#read(at.sessions);
  }

  /** Notes requests of the run that are not of the planned load, before it and beside it, and those of them for sessions. */
  noteOthers(requests: number, sessions = 0): void {
    this.#add(at.others, requests);
    this.#add(at.sessions, sessions);
  }

  /** How many requests the cap still has room for. */
  left(cap: Cap): number {
    return cap.requests - this.#read(at.requests) - this.#read(at.others);
  }

  /** Spends a request during the load outside the plan, if the cap has room for it. */
  spendBeside(cap: Cap): boolean {
    this.noteOthers(1);
    if (this.left(cap) >= 0) return true;
    this.noteOthers(-1);
    return false;
  }

  /** Why the load was ended; the first reason stays. */
  get stopped(): StopReason | undefined {
    const code = this.#read(at.stopped);
    return code === 0 ? undefined : reasons[code];
  }

  set stopped(reason: StopReason | undefined) {
    Atomics.compareExchange(this.#words, at.stopped, 0, reasons.indexOf(reason));
  }

  /** Puts one more request in flight, if fewer than `bound` are; each has to `leave` again. */
  enter(bound: number): boolean {
    if (this.#add(at.inFlight, 1) < bound) return true;
    this.leave();
    return false;
  }

  leave(): void {
    this.#add(at.inFlight, -1);
  }

  /** Spends a request, and a session if it is for one. Where that is the last under the cap, or beyond it, ends the load. */
  spend(isSession: boolean, cap: Cap): boolean {
    const requests = this.#add(at.requests, 1) + 1 + this.#read(at.others);
    const sessions = isSession ? this.#add(at.sessions, 1) + 1 : 0;
    if (requests >= cap.requests || (isSession && sessions >= cap.sessions)) this.stopped = 'cap';
    if (requests <= cap.requests && sessions <= cap.sessions) return true;
    this.#add(at.requests, -1);
    if (isSession) this.#add(at.sessions, -1);
    return false;
  }

  /** Adds to a word, and returns the old value. */
  #add(word: number, by: number): number {
    return Atomics.add(this.#words, word, by);
  }

  #read(word: number): number {
    return Atomics.load(this.#words, word);
  }
}

/**
 * Makes event ids that are unique within the run: UUIDs (version 4, variant 1) with a random head and a counter.
 */
export function eventIds(): () => string {
  const head = randomUUID().slice(0, 24);
  let count = 0;
  return () => head + (count++).toString(16).padStart(12, '0');
}
