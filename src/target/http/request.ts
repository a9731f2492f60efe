import type { IncomingHttpHeaders } from 'node:http';
import type { Carrier } from './connect.ts';
import { BadHeader } from './errors.ts';

/**
 * Characters that a path and a field's value must not hold: a foreign token may hold anything, even a line break.
 */
const badPath = /[^\u0021-\u00ff]/;
const badValue = /[^\t\x20-\x7e\x80-\xff]/u;

/** The first character of a text that no header can carry. */
export function badCharacter(text: string): string | undefined {
  return badValue.exec(text)?.[0];
}

/**
 * Requests of one method, path, authorization and set of fields share this: their head is checked and written once, and if
 * they have one body, too, all of their text.
 */
export interface SharedText {
  readonly hasOneBody: boolean;
  head?: string | undefined;
  whole?: string | Buffer | undefined;
}

/** A request, before its bytes. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** Fields that many requests share, as one object. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that most requests have of their own; not among `headers`. */
  readonly authorization: string | undefined;
  readonly traceparent: string | undefined;
  readonly body: string | null;
  readonly shared: SharedText | undefined;
}

/** Receives what becomes of a request. The last call is `onEnd` or `onError`, and there may be one after the last. */
export interface AnswerHandler {
  /** It goes to the socket: now, or for the second time. */
  onSent(carrier?: Carrier): void;
  /** Also of interim answers, 1xx. */
  onHead(status: number, headers: Readonly<IncomingHttpHeaders>): void;
  /** Throws `NoRoom`, which ends the exchange. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

const mostShared = 8;

/** Writes requests to one host. */
export class RequestWriter {
  readonly #start: string;
  /** The lines of the first of `headers`: those that requests share are few. */
  readonly #shared = new Map<object, string>();

  constructor(host: string) {
    this.#start = `host: ${host}\r\nconnection: keep-alive\r\n`;
  }

  /**
   * A request as it goes to the wire, RFC 9112: text to be written as latin1, or bytes when its body is more than ASCII.
   * Throws a `TypeError` for a path that cannot be put into a head, and a `BadHeader` for a value.
   */
  write(request: HttpRequest): string | Buffer {
    const { shared, traceparent } = request;
    if (shared === undefined) return withBody(this.#headOf(request), request);
    shared.head ??= this.#headOf(request);
    if (!shared.hasOneBody || traceparent !== undefined) return withBody(shared.head, request);
    shared.whole ??= withBody(shared.head, request);
    return shared.whole;
  }

  #headOf({ authorization, headers, method, path }: HttpRequest): string {
    if (badPath.test(path)) throw new TypeError(`not the path of a request: ${JSON.stringify(path)}`);
    const head = `${method} ${path} HTTP/1.1\r\n${this.#shared.get(headers) ?? this.#share(headers)}`;
    return authorization === undefined ? head : head + lineOf('authorization', authorization);
  }

  #share(headers: Readonly<Record<string, string>>): string {
    const lines = Object.entries(headers).map(([name, value]) => lineOf(name, value));
    const shared = this.#start + lines.join('');
    if (this.#shared.size < mostShared) this.#shared.set(headers, shared);
    return shared;
  }
}

function withBody(shared: string, { body, traceparent }: HttpRequest): string | Buffer {
  // It is of our own making, so it is not checked.
  let head = traceparent === undefined ? shared : `${shared}traceparent: ${traceparent}\r\n`;
  if (body === null) return `${head}\r\n`;
  const bytes = Buffer.byteLength(body);
  head += `content-length: ${bytes}\r\n\r\n`;
  if (bytes === body.length) return head + body;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

function lineOf(name: string, value: string): string {
  if (badValue.test(value)) throw new BadHeader(`${name}: not the value of a header field`);
  return `${name}: ${value}\r\n`;
}
