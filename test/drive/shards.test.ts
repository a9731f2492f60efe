import { describe, expect, it } from 'vitest';
import { Governor } from '../../src/drive/ask/governor.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { systemClock, zeroOf } from '../../src/drive/clock/clock.ts';
import { Shards } from '../../src/drive/load/shards.ts';
import { KillSwitch } from '../../src/drive/record/ending.ts';
import { Ledger } from '../../src/drive/record/ledger.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { shopperSettingsSchema } from '../../src/scenario/shoppers/settings.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { catalog } from './virtual.ts';

/** Two workers, of which the second ends in a given way, and their messages. */
async function end(fate: string): Promise<{ shards: Shards; sent: number; spentNs: number }> {
  const clock = systemClock();
  const profile = profileSchema.parse({ rate_limit: '10/1m' });
  const statistics = new LiveStatistics();
  const governors = eachRole(() => new Governor(clock, profile.rate_limit));
  const shards = new Shards({
    of: 2,
    program: new URL('./fixtures/dying-worker.ts', import.meta.url),
    task: {
      planInput: {
        seed: 1,
        load: [],
        catalogs: eachRole(() => catalog),
        shoppers: shopperSettingsSchema.parse({}),
        quota: undefined,
      },
      baseUrl: 'http://127.0.0.1:1/v1',
      profile,
      keys: {},
      secrets: [],
      runDir: '',
      zero: zeroOf(clock),
      cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
      seed: 1,
      readBack: 1,
      polledProductId: fate,
    },
    ledger: new Ledger(),
    clock,
    statistics,
    killSwitch: new KillSwitch(),
    governors,
    sample: new SessionSample(1, () => 0.5),
  });
  await shards.run(await shards.ready(undefined));
  return { shards, sent: statistics.counts.sent, spentNs: governors.load.nextSlotNs(0) };
}

describe('workers that share a load', () => {
  it('add up what they tell, and hand over their segments of the history', async () => {
    const { sent, shards, spentNs } = await end('does well');
    expect([shards.failure, shards.stopped, sent]).toEqual([undefined, undefined, 8]);
    const state = { bytes: 1, sha256: 'x' };
    const files = { 'requests.1.csv': state, 'requests.2.csv': state };
    expect(shards.segments).toEqual({ kind: 'whole', files });
    // The key is spent: no room is left before a window has passed.
    expect(spentNs).toBeGreaterThan(60e9);
  });

  it.each([
    ['throws before it is ready', 'worker 2 of 2 died: no room'],
    ['throws in the load', 'worker 2 of 2 died: a defect'],
    ['rejects in the load', 'worker 2 of 2 died: a defect'],
    ['exits in the load', 'worker 2 of 2 ended too soon (exit 3)'],
  ])(
    'end the load with the reason when one of them %s, and its segment is taken for torn',
    async (fate, why) => {
      const { shards } = await end(fate);
      expect([shards.failure?.message, shards.stopped, shards.segments]).toEqual([
        why,
        'error',
        { kind: 'torn' },
      ]);
    },
  );

  it('say so when one of them cannot write its history', async () => {
    const { shards } = await end('cannot write its history');
    expect(shards.failure?.message).toBe('worker 2 of 2: ENOSPC: no space left on device, write');
    expect(shards.segments).toMatchObject({ kind: 'unwritten', why: { message: shards.failure?.message } });
  });
});
