import { describe, expect, it } from 'vitest';
import { Days, dayQuery, mostPeriods } from '../../src/drive/clock/days.ts';

const at = (text: string): number => Date.parse(text);

describe('the days of a run', () => {
  it('are the one on which it starts and ends', () => {
    const days = new Days(at('2026-05-01T10:00:00Z'), () => at('2026-05-01T10:04:00Z'));
    expect(days.exact()).toEqual({ from: '2026-05-01', to: '2026-05-01' });
    expect(days.wide()).toEqual({ from: '2026-04-30', to: '2026-05-03' });
  });

  it('are two when it crosses midnight, which is seen when it has happened', () => {
    let now = at('2026-12-31T23:59:00Z');
    const days = new Days(now, () => now);
    expect(days.exact()).toEqual({ from: '2026-12-31', to: '2026-12-31' });
    now = at('2027-01-01T00:01:00Z');
    expect(days.exact()).toEqual({ from: '2026-12-31', to: '2027-01-01' });
    expect(days.wide()).toEqual({ from: '2026-12-30', to: '2027-01-03' });
  });

  it('end today where the target takes no later end', () => {
    const days = new Days(at('2026-05-30T10:00:00Z'), () => at('2026-06-01T10:04:00Z'));
    days.endsToday = true;
    expect(days.wide()).toEqual({ from: '2026-05-29', to: '2026-06-01' });
    expect(
      days
        .periods()
        .map(({ to }) => to)
        .toSorted()
        .at(-1),
    ).toBe('2026-06-01');
  });

  it('know leap years', () => {
    const days = new Days(at('2028-02-28T12:00:00Z'), () => at('2028-02-28T12:00:00Z'));
    expect(days.wide()).toEqual({ from: '2028-02-27', to: '2028-03-01' });
  });
});

describe('the periods of a run', () => {
  const periods = (from: string, to: string): string[] =>
    new Days(at(from), () => at(to)).periods().map((range) => `${range.from}…${range.to}`);

  it('are none within a day: there is nothing to tell apart', () => {
    expect(periods('2026-05-01T00:00:00Z', '2026-05-01T23:59:59Z')).toEqual([]);
  });

  it('are both days of a run that crosses midnight, and the weeks and months that they lie in', () => {
    expect(periods('2026-05-31T23:59:00Z', '2026-06-01T00:01:00Z')).toEqual([
      '2026-05-31…2026-05-31',
      '2026-06-01…2026-06-01',
      // A Sunday and a Monday.
      '2026-05-25…2026-05-31',
      '2026-06-01…2026-06-07',
      '2026-05-01…2026-05-31',
      '2026-06-01…2026-06-30',
    ]);
  });

  it('hold a leap day in its month', () => {
    const leap = periods('2028-02-27T12:00:00Z', '2028-03-01T12:00:00Z');
    expect(leap).toContain('2028-02-29…2028-02-29');
    expect(leap).toContain('2028-02-01…2028-02-29');
  });

  it('are never more than are reckoned with', () => {
    for (let start = at('2027-12-01'); start < at('2028-04-01'); start += 86_400_000)
      for (const days of [2, 7, 8, 29, 31, 62]) {
        const range = new Days(start, () => start + (days - 1) * 86_400_000);
        expect(range.periods().length).toBeLessThanOrEqual(mostPeriods(days));
      }
    expect(mostPeriods(1)).toBe(0);
  });
});

describe('a query for days', () => {
  const range = { from: '2026-05-01', to: '2026-05-02' };
  it('is in dates, or in the instants at which they begin and end', () => {
    expect(dayQuery(range, 'date')).toEqual({ start_date: '2026-05-01', end_date: '2026-05-02' });
    expect(dayQuery(range, 'date-time', 'p')).toEqual({
      start_date: '2026-05-01T00:00:00Z',
      end_date: '2026-05-02T23:59:59Z',
      product_id: 'p',
    });
  });
});
