import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { Alarm, alarmMemory, noInstant, SpinBudget, theEnd } from '../../src/drive/clock/alarm.ts';
import { programFile } from '../../src/program-files.ts';

const missing = new URL('./fixtures/no-such-thread.ts', import.meta.url);
const dead = new URL('./fixtures/dying-worker.ts', import.meta.url);

/** What each of some waits showed at its end, less the instant that it was for, in the order of their ends. */
async function endsAfter(
  alarm: Alarm,
  waitsMs: readonly number[],
): Promise<[waitMs: number, lateMs: number][]> {
  const startMs = performance.now();
  const ends: [number, number][] = [];
  await Promise.all(
    waitsMs.map(async (waitMs) => {
      await alarm.at(startMs + waitMs);
      ends.push([waitMs, performance.now() - startMs - waitMs]);
    }),
  );
  return ends;
}

describe('an alarm', () => {
  it('ends every wait, and none before its instant, in whichever order they were begun', async () => {
    const ends = await endsAfter(new Alarm(), [9, 0.3, 30, 0, 4, 4.2, -5]);
    expect(ends.map(([waitMs]) => waitMs).toSorted((a, b) => a - b)).toEqual([-5, 0, 0.3, 4, 4.2, 9, 30]);
    for (const [, lateMs] of ends) expect(lateMs).toBeGreaterThanOrEqual(0);
  });

  it('has a timer thread that ends when its memory says so, whether it waits for an instant or for none', async () => {
    for (const dueNs of [noInstant, process.hrtime.bigint() + 3_600_000_000_000n]) {
      const memory = alarmMemory();
      Atomics.store(memory.dueNs, 0, dueNs);
      const thread = new Worker(programFile('drive/clock/alarm-worker'), { workerData: memory });
      await once(thread, 'online');
      const ended = once(thread, 'exit');
      Atomics.store(memory.dueNs, 0, theEnd);
      Atomics.notify(memory.dueNs, 0);
      expect(await ended).toEqual([0]);
    }
  });

  it('ends its timer thread when the program ends, and listens for that no longer once it is dead', async () => {
    const before = process.listenerCount('exit');
    const alarm = new Alarm();
    await endsAfter(alarm, [1]);
    const [stop, ...others] = process.listeners('exit').slice(before);
    expect(others).toEqual([]);
    stop?.call(process, 0);
    await vi.waitFor(() => expect(process.listenerCount('exit')).toBe(before), { timeout: 60_000 });
    expect(await endsAfter(alarm, [1, 2])).toHaveLength(2);
  });

  it.each([
    ['cannot be started', missing],
    ['died', dead],
  ])('ends every wait where the timer thread %s', async (_what, program) => {
    const alarm = new Alarm(program);
    await endsAfter(alarm, [1, 5, 2]);
    await endsAfter(alarm, [1]);
    // It spins until it knows that the thread is dead.
    const { spun = 0, thread, timer } = alarm.takeWaits();
    expect([spun + timer, thread]).toEqual([4, 0]);
  });

  it.each([
    ['cannot be started', missing],
    ['died', dead],
  ])('keeps no wait that is over where the timer thread %s', async (_what, program) => {
    const alarm = new Alarm(program);
    const first = endsAfter(alarm, [1, 60_000]);
    // The short wait may be over already on a busy machine.
    expect(alarm.sleeping).toBeGreaterThanOrEqual(1);
    await vi.waitFor(() => expect(alarm.sleeping).toBe(0), { timeout: 60_000 });
    const waits = endsAfter(
      alarm,
      Array.from({ length: 200 }, () => 0),
    );
    expect(alarm.sleeping).toBe(0);
    expect(await waits).toHaveLength(200);
    void first;
  });
});

describe('a spin budget', () => {
  it('allows what it has saved', () => {
    const budget = new SpinBudget(0, 20);
    expect(budget.allows(20, 0)).toBe(true);
    expect(budget.allows(20.1, 0)).toBe(false);
  });

  it('saves a twentieth of the time, up to its bound', () => {
    const budget = new SpinBudget(0, 20);
    budget.spent(20);
    expect(budget.allows(1, 19)).toBe(false);
    expect(budget.allows(1, 20)).toBe(true);
    expect(budget.allows(20.1, 10_000)).toBe(false);
  });

  it.each([
    ['spun in time for 0.3 ms a wait at 60 a second', 0.018, 0.3, 0, true],
    ['spun in time for 0.3 ms a wait at 500 a second', 0.15, 0.3, 0, false],
    ['was late at every other of 60 waits a second', 0.018, 0.3, 0.5, false],
  ])('of a thread that %s is or is not left after ten seconds', (_how, shareOfTime, spinMs, late, isLeft) => {
    const budget = new SpinBudget(0, 20);
    const waits = Math.round((10_000 * shareOfTime) / spinMs);
    let refused = 0;
    for (let wait = 1; wait <= waits; wait++) {
      if (!budget.allows(spinMs, (wait / waits) * 10_000)) refused++;
      else if (wait * late === Math.round(wait * late) && late > 0) budget.cameLate();
      else budget.spent(spinMs);
    }
    expect(refused / waits > 0.1).toBe(!isLeft);
  });
});
