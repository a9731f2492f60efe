import { describe, expect, it } from 'vitest';
import { clockPlan } from '../../src/plan/clock-moves.ts';
import { calendar } from '../../src/scenario/calendar.ts';
import { idle } from '../../src/scenario/load.ts';
import { planOf } from '../drive/virtual.ts';

const leapDays = calendar({ from: '2028-02-28', days: 3, shoppersPerDay: 400, dayTakes: '2.4s' });
const text = (epochMs: number): string => new Date(epochMs).toISOString();

describe('the clock of a calendar', () => {
  const clockMoves = clockPlan(planOf([idle('1s'), leapDays]));
  const moves = clockMoves?.moves ?? [];

  it('stands an hour before the first day until the days begin', () => {
    expect(text(clockMoves?.eveEpochMs ?? 0)).toBe('2028-02-27T23:00:00.000Z');
    expect(moves[0]).toEqual({ atNs: 1e9, toEpochMs: Date.parse('2028-02-28') });
  });

  it('shows each hour in the middle of its share of the day, leap day and all', () => {
    expect(moves.slice(1, 3)).toEqual([
      { atNs: 1.05e9, toEpochMs: Date.parse('2028-02-28T01:00:00Z') },
      { atNs: 1.15e9, toEpochMs: Date.parse('2028-02-28T02:00:00Z') },
    ]);
    const days = new Set(moves.map(({ toEpochMs }) => text(toEpochMs).slice(0, 10)));
    expect([...days]).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
    expect(moves).toHaveLength(1 + 3 * 24);
  });

  it('goes through midnight by itself', () => {
    const before = moves.filter(({ toEpochMs }) => text(toEpochMs).includes('T23:59'));
    expect(before.map(({ toEpochMs }) => text(toEpochMs))).toEqual([
      '2028-02-28T23:59:59.950Z',
      '2028-02-29T23:59:59.950Z',
      '2028-03-01T23:59:59.950Z',
    ]);
    // Set 50 ms before the day's share of the run is over.
    expect(before[0]?.atNs).toBe(1e9 + 2.4e9 - 50e6);
  });

  it('never goes back', () => {
    const late = (second: string): (() => unknown) => {
      const twice = planOf([
        leapDays,
        calendar({ from: second, days: 1, shoppersPerDay: 10, dayTakes: '2s' }),
      ]);
      return () => clockPlan(twice);
    };
    expect(late('2028-03-01')).toThrow(/must begin after the end of the one before it/);
    expect(late('2028-03-02')).not.toThrow();
  });

  it('is left alone by everything else', () => {
    expect(clockPlan(planOf([idle('1s')]))).toBeUndefined();
  });

  it('has shoppers at all hours, by the curve of a day, and as many as were asked for', () => {
    const opened = [...planOf([leapDays]).requests()].filter(({ step }) => step.kind === 'create-session');
    expect(opened.length).toBeGreaterThan(1_000);
    expect(opened.length).toBeLessThan(1_400);
    const hours = Map.groupBy(opened, ({ atNs }) => Math.floor((atNs / 1e8) % 24));
    const most = (from: number, to: number): number =>
      Array.from({ length: to - from }, (_, n) => hours.get(from + n)?.length ?? 0).reduce((a, b) => a + b);
    // The evening has several times as many as the night.
    expect(most(16, 20)).toBeGreaterThan(4 * most(0, 4));
  });
});

describe('a calendar', () => {
  const good = { from: '2028-02-10', days: 31, shoppersPerDay: 100, dayTakes: '3.5s' } as const;
  it.each([
    ['a day that is none', { from: '2027-02-29' }, /calendar: from: .*"2027-02-29"/],
    ['no day', { days: 0 }, /calendar: days: .* got 0/],
    ['half a shopper', { shoppersPerDay: 0.5 }, /calendar: shoppersPerDay: .* got 0\.5/],
    ['a day in no time', { dayTakes: '1ms' }, /calendar: dayTakes: expected at least 1 s/],
    ['a day in a word', { dayTakes: 'quick' }, /calendar: dayTakes: .*"quick"/],
  ])('is refused with %s', (_, wrong, message) => {
    expect(() => calendar({ ...good, ...wrong })).toThrow(message);
  });
});
