import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstWindow, startWithRoom } from '../../src/drive/load/room.ts';
import { steady } from '../../src/scenario/load.ts';
import { usualChannel } from '../../src/target/profile.ts';
import { planOf } from './virtual.ts';

const limit = { requests: 100, windowMs: 1_000 };
const evenly = (count: number, everyMs: number): number[] =>
  Array.from({ length: count }, (_, n) => n * everyMs * 1e6);
const instants = fc
  .array(fc.nat({ max: 1_500 }), { maxLength: 70 })
  .map((all) => all.toSorted((a, b) => a - b).map((ms) => ms * 1e6));

describe('a load that comes after set-up', () => {
  it.each<[string, sent: number[], planned: number[], startMs: number]>([
    ['at once where both have room in a window', evenly(40, 10), evenly(50, 20), 390],
    ['at once where nothing was sent before', [], evenly(99, 10), 390],
    ['when the windows of set-up have room again', evenly(60, 5), evenly(90, 11), 571],
    ['a window after set-up where the load alone fills it', evenly(60, 5), evenly(100, 0), 1_295],
  ])('starts %s', (_, sent, planned, startMs) => {
    expect(startWithRoom(390e6, sent, planned, limit) / 1e6).toBe(startMs);
  });

  it('never fills a window with more than the limit, and starts no later than a window after set-up', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 99 }), (sent, count) => {
        const nowNs = 1_500e6;
        const planned = evenly(count, 1_000 / (count + 1));
        const startNs = startWithRoom(nowNs, sent, planned, limit);
        const all = [...sent, ...planned.map((ns) => startNs + ns)];
        for (const from of all) {
          // A window ends just before its length is over.
          const within = all.filter((ns) => ns >= from && ns < from + limit.windowMs * 1e6);
          expect(within.length).toBeLessThanOrEqual(limit.requests);
        }
        expect(startNs).toBeLessThanOrEqual(Math.max(nowNs, (sent.at(-1) ?? 0) + limit.windowMs * 1e6));
      }),
    );
  });
});

describe('what a load sends in its first window', () => {
  const plan = planOf([steady('50/s', '3s')]);

  it('is what spends the limit of its key', () => {
    expect(firstWindow(plan, usualChannel, 990e6, 100)).toHaveLength(50);
    const counted = { ...usualChannel, counts_against_rate_limit: true };
    expect(firstWindow(plan, counted, 990e6, 100)?.length).toBeGreaterThan(50);
  });

  it('is not known to one where the plan alone goes beyond the limit', () => {
    expect(firstWindow(plan, usualChannel, 990e6, 49)).toBeUndefined();
  });
});
