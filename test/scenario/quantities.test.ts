import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  limitText,
  parseAssurance,
  parseDurationMs,
  parseRate,
  parseRateLimit,
  samplesFor,
} from '../../src/vocabulary/quantities.ts';
import { durationSchema, rateLimitSchema } from '../../src/vocabulary/quantity-schemas.ts';

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['60s', 60_000],
    ['1.5m', 90_000],
    ['2 min', 120_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    [' 3 SEC ', 3_000],
    [42, 42],
    [0, 0],
  ])('%j is %d ms', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each([
    '',
    's',
    '60',
    '-5s',
    '1e3s',
    '5 parsecs',
    '5s 3',
    '.5s',
    `${'9'.repeat(400)}d`,
    Number.NaN,
    -1,
    Number.POSITIVE_INFINITY,
  ])('%j is none, and the message says what one looks like', (text) => {
    expect(() => parseDurationMs(text)).toThrow(/expected a duration such as "250ms", "60s" or "2m", got /);
  });
});

describe('a rate', () => {
  it.each([
    ['900/min', 900, 60_000],
    ['25/s', 25, 1_000],
    ['100/6s', 100, 6_000],
    ['0.5 / second', 0.5, 1_000],
    ['50000/day', 50_000, 86_400_000],
    ['1000/1m', 1_000, 60_000],
  ])('%s is %d in %d ms', (text, count, perMs) => {
    expect(parseRate(text)).toEqual({ count, perMs });
  });

  it.each(['', '900', '/min', '900/', '900/0s', '-1/s', '900/fortnight', '900 per min', '9/s/s'])(
    '%j is none, and the message says what one looks like',
    (text) => {
      expect(() => parseRate(text)).toThrow(/expected a rate such as "900\/min", "25\/s" or "100\/6s", got /);
    },
  );
});

describe('an assurance', () => {
  it.each([
    ['1/1000@99%', 4_603],
    ['1/100@95%', 299],
    ['1 / 2 @ 99.9 %', 10],
  ])('%s takes a sample of %i', (text, samples) => {
    expect(samplesFor(parseAssurance(text))).toBe(samples);
  });

  it.each(['1/1000', '0/5@99%', '5/5@99%', '1/0@99%', '1/1000@100%', '1/1000@0%', 'much'])(
    '%j is rejected with an example',
    (text) => {
      expect(() => parseAssurance(text)).toThrow(/such as "1\/1000@99%", got /);
    },
  );
});

describe('a rate limit', () => {
  it('is a whole number of requests in a window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 1e6 }),
        (requests, windowMs) => {
          expect(parseRateLimit(`${requests}/${windowMs}ms`)).toEqual({ requests, windowMs });
          expect(parseRateLimit(limitText({ requests, windowMs }))).toEqual({ requests, windowMs });
        },
      ),
    );
  });

  it.each(['foo', '0/1m', '0.5/1m', '1.5/s', '1000', '1000/0m', `${'9'.repeat(400)}/1m`])(
    '%j is none',
    (text) => {
      expect(() => parseRateLimit(text)).toThrow(
        /limit of at least one whole request, such as "1000\/1m", got /,
      );
    },
  );

  it.each(['1000/0.5ms', '1000/367d'])('%j has a window that nobody could watch', (text) => {
    expect(() => parseRateLimit(text)).toThrow(/a window of 1 ms to 366 days, such as "1000\/1m", got /);
  });
});

describe('the schemas', () => {
  it('report what the parsers say, at the place of the text', () => {
    const [issue] = rateLimitSchema.safeParse('x').error?.issues ?? [];
    expect(issue).toMatchObject({ path: [], message: expect.stringContaining('"1000/1m"') });
    expect(durationSchema.parse('2s')).toBe(2_000);
    expect(durationSchema.safeParse(true).success).toBe(false);
  });
});
