import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closest } from '../../src/vocabulary/closest.ts';

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
