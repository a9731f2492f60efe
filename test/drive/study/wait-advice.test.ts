import { describe, expect, it } from 'vitest';
import { adviceOf, type WaitAdvice } from '../../../src/drive/study/limits/at-limit.ts';

const now = Date.UTC(2026, 4, 1, 12);
const date = new Date(now).toUTCString();

describe('the advised wait of a rejection', () => {
  const wait = (waitMs: number): WaitAdvice => ({ waitMs, isByClock: false });
  const byClock = (waitMs: number): WaitAdvice => ({ waitMs, isByClock: true });

  it.each<[string, Record<string, string>, WaitAdvice | undefined]>([
    ['nothing', {}, undefined],
    ['seconds', { 'retry-after': '7' }, wait(7_000)],
    [
      'a date, by the clock of the target',
      { 'retry-after': new Date(now + 9_000).toUTCString(), date },
      byClock(9_000),
    ],
    ['Retry-After before any reset', { 'retry-after': '2', 'ratelimit-reset': '50' }, wait(2_000)],
    ['a reset in seconds, draft 6', { 'ratelimit-reset': '12' }, wait(12_000)],
    ['a reset in epoch seconds', { 'x-ratelimit-reset': String(now / 1e3 + 30), date }, byClock(30_000)],
    ['a reset in epoch milliseconds', { 'x-rate-limit-reset': String(now + 1_500), date }, byClock(1_500)],
    ['draft 7', { ratelimit: 'limit=100, remaining=0, reset=5' }, wait(5_000)],
    ['draft 10', { ratelimit: '"default";r=0;t=30' }, wait(30_000)],
    ['what is no wait', { 'retry-after': 'soon' }, undefined],
  ])('%s', (_, headers, expected) => {
    expect(adviceOf(headers, now + 400)).toEqual(expected);
  });
});
