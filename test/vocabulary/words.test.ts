import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closest } from '../../src/vocabulary/closest.ts';
import { Traceparents, traceId } from '../../src/vocabulary/trace-id.ts';

const names = ['launch', 'limits', 'smoke', 'rate-limit', 'quota', 'analytics', 'analytics-audit'];

describe('what somebody meant', () => {
  it.each([
    ['a letter left out', 'smke', 'smoke'],
    ['a letter too many', 'smooke', 'smoke'],
    ['another letter', 'lunch', 'launch'],
    ['two letters swapped', 'qouta', 'quota'],
    ['capitals', 'SMOKE', 'smoke'],
    ['no dash', 'ratelimit', 'rate-limit'],
    ['the nearer of two', 'analytic', 'analytics'],
    ['nothing like any', 'nonsense', undefined],
    ['nothing at all', '', undefined],
  ])('%s: %s', (_sentence, typed, meant) => {
    expect(closest(typed, names)).toBe(meant);
  });

  it('is the name itself where it is one, and always one of the names', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), (name, anything) => {
        expect(closest(name, names)).toBe(name);
        expect([...names, undefined]).toContain(closest(anything, names));
      }),
    );
  });

  it('is found across any one letter that is left out', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const place = at % name.length;
        expect(closest(name.slice(0, place) + name.slice(place + 1), names)).toBe(name);
      }),
    );
  });
});

const run = '0123456789abcdef';
const numbers = [1, 2, 255, 256, 65_536, 2 ** 31 - 1];

describe('a trace id', () => {
  it.each(numbers)('of request %d has 32 digits: the run around the number and its spread', (seq) => {
    const id = traceId(run, seq);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect([id.slice(0, 10), id.slice(26)]).toEqual(['0123456789', 'abcdef']);
    expect(Number.parseInt(id.slice(10, 18), 16)).toBe(seq);
    expect(BigInt(`0x${id.slice(18, 26)}`)).toBe((BigInt(seq) * 0x9e3779b1n) % 2n ** 32n);
  });

  it('lets a sampler that reads its last 14 digits keep its share of neighbouring requests', () => {
    const kept = Array.from({ length: 1_000 }, (_, n) => traceId(run, n + 1)).filter(
      (id) => Number.parseInt(id.slice(18), 16) / 16 ** 14 < 0.1,
    );
    expect(Math.abs(kept.length - 100)).toBeLessThanOrEqual(3);
  });
});

describe('a traceparent', () => {
  it.each(numbers)('of request %d is of W3C version 00, with its trace id, to be recorded', (seq) => {
    const [version, trace, parent, flags] = new Traceparents(run).of(seq).split('-');
    expect([version, trace, flags]).toEqual(['00', traceId(run, seq), '01']);
    expect(parent).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
  });
});
