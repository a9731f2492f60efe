import { describe, expect, it } from 'vitest';
import { Days, dayQuery } from '../../src/drive/days.ts';

const at = (text: string): number => Date.parse(text);

describe('the days of a run', () => {
  it('are the one on which it starts and ends', () => {
    const days = new Days(at('2026-05-01T10:00:00Z'), () => at('2026-05-01T10:04:00Z'));
    expect(days.exact()).toEqual({ from: '2026-05-01', to: '2026-05-01' });
    expect(days.wide()).toEqual({ from: '2026-04-30', to: '2026-05-02' });
  });

  it('are two when it crosses midnight, which is seen when it has happened', () => {
    let now = at('2026-12-31T23:59:00Z');
    const days = new Days(now, () => now);
    expect(days.exact()).toEqual({ from: '2026-12-31', to: '2026-12-31' });
    now = at('2027-01-01T00:01:00Z');
    expect(days.exact()).toEqual({ from: '2026-12-31', to: '2027-01-01' });
    expect(days.wide()).toEqual({ from: '2026-12-30', to: '2027-01-02' });
  });

  it('know leap years', () => {
    const days = new Days(at('2028-02-28T12:00:00Z'), () => at('2028-02-28T12:00:00Z'));
    expect(days.wide()).toEqual({ from: '2028-02-27', to: '2028-02-29' });
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
