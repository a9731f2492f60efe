import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearKeyHeaders } from '../../src/drive/setup/near-keys.ts';
import { type NearKey, nearKeys } from '../../src/vocabulary/probes.ts';

const key = 'tk_live_9f8A7b6C5d4E3f2A1b0C9d8E7f6A5b4C';
const long = `${key}${key}`;

type Guard = (authorization: string, key: string) => boolean;
const bearer = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

/** The kinds that a guard lets in. */
function letIn(guard: Guard, real: string = key): readonly NearKey[] {
  return [...nearKeyHeaders(real, new Set([real]))].flatMap(([kind, header]) =>
    guard(header, real) ? kind : [],
  );
}

describe('keys that resemble a real one', () => {
  it('are all rejected by a guard that compares the whole key', () => {
    expect(letIn((header, real) => header === `Bearer ${real}`)).toEqual([]);
  });

  it.each<[string, Guard, NearKey, string]>([
    ['the first 8 characters', (h, k) => bearer(h).slice(0, 8) === k.slice(0, 8), 'cut-to-8', key],
    ['the first 16 characters', (h, k) => bearer(h).slice(0, 16) === k.slice(0, 16), 'cut-to-16', key],
    ['the first 32 characters', (h, k) => bearer(h).slice(0, 32) === k.slice(0, 32), 'cut-to-32', key],
    ['the first 72 bytes', (h, k) => bearer(h).slice(0, 72) === k.slice(0, 72), 'byte-73-changed', long],
    ['no case', (h, k) => bearer(h).toLowerCase() === k.toLowerCase(), 'case', key],
    ['as much as was sent', (h, k) => bearer(h) !== '' && k.startsWith(bearer(h)), 'cut-by-1', key],
    ['as much as there is of the key', (h, k) => bearer(h).startsWith(k), 'longer', key],
    ['all but the last character', (h, k) => bearer(h).slice(0, -1) === k.slice(0, -1), 'last-changed', key],
    ['whether the key occurs', (h, k) => bearer(h).includes(k), 'twice', key],
    ['what quotes hold', (h, k) => bearer(h).replaceAll('"', '') === k, 'quoted', key],
    ['what follows the scheme', (h, k) => h.split(' ')[1] === k, 'basic', key],
    ['what follows Bearer anywhere', (h, k) => /bearer +(\S+)$/i.exec(h)?.[1] === k, 'other-scheme', key],
    ['the last word', (h, k) => h.split(' ').at(-1) === k, 'no-scheme', key],
    ['what is left without Bearer', (h, k) => h.replaceAll('Bearer ', '') === k, 'scheme-twice', key],
    [
      'a key with what the service has for an absent one',
      (h) => (h.split(' ')[1] ?? '') === '',
      'scheme-alone',
      key,
    ],
    ['the second word', (h, k) => /^Bearer (\S+)/.exec(h)?.[1] === k, 'word-after', key],
  ])('find a guard that compares %s', (_what, guard, kind, real) => {
    expect(letIn(guard, real)).toContain(kind);
  });

  it('are fewer for a short key, and none but the last is empty', () => {
    expect([...nearKeyHeaders('k', new Set(['k'])).values()]).toEqual([
      'Bearer E',
      'Bearer K',
      'Bearer kA',
      'Bearer kk',
      'Bearer "k"',
      'Basic k',
      'Token k',
      'XBearer k',
      'k',
      'Bearer Bearer k',
      'Bearer k A',
      'Bearer',
    ]);
  });

  it('leave out what is a real key of somebody else', () => {
    const headers = nearKeyHeaders(key, new Set([key, key.slice(0, 16)]));
    expect(headers.has('cut-to-16')).toBe(false);
    expect(headers.has('cut-to-20')).toBe(true);
  });

  it('never decode to the bytes of the real key, whose last digit may stand for less than six bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 60 }), (bytes) => {
        const real = Buffer.from(bytes).toString('base64url');
        for (const [kind, header] of nearKeyHeaders(real, new Set([real])))
          if (kind === 'cut-by-1' || kind === 'last-changed')
            expect(Buffer.from(bearer(header), 'base64url').equals(bytes), kind).toBe(false);
      }),
    );
  });

  it('are distinct, of known kinds, and at most 24', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,120}$/), (real) => {
        const headers = nearKeyHeaders(real, new Set([real]));
        expect(new Set(headers.values()).size).toBe(headers.size);
        expect([...headers.values()]).not.toContain(`Bearer ${real}`);
        for (const kind of headers.keys()) expect(nearKeys).toContain(kind);
      }),
    );
    expect(nearKeys.length).toBeLessThanOrEqual(24);
  });
});
