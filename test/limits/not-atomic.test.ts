import { describe, expect, it } from 'vitest';
import { countedLate } from '../../src/limits/not-constant.ts';
import type { RequestOutcome } from '../../src/limits/trace.ts';
import { traceOf } from './trace-of.ts';

const promised = { requests: 100, windowNs: 6e9 };

interface Service {
  readonly limit?: number;
  /** How long after its decision a request is counted. */
  readonly countsAfterMs?: number;
  /** How many of each group of eight requests arrive at the same time; the others 4 ms after each other. */
  readonly atOnce?: number;
  /** A place is free again so much before the window has passed. */
  readonly forgetsEarlyMs?: number;
}

/** Twice the limit in groups of eight, at a sliding window that answers after 5 ms. */
function seen({ atOnce = 8, countsAfterMs = 0, forgetsEarlyMs = 0, limit = 100 }: Service) {
  const log: number[] = [];
  const times = Array.from(
    { length: 800 },
    (_, n) => Math.floor(n / 8) * 240 + Math.floor((n % 8) / atOnce) * 8,
  );
  return traceOf(
    times.map((ms, seq) => {
      const counted = log.filter(
        (at) => (countsAfterMs === 0 || at + countsAfterMs <= ms) && at > ms - 6_000 + forgetsEarlyMs,
      );
      const isAdmitted = counted.length < limit;
      if (isAdmitted) log.push(ms);
      const outcome: RequestOutcome = isAdmitted ? 0 : 1;
      return { seq, sentNs: ms * 1e6, answeredNs: ms * 1e6 + 5e6, outcome };
    }),
  );
}

describe('a sliding window under groups of requests at the same time', () => {
  it.each<[string, Service, number | undefined]>([
    ['that counts 3 ms after it decides lets a group pass together', { countsAfterMs: 3 }, 4],
    ['that counts at once lets none pass together', {}, undefined],
    [
      'that counts late, of requests apart, lets none pass together',
      { countsAfterMs: 3, atOnce: 1 },
      undefined,
    ],
    ['with another limit is not taken for one that counts late', { limit: 105 }, undefined],
    ['that forgets early is not taken for one that counts late', { forgetsEarlyMs: 300 }, undefined],
  ])('%s', (_, service, over) => {
    expect(countedLate(seen(service), promised)?.over).toBe(over);
  });
});
