import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { Carrier, Opened, Opening } from './connect.ts';
import {
  ClosedIdle,
  isClosing,
  largestBodyBytes,
  NoRoom,
  ProtocolError,
  type Rested,
  TookTooLong,
  TooLong,
} from './errors.ts';
import { type Head, type HeadReader, usualRestMs } from './head.ts';
import type { AnswerHandler } from './request.ts';

/** A connection's messages to its pool. */
export interface ConnectionOwner {
  /** The answer is complete, and another request may follow on the connection. */
  rested(connection: Connection): void;
  /** The connection is no more. */
  closed(connection: Connection): void;
  /** Whether the target closed the connection for its idleness, when a request had met it. */
  wasClosedIdle(error: Error, rested: Rested, waitedMs: number): boolean;
  /** The connection is no more: the other side closed it after such a rest, and so long after the next request. */
  closedIdle(restedMs: number, waitedMs: number): void;
  /** A request that can do no harm met a connection that was closed for its idleness: it goes out again, on a new one. */
  again(request: string | Buffer, handler: AnswerHandler): void;
}

export interface ConnectionLimits {
  /** Milliseconds from a request to the whole head of its answer. */
  readonly headersMs: number;
  /** Milliseconds of silence within a body; head and body together may take both times. */
  readonly bodyMs: number;
}

/** One connection, and the one exchange at a time that it carries. */
export class Connection {
  readonly #owner: ConnectionOwner;
  readonly #limits: ConnectionLimits;
  readonly #reader: AnswerReader;
  #socket: Socket | undefined;
  #carrier: Carrier = { localPort: undefined, remoteAddress: undefined };
  /** Until the first request was sent. */
  #opening: Opening | undefined;
  #handler: AnswerHandler | undefined;
  #head: Head | undefined;
  #request: string | Buffer = '';
  #bytes = 0;
  #sentMs = 0;
  #heardMs = 0;
  /** Something came since the pool last looked. */
  #heard = false;
  /** Nothing came since the request. */
  #isSilent = false;
  isClosed = false;
  /** How long it had rested when the last request was sent; 0 for its first. */
  restedMs = 0;
  mostRestedMs = 0;
  /** Since when it rests, milliseconds of `performance.now()`; 0 while it does not. */
  restsSinceMs = 0;

  constructor(owner: ConnectionOwner, heads: HeadReader, limits: ConnectionLimits) {
    this.#owner = owner;
    this.#limits = limits;
    this.#reader = new AnswerReader(heads, this);
  }

  /** How long it may rest after the last answer, or before its first request. */
  get keepAliveMs(): number {
    return this.#head?.keepAliveMs ?? usualRestMs;
  }

  /** The connection is open. What comes from the socket, the pool passes to `received`. */
  open({ localPort, opening, remoteAddress, socket }: Opened): void {
    this.#socket = socket;
    this.#opening = opening;
    this.#carrier = { localPort, remoteAddress };
    this.#sentMs = performance.now();
    if (this.isClosed) socket.destroy();
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new ConnectionClosed('the connection was closed')));
  }

  /** Sends a request; `request` is its complete text. `waitedMs`: for the connection to open. */
  send(request: string | Buffer, handler: AnswerHandler, nowMs: number, waitedMs = 0): void {
    this.#handler = handler;
    this.#request = request;
    this.#head = undefined;
    this.#bytes = 0;
    this.mostRestedMs = this.restsSinceMs === 0 ? 0 : nowMs - this.#sentMs;
    this.#sentMs = nowMs;
    this.restedMs = this.restsSinceMs === 0 ? 0 : nowMs - this.restsSinceMs;
    this.restsSinceMs = 0;
    this.#isSilent = true;
    this.#reader.expect(typeof request === 'string' && request.startsWith('HEAD '));
    const opening = this.#opening;
    this.#opening = undefined;
    handler.onSent(
      opening === undefined ? this.#carrier : { ...this.#carrier, opened: { ...opening, waitedMs } },
    );
    if (typeof request === 'string') this.#socket?.write(request, 'latin1');
    else this.#socket?.write(request);
  }

  /** Bytes from the socket: `buffer` up to `length`, which is only lent. */
  received(buffer: Buffer, length: number): void {
    if (this.isClosed) return;
    this.#heard = true;
    this.#isSilent = false;
    try {
      this.#reader.take(buffer, 0, length);
    } catch (error) {
      // Any other error is this program's, and no fault of the target.
      if (error instanceof ProtocolError || error instanceof TooLong || error instanceof NoRoom)
        this.fail(error);
      else throw error;
    }
  }

  head(head: Head): void {
    this.#head = head;
    this.#handler?.onHead(head.status, head.headers);
  }

  body(buffer: Buffer, from: number, to: number): void {
    this.#bytes += to - from;
    if (this.#bytes > largestBodyBytes) throw new TooLong('body');
    const piece = Buffer.allocUnsafe(to - from);
    buffer.copy(piece, 0, from, to);
    this.#handler?.onData(piece);
  }

  complete(): void {
    const handler = this.#handler;
    this.#handler = undefined;
    if (this.keepAliveMs === 0) this.#close();
    else this.#owner.rested(this);
    handler?.onEnd();
  }

  /** Gives up on the exchange, if one is under way, and on the connection. */
  fail(error: Error): void {
    if (this.isClosed) return;
    const handler = this.#handler;
    this.#handler = undefined;
    const nowMs = performance.now();
    if (handler === undefined) {
      if (this.restsSinceMs > 0 && isClosing(error)) this.#owner.closedIdle(nowMs - this.restsSinceMs, 0);
      this.#close();
    } else if (this.#isSilent && this.#owner.wasClosedIdle(error, this, nowMs - this.#sentMs)) {
      this.#failIdle(handler, error, nowMs);
    } else {
      this.#close();
      handler.onError(error);
    }
  }

  #failIdle(handler: AnswerHandler, error: Error, nowMs: number): void {
    const request = this.#request;
    this.#owner.closedIdle(this.restedMs, nowMs - this.#sentMs);
    // GET is safe by definition (RFC 9110, 9.2.1). Other methods may have been carried out.
    if (typeof request === 'string' && request.startsWith('GET ')) {
      this.#owner.again(request, handler);
      this.#close();
    } else {
      this.#close();
      handler.onError(new ClosedIdle(error));
    }
  }

  /** Looks whether an answer is overdue. */
  glance(nowMs: number): void {
    if (this.#heard) this.#heardMs = nowMs;
    this.#heard = false;
    if (this.#handler === undefined) return;
    const { bodyMs, headersMs } = this.#limits;
    const waitedMs = nowMs - this.#sentMs;
    const isBody = this.#head !== undefined && this.#head.status >= 200;
    const isLate = isBody
      ? waitedMs > headersMs + bodyMs || nowMs - this.#heardMs > bodyMs
      : waitedMs > headersMs;
    if (isLate) this.fail(new TookTooLong('no complete answer in time'));
  }

  #ended(): void {
    if (this.isClosed) return;
    this.#reader.close();
    this.fail(new ConnectionClosed('the other side closed the connection'));
  }

  #close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#socket?.destroy();
    this.#owner.closed(this);
  }
}

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
  readonly code = 'ECONNRESET';
}
