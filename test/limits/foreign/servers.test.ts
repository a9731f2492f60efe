import { describe, expect, it } from 'vitest';
import { inferAside } from '../../../src/drive/study/limits/infer-aside.ts';
import { isSettled } from '../../../src/limits/inference.ts';
import { ambiguous, limited } from '../../../src/limits/trace.ts';
import { isLong } from '../../effort.ts';
import { startHaproxy } from './haproxy.ts';
import { startNginx } from './nginx.ts';
import { isInstalled } from './programs.ts';
import { isHindered } from './study.ts';
import { expectToBeKnown, scale } from './truth.ts';

describe.skipIf(!isInstalled('nginx')).concurrent('nginx limit_req', () => {
  // The next one has the same bucket.
  it.runIf(isLong)('with nodelay is a token bucket that holds one more than its burst', async () => {
    await expectToBeKnown(
      () => startNginx({ perSecond: 20, burst: 39, nodelay: true, status: 429 }),
      { algorithm: 'token-bucket', limit: 40, windowMs: 2_000 },
      { seed: 1 },
    );
  });

  it.runIf(isLong)(
    'rejects with 503 by default: the same bucket if 503 counts as a rejection, and otherwise no proof of a missing limit',
    async () => {
      const finding = await expectToBeKnown(
        () => startNginx({ perSecond: 25, burst: 39, nodelay: true }),
        { algorithm: 'token-bucket', limit: 40, windowMs: 1_600 },
        { seed: 2, refusal: 503 },
      );
      if (isHindered(finding)) return;
      const unread = finding.traces.map((trace) => ({
        ...trace,
        outcome: trace.outcome.map((each) => (each === limited ? ambiguous : each)),
      }));
      expect(isSettled(await inferAside(unread, {}))).toBe(false);
    },
  );

  // The queue itself is simulated in test/drive/study.
  it.runIf(isLong)('without nodelay is a queue that rejects when full', async () => {
    await expectToBeKnown(
      () => startNginx({ perSecond: 20, burst: 39, nodelay: false, status: 429 }),
      { algorithm: 'queueing' },
      { seed: 3 },
    );
  });

  it.runIf(isLong)('without nodelay and with much room only delays', async () => {
    const { inference } = await expectToBeKnown(
      () => startNginx({ perSecond: 20, burst: 1_000, nodelay: false, status: 429 }),
      { algorithm: 'queueing' },
      { seed: 4 },
    );
    expect(inference.limited).toBe(0);
    // A busy machine lets nginx answer later than its rate, never earlier.
    expect(inference.survivors[0]?.refillPerS).toBeGreaterThan(0);
    expect(inference.survivors[0]?.refillPerS).toBeLessThan(22);
  });
});

describe.skipIf(!isInstalled('haproxy')).concurrent('HAProxy stick-table http_req_rate', () => {
  // Both are simulated in test/limits/services.ts.
  it.runIf(isLong)('tracked ahead of the denial is a sliding counter (rejections count)', async () => {
    await expectToBeKnown(
      () => startHaproxy({ ...scale, rejectsCount: true }),
      { algorithm: 'sliding-counter-all-first-request', ...scale, leavesOutPauses: true },
      { seed: 5 },
    );
  });

  it.runIf(isLong)('looked up before it is tracked is a sliding counter of what it admitted', async () => {
    await expectToBeKnown(
      () => startHaproxy({ ...scale, rejectsCount: false }),
      { algorithm: 'sliding-counter-first-request', ...scale, leavesOutPauses: true },
      { seed: 6 },
    );
  });
});
