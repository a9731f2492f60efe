import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { type Connections, connectOptions, type PoolSettings } from './client.ts';
import { type Carrier, Connector, type Opened } from './http/connect.ts';
import { noControl } from './http/connection.ts';
import {
  ClosedIdle,
  isClosing,
  largestBodyBytes,
  longestHeadBytes,
  ProtocolError,
  type Rested,
  RestLimit,
  shortestRestMs,
  TookTooLong,
  TooLong,
} from './http/errors.ts';
import { type HttpRequest, undiciRequest } from './http/request.ts';
import type { Profile } from './profile.ts';

/** How often it is looked for answers that are overdue and connections that have rested too long. */
const glanceMs = 200;

/**
 * undici, for everything except the planned load: set-up, settling, probes, imports. Its cost is not the load's.
 * undici watches for silence; here the whole answer has a time limit too, so that a target that sends single bytes
 * cannot hold a request for ever. Throws a usage error if a CA file cannot be read.
 */
export function openUndici(baseUrl: URL, profile: Profile, settings: PoolSettings = {}): Connections {
  const { rest = new RestLimit() } = settings;
  const { body, headers } = profile.timeouts;
  const connector = new Connector(baseUrl, connectOptions(baseUrl, profile, settings));
  const open: OpenClient = (tell) =>
    new Client(baseUrl.origin, {
      pipelining: 1,
      connect: (_wanted, done) => {
        connector.open().then(
          (opened) => {
            tell(opened);
            done(null, opened.socket);
          },
          // With an error, undici gives no socket at all.
          (error: Error) => done(error, null),
        );
      },
      maxHeaderSize: longestHeadBytes,
      headersTimeout: headers,
      bodyTimeout: body,
      maxResponseSize: largestBodyBytes,
    });
  return new UndiciPool(open, {
    connections: profile.connections,
    headMs: headers,
    wholeMs: headers + body,
    rest,
  });
}

/** `tell` gets each connection of the client. */
type OpenClient = (tell: (opened: Opened) => void) => Client;

interface UndiciPoolOptions {
  /** Connections at most; what finds none free waits its turn. */
  readonly connections: number;
  /** From a request to the head of its answer, and to its end. */
  readonly headMs: number;
  readonly wholeMs: number;
  readonly rest: RestLimit;
}

/**
 * One undici client per connection. undici's own pool does not say which connection carried a request and how long it
 * had rested. The last used is the next to be used.
 */
class UndiciPool implements Connections {
  readonly #open: OpenClient;
  readonly #options: UndiciPoolOptions;
  readonly #all = new Set<PoolLine>();
  #idle: PoolLine[] = [];
  readonly #waiting: Carried[] = [];
  readonly #glance: NodeJS.Timeout;
  #destroyed: Error | undefined;

  constructor(open: OpenClient, options: UndiciPoolOptions) {
    this.#open = open;
    this.#options = options;
    this.#glance = setInterval(() => this.#look(), glanceMs);
    this.#glance.unref();
  }

  dispatch(request: HttpRequest, handler: Dispatcher.DispatchHandler): boolean {
    let options: Carried['options'];
    try {
      if (this.#destroyed !== undefined) throw this.#destroyed;
      options = undiciRequest(request);
    } catch (error) {
      handler.onResponseError?.(noControl, error instanceof Error ? error : new Error(String(error)));
      return false;
    }
    const line = this.#take(request.method === 'GET');
    const carried: Carried = { options, handler };
    if (line === undefined) this.#waiting.push(carried);
    else line.carry(carried);
    return line !== undefined;
  }

  async destroy(reason: Error): Promise<void> {
    this.#destroyed ??= reason;
    clearInterval(this.#glance);
    for (const { handler } of this.#waiting.splice(0)) handler.onResponseError?.(noControl, reason);
    await Promise.all([...this.#all].map((line) => line.client.destroy(reason)));
  }

  /** The line is free. */
  rested(line: PoolLine): void {
    this.#options.rest.survived(line.restedMs);
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(line);
    else line.carry(next);
  }

  /** The line is no more. */
  closed(line: PoolLine): void {
    if (!this.#all.delete(line)) return;
    this.#idle = this.#idle.filter((each) => each !== line);
    if (this.#destroyed !== undefined) return;
    void line.client.destroy();
    const next = this.#waiting.shift();
    if (next !== undefined) this.#add()?.carry(next);
  }

  wasClosedIdle(error: Error, rested: Rested, waitedMs: number): boolean {
    return this.#options.rest.wasClosedIdle(error, rested, waitedMs);
  }

  closedIdle(restedMs: number, waitedMs: number): void {
    this.#options.rest.learn(restedMs, performance.now(), waitedMs);
  }

  again(carried: Carried): void {
    this.#waiting.unshift(carried);
  }

  #add(): PoolLine | undefined {
    if (this.#all.size >= this.#options.connections) return undefined;
    const line = new PoolLine(this.#open, this);
    this.#all.add(line);
    return line;
  }

  /**
   * A request that must not be repeated avoids a connection that has rested, if another can be opened: the target may
   * just have closed it.
   */
  #take(isSafe: boolean): PoolLine | undefined {
    const nowMs = performance.now();
    this.#closeRested(nowMs);
    const last = this.#idle.at(-1);
    if (last !== undefined && (isSafe || nowMs - last.restsSinceMs < shortestRestMs)) return this.#idle.pop();
    return this.#add() ?? this.#idle.pop();
  }

  #look(): void {
    const nowMs = performance.now();
    const { headMs, wholeMs } = this.#options;
    for (const line of this.#all) line.look(nowMs, headMs, wholeMs);
    this.#closeRested(nowMs);
  }

  /** What the target announces undici heeds by itself. */
  #closeRested(nowMs: number): void {
    const mayRestMs = this.#options.rest.within(Number.POSITIVE_INFINITY);
    for (const line of this.#idle) if (nowMs - line.restsSinceMs >= mayRestMs) this.closed(line);
  }
}

/** A request and the receiver of its answer. */
interface Carried {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

/** One connection, and the one exchange at a time that it carries. */
class PoolLine implements Dispatcher.DispatchHandler {
  readonly client: Client;
  readonly #owner: UndiciPool;
  #carried: Carried | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #carrier: Carrier | undefined;
  #sentMs = 0;
  #hasHead = false;
  #isSilent = true;
  /**
   * Exchanges over this connection so far: undici opens another connection if it finds one closed before it writes.
   */
  #exchanges = 0;
  /** Since when it rests, milliseconds of `performance.now()`; 0 while it does not. */
  restsSinceMs = 0;
  /** How long it had rested when its request went out; 0 for its first. */
  restedMs = 0;
  mostRestedMs = 0;

  constructor(open: OpenClient, owner: UndiciPool) {
    this.client = open(({ localPort, opening, remoteAddress }) => {
      const { connectMs, handshakeMs = 0, resolveMs } = opening;
      // A connection is opened when there is a request for it.
      const opened = { ...opening, waitedMs: resolveMs + connectMs + handshakeMs };
      this.#carrier = { localPort, remoteAddress, opened };
    });
    this.#owner = owner;
    this.client.on('disconnect', (_origin: URL, _targets: readonly Dispatcher[], error: Error) =>
      this.#disconnected(error),
    );
  }

  carry(carried: Carried): void {
    this.#carried = carried;
    this.#controller = undefined;
    this.#hasHead = false;
    this.#isSilent = true;
    this.client.dispatch(carried.options, this);
  }

  look(nowMs: number, headMs: number, wholeMs: number): void {
    if (this.#controller !== undefined && nowMs - this.#sentMs > (this.#hasHead ? wholeMs : headMs))
      this.#controller.abort(new TookTooLong('no complete answer in time'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const nowMs = performance.now();
    const isNew = this.#exchanges === 0 || this.restsSinceMs === 0;
    this.mostRestedMs = isNew ? 0 : nowMs - this.#sentMs;
    this.restedMs = isNew ? 0 : nowMs - this.restsSinceMs;
    this.#sentMs = nowMs;
    this.restsSinceMs = 0;
    const carrier = this.#carrier;
    this.#carried?.handler.onRequestStart?.(controller, carrier);
    if (carrier?.opened !== undefined) this.#carrier = { ...carrier, opened: undefined };
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    this.#isSilent = false;
    if (status >= 200) this.#hasHead = true;
    this.#carried?.handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#carried?.handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    const carried = this.#end();
    this.#exchanges++;
    this.restsSinceMs = performance.now();
    this.#owner.rested(this);
    carried?.handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const waitedMs = performance.now() - this.#sentMs;
    const wasSent = this.#controller !== undefined;
    const carried = this.#end();
    if (carried === undefined) return;
    const isIdle = wasSent && this.#isSilent && this.#owner.wasClosedIdle(error, this, waitedMs);
    if (isIdle) this.#owner.closedIdle(this.restedMs, waitedMs);
    const goesAgain = isIdle && carried.options.method === 'GET';
    if (goesAgain) this.#owner.again(carried);
    this.#owner.closed(this);
    if (!goesAgain)
      carried.handler.onResponseError?.(controller, isIdle ? new ClosedIdle(error) : translated(error));
  }

  #end(): Carried | undefined {
    const carried = this.#carried;
    this.#carried = undefined;
    this.#controller = undefined;
    return carried;
  }

  #disconnected(error: Error): void {
    if (this.restsSinceMs > 0 && this.#exchanges > 0 && isClosing(error))
      this.#owner.closedIdle(performance.now() - this.restsSinceMs, 0);
    this.#exchanges = 0;
    this.restsSinceMs = 0;
    // A request that has not been sent yet goes over undici's next connection.
    if (this.#carried === undefined) this.#owner.closed(this);
  }
}

/** undici's errors as an exchange knows them: time is up, or what came back was not HTTP. */
function translated(error: Error): Error {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new TookTooLong(error.message);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new TooLong('head');
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new TooLong('body');
  // What undici's parser finds wrong does not always come with a code.
  const isGarbled = error.name === 'HTTPParserError' || code.startsWith('HPE_');
  return isGarbled ? new ProtocolError(error.message, code) : error;
}
