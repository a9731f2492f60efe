import { longestHeadBytes, ProtocolError, TooLong } from './errors.ts';
import type { Head, HeadReader } from './head.ts';

/** Receives the parts of an answer as they come. */
interface AnswerListener {
  /** Also of interim answers, 1xx. */
  head(head: Head): void;
  /** A piece of the body. `buffer` is only lent. */
  body(buffer: Buffer, from: number, to: number): void;
  /** The answer is complete. Further bytes on the connection were not requested. */
  complete(): void;
}

/** Of a head with its line breaks, where its end has not come yet. */
const longestRawBytes = 2 * longestHeadBytes;
const longestLineBytes = 4_096;
const CR = 0x0d;
const LF = 0x0a;

type ReaderState =
  | 'head'
  /** `#left` more bytes of the body. */
  | 'length'
  /** The size of a chunk; `#left` bytes of one; the line break after it; fields after the last one. */
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailer'
  /** Everything until the connection ends. */
  | 'all'
  | 'nothing';

/**
 * Reads answers from the bytes of one connection, however they are split (RFC 9112). Throws `ProtocolError` and `TooLong`.
 */
export class AnswerReader {
  readonly #heads: HeadReader;
  readonly #listener: AnswerListener;
  #expected: ReaderState = 'nothing';
  #isHead = false;
  #left = 0;
  /** The start of a head or line that is not complete yet. */
  #partial: Buffer | undefined;

  constructor(heads: HeadReader, listener: AnswerListener) {
    this.#heads = heads;
    this.#listener = listener;
  }

  /** A request goes out: its answer is what comes next. That to a HEAD has no body, whatever its head says. */
  expect(isHead = false): void {
    this.#expected = 'head';
    this.#isHead = isHead;
  }

  /** Reads `buffer` from `from` up to `to`. */
  take(buffer: Buffer, from: number, to: number): void {
    let bytes = buffer;
    let at = from;
    let end = to;
    if (this.#partial !== undefined) {
      bytes = Buffer.concat([this.#partial, buffer.subarray(from, to)]);
      at = 0;
      end = bytes.length;
      this.#partial = undefined;
    }
    while (at < end) {
      const next = this.#step(bytes, at, end);
      if (next === undefined) {
        this.#partial = Buffer.from(bytes.subarray(at, end));
        return;
      }
      at = next;
    }
  }

  /** The connection ended, which may be how the answer ends. */
  close(): void {
    if (this.#expected === 'all') this.#done();
  }

  /** Where to go on; undefined when more has to come first. */
  #step(bytes: Buffer, at: number, end: number): number | undefined {
    switch (this.#expected) {
      case 'head':
        return this.#head(bytes, at, end);
      case 'length':
      case 'chunk':
        return this.#counted(bytes, at, end);
      case 'all':
        this.#listener.body(bytes, at, end);
        return end;
      case 'chunk-size':
      case 'chunk-end':
      case 'trailer':
        return this.#line(bytes, at, end);
      case 'nothing':
        if (bytes[at] === CR || bytes[at] === LF) return at + 1;
        throw new ProtocolError('more bytes than one answer');
    }
  }

  #head(bytes: Buffer, from: number, end: number): number | undefined {
    let at = from;
    // Empty lines before an answer are left over from a careless end of the one before.
    while (at < end && (bytes[at] === CR || bytes[at] === LF)) at++;
    if (at > from) return at;
    const known = this.#heads.known(bytes, at, end) ?? this.#newHead(bytes, at, end);
    if (known === undefined) return undefined;
    const { head } = known;
    const next = at + known.bytes.length;
    if (head.status === 101) throw new ProtocolError('it changes the protocol without a request for it');
    this.#listener.head(head);
    if (head.status < 200) return next;
    if (head.body === 0 || this.#isHead) this.#done();
    else if (head.body === 'chunked') this.#expected = 'chunk-size';
    else if (head.body === 'close') this.#expected = 'all';
    else {
      this.#expected = 'length';
      this.#left = head.body;
    }
    return next;
  }

  /** Undefined when more of it has to come first. */
  #newHead(bytes: Buffer, at: number, end: number): ReturnType<HeadReader['known']> {
    const close = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (close < 0 || close + 4 > end) {
      if (end - at > longestRawBytes) throw new TooLong('head');
      // Something else, such as another protocol's greeting, is not waited out.
      if (!'HTTP/1.'.startsWith(bytes.toString('latin1', at, Math.min(end, at + 7)))) {
        throw new ProtocolError(
          `it begins with ${JSON.stringify(bytes.toString('latin1', at, Math.min(end, at + 24)))}`,
        );
      }
      return undefined;
    }
    return this.#heads.read(bytes, at, close);
  }

  #counted(bytes: Buffer, at: number, end: number): number {
    const to = Math.min(end, at + this.#left);
    this.#left -= to - at;
    this.#listener.body(bytes, at, to);
    if (this.#left === 0) {
      if (this.#expected === 'chunk') this.#expected = 'chunk-end';
      else this.#done();
    }
    return to;
  }

  #line(bytes: Buffer, at: number, end: number): number | undefined {
    const close = bytes.indexOf(LF, at);
    if (close < 0 || close >= end) {
      if (end - at > longestLineBytes) throw new ProtocolError('a line between chunks is too long');
      return undefined;
    }
    if (close === at || bytes[close - 1] !== CR)
      throw new ProtocolError('a line between chunks without a return');
    const line = bytes.toString('latin1', at, close - 1);
    if (this.#expected === 'chunk-size') {
      const size = /^([0-9a-f]{1,12})(?:;[^\r\n]*)?$/i.exec(line)?.[1];
      if (size === undefined) throw new ProtocolError('expected the size of a chunk');
      this.#left = Number.parseInt(size, 16);
      this.#expected = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (this.#expected === 'chunk-end') {
      if (line !== '') throw new ProtocolError('a chunk is longer than it said');
      this.#expected = 'chunk-size';
    } else if (line === '') this.#done();
    return close + 1;
  }

  #done(): void {
    this.#expected = 'nothing';
    this.#listener.complete();
  }
}
