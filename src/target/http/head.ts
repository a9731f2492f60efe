import type { IncomingHttpHeaders } from 'node:http';
import { longestHeadBytes, ProtocolError, TooLong } from './errors.ts';

/** How an answer's body ends: after this many bytes, with its last chunk, or with the connection. */
type BodyEnd = number | 'chunked' | 'close';

/** The head of an answer. Answers with the same head text share it, so it must not be changed. */
export interface Head {
  readonly status: number;
  /** Names in lower case; a field that came twice is a list. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: BodyEnd;
  /** How long the connection may rest until its next request; 0 when it must not be used again. */
  readonly keepAliveMs: number;
}

/** An idle connection is given up before the target does so: servers commonly close theirs after 5 s. */
export const usualRestMs = 4_000;
/** A target that says how long it keeps connections is believed but for this much, and up to so long. */
const restMarginMs = 2_000;
const longestRestMs = 600_000;

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n\0]*)?$/;
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a field value must not hold (RFC 9110, 5.5).
const badValue = /[\0-\x08\x0a-\x1f\x7f]/;
const digits = /^\d{1,15}$/;
const lastCodingIsChunked = /(?:^|,)[ \t]*chunked[ \t]*$/i;

/**
 * Reads the head of an answer (RFC 9112): status line and fields, without the empty line at the end. Strict where
 * leniency would leave the body's end open. Throws `ProtocolError` and `TooLong`.
 */
export function readHead(text: string): Head {
  const lines = text.split('\r\n');
  const status = statusLine.exec(lines[0] ?? '');
  if (status === null)
    throw new ProtocolError(`expected a status line, got ${JSON.stringify(lines[0]?.slice(0, 60))}`);
  const headers = readFields(lines);
  const code = Number(status[2]);
  const body = bodyEnd(code, headers);
  return {
    status: code,
    headers,
    body,
    keepAliveMs: body === 'close' ? 0 : keepAliveMs(status[1] === '1', code, headers),
  };
}

function readFields(lines: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  let bytes = 0;
  for (let at = 1; at < lines.length; at++) {
    let line = lines[at] ?? '';
    // A value may be folded over lines that begin with a blank (RFC 9112, 5.2).
    while (lines[at + 1]?.startsWith(' ') === true || lines[at + 1]?.startsWith('\t') === true) {
      line = `${line.trimEnd()} ${lines[++at]?.trimStart()}`;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    bytes += name.length + value.length;
    if (bytes >= longestHeadBytes) throw new TooLong('head');
    if (!fieldName.test(name))
      throw new ProtocolError(`expected a header field, got ${JSON.stringify(line.slice(0, 60))}`);
    if (badValue.test(value)) throw new ProtocolError(`${name}: control characters`);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (Array.isArray(before)) {
      before.push(value);
      continue;
    }
    // A name such as __proto__ is a name like any other.
    Object.defineProperty(headers, name, {
      value: before === undefined ? value : [before, value],
      enumerable: true,
      configurable: true,
    });
  }
  return headers;
}

function bodyEnd(status: number, headers: IncomingHttpHeaders): BodyEnd {
  const length: unknown = headers['content-length'];
  const coding: unknown = headers['transfer-encoding'];
  if (length !== undefined && coding !== undefined) {
    throw new ProtocolError('both Content-Length and Transfer-Encoding');
  }
  if (length !== undefined && (typeof length !== 'string' || !digits.test(length))) {
    throw new ProtocolError(`Content-Length: expected one number, got ${JSON.stringify(length)}`);
  }
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) return lastCodingIsChunked.test(String(coding)) ? 'chunked' : 'close';
  return length === undefined ? 'close' : Number(length);
}

function keepAliveMs(isHttp11: boolean, status: number, headers: IncomingHttpHeaders): number {
  const options = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((option) => option.trim());
  if (options.includes('close') || (!isHttp11 && !options.includes('keep-alive'))) return 0;
  // These have no body; if they announce one all the same, who knows what comes next on the connection.
  const announced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if ((status === 204 || status === 304) && announced) return 0;
  const hint = /timeout=(\d+)/i.exec(String(headers['keep-alive'] ?? ''))?.[1];
  return hint === undefined
    ? usualRestMs
    : Math.max(0, Math.min(longestRestMs, Number(hint) * 1_000 - restMarginMs));
}

/** A head with the bytes that it was read from, up to the body. */
interface KnownHead {
  readonly head: Head;
  readonly bytes: Buffer;
}

const mostKnown = 4;
const LF = 0x0a;

/** Remembers the last heads read, since one answer's is mostly that of an earlier one: then only the bytes are compared. */
export class HeadReader {
  readonly #known: KnownHead[] = [];
  #oldest = 0;

  /** The head that begins at `at`, if it is one of the last. */
  known(bytes: Buffer, at: number, end: number): KnownHead | undefined {
    for (let n = 0; n < this.#known.length; n++) {
      const known = this.#known[n];
      if (known === undefined) continue;
      const { length } = known.bytes;
      const to = at + length;
      // Heads of different answers mostly differ in length: then no empty line ends here.
      if (to <= end && bytes[to - 1] === LF && bytes[to - 3] === LF)
        return bytes.compare(known.bytes, 0, length, at, to) === 0 ? known : undefined;
    }
    return undefined;
  }

  /** Reads the head from `at` to its empty line at `close`. Throws `ProtocolError`. */
  read(bytes: Buffer, at: number, close: number): KnownHead {
    const head = readHead(bytes.toString('latin1', at, close));
    const known = { head, bytes: Buffer.from(bytes.subarray(at, close + 4)) };
    this.#known[this.#oldest] = known;
    this.#oldest = (this.#oldest + 1) % mostKnown;
    return known;
  }
}
