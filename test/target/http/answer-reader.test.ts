import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerReader } from '../../../src/target/http/answer-reader.ts';
import { ProtocolError, TooLong } from '../../../src/target/http/errors.ts';
import { type Head, HeadReader } from '../../../src/target/http/head.ts';

interface Read {
  readonly statuses: readonly number[];
  readonly body: string;
  readonly complete: boolean;
  readonly error?: string;
}

/** What a reader makes of bytes that come in these pieces, each lent in a buffer that is then overwritten. */
function read(pieces: readonly Buffer[], isClosed = false): Read {
  const statuses: number[] = [];
  const bodies: Buffer[] = [];
  let complete = false;
  const reader = new AnswerReader(new HeadReader(), {
    head: ({ status }: Head) => statuses.push(status),
    body: (buffer, from, to) => bodies.push(Buffer.from(buffer.subarray(from, to))),
    complete: () => {
      complete = true;
    },
  });
  reader.expect();
  const told = (): Read => ({ statuses, body: Buffer.concat(bodies).toString('latin1'), complete });
  try {
    for (const piece of pieces) {
      const lent = Buffer.concat([Buffer.from('XX'), piece, Buffer.from('\r\n\r\nXX')]);
      reader.take(lent, 2, 2 + piece.length);
      lent.fill('#');
    }
    if (isClosed) reader.close();
  } catch (error) {
    if (!(error instanceof ProtocolError || error instanceof TooLong)) throw error;
    return { ...told(), error: error.message };
  }
  return told();
}

const ok = 'HTTP/1.1 200 OK\r\n';
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('an answer', () => {
  it.each<[what: string, text: string, body: string, statuses?: readonly number[]]>([
    ['of a length', `${ok}Content-Length: 5\r\n\r\nhello`, 'hello'],
    ['without a body', `${ok}content-length:0\r\n\r\n`, ''],
    ['that never has a body', 'HTTP/1.1 204 No Content\r\ndate: now\r\n\r\n', '', [204]],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', 'x'],
    ['in chunks', `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n`, 'hello'],
    [
      'in chunks, with a field behind',
      `${ok}transfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n`,
      '0123456789',
    ],
    [
      'after an interim answer',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
      'x',
      [103, 200],
    ],
    ['after a careless line break', `\r\n${ok}content-length: 1\r\n\r\nx`, 'x'],
    ['with a field folded over two lines', `${ok}x: a\r\n b\r\ncontent-length: 1\r\n\r\nx`, 'x'],
  ])('%s is read whole, however it is cut', (_what, text, body, statuses = [200]) => {
    expect(read([bytes(text)])).toEqual({ statuses, body, complete: true });
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, n) => bytes(text.slice(at[n], end)));
        expect(read(pieces)).toEqual({ statuses, body, complete: true });
      }),
    );
  });

  it('that says nothing of its length ends with the connection', () => {
    const pieces = [bytes(`${ok}\r\nhel`), bytes('lo')];
    expect(read(pieces).complete).toBe(false);
    expect(read(pieces, true)).toEqual({ statuses: [200], body: 'hello', complete: true });
  });

  it.each([
    ['in the head', `${ok}content-`],
    ['in the body', `${ok}content-length: 5\r\n\r\nhel`],
    ['between chunks', `${ok}transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n`],
  ])('that breaks off %s is not complete', (_where, text) => {
    expect(read([bytes(text)], true)).toMatchObject({ complete: false });
  });

  it.each([
    ['another protocol', '220 mail ESMTP\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a field without a colon', `${ok}nonsense\r\n\r\n`],
    ['a field with a blank before the colon', `${ok}x : y\r\n\r\n`],
    ['a null character in a field', `${ok}x: \0\r\n\r\n`],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nx`],
    ['a length that is no number', `${ok}content-length: -1\r\n\r\n`],
    ['a length and chunks', `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['a chunk without a size', `${ok}transfer-encoding: chunked\r\n\r\nx\r\n`],
    ['a chunk longer than it said', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nxx\r\n`],
  ])('with %s is refused', (_what, text) => {
    const { complete, error } = read([bytes(text)]);
    expect([complete, error]).toEqual([false, expect.stringContaining('the answer is not HTTP')]);
  });

  it.each([
    ['one field that is as long', `${ok}x: ${'y'.repeat(65_535)}\r\n\r\n`],
    ['many fields', `${ok}${'some-name: a value\r\n'.repeat(4_200)}\r\n`],
    ['no end', `${ok}x: ${'y'.repeat(140_000)}`],
  ])('with a head over 64 KiB in %s is too long, and is not said to be no HTTP', (_what, text) => {
    const { complete, error } = read([bytes(text)]);
    expect([complete, error]).toEqual([false, 'the head of the answer has over 64 KiB']);
  });

  it('with a head of just less is read', () => {
    const head = bytes(`${ok}x: ${'y'.repeat(65_534)}\r\n\r\n`);
    expect(read([head], true)).toMatchObject({ complete: true, statuses: [200] });
  });

  it('followed by further bytes is complete, and then invalid', () => {
    const text = `${ok}content-length: 1\r\n\r\nx${ok}`;
    expect(read([bytes(text)])).toMatchObject({ body: 'x', complete: true, error: expect.anything() });
  });
});
