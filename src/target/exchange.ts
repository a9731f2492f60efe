import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { LossReason, NotSentReason } from '../vocabulary/requests.ts';
import type { Answer, Call, Translation } from './calls.ts';
import type { Carrier } from './http/connect.ts';
import {
  BadHeader,
  ClosedIdle,
  largestBodyBytes,
  NameUnresolved,
  NoRoom,
  NoSocket,
  ProtocolError,
  TooLong,
} from './http/errors.ts';
import type { AnswerHandler } from './http/request.ts';
import { cutBelow, mostLevels, parsedJson } from './json.ts';
import { problemText } from './problems.ts';

const bytesForBodies = 4 * largestBodyBytes;

/** Memory for all bodies that are being received: a target may hold many of them open at once. */
export class BodyRoom {
  #leftBytes: number;
  readonly #mib: number;

  /** `parts`: how many threads share the memory; each may receive a body of the largest size. */
  constructor(parts = 1) {
    this.#leftBytes = Math.max(largestBodyBytes, bytesForBodies / parts);
    this.#mib = Math.round(this.#leftBytes / 2 ** 20);
  }

  /** Throws `NoRoom`, and then takes nothing. */
  take(bytes: number): void {
    if (bytes > this.#leftBytes)
      throw new NoRoom(`the bodies that are being received would take over ${this.#mib} MiB together`);
    this.#leftBytes -= bytes;
  }

  giveBack(bytes: number): void {
    this.#leftBytes += bytes;
  }
}

/** Of this thread. */
const roomForBodies = new BodyRoom();

const noHeaders: Readonly<IncomingHttpHeaders> = {};

/** Receives the end of an exchange. */
export interface ExchangeListener<Context> {
  done(exchange: Exchange<Context>): void;
}

/**
 * One request and its answer, as the receiver of its parts and as the result in one object, so that the hot path makes no
 * closures. Instants are in the run's nanoseconds.
 */
export class Exchange<Context> implements AnswerHandler {
  readonly call: Call;
  readonly context: Context;
  readonly #nowNs: () => number;
  readonly #listener: ExchangeListener<Context>;
  readonly #room: BodyRoom;
  /** When the request was sent, the second time if it was sent twice; undefined before. */
  sentNs: number | undefined;
  /** When it went out first, if its connection turned out to be closed for its idleness and it was sent again. */
  firstSentNs: number | undefined;
  /** The connection that carries it. */
  carrier: Carrier | undefined;
  /** When the answer was complete or given up on. */
  answeredNs: number | undefined;
  /** With a complete answer. */
  status: number | undefined;
  /** Why the answer could not be read, as a whole or by an adapter. */
  problem: string | undefined;
  /** The status on the wire, where an adapter reads another one from the answer. */
  wireStatus: number | undefined;
  /** Where the request goes, where a map or an adapter decides that: `GET /looks/{session_id}`. */
  wireRoute: string | undefined;
  headers: Readonly<IncomingHttpHeaders> = noHeaders;
  bytes = 0;
  /** Without a complete answer, though sent. */
  lost: LossReason | undefined;
  /** Never sent. */
  notSent: NotSentReason | undefined;
  /** The error behind `lost` or `notSent`. */
  cause: Error | undefined;
  #chunks: Buffer | Buffer[] | undefined;
  /** Of a target that does not speak the interface: the answer is read in the interface's form. */
  readonly #translation: Translation | undefined;
  #translatedBody: unknown;
  #wireHeaders: Readonly<IncomingHttpHeaders> | undefined;
  over = false;

  constructor(
    call: Call,
    context: Context,
    nowNs: () => number,
    listener: ExchangeListener<Context>,
    room = roomForBodies,
    translation?: Translation,
  ) {
    this.#translation = translation;
    this.#room = room;
    this.call = call;
    this.context = context;
    this.#nowNs = nowNs;
    this.#listener = listener;
  }

  onSent(carrier?: Carrier): void {
    if (this.sentNs !== undefined) this.firstSentNs = this.sentNs;
    this.sentNs = this.#nowNs();
    this.carrier = carrier;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    // 1xx answers are followed by the real one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  /** Throws `NoRoom`, which ends the exchange. */
  onData(chunk: Buffer): void {
    this.#room.take(chunk.length);
    this.bytes += chunk.length;
    if (this.#chunks === undefined) this.#chunks = chunk;
    else if (Array.isArray(this.#chunks)) this.#chunks.push(chunk);
    else this.#chunks = [this.#chunks, chunk];
  }

  onEnd(): void {
    this.#finish();
  }

  onError(error: Error): void {
    this.status = undefined;
    this.cause = error;
    if (this.sentNs === undefined) this.notSent = notSentReason(error);
    else this.lost = lossReason(error);
    this.#finish();
  }

  /**
   * Whether it shows that the target fails to answer: not if it was given up on here, or could not be written, or its
   * connection had only been idle.
   */
  get wasFailed(): boolean {
    const { lost, notSent, status } = this;
    return (
      status === undefined &&
      !(lost === 'stopped' || lost === 'closed-idle' || lost === 'no-room') &&
      !(notSent === 'stopped' || notSent === 'no-socket' || notSent === 'bad-header')
    );
  }

  #finish(): void {
    // An error may come after the end, when the connection is torn down; what counts is what came first.
    if (this.over) return;
    this.over = true;
    if (this.sentNs !== undefined) this.answeredNs = this.#nowNs();
    if (this.#translation !== undefined) this.#translate(this.#translation);
    // What reads the body does so now.
    this.#room.giveBack(this.bytes);
    this.#listener.done(this);
  }

  #translate(translation: Translation): void {
    const { headers, status } = this;
    if (status === undefined) return;
    const body = this.wireJson();
    let answer: Answer;
    try {
      answer = translation.answer(this.call, { status, headers, body });
    } catch (error) {
      this.problem = `adapter: ${error instanceof Error ? error.message : String(error)}`;
      return;
    }
    if (answer.status !== status) this.wireStatus = status;
    this.#wireHeaders = headers;
    this.status = answer.status;
    this.headers = answer.headers;
    this.#translatedBody = answer.body;
  }

  /** The body as text; empty when it cannot be decoded. */
  text(): string {
    if (this.#chunks === undefined) return '';
    const body = Array.isArray(this.#chunks) ? Buffer.concat(this.#chunks) : this.#chunks;
    return decoded(body, this.headers['content-encoding']).toString('utf8');
  }

  /** The headers as they came, where a translation reads others. */
  get wireHeaders(): Readonly<IncomingHttpHeaders> {
    return this.#wireHeaders ?? this.headers;
  }

  /** The body as JSON, or undefined if it is not JSON. */
  json(): unknown {
    return this.#translation === undefined ? this.wireJson() : this.#translatedBody;
  }

  /** The body as it came, where a translation reads another one. */
  wireJson(): unknown {
    const text = this.text();
    const body = parsedJson(text);
    // A shorter text has no more brackets.
    if (text.length > 2 * mostLevels && cutBelow(body))
      this.problem ??= problemText({
        field: 'body',
        expected: `JSON of at most ${mostLevels} levels`,
        got: 'more levels',
      });
    return body;
  }
}

/**
 * A body before the target encoded it. The harness requests no encoding, but some proxies compress every answer.
 */
function decoded(body: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: largestBodyBytes };
  try {
    switch (encoding?.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, limit);
      case 'deflate':
        return inflateSync(body, limit);
      case 'br':
        return brotliDecompressSync(body, limit);
      default:
        return body;
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** The reason that requests in flight are given up with when the run is stopped. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

function notSentReason(error: Error): NotSentReason {
  if (error instanceof Stopped) return 'stopped';
  if (error instanceof NoSocket) return 'no-socket';
  if (error instanceof BadHeader) return 'bad-header';
  return error instanceof NameUnresolved ? 'no-address' : 'no-connection';
}

function lossReason(error: Error): LossReason {
  if (error instanceof Stopped) return 'stopped';
  if (error instanceof ClosedIdle) return 'closed-idle';
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (error instanceof TooLong) return 'too-long';
  if (error instanceof NoRoom) return 'no-room';
  if (error instanceof ProtocolError) return 'protocol';
  return 'reset';
}
