import { describe, expect, it } from 'vitest';
import { Asker } from '../../src/drive/ask/ask.ts';
import { Governor } from '../../src/drive/ask/governor.ts';
import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import * as calls from '../../src/target/calls.ts';
import { TargetClient } from '../../src/target/client.ts';
import { profileSchema } from '../../src/target/profile.ts';
import type { Probe } from '../../src/vocabulary/probes.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { scripted, VirtualClock } from './virtual.ts';

const windowMs = 60_000;

/**
 * Asks questions of a target that rejects the requests with some numbers and never answers others; how many it got, and
 * how long all took.
 */
async function asked(
  questions: number,
  isRefused: (n: number) => boolean,
  { probe, isSilent = () => false }: { probe?: Probe; isSilent?: (n: number) => boolean } = {},
) {
  const clock = new VirtualClock();
  let requests = 0;
  const target = scripted(clock, ({ count }) => {
    requests++;
    if (isSilent(count))
      return { afterMs: 7_000, error: Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }) };
    return { afterMs: 5, status: isRefused(count) ? 429 : 200, body: [] };
  });
  const profile = profileSchema.parse({});
  const sink = { request: () => undefined, interaction: () => undefined, answer: () => undefined };
  const asker = new Asker({
    clock,
    client: new TargetClient(new URL('http://127.0.0.1:1/v1'), target, clock.nowNs, undefined),
    recorder: new Recorder({ writer: sink, profile, secrets: [], statistics: new LiveStatistics() }),
    keys: { load: { value: 'key', from: 'test' } },
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    windowMs,
    mayAsk: () => true,
  });
  const statuses: (number | undefined)[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let n = 0; n < questions; n++) {
      const { exchange } = await asker.ask({
        call: calls.listShades('c'),
        stage: 'settle',
        phase: 'analytics',
        credential: 'load',
        probe,
      });
      statuses.push(exchange.status);
    }
    isOver = true;
  })();
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance();
  }
  await asking;
  return { requests, statuses, tookMs: clock.nowNs() / 1e6 };
}

describe('a question that is rejected (429)', () => {
  it('is asked again when the window is over', async () => {
    const { requests, statuses, tookMs } = await asked(1, (n) => n === 0);
    expect(statuses).toEqual([200]);
    expect(requests).toBe(2);
    expect(tookMs).toBeGreaterThanOrEqual(windowMs);
  });

  it('is not waited for without end where the key is locked out for ever', async () => {
    const { requests, statuses, tookMs } = await asked(40, () => true);
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(requests).toBe(3 + 39);
    expect(tookMs).toBeLessThan(3 * windowMs);
  });

  it('is waited for again after the key was admitted again', async () => {
    // Three refusals lock it out, the fourth request shows that it is not, and the fifth is waited out.
    const { statuses } = await asked(4, (n) => n < 3 || n === 4);
    expect(statuses).toEqual([429, 200, 200, 200]);
  });
});

describe('a probe that times out', () => {
  const never = (): boolean => false;

  it('is sent once more, and its second answer counts', async () => {
    const isSilent = (n: number): boolean => n === 0;
    const { requests, statuses } = await asked(1, never, { probe: 'acts:other-token', isSilent });
    expect(statuses).toEqual([200]);
    expect(requests).toBe(2);
  });

  it('is not sent a third time', async () => {
    const { requests, statuses } = await asked(1, never, { probe: 'acts:other-token', isSilent: () => true });
    expect(statuses).toEqual([undefined]);
    expect(requests).toBe(2);
  });

  it('is sent only once where it is no probe: a question of settling is asked again by itself', async () => {
    const { requests } = await asked(1, never, { isSilent: () => true });
    expect(requests).toBe(1);
  });
});
