import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactText } from '../../src/history/redact.ts';

const key = 'sk_live_123';
const gone = '[redacted]';

describe('a body that goes into the history', () => {
  it.each<[string, unknown, unknown]>([
    ['keeps what is no secret', { sku: 'A', count: 3, ok: null }, { sku: 'A', count: 3, ok: null }],
    [
      'loses what is called a token',
      { token: 'abc', refreshToken: 'x' },
      { token: gone, refreshToken: gone },
    ],
    [
      'loses what is called like a secret, however it is written',
      { 'API-Key': 'a', api_key: 'b', client_secret: 'c', Authorization: 'd', PASSWORD: 'e' },
      { 'API-Key': gone, api_key: gone, client_secret: gone, Authorization: gone, PASSWORD: gone },
    ],
    ['loses a whole object that is called so', { tokens: [{ v: 'abc' }] }, { tokens: gone }],
    ['keeps a number that is called so: a count', { token_count: 7 }, { token_count: 7 }],
    ['loses a known secret inside any text', [{ note: `Bearer ${key}!` }], [{ note: `Bearer ${gone}!` }]],
    ['loses a known secret that is the name of a field', { [key]: 1 }, { [gone]: 1 }],
    ['is a text', `x${key}`, `x${gone}`],
    ['is a number', 7, 7],
  ])('%s', (_sentence, body, expected) => {
    expect(redact(body, [key])).toEqual(expected);
  });

  it('may have a field called __proto__', () => {
    const copy = redact(JSON.parse('{"__proto__": {"polluted": true}}'), []);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('never holds a known secret afterwards, whatever it is and wherever it stands', () => {
    const secret = 'S3CR3T';
    const around = fc.string({ maxLength: 5 }).map((text) => `${text}${secret}${text}`);
    const body = fc.object({
      values: [around, fc.integer(), fc.constant(null)],
      key: fc.oneof(fc.string(), around),
    });
    fc.assert(
      fc.property(body, (value) => {
        expect(JSON.stringify(redact(value, [secret]))).not.toContain(secret);
      }),
    );
  });
});

describe('a text', () => {
  it('loses every secret, as often as it is there; an empty secret is none', () => {
    expect(redactText('a-b-a', ['a', '', 'b'])).toBe(`${gone}-${gone}-${gone}`);
    expect(redactText('abc', [''])).toBe('abc');
  });
});
