import { performance } from 'node:perf_hooks';
import { type ConnectOptions, Connector, type Opened } from './connect.ts';
import { Connection, type ConnectionLimits, type ConnectionOwner } from './connection.ts';
import { type Rested, type RestLimit, shortestRestMs } from './errors.ts';
import { HeadReader } from './head.ts';
import { type AnswerHandler, type HttpRequest, RequestWriter } from './request.ts';

interface PoolOptions {
  /** Connections at most; what finds none free waits its turn. */
  readonly connections: number;
  /**
   * Connections that requests use in turn, even if fewer would do: a target may keep something for each connection, or
   * give each to another process. As many as the rate keeps from resting too long.
   */
  readonly spread: number;
  /**
   * Which free connection a request takes. `in-turn`: one that has been free for long. `last-used`: the last that was used; a
   * request that must not be repeated avoids one that has rested, as the target may just have closed it.
   */
  readonly order: 'in-turn' | 'last-used';
  readonly connect: ConnectOptions;
  readonly limits: ConnectionLimits;
  readonly rest: RestLimit;
}

interface Waiting {
  readonly request: string | Buffer;
  readonly handler: AnswerHandler;
}

/** A connection that is being opened, for a request or for whichever comes first. */
interface Pending {
  waiting: Waiting | undefined;
  /** Since when that request waits for it, or since when it is being opened, milliseconds of `performance.now()`. */
  sinceMs: number;
}

/** How often the pool looks for answers that are overdue and connections that have rested too long. */
const glanceMs = 200;
const readBytes = 64 * 1024;

/**
 * HTTP/1.1 to one origin over kept connections: one exchange at a time on each, redirects not followed. A GET on a
 * connection that the target closed while idle is repeated once. It answers as undici's `Pool` does, at half the cost:
 * one write a request, one buffer for all connections, known heads recognised without parsing.
 */
export class HttpPool implements ConnectionOwner {
  readonly #writer: RequestWriter;
  readonly #options: PoolOptions;
  readonly #connector: Connector;
  /** Each read is taken in before the next one. */
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  readonly #heads = new HeadReader();
  readonly #all = new Set<Connection>();
  readonly #connecting = new Set<Pending>();
  /** Free connections, in the order in which they became free. */
  #idle: Connection[] = [];
  /** Of a linear congruential generator (Numerical Recipes). */
  #noise = 1;
  #passedOver = false;
  /** Requests on free connections since this instant, as long as more connections are wanted. */
  #taken = 0;
  #takenSinceMs = 0;
  /**
   * Free from the next turn of the event loop on: some servers close connections that they promised to keep.
   */
  #rested: Connection[] = [];
  #isTurning = false;
  readonly #waiting: Waiting[] = [];
  readonly #glance: NodeJS.Timeout;
  #destroyed: Error | undefined;

  constructor(origin: URL, options: PoolOptions) {
    this.#writer = new RequestWriter(origin.host);
    this.#options = options;
    this.#connector = new Connector(origin, options.connect);
    this.#glance = setInterval(() => this.#look(), glanceMs);
    this.#glance.unref();
  }

  dispatch(wanted: HttpRequest, handler: AnswerHandler): void {
    let request: string | Buffer;
    try {
      if (this.#destroyed !== undefined) throw this.#destroyed;
      request = this.#writer.write(wanted);
    } catch (error) {
      handler.onError(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const nowMs = performance.now();
    const connection = this.#take(nowMs, wanted.method === 'GET' || wanted.method === 'HEAD');
    if (connection !== undefined) connection.send(request, handler, nowMs);
    else this.#await({ request, handler });
  }

  /** Opens a connection, if there is none. */
  open(): void {
    if (this.#all.size === 0 && this.#destroyed === undefined) this.#open();
  }

  prepare(wanted: HttpRequest): void {
    try {
      this.#writer.write(wanted);
    } catch {
      // The sender gets the error.
    }
  }

  /** Gives up on everything: what is under way, or waiting, ends with this error. */
  destroy(reason: Error): Promise<void> {
    this.#destroyed ??= reason;
    clearInterval(this.#glance);
    const connecting = [...this.#connecting].flatMap(({ waiting }) => waiting ?? []);
    const unsent = [...connecting, ...this.#waiting.splice(0)];
    this.#connecting.clear();
    for (const connection of this.#all) connection.fail(reason);
    for (const { handler } of unsent) handler.onError(reason);
    return Promise.resolve();
  }

  rested(connection: Connection): void {
    this.#options.rest.survived(connection.restedMs);
    if (this.#options.order === 'last-used' && this.#waiting.length === 0) {
      this.#free(connection, performance.now());
      return;
    }
    this.#rested.push(connection);
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(this.#turn);
  }

  wasClosedIdle(error: Error, rested: Rested, waitedMs: number): boolean {
    return this.#options.rest.wasClosedIdle(error, rested, waitedMs);
  }

  closedIdle(restedMs: number, waitedMs: number): void {
    this.#options.rest.learn(restedMs, performance.now(), waitedMs);
  }

  again(request: string | Buffer, handler: AnswerHandler): void {
    // First in line for the place that its connection leaves.
    this.#waiting.unshift({ request, handler });
  }

  closed(connection: Connection): void {
    this.#all.delete(connection);
    if (this.#destroyed !== undefined) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#open(next);
  }

  /** Has a request wait for a connection that no other waits for, which is opened if there may be one more. */
  #await(waiting: Waiting): void {
    // Nearly always none is being opened, and a list of them would be made for every request.
    const unclaimed =
      this.#connecting.size === 0
        ? undefined
        : [...this.#connecting].find((opening) => opening.waiting === undefined);
    if (unclaimed !== undefined) {
      unclaimed.waiting = waiting;
      unclaimed.sinceMs = performance.now();
    } else if (this.#all.size < this.#options.connections) this.#open(waiting);
    else this.#waiting.push(waiting);
  }

  #take(nowMs: number, isSafe: boolean): Connection | undefined {
    for (;;) {
      const connection =
        this.#options.order === 'in-turn' ? this.#longestFree() : this.#lastUsed(nowMs, isSafe);
      if (connection === undefined) return undefined;
      if (!this.#isFit(connection, nowMs)) continue;
      if (this.#all.size < this.#options.spread) this.#spread(connection, nowMs);
      return connection;
    }
  }

  /**
   * One of the two that have been free for longest. Strictly in turn, each would carry every n-th request, and what a
   * target does in turn, such as choosing a node, would look as if the connection decided it.
   */
  #longestFree(): Connection | undefined {
    this.#noise = (Math.imul(this.#noise, 1_664_525) + 1_013_904_223) | 0;
    // The first is passed over once at most, so that it does not rest for too long.
    this.#passedOver = !this.#passedOver && this.#noise < 0 && this.#idle.length > 1;
    return this.#passedOver ? this.#idle.splice(1, 1)[0] : this.#idle.shift();
  }

  #lastUsed(nowMs: number, isSafe: boolean): Connection | undefined {
    const last = this.#idle.at(-1);
    const hasRested = last !== undefined && nowMs - last.restsSinceMs >= shortestRestMs;
    if (hasRested && !isSafe && this.#all.size < this.#options.connections) return undefined;
    return this.#idle.pop();
  }

  /** Opens one more connection where all of them, used in turn, would still rest for at most half of the time they may. */
  #spread({ keepAliveMs }: Connection, nowMs: number): void {
    const open = this.#all.size;
    if (this.#taken++ === 0) this.#takenSinceMs = nowMs;
    // All have had their turn, and what is being opened is not counted on yet.
    if (this.#taken <= open || this.#connecting.size > 0) return;
    const betweenMs = (nowMs - this.#takenSinceMs) / (this.#taken - 1);
    this.#taken = 0;
    if (betweenMs * (open + 1) <= this.#options.rest.within(keepAliveMs) / 2) this.#open();
  }

  /** Whether a free connection may be used still. Closes one that has rested too long. */
  #isFit(connection: Connection, nowMs: number): boolean {
    const mayRestMs = this.#options.rest.within(connection.keepAliveMs);
    if (nowMs - connection.restsSinceMs >= mayRestMs) connection.fail(new RestedTooLong('not used for long'));
    return !connection.isClosed;
  }

  readonly #turn = (): void => {
    this.#isTurning = false;
    const nowMs = performance.now();
    const rested = this.#rested;
    this.#rested = [];
    for (const connection of rested) {
      if (connection.isClosed) continue;
      const next = this.#waiting.shift();
      if (next !== undefined) connection.send(next.request, next.handler, nowMs);
      else this.#free(connection, nowMs);
    }
  };

  #free(connection: Connection, nowMs: number): void {
    connection.restsSinceMs = nowMs;
    this.#idle.push(connection);
  }

  #look(): void {
    const nowMs = performance.now();
    for (const connection of this.#all) connection.glance(nowMs);
    this.#idle = this.#idle.filter((connection) => this.#isFit(connection, nowMs));
  }

  #open(waiting?: Waiting): void {
    const pending: Pending = { waiting, sinceMs: performance.now() };
    const connection = new Connection(this, this.#heads, this.#options.limits);
    this.#all.add(connection);
    this.#connecting.add(pending);
    const received = (length: number): boolean => {
      connection.received(this.#buffer, length);
      return true;
    };
    this.#connector.open({ buffer: this.#buffer, callback: received }).then(
      (opened) => this.#opened(pending, connection, opened),
      (error: Error) => {
        const isWanted = this.#connecting.delete(pending);
        connection.fail(error);
        if (isWanted) pending.waiting?.handler.onError(error);
      },
    );
  }

  #opened(pending: Pending, connection: Connection, opened: Opened): void {
    const { socket } = opened;
    // Without TLS, bytes come into the one buffer.
    if (opened.opening.handshakeMs !== undefined)
      socket.on('data', (data: Buffer) => connection.received(data, data.length));
    connection.open(opened);
    if (!this.#connecting.delete(pending)) return;
    const { sinceMs, waiting } = pending;
    if (waiting === undefined) this.rested(connection);
    else {
      const nowMs = performance.now();
      connection.send(waiting.request, waiting.handler, nowMs, nowMs - sinceMs);
    }
  }
}

/** The reason that a connection at rest is given up with. */
class RestedTooLong extends Error {
  override readonly name = 'RestedTooLong';
}
