import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LimitReading, parseMembers, readLimitHeaders } from '../../src/history/limit-headers.ts';
import { parseReset } from '../../src/history/wait-times.ts';

const at = Date.UTC(2026, 4, 1, 12, 0, 30);

describe('headers of a limit', () => {
  it.each<[string, string, readonly Partial<LimitReading>[]]>([
    [
      'draft 10',
      'ratelimit-policy: "burst";q=100;w=60 | ratelimit: "burst";r=50;t=30',
      [
        {
          dialect: 'draft-10',
          policy: 'burst',
          limit: 100,
          windowMs: 60_000,
          remaining: 50,
          reset: { inMs: 30_000 },
        },
      ],
    ],
    [
      'draft 10 with several policies, parameters in any order, and others beside them',
      'ratelimit-policy: "burst";w=1;q=20;pk=:a2V5:, "day" ; q=9000; w=86400 | ratelimit: "day";t=7200;r=8000,"burst";r=3',
      [
        { dialect: 'draft-10', policy: 'burst', limit: 20, windowMs: 1_000, remaining: 3 },
        {
          dialect: 'draft-10',
          policy: 'day',
          limit: 9_000,
          windowMs: 86_400_000,
          remaining: 8_000,
          reset: { inMs: 7_200_000 },
        },
      ],
    ],
    [
      'draft 10 with a name that holds commas, quotes and the mark between headers',
      'ratelimit-policy: "a, \\"b\\" | c";q=5;w=1 | ratelimit: "a, \\"b\\" | c";r=4',
      [{ dialect: 'draft-10', policy: 'a, "b" | c', limit: 5, windowMs: 1_000, remaining: 4 }],
    ],
    [
      'draft 10 without what is counted in other units',
      'ratelimit-policy: "traffic";q=65535;qu="content-bytes";w=10, "key";q=5;qu="requests";w=1 | ratelimit: "traffic";r=1, "key";r=4',
      [{ dialect: 'draft-10', policy: 'key', limit: 5, windowMs: 1_000, remaining: 4 }],
    ],
    [
      'draft 7',
      'ratelimit-policy: 100;w=60;comment="fixed window" | ratelimit: limit=100, remaining=50, reset=30',
      [
        {
          dialect: 'draft-7',
          policy: '',
          limit: 100,
          windowMs: 60_000,
          remaining: 50,
          reset: { inMs: 30_000 },
        },
      ],
    ],
    [
      'draft 6',
      'RateLimit-Limit: 100 | RateLimit-Remaining: 50 | RateLimit-Reset: 30 | RateLimit-Policy: 100;w=60, 1000;w=3600',
      [
        {
          dialect: 'draft-6',
          policy: '',
          limit: 100,
          windowMs: 60_000,
          remaining: 50,
          reset: { inMs: 30_000 },
        },
        { dialect: 'draft-6', policy: '1000;w=3600', limit: 1_000, windowMs: 3_600_000 },
      ],
    ],
    [
      'earlier drafts, whose policies stand in the limit',
      'ratelimit-limit: 100, 100;w=60, 1000;w=3600 | ratelimit-remaining: 50',
      [
        { dialect: 'draft-6', policy: '', limit: 100, windowMs: 60_000, remaining: 50 },
        { dialect: 'draft-6', policy: '1000;w=3600', limit: 1_000, windowMs: 3_600_000 },
      ],
    ],
    [
      'X-RateLimit with epoch seconds and what is used',
      `x-ratelimit-limit: 5000 | x-ratelimit-remaining: 4987 | x-ratelimit-used: 13 | x-ratelimit-reset: ${at / 1_000} | x-ratelimit-resource: core`,
      [
        {
          dialect: 'x-ratelimit',
          policy: '',
          limit: 5_000,
          remaining: 4_987,
          used: 13,
          reset: { atEpochMs: at },
        },
      ],
    ],
    [
      'X-RateLimit by the minute and the hour',
      'x-ratelimit-limit-minute: 100 | x-ratelimit-remaining-minute: 99 | x-ratelimit-limit-hour: 1000 | x-ratelimit-remaining-hour: 999',
      [
        { dialect: 'x-ratelimit', policy: 'minute', limit: 100, windowMs: 60_000, remaining: 99 },
        { dialect: 'x-ratelimit', policy: 'hour', limit: 1_000, windowMs: 3_600_000, remaining: 999 },
      ],
    ],
    [
      'X-RateLimit as Envoy writes it',
      'x-ratelimit-limit: 10, 10;w=1;name="a", 50;w=60 | x-ratelimit-remaining: 4 | x-ratelimit-reset: 1',
      [
        {
          dialect: 'x-ratelimit',
          policy: '',
          limit: 10,
          windowMs: 1_000,
          remaining: 4,
          reset: { inMs: 1_000 },
        },
        { dialect: 'x-ratelimit', policy: '50;w=60', limit: 50, windowMs: 60_000 },
      ],
    ],
    [
      'X-Rate-Limit',
      'x-rate-limit-limit: 15 | x-rate-limit-remaining: 14 | x-rate-limit-reset: 1777636830',
      [
        {
          dialect: 'x-rate-limit',
          policy: '',
          limit: 15,
          remaining: 14,
          reset: { atEpochMs: 1_777_636_830_000 },
        },
      ],
    ],
    [
      'two dialects at once',
      'ratelimit-limit: 100 | ratelimit-remaining: 50 | x-ratelimit-limit: 100 | x-ratelimit-remaining: 50',
      [
        { dialect: 'draft-6', policy: '', limit: 100, remaining: 50 },
        { dialect: 'x-ratelimit', policy: '', limit: 100, remaining: 50 },
      ],
    ],
    ['nothing that can be read', 'ratelimit: ;;; | ratelimit-policy: "open | x-ratelimit-limit: many', []],
    ['headers of other things', 'x-ratelimit-scope: user | ratelimit-interval: 60', []],
  ])('are read in the form of %s', (_, text, expected) => {
    expect(readLimitHeaders(text)).toEqual(expected);
  });

  it('are none where there are none', () => {
    expect(readLimitHeaders(null)).toEqual([]);
  });

  const words = fc.constantFrom(
    ...[
      'ratelimit',
      'x-ratelimit-',
      '-limit',
      '-reset',
      ': ',
      ' | ',
      '"',
      '\\',
      ';',
      '=',
      ',',
      ' ',
      'r',
      'q=',
      'w',
    ],
    ...[
      '60',
      '-1',
      '1e9',
      '99999999999999999999',
      '?1',
      ':',
      'limit=',
      '\n',
      'é',
      '😀',
      '()',
      'NaN',
      '2026-99-99T',
    ],
  );
  const garbage = fc.oneof(
    fc.string(),
    fc.array(words).map((all) => all.join('')),
  );

  it('never break the reader', () => {
    fc.assert(
      fc.property(garbage, garbage, (name, value) => {
        for (const text of [
          value,
          `${name}: ${value}`,
          `ratelimit: ${value}`,
          `ratelimit-policy: ${value}`,
          `x-ratelimit-reset: ${value}`,
        ]) {
          for (const { limit = 0, remaining = 0, windowMs = 0 } of readLimitHeaders(text)) {
            expect([limit, remaining, windowMs].every(Number.isFinite)).toBe(true);
          }
        }
      }),
    );
  });

  const count = fc.nat({ max: 1_000_000 });
  const seconds = fc.nat({ max: 1_000_000 });
  const window = fc.integer({ min: 1, max: 1_000_000 });
  const name = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'abcXYZ019 -_,;="\\|:.') });
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

  it('come back as they were written, in every dialect', () => {
    fc.assert(
      fc.property(name, count, count, window, seconds, (policy, limit, remaining, windowS, resetS) => {
        const same = { limit, windowMs: windowS * 1_000, remaining, reset: { inMs: resetS * 1_000 } };
        const q = quoted(policy);
        expect(
          readLimitHeaders(
            `ratelimit: ${q};r=${remaining};t=${resetS} | ratelimit-policy: ${q};q=${limit};w=${windowS}`,
          ),
        ).toEqual([{ dialect: 'draft-10', policy, ...same }]);
        expect(
          readLimitHeaders(
            `ratelimit: limit=${limit}, remaining=${remaining}, reset=${resetS} | ratelimit-policy: ${limit};w=${windowS}`,
          ),
        ).toEqual([{ dialect: 'draft-7', policy: '', ...same }]);
        expect(
          readLimitHeaders(
            `ratelimit-limit: ${limit} | ratelimit-remaining: ${remaining} | ratelimit-reset: ${resetS} | ratelimit-policy: ${limit};w=${windowS}`,
          ),
        ).toEqual([{ dialect: 'draft-6', policy: '', ...same }]);
        expect(
          readLimitHeaders(
            `x-ratelimit-limit: ${limit}, ${limit};w=${windowS} | x-ratelimit-remaining: ${remaining} | x-ratelimit-reset: ${resetS}`,
          ),
        ).toEqual([{ dialect: 'x-ratelimit', policy: '', ...same }]);
      }),
    );
  });
});

describe('a reset', () => {
  it.each<[string, string, ReturnType<typeof parseReset>]>([
    ['of seconds from now', '30', { inMs: 30_000 }],
    ['of parts of seconds', '0.25', { inMs: 250 }],
    ['that is negative', '-3', { inMs: -3_000 }],
    ['of milliseconds from now is taken at its word, for seconds', '54321', { inMs: 54_321_000 }],
    ['of seconds since 1970', String(at / 1_000), { atEpochMs: at }],
    ['of milliseconds since 1970', String(at + 5), { atEpochMs: at + 5 }],
    ['as an HTTP date', new Date(at).toUTCString(), { atEpochMs: at }],
    ['as an ISO date', new Date(at).toISOString(), { atEpochMs: at }],
    [
      'as JavaScript prints dates',
      'Fri May 01 2026 12:00:30 GMT+0000 (Coordinated Universal Time)',
      { atEpochMs: at },
    ],
    ['as a duration', '6m0s', { inMs: 360_000 }],
    ['as a short duration', '20ms', { inMs: 20 }],
    ['in words is none', 'soon 5', undefined],
    ['of nothing is none', '', undefined],
  ])('%s', (_, text, expected) => {
    expect(parseReset(text)).toEqual(expected);
  });
});

describe('structured fields', () => {
  it.each<[string, string, readonly unknown[] | undefined]>([
    ['strings, tokens, numbers, flags', '"a", b, -1.5, ?1', ['a', 'b', -1.5, true]],
    ['names that begin with digits, without quotes', '100-in-1min;q=1', ['100-in-1min']],
    ['a trailing comma', '1,', undefined],
    ['a string that does not end', '"a', undefined],
    ['an inner list', '(1 2)', undefined],
  ])('%s', (_, text, expected) => {
    expect(parseMembers(text)?.map(({ value }) => value)).toEqual(expected);
  });

  it('keep parameters by name; one without a value is true', () => {
    expect([...(parseMembers('a ; Q = 1;w=2;x')?.[0]?.params ?? [])]).toEqual([
      ['q', 1],
      ['w', 2],
      ['x', true],
    ]);
  });
});
