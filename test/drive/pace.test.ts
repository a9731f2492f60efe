import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepPace } from '../../src/drive/load/pace.ts';
import type { PlannedRequest } from '../../src/plan/phase-plan.ts';
import { VirtualClock } from './virtual.ts';

const ms = 1e6;

function plan(instantsMs: readonly number[]): PlannedRequest[] {
  return instantsMs.map((atMs, shopper) => ({
    number: shopper,
    atNs: atMs * ms,
    phase: 0,
    role: 'load',
    step: { kind: 'list-shades', catalogId: 'c' },
    shopper,
    last: true,
  }));
}

/** When each request was begun, in ms, where the machine stands still for so long as it begins some of them. */
async function begun(
  instantsMs: readonly number[],
  stallsMs: Readonly<Record<number, number>> = {},
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const clock = new VirtualClock();
  const at: number[] = [];
  await keepPace({
    requests: plan(instantsMs),
    startNs: 0,
    endNs: 0,
    clock,
    isStopped: () => at.length >= stopAfter,
    begin: ({ shopper }) => {
      expect(shopper).toBe(at.length);
      at.push(clock.nowNs() / ms);
      clock.stall((stallsMs[shopper] ?? 0) * ms);
    },
  });
  return at;
}

describe('the pace of a plan', () => {
  it('is kept to the nanosecond while nothing is in the way', async () => {
    const instants = [0, 0.5, 0.5, 7, 900.000001];
    expect(await begun(instants)).toEqual(instants);
  });

  const everyTen = Array.from({ length: 100 }, (_, n) => 10 * n);

  it('after a short stall is that of the plan again at once: what is late is late', async () => {
    const at = await begun(everyTen, { 2: 65 });
    expect(at.slice(0, 12)).toEqual([0, 10, 20, 85, 85, 85, 85, 85, 85, 90, 100, 110]);
  });

  it('after a long stall is twice the plan’s until it has caught up, but for what fell due in 100 ms', async () => {
    const at = await begun(everyTen, { 2: 300 });
    expect(at.slice(2, 12)).toEqual([20, ...new Array<number>(9).fill(320)]);
    expect(at.slice(12, 16)).toEqual([320, 320, 325, 330]);
    const caughtUp = at.findIndex((now, n) => n > 2 && now === everyTen[n]);
    expect(at[caughtUp]).toBeLessThan(320 + 300);
    expect(at.slice(caughtUp)).toEqual(everyTen.slice(caughtUp));
  });

  it('lets what comes after a pause be prepared, once and before its instant, and nothing else', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    await keepPace({
      requests: plan([0, 2, 30, 30, 31, 100]),
      startNs: 0,
      endNs: 0,
      clock,
      isStopped: () => false,
      begin: ({ shopper }) => told.push(`${shopper} at ${clock.nowNs() / ms}`),
      prepare: ({ shopper }) => told.push(`${shopper} prepared at ${clock.nowNs() / ms}`),
    });
    expect(told).toEqual([
      '0 at 0',
      '1 at 2',
      '2 prepared at 29',
      '2 at 30',
      '3 at 30',
      '4 at 31',
      '5 prepared at 99',
      '5 at 100',
    ]);
  });

  it.each([
    ['a second before the first request', 3_000, 2_500],
    ['at once where that is near', 400, 0],
  ])('lets a connection be opened %s', async (_when, startMs, openedMs) => {
    const clock = new VirtualClock();
    const opened: number[] = [];
    await keepPace({
      requests: plan([500, 900]),
      startNs: startMs * ms,
      endNs: startMs * ms,
      clock,
      isStopped: () => false,
      begin: ({ shopper }) => expect(clock.nowNs()).toBe((startMs + (shopper === 0 ? 500 : 900)) * ms),
      open: () => opened.push(clock.nowNs() / ms),
    });
    expect(opened).toEqual([openedMs]);
  });

  it('has what was planned at once go at once, however late', async () => {
    expect(await begun([0, 500, 1_000, 1_000, 1_000, 1_500], { 1: 2_000 })).toEqual([
      0, 500, 2_500, 2_500, 2_500, 2_700,
    ]);
  });

  it('of a plan that was stopped is none: the rest is begun at once, to be counted', async () => {
    expect(await begun([0, 10, 20, 30], {}, 2)).toEqual([0, 10, 10, 10]);
  });

  it('is never ahead of the plan, nor ever denser than twice the plan and what fell due in 100 ms', async () => {
    const gaps = fc.array(fc.nat(50), { minLength: 2, maxLength: 60 });
    const stalls = fc.dictionary(fc.nat(59).map(String), fc.nat(900), { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(gaps, stalls, async (between, stall) => {
        let atMs = 0;
        const instants = between.map((gap) => (atMs += gap));
        const at = await begun(instants, stall);
        for (const [n, instant] of instants.entries()) {
          const now = at[n] ?? Number.NaN;
          expect(now).toBeGreaterThanOrEqual(instant);
          for (let first = 0; first < n; first++) {
            const planned = instant - (instants[first] ?? 0);
            expect(now - (at[first] ?? 0)).toBeGreaterThanOrEqual((planned - 100) / 2 - 1e-6);
          }
        }
        const stalled = Object.values(stall).reduce((sum, each) => sum + each, 0);
        for (const [n, instant] of instants.entries())
          expect((at[n] ?? 0) - instant).toBeLessThanOrEqual(stalled + 1e-6);
      }),
    );
  });
});
