import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** Foreign bytes for fuzzing: answers of the interface, well or badly made, and bytes gone wrong on their way. */

/** Names that objects have anyhow, beside ordinary ones. */
const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'then', ''];
const oddNumbers = [
  0,
  -0,
  -1,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  1e308,
  Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
];
const oddTexts = [
  '',
  '\0',
  '\ud800',
  '\udc00x',
  '"',
  '\\',
  '\r\n',
  'é',
  '\u{1F484}',
  '\u2028',
  '\ufeff',
  '..',
];

const text = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: 'binary', maxLength: 20 }));
const name = fc.oneof(fc.constantFrom(...oddNames), fc.string({ maxLength: 8 }));
const number = fc.oneof(fc.constantFrom(...oddNumbers), fc.double(), fc.integer());

/** Anything that JSON can hold, and infinity, which `1e999` is read as. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
})).value;

/** An object of these fields, `__proto__` among them like any other. */
function objectOf(entries: readonly (readonly [name: string, value: unknown])[]): object {
  const object = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

const grant = {
  session_id: 'session-1',
  token: 'token-of-session-1',
  expires_at: '2026-05-01T12:30:00Z',
  shade_count: 2,
};
const shade = { sku: 'A', name: 'Rosé', hex: '#AA0000', finish: 'matte' };
const analytics = {
  period: '2026-05-01 / 2026-05-02',
  total_sessions: 3,
  avg_shades_per_session: 1.5,
  cart_intent_rate: 0.25,
  top_shades: [{ sku: 'A', selections: 4 }],
};
const session = {
  ...grant,
  interactions: [{ id: 'i1', type: 'shade_selected', sku: 'A', at: '2026-05-01T12:00:00Z' }],
};
const rightBodies: readonly unknown[] = [
  grant,
  { shades: [shade, shade] },
  [shade],
  { data: { items: [shade] }, next: 'x' },
  analytics,
  session,
  { session },
  { accepted: 3 },
  { error: 'no' },
];

/** A body of the interface in which some values are others, or gone, and which has some more fields. */
const spoiltBody = fc
  .tuple(
    fc.constantFrom(...rightBodies),
    fc.infiniteStream(fc.nat(11)),
    fc.infiniteStream(anyJson),
    fc.array(fc.tuple(name, anyJson), { maxLength: 2 }),
  )
  .map(([body, dice, values, more]) => {
    const spoil = (value: unknown): unknown => {
      const roll = dice.next().value;
      if (roll === 0) return values.next().value;
      if (Array.isArray(value)) return roll === 1 ? [...value, ...value] : value.map(spoil);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).filter(() => dice.next().value !== 0);
      return objectOf([
        ...entries.map(([key, each]) => [key, spoil(each)] as const),
        ...(roll === 1 ? more : []),
      ]);
    };
    return spoil(body);
  });

/** A value as JSON text, infinity as a number beyond all bounds. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_name, each) =>
    each === Number.POSITIVE_INFINITY ? 'beyond' : each,
  ).replaceAll('"beyond"', '1e999');
}

/** The bodies of the interface as they should be, in bytes: draws seldom leave one unspoilt. */
export const rightBodyBytes: readonly Buffer[] = rightBodies.map((body) => Buffer.from(jsonOf(body)));

/** The bytes of a body. */
export const anyBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: spoiltBody.map((value) => Buffer.from(jsonOf(value))) },
  { weight: 2, arbitrary: anyJson.map((value) => Buffer.from(jsonOf(value))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: spoiltBody.map((value) => gzipSync(jsonOf(value))) },
  { weight: 1, arbitrary: spoiltBody.map((value) => Buffer.from(`\ufeff${jsonOf(value)}`, 'utf16le')) },
);

const fieldNames = [
  'Content-Type',
  'content-encoding',
  'Date',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'ratelimit-remaining',
  'X-RateLimit-Reset',
  'x-rate-limit-used',
  'Connection',
  'Keep-Alive',
  'Location',
  'Set-Cookie',
  ...oddNames.filter((each) => each !== ''),
];
const fieldValues = [
  'application/json',
  'gzip',
  'gzip, br',
  'identity',
  'Fri, 01 May 2026 12:00:00 GMT',
  '3000',
  'close',
  'keep-alive',
  'timeout=99999999999999999999',
  '5',
  '-1',
  '1e400',
  '"burst";q=100;w=60',
  '100;w=60, 5;w=',
  'é'.repeat(300),
  ' '.repeat(50),
];
export const anyField: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...fieldNames),
    fc.oneof(
      fc.constantFrom(...fieldValues),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
    ),
  )
  .map(([field, value]) => `${field}: ${value}`);

/** How a body is framed: as it should be. */
export const rightFraming = fc.constantFrom<Framing>('length', 'chunked', 'close');
const anyFraming = fc.constantFrom<Framing>(
  'length',
  'chunked',
  'close',
  'too-long',
  'too-short',
  'both',
  'bad-chunks',
);
export type Framing = 'length' | 'chunked' | 'close' | 'too-long' | 'too-short' | 'both' | 'bad-chunks';

export interface AnswerParts {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: Buffer;
  readonly framing: Framing;
}

/** The bytes of an answer. */
export function answerBytes({ body, fields, framing, status }: AnswerParts): Buffer {
  const isChunked = framing === 'chunked' || framing === 'bad-chunks';
  const half = body.length >> 1;
  const length = body.length + (framing === 'too-long' ? 7 : framing === 'too-short' ? -1 : 0);
  const head = [
    `HTTP/1.1 ${status} Whatever`,
    ...fields,
    ...(isChunked || framing === 'both' ? ['Transfer-Encoding: chunked'] : []),
    ...(isChunked || framing === 'close' ? [] : [`Content-Length: ${length}`]),
  ].join('\r\n');
  const chunks = [body.subarray(0, half), body.subarray(half)].filter((chunk) => chunk.length > 0);
  const size = framing === 'bad-chunks' ? 1 : 0;
  return Buffer.concat([
    Buffer.from(`${head}\r\n\r\n`, 'latin1'),
    ...(isChunked
      ? [
          ...chunks.flatMap((chunk) => [
            Buffer.from(`${(chunk.length + size).toString(16)};x=y\r\n`),
            chunk,
            Buffer.from('\r\n'),
          ]),
          Buffer.from('0\r\nTrailer: x\r\n\r\n'),
        ]
      : [body]),
  ]);
}

const anyStatus = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(200, 201, 202, 204) },
  fc.constantFrom(100, 101, 103, 304, 401, 402, 404, 422, 429, 500, 503, 999),
);

export const rightAnswer: fc.Arbitrary<AnswerParts> = fc.record({
  status: fc.constantFrom(200, 201, 404, 429, 500),
  fields: fc.array(
    anyField.filter((field) => !/^(connection|keep-alive|content-encoding)/i.test(field)),
    { maxLength: 5 },
  ),
  body: anyBody,
  framing: rightFraming,
});

/** What may be done to bytes on their way, from a part of their length on. */
export type Damage = readonly [kind: string, at: number, length: number, more: Uint8Array];
export const damage: fc.Arbitrary<Damage> = fc.tuple(
  fc.constantFrom('change', 'insert', 'remove', 'repeat', 'cut'),
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  fc.integer({ min: 1, max: 40 }),
  fc.uint8Array({ minLength: 1, maxLength: 4 }),
);

export function damaged(bytes: Buffer, [kind, at, length, more]: Damage): Buffer {
  const from = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, from);
  const rest = bytes.subarray(from);
  switch (kind) {
    case 'change':
      return Buffer.concat([before, more, rest.subarray(more.length)]);
    case 'insert':
      return Buffer.concat([before, more, rest]);
    case 'remove':
      return Buffer.concat([before, rest.subarray(length)]);
    case 'repeat':
      return Buffer.concat([before, rest.subarray(0, length), rest]);
    default:
      return before;
  }
}

/** The bytes of anything that may come in place of an answer. */
export const anyAnswer: fc.Arbitrary<Buffer> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.record({
          status: anyStatus,
          fields: fc.array(anyField, { maxLength: 6 }),
          body: anyBody,
          framing: anyFraming,
        }),
        fc.array(damage, { maxLength: 3 }),
      )
      .map(([parts, damages]) => damages.reduce(damaged, answerBytes(parts))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(10, 4_000, 16_300, 16_400, 40_000)
      .map((length) =>
        Buffer.from(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(length)}\r\nContent-Length: 2\r\n\r\n{}`),
      ),
  },
);
