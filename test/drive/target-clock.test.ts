import { describe, expect, it } from 'vitest';
import { TargetClock } from '../../src/drive/ask/target-clock.ts';
import type { EventRecord } from '../../src/history/record.ts';
import { VirtualClock } from './virtual.ts';

/** A target that takes 3 ms to set its clock, and what the history then holds. */
function settable() {
  const clock = new VirtualClock();
  const events: EventRecord[] = [];
  const shown: string[] = [];
  const target = new TargetClock({
    clock,
    writer: { event: (event) => events.push(event) },
    set: async (epochMs) => {
      shown.push(new Date(epochMs).toISOString());
      await clock.until(clock.nowNs() + 3e6);
    },
  });
  return { clock, events, shown, target };
}
const at = (text: string): number => Date.parse(text);

describe('the clock of a target', () => {
  it('is the run’s own until it is set, and then goes on from there', async () => {
    const { clock, target } = settable();
    await clock.until(5e9);
    expect(target.nowEpochMs()).toBe(clock.zeroEpochMs + 5_000);
    await target.move(at('2028-02-29T00:00:00Z'));
    await clock.until(clock.nowNs() + 1e9);
    expect(target.nowEpochMs()).toBe(at('2028-02-29T00:00:01Z'));
  });

  it('is in the history with the instants between which it was set', async () => {
    const { clock, events, target } = settable();
    await clock.until(1e9);
    await target.move(42);
    expect(events).toEqual([{ kind: 'clock', askedNs: 1e9, setNs: 1.003e9, epochMs: 42 }]);
  });

  it('follows a plan, each move at its instant', async () => {
    const { events, shown, target } = settable();
    await target.follow(
      [
        { atNs: 0, toEpochMs: at('2028-02-29T00:00:00Z') },
        { atNs: 2e9, toEpochMs: at('2028-02-29T01:00:00Z') },
      ],
      10e9,
      () => true,
    );
    expect(shown).toEqual(['2028-02-29T00:00:00.000Z', '2028-02-29T01:00:00.000Z']);
    expect(events.map((event) => event.kind === 'clock' && event.askedNs)).toEqual([10e9, 12e9]);
  });

  it('is never put back, however late a move comes', async () => {
    const { clock, shown, target } = settable();
    await target.move(at('2028-02-29T00:00:00Z'));
    await clock.until(4e9);
    await target.follow([{ atNs: 0, toEpochMs: at('2028-02-29T00:00:02Z') }], 0, () => true);
    expect(shown).toHaveLength(1);
  });

  it('stands once the run is stopped', async () => {
    const { shown, target } = settable();
    await target.follow([{ atNs: 1e9, toEpochMs: 1 }], 0, () => false);
    expect(shown).toEqual([]);
  });

  it('cannot be set where the target does not let it', async () => {
    const { clock, events } = settable();
    const foreign = new TargetClock({
      clock,
      writer: { event: (event) => events.push(event) },
      set: undefined,
    });
    await expect(foreign.move(1)).rejects.toThrow('cannot be set');
    expect(events).toEqual([]);
  });
});
