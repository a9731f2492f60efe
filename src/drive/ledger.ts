import type { Stopped } from './ending.ts';

/** Words of the memory, each in a cache line of its own: writers of one do not slow down readers of another. */
const lineWords = 16;
const places = ['seq', 'requests', 'sessions', 'inFlight', 'stopped'] as const;
const at = Object.fromEntries(places.map((place, n) => [place, n * lineWords])) as Readonly<
  Record<(typeof places)[number], number>
>;

const reasons: readonly (Stopped | undefined)[] = [undefined, 'interrupted', 'kill-switch', 'cap', 'error'];

/** What a load may send at most. */
export interface Cap {
  readonly requests: number;
  readonly sessions: number;
}

/**
 * What all who send a run's requests have in common: the numbers of requests, what has been spent, and why no more is to be
 * sent. It lies in memory that threads can share, and each step is atomic: so caps and bounds hold to the request over all
 * workers, whatever message is late. It counts to 2³¹.
 */
export class Ledger {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(places.length * lineWords * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** 1, 2, 3 …, each given out once. */
  nextSeq(): number {
    return Atomics.add(this.#words, at.seq, 1) + 1;
  }

  get inFlight(): number {
    return Atomics.load(this.#words, at.inFlight);
  }

  /** Requests that the load has spent, and those of them for sessions. */
  get requestsSent(): number {
    return Atomics.load(this.#words, at.requests);
  }

  get sessionsSent(): number {
    return Atomics.load(this.#words, at.sessions);
  }

  /** Why the load was ended; the first reason stays. */
  get stopped(): Stopped | undefined {
    return reasons[Atomics.load(this.#words, at.stopped)];
  }

  set stopped(reason: Stopped | undefined) {
    Atomics.compareExchange(this.#words, at.stopped, 0, reasons.indexOf(reason));
  }

  /** Puts one more request in flight, if fewer than `bound` are; each has to `leave` again. */
  enter(bound: number): boolean {
    if (Atomics.add(this.#words, at.inFlight, 1) < bound) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#words, at.inFlight, 1);
  }

  /** Spends a request, and a session if it is for one. Where that is the last under the cap, or beyond it, ends the load. */
  spend(isSession: boolean, cap: Cap): boolean {
    const requests = Atomics.add(this.#words, at.requests, 1) + 1;
    const sessions = isSession ? Atomics.add(this.#words, at.sessions, 1) + 1 : 0;
    if (requests >= cap.requests || (isSession && sessions >= cap.sessions)) this.stopped = 'cap';
    if (requests <= cap.requests && sessions <= cap.sessions) return true;
    Atomics.sub(this.#words, at.requests, 1);
    if (isSession) Atomics.sub(this.#words, at.sessions, 1);
    return false;
  }
}
