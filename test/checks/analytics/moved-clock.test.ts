import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clockOffset, instantsOf, requestIn } from '../../../src/checks/analytics/record/clock.ts';
import {
  earliestShown,
  earliestSql,
  latestShown,
  latestSql,
  type RecordedClockMove,
} from '../../../src/checks/core/moved-clock.ts';
import type { EventRecord } from '../../../src/history/record.ts';
import { times } from '../../effort.ts';
import { sampleRun, withHistory } from '../../history/sample.ts';

const zeroMs = sampleRun.zero_epoch_ms;
const midnight = Date.parse('2028-02-29T00:00:00Z');

function moved(moves: readonly RecordedClockMove[]): EventRecord[] {
  return moves.map((move): EventRecord => ({ kind: 'clock', ...move }));
}

describe('a clock that was set', () => {
  it('shows, while it is being set, either what it did or what it is set to', () => {
    const clock = { zeroMs, moves: [{ askedNs: 1e9, setNs: 1.004e9, epochMs: midnight }] };
    expect(earliestShown(clock, 0.5e9)).toBe(zeroMs + 500);
    expect(latestShown(clock, 0.5e9)).toBe(zeroMs + 500);
    expect(earliestShown(clock, 1.002e9)).toBe(zeroMs + 1_002);
    expect(latestShown(clock, 1.002e9)).toBe(midnight + 2);
    expect(earliestShown(clock, 2e9)).toBe(midnight + 996);
    expect(latestShown(clock, 2e9)).toBe(midnight + 1_000);
  });

  /** A clock that goes forward only, and when each setting really happened. */
  const history = fc
    .array(
      fc.record({
        afterMs: fc.integer({ min: 0, max: 3_000 }),
        tookMs: fc.integer({ min: 0, max: 20 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        forwardMs: fc.integer({ min: 0, max: 4 * 3_600_000 }),
      }),
      { minLength: 1, maxLength: 30 },
    )
    .map((steps) => {
      let nowMs = 0;
      let aheadMs = zeroMs;
      return steps.map(({ afterMs, tookMs, share, forwardMs }) => {
        const askedMs = nowMs + afterMs;
        const didMs = askedMs + share * tookMs;
        const epochMs = Math.ceil(aheadMs + didMs) + forwardMs;
        aheadMs = epochMs - didMs;
        nowMs = askedMs + tookMs;
        return {
          didMs,
          move: { askedNs: Math.round(askedMs * 1e6), setNs: Math.round(nowMs * 1e6), epochMs },
        };
      });
    });

  it('showed at every instant what lies between the two bounds, in SQL as in TypeScript', async () => {
    await withHistory({}, (open) =>
      fc.assert(
        fc.asyncProperty(history, fc.array(fc.integer({ min: 0, max: 60_000 })), async (steps, instants) => {
          const clock = { zeroMs, moves: steps.map(({ move }) => move) };
          const near = steps.flatMap(({ move }) => [
            move.askedNs - 1,
            move.askedNs,
            move.setNs,
            move.setNs + 1,
          ]);
          const all = [...instants.map((ms) => ms * 1e6), ...near.filter((ns) => ns >= 0)];
          const rows = await open.rows(
            z.object({ ns: z.number(), low: z.number(), high: z.number() }),
            `SELECT ns, ${earliestSql(clock, 'ns')} AS low, ${latestSql(clock, 'ns')} AS high FROM (SELECT unnest([${all.join(', ')}]::BIGINT[]) AS ns)`,
          );
          expect(rows).toHaveLength(all.length);
          for (const { ns, low, high } of rows) {
            const done = steps.findLast(({ didMs }) => didMs <= ns / 1e6);
            const truth = done === undefined ? zeroMs + ns / 1e6 : done.move.epochMs + ns / 1e6 - done.didMs;
            expect(low).toBeLessThanOrEqual(truth);
            expect(high).toBeGreaterThanOrEqual(truth);
            expect(Math.abs(earliestShown(clock, ns) - low)).toBeLessThanOrEqual(1);
            expect(Math.abs(latestShown(clock, ns) - high)).toBeLessThanOrEqual(1);
          }
        }),
        { numRuns: times(20, 60) },
      ),
    );
  });
});

describe('sessions on either side of a midnight that a clock was set to', () => {
  const moves = moved([
    { askedNs: 0, setNs: 1e6, epochMs: midnight - 3_600_000 },
    { askedNs: 10e9, setNs: 10.002e9, epochMs: midnight - 500 },
  ]);
  /** Between which instants of the target's clock a session was created, `sentMs` into the run, in ms from midnight. */
  const created = (sentMs: number, aheadMs: number): Promise<{ from: number; to: number } | undefined> => {
    // Answers whose Date headers say how far the target's clock really is from what it was set to.
    const dated = Array.from({ length: 40 }, (_, n) => {
      const ns = 1e9 + n * 0.1e9;
      const shownMs = midnight - 3_600_000 + ns / 1e6 + aheadMs;
      return { endpoint: 'list-shades' as const, sentNs: ns, serverDateMs: Math.floor(shownMs / 1e3) * 1e3 };
    });
    return withHistory(
      { events: moves, requests: [...dated, { endpoint: 'create-session', sentNs: sentMs * 1e6 }] },
      async (open) => {
        const instants = instantsOf(open, await clockOffset(open));
        const request = { ...requestIn('r', 'true'), dateMs: 'NULL' };
        const [row] = await open.rows(
          z.object({ low: z.number(), high: z.number() }),
          `SELECT ${instants.earliest(request)} AS low, ${instants.latest(request)} AS high
           FROM requests r WHERE endpoint = 'create-session'`,
        );
        return row && { from: row.low - midnight, to: row.high - midnight };
      },
    );
  };

  it.each([0, 400, -400])('are dated by a clock %i ms off what it was set to', async (aheadMs) => {
    const early = await created(9_000, aheadMs);
    expect(early?.to).toBeLessThan(-3_000_000);
    const around = await created(10_500, aheadMs);
    expect(around?.from).toBeLessThanOrEqual(aheadMs);
    expect(around?.to).toBeGreaterThanOrEqual(aheadMs);
    const late = await created(13_000, aheadMs);
    expect(late?.from).toBeGreaterThan(0);
    expect(late?.to).toBeLessThan(5_000);
  });

  it('may be of either day while the clock is being set', async () => {
    const between = await created(9_999, 0);
    expect(between?.from).toBeLessThan(-3_500_000);
    expect(between?.to).toBeGreaterThan(-600);
  });
});
