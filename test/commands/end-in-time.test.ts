import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endInTime } from '../../src/commands/run/watch.ts';

const minute = 60_000;
/** A run that announces five minutes. */
const budget = { totalMs: 5 * minute, aroundMs: 1 * minute };

describe('a run that goes on and on', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['ends after four times what it announced, and two minutes', undefined, [[22, 'all']]],
    [
      'ends at its cap, its load early enough to read sessions back',
      7,
      [
        [6, 'load'],
        [7, 'all'],
      ],
    ],
    [
      'ends its load at once where the cap leaves no time for it',
      0.5,
      [
        [0, 'load'],
        [0.5, 'all'],
      ],
    ],
  ] as const)('%s', (_, maxMinutes, expected) => {
    const ended: [minutes: number, what: string][] = [];
    const fromMs = Date.now();
    const note = (what: string): void => void ended.push([(Date.now() - fromMs) / minute, what]);
    const drive = { stopLoad: () => note('load'), timeUp: () => note('all') };
    const { cancel } = endInTime(drive, { budget, args: { 'max-minutes': maxMinutes } });
    vi.advanceTimersByTime(60 * minute);
    cancel();
    expect(ended).toEqual(expected);
  });

  it('says what it had announced, and ends no run that is over', () => {
    const timeUp = vi.fn();
    endInTime({ stopLoad: vi.fn(), timeUp }, { budget, args: {} });
    endInTime({ stopLoad: vi.fn(), timeUp }, { budget, args: {} }).cancel();
    vi.advanceTimersByTime(60 * minute);
    expect(timeUp).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/took 1,320 s; it had announced 300 s\. --max-minutes/),
    );
  });
});
