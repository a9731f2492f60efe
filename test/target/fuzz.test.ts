import { EventEmitter } from 'node:events';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RequestRecord } from '../../src/history/record.ts';
import { type Call, listShades } from '../../src/target/calls.ts';
import { Exchange } from '../../src/target/exchange.ts';
import { Connection } from '../../src/target/http/connection.ts';
import { HeadReader } from '../../src/target/http/head.ts';
import { profileSchema } from '../../src/target/profile.ts';
import {
  readAccepted,
  readAnalytics,
  readGrant,
  readSession,
  readShades,
} from '../../src/target/wire-schemas.ts';
import { type Endpoint, endpoints } from '../../src/vocabulary/requests.ts';
import { recording } from '../drive/recording.ts';
import { times } from '../effort.ts';
import { withHistory } from '../history/sample.ts';
import {
  type AnswerParts,
  answerBytes,
  anyAnswer,
  anyBody,
  anyField,
  rightAnswer,
  rightBodyBytes,
} from './garbage.ts';
import { exchanged as answered, clientOf, listening } from './loopback.ts';

const secret = 'a-key-of-the-harness-itself';
const profile = profileSchema.parse({});

/** One connection without a network: arbitrary bytes, in arbitrary pieces, and the exchange's result. */
class Wire {
  readonly #socket = Object.assign(new EventEmitter(), { write: () => true, destroy: () => undefined });
  readonly #connection = new Connection(
    {
      rested: () => undefined,
      closed: () => undefined,
      closedIdle: () => undefined,
      wasClosedIdle: () => false,
      again: () => undefined,
    },
    new HeadReader(),
    { headersMs: 1_000, bodyMs: 1_000 },
  );
  readonly over: Exchange<undefined>[] = [];

  constructor() {
    this.#connection.open({
      socket: this.#socket as unknown as Socket,
      ...{ localPort: undefined, remoteAddress: undefined },
      opening: { resolveMs: 0, connectMs: 0, handshakeMs: undefined },
    });
  }

  get isClosed(): boolean {
    return this.#connection.isClosed;
  }

  ask(call: Call = listShades('c')): void {
    const done = (exchange: Exchange<undefined>): void => void this.over.push(exchange);
    this.#connection.send('', new Exchange(call, undefined, () => 1, { done }), 0);
  }

  /** The bytes, cut at these parts of their length. The buffer is used again, as that of a real socket is. */
  receive(bytes: Buffer, cuts: readonly number[]): void {
    const places = cuts.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b);
    let from = 0;
    for (const to of [...places, bytes.length]) {
      const lent = Buffer.from(bytes.subarray(from, to));
      this.#connection.received(lent, lent.length);
      lent.fill(0);
      from = to;
    }
  }

  end(): void {
    this.#socket.emit('end');
    this.#socket.emit('close');
  }
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

/** What is to be seen of an exchange. */
function seen(exchange: Exchange<undefined> | undefined): object | undefined {
  if (exchange === undefined) return undefined;
  const { bytes, headers, lost, notSent, status } = exchange;
  return status === undefined
    ? { lost, notSent }
    : { status, headers: JSON.stringify(headers), bytes, text: exchange.text() };
}

describe('an answer', () => {
  it('whatever its bytes are, is over once, with either a status or a loss, the same in whatever pieces it comes', () => {
    fc.assert(
      fc.property(anyAnswer, cuts, (bytes, places) => {
        const [whole, inPieces] = [[], places].map((each) => {
          const wire = new Wire();
          wire.ask();
          wire.receive(bytes, each);
          wire.end();
          return wire.over;
        });
        expect(whole).toHaveLength(1);
        expect(inPieces).toHaveLength(1);
        const [exchange] = whole ?? [];
        expect([exchange?.status, exchange?.lost].filter((each) => each !== undefined)).toHaveLength(1);
        expect(exchange?.json()).toEqual(inPieces?.[0]?.json());
        expect(seen(inPieces?.[0])).toEqual(seen(exchange));
      }),
      { numRuns: times(500, 2_000) },
    );
  });

  it('that is well made is read to the byte, however it is framed, and the next one on the connection as well', () => {
    fc.assert(
      fc.property(rightAnswer, rightAnswer, cuts, (first, second, places) => {
        const wire = new Wire();
        for (const parts of [first, second]) {
          if (wire.isClosed) break;
          wire.ask();
          wire.receive(answerBytes(parts), places);
          if (parts.framing === 'close') wire.end();
          const exchange = wire.over.at(-1);
          expect(exchange).toMatchObject({ status: parts.status, bytes: parts.body.length, lost: undefined });
          expect(exchange?.text()).toBe(parts.body.toString('utf8'));
        }
        expect(wire.over).toHaveLength(first.framing === 'close' ? 1 : 2);
      }),
      { numRuns: times(300, 1_000) },
    );
  });
});

const ok = 'HTTP/1.1 200 OK\r\n';

describe('an answer that is lost', () => {
  it.each<[what: string, text: string, lost?: string]>([
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
    ['one field of 64 KiB', `${ok}x: ${'y'.repeat(65_535)}\r\n\r\n`, 'too-long'],
    ['many fields', `${ok}${'some-name: a value\r\n'.repeat(4_200)}\r\n`, 'too-long'],
  ])('has %s', (_what, text, lost = 'protocol') => {
    const wire = new Wire();
    wire.ask();
    wire.receive(Buffer.from(text, 'latin1'), []);
    expect(wire.over).toMatchObject([{ status: undefined, lost }]);
  });
});

const nonEmpty = z.string().min(1);
const count = z.int().min(0);

describe('a reader of bodies', () => {
  /** What each lets pass, put down once more in the plainest words. */
  const promises: readonly [
    name: string,
    read: (body: unknown) => { ok: boolean; value?: unknown; problem?: string },
    promise: z.ZodType,
  ][] = [
    [
      'of sessions',
      readGrant,
      z.object({
        session_id: nonEmpty,
        token: nonEmpty,
        expires_at: z.iso.datetime({ offset: true }),
        shade_count: count,
      }),
    ],
    [
      'of shades',
      readShades,
      z.array(
        z.object({ sku: nonEmpty, name: z.string(), hex: z.string().startsWith('#'), finish: z.string() }),
      ),
    ],
    [
      'of analytics',
      readAnalytics,
      z.object({
        period: z.string(),
        total_sessions: count,
        avg_shades_per_session: z.number().min(0),
        cart_intent_rate: z.number().max(1),
        top_shades: z.array(z.object({ sku: nonEmpty, selections: count })),
      }),
    ],
    [
      'of histories',
      (body) => readSession(body, profile.session_history, 'session-1'),
      z.object({
        sessionId: z.literal('session-1').optional(),
        interactions: z.array(z.record(z.string(), z.string())).optional(),
      }),
    ],
    ['of accepted acts', readAccepted, z.object({ accepted: count.optional() })],
  ];

  it.each(promises)(
    '%s lets nothing pass but what is promised, and says of the rest what is wrong',
    (_name, read, promise) => {
      let passed = 0;
      fc.assert(
        fc.property(anyBody, (bytes) => {
          const body = parsed(bytes);
          const result = read(body);
          if (result.ok) {
            passed++;
            expect(promise.safeParse(result.value).error).toBeUndefined();
          } else expect(result.problem).toMatch(/^\S.*: expected /s);
        }),
        { numRuns: times(300, 1_000), examples: rightBodyBytes.map((bytes) => [bytes]) },
      );
      expect(passed).toBeGreaterThan(0);
    },
  );
});

it('a body that is deeper than any of the interface is kept without exhausting the stack', () => {
  const body = Buffer.from(`${'{"interactions":['.repeat(200_000)}1${']}'.repeat(200_000)}`);
  for (const endpoint of endpoints) {
    const { bodies, exchanged, records } = remembering();
    expect(exchanged(endpoint, { status: 200, fields: [], body, framing: 'length' }).status).toBe(200);
    expect(JSON.stringify([records, bodies]).length).toBeLessThan(20_000);
  }
});

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** A recorder of answers, and what it has remembered. */
function remembering() {
  const { answers: bodies, recorder, requests: records } = recording({ secrets: [secret] });
  return {
    records,
    bodies,
    exchanged(endpoint: Endpoint, answer: AnswerParts): RequestRecord {
      const wire = new Wire();
      wire.ask({ ...listShades('c'), endpoint });
      wire.receive(answerBytes(answer), []);
      const seq = recorder.nextSeq();
      const asked = { stage: 'load', phase: 'p', credential: 'load', sessionId: 'session-1' } as const;
      const [exchange] = wire.over;
      if (exchange === undefined) throw new Error('the exchange is not over');
      recorder.exchanged({ seq, ...asked, intendedNs: seq, readyNs: seq, keepAnswer: { q: 'x' } }, exchange);
      return records.at(-1) as RequestRecord;
    },
  };
}

describe('a record', () => {
  it('can be made of any answer, without a secret, and a history of such records read again', async () => {
    const { bodies, exchanged, records } = remembering();
    const field = fc.oneof({ weight: 9, arbitrary: anyField }, fc.constant(`Retry-After: ${secret}`));
    const answer = fc.record({
      status: fc.constantFrom(200, 201, 429, 500),
      fields: fc.array(field, { maxLength: 4 }),
      body: anyBody,
      framing: fc.constant('length' as const),
    });
    fc.assert(
      fc.property(fc.constantFrom(...endpoints), answer, (endpoint, parts) => {
        const record = exchanged(endpoint, parts);
        expect(record).toMatchObject({ status: parts.status, lost: undefined, notSent: undefined });
        expect(JSON.stringify([record, bodies.at(-1)])).not.toContain(secret);
      }),
      { numRuns: times(300, 1_000) },
    );
    const rows = await withHistory({ requests: records, answers: bodies }, (history) =>
      history.rows(
        z.object({ seq: z.number(), status: z.number(), body: z.string().nullable() }),
        'SELECT r.seq, status, CAST(body AS VARCHAR) AS body FROM requests r JOIN answers a USING (seq) ORDER BY seq',
      ),
    );
    expect(rows.map(({ seq, status }) => [seq, status])).toEqual(
      records.map(({ seq, status }) => [seq, status]),
    );
    const read = rows.map(({ body }) => (body === null ? undefined : JSON.parse(body)));
    expect(read.filter((body) => body !== undefined && body !== null)).not.toEqual([]);
  });

  it('holds the date of an answer, and takes nothing else for one', () => {
    const dateOf = (text: string): number | undefined =>
      remembering().exchanged('list-shades', {
        status: 404,
        fields: [`Date: ${text}`],
        body: Buffer.alloc(0),
        framing: 'length',
      }).serverDateMs;
    const second = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(second, (s) => {
        expect(dateOf(new Date(s * 1_000).toUTCString())).toBe(s * 1_000);
      }),
      { numRuns: 200 },
    );
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          printable,
          fc.nat().map(String),
          fc.constantFrom('3000', '1/2/2003', 'May 2026', '2026-05-01', 'Fri, 01 May 2026 12:00:00'),
        ),
        (text) => {
          expect(dateOf(text)).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a server of garbage', () => {
  it('gets an end of every request', async () => {
    const seed = Date.now() % 2 ** 31;
    const garbage = fc.sample(fc.tuple(anyAnswer, cuts, fc.constantFrom('leave', 'end', 'reset')), {
      numRuns: 300,
      seed,
    });
    let next = 0;
    const server = createServer((socket) => {
      socket.on('data', async () => {
        const [bytes, places, then] = garbage[next++ % garbage.length] ?? [Buffer.alloc(0), [], 'end'];
        let from = 0;
        for (const to of [
          ...places.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ]) {
          socket.write(bytes.subarray(from, to));
          from = to;
          await new Promise(setImmediate);
        }
        if (then === 'end') socket.end();
        if (then === 'reset') socket.resetAndDestroy();
      });
    });
    const short = { connections: 8, timeouts: { headers: 200, body: 200 } };
    const client = clientOf(await listening(server), { profile: short });
    const over = await Promise.all(garbage.map(() => answered(client)));
    for (const exchange of over) {
      const outcomes = [exchange.status, exchange.lost, exchange.notSent].filter(
        (each) => each !== undefined,
      );
      expect(outcomes, `seed ${seed}`).toHaveLength(1);
      exchange.json();
    }
  });
});
