import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactText } from '../../src/history/redact.ts';

const key = 'sk_live_1234567890';
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
    const secret = 'S3CR3T-of-16-char';
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

describe('a body that goes too deep', () => {
  it('is cut off, and does not exhaust the stack', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(JSON.stringify(redact(deep, []))).toBe(`${'['.repeat(64)}"[too deep]"${']'.repeat(64)}`);
  });
});

describe('a text', () => {
  it.each<[string, string, readonly string[], string]>([
    [
      'loses every secret, as often as it is there',
      'key-one1/key-two2/key-one1',
      ['key-one1', 'key-two2'],
      `${gone}/${gone}/${gone}`,
    ],
    ['loses a long secret in the middle of a word', `x${key}y`, [key], `x${gone}y`],
    [
      'loses a short secret only where it stands alone',
      'dev-key1 (dev-key1) dev-key12',
      ['dev-key1'],
      `${gone} (${gone}) dev-key12`,
    ],
    [
      'keeps words that are a key of a few letters: it could be any word',
      'Silk in matte',
      ['lk', 'matte'],
      'Silk in matte',
    ],
    ['knows that an empty secret is none', 'abc', [''], 'abc'],
  ])('%s', (_what, text, secrets, expected) => {
    expect(redactText(text, secrets)).toBe(expected);
  });
});
