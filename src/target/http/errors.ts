/** The reason that an exchange is given up with when its time is up. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  readonly code = 'ETIMEDOUT';
}

/** A request cannot be written: no header can carry a value of it. */
export class BadHeader extends TypeError {
  override readonly name = 'BadHeader';
}

/** The answer was not HTTP. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(what: string) {
    super(`the answer is not HTTP: ${what}`);
  }
}

/** Names and values of the fields of a head, and a body: no answer of the interface comes near either. */
export const longestHeadBytes = 64 * 2 ** 10;
export const largestBodyBytes = 64 * 2 ** 20;

/** An answer that is not read to its end: its head or its body is over the bound. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor(part: 'head' | 'body') {
    super(
      part === 'head'
        ? `the head of the answer has over ${longestHeadBytes / 2 ** 10} KiB`
        : `the body of the answer has over ${largestBodyBytes / 2 ** 20} MiB`,
    );
  }
}

/** The bodies that are being received fill the memory that tryon gives them. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** The name of the target has no address, or none was found in time. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}

/** This machine had no port, no file descriptor or no memory for a connection. */
export class NoSocket extends Error {
  override readonly name = 'NoSocket';

  constructor(cause: Error) {
    super(`this machine has no socket left: ${cause.message}`, { cause });
  }
}

const ownCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Whether an error of a connection says that this machine had no socket for it. */
export function isOwnLimit(error: Error): boolean {
  return 'code' in error && ownCodes.has(String(error.code));
}

/** A connection that rests for less is in use: if it is closed, idleness is not the reason. */
export const shortestRestMs = 100;

/** An idle connection is closed within a round trip. A longer wait may be work on the request. */
const goneWithinMs = 1_000;

/**
 * The share of a rest that ended a connection that is used of the next: both ways through the network take time.
 */
const usedShare = 0.5;

/** Rests that differ by no more than this factor may have been ended by one idle time-out: some only look now and then. */
const similarFactor = 1.5;

/** How long a connection had rested when a request was sent; the most is counted from the request before. */
export interface Rested {
  readonly restedMs: number;
  readonly mostRestedMs: number;
}

/** A rest that the target ended by closing the connection, in milliseconds. */
interface EndedRest {
  readonly restedMs: number;
  readonly endedMs: number;
}

/**
 * How long kept connections to one target may rest. Proxies close idle ones after an unannounced time, which is
 * learned from closed connections. A crash or reset ends rests of any length at once, so it takes two similar rests,
 * the second begun after the first ended. All pools of a run share one.
 */
export class RestLimit {
  /** The shortest rest after which the target closes connections; undefined as far as it was not seen to. */
  closedAfterMs: number | undefined;
  #usedMs = Number.POSITIVE_INFINITY;
  /** The earliest of each length that was seen: no two are similar, so that there are few. */
  #ended: readonly EndedRest[] = [];

  /** At `nowMs` the target was found to have closed a connection that had rested for so long, `waitedMs` after it was used again. */
  learn(restedMs: number, nowMs: number, waitedMs = 0): void {
    if (restedMs < shortestRestMs || restedMs >= (this.closedAfterMs ?? Number.POSITIVE_INFINITY)) return;
    const similar = this.#ended.filter(
      (each) => Math.max(each.restedMs, restedMs) <= similarFactor * Math.min(each.restedMs, restedMs),
    );
    if (similar.length === 0) this.#ended = [...this.#ended, { restedMs, endedMs: nowMs }];
    const earlier = similar.find(({ endedMs }) => endedMs <= nowMs - waitedMs - restedMs);
    if (earlier === undefined) return;
    const closedAfterMs = Math.min(earlier.restedMs, restedMs);
    if (closedAfterMs >= (this.closedAfterMs ?? Number.POSITIVE_INFINITY)) return;
    this.closedAfterMs = closedAfterMs;
    this.#usedMs = closedAfterMs * usedShare;
  }

  /** A connection that had rested for so long was used again and answered: what ended shorter rests was not their length. */
  survived(restedMs: number): void {
    if (this.#ended.length === 0 || restedMs < shortestRestMs) return;
    this.#ended = this.#ended.filter((each) => each.restedMs >= restedMs);
    if (restedMs <= (this.closedAfterMs ?? Number.POSITIVE_INFINITY)) return;
    this.closedAfterMs = undefined;
    this.#usedMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Whether a request without any answer met a connection that was closed for its idleness. `restedMs`: how long the
   * connection had rested before, 0 for a new one. `waitedMs`: how long after the request it was found closed.
   * `mostRestedMs`: how long it may have rested at most, since a busy machine reads an answer long after it came.
   */
  wasClosedIdle(error: Error, { mostRestedMs, restedMs }: Rested, waitedMs: number): boolean {
    if (restedMs <= 0 || !isClosing(error)) return false;
    if (restedMs >= shortestRestMs && waitedMs < goneWithinMs) return true;
    // A busy target's time-out runs out before it reads a request that has arrived in time.
    const { closedAfterMs } = this;
    return (
      closedAfterMs !== undefined &&
      mostRestedMs + waitedMs >= closedAfterMs &&
      waitedMs < closedAfterMs + goneWithinMs
    );
  }

  /** How long a connection may rest whose target keeps it for so long, as far as is known from its answers. */
  within(keptMs: number): number {
    return keptMs < this.#usedMs ? keptMs : this.#usedMs;
  }
}

/**
 * An idle connection was closed while a request was on its way, before any byte of an answer. Most likely the target
 * closed it for idleness and never read the request, but that is not certain.
 */
export class ClosedIdle extends Error {
  override readonly name = 'ClosedIdle';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Whether an error says that the other side closed the connection. */
export function isClosing(error: Error): boolean {
  return 'code' in error && closingCodes.has(String(error.code));
}

const closingCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
