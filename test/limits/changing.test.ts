import { describe, expect, it } from 'vitest';
import { shareOfRejectionsCounted } from '../../src/limits/not-constant.ts';
import { randomStream } from '../../src/random.ts';
import { traceOf } from './trace-of.ts';

const promised = { requests: 1_000, windowNs: 60e9 };

interface Service {
  readonly limitAt?: (ms: number) => number;
  /** Whether a rejection counts. */
  readonly counts?: () => boolean;
}

/** Half as much again as the limit, then four times as much, of a sliding window. */
function seen({ limitAt = () => 1_000, counts = () => false }: Service) {
  let log: number[] = [];
  const times = [
    ...Array.from({ length: 3_000 }, (_, n) => n * 40),
    ...Array.from({ length: 3_000 }, (_, n) => 120_000 + n * 15),
  ];
  return traceOf(
    times.map((ms, seq) => {
      log = log.filter((at) => at > ms - 60_000);
      const isAdmitted = log.length < limitAt(ms);
      if (isAdmitted || counts()) log.push(ms);
      return { seq, sentNs: ms * 1e6, answeredNs: ms * 1e6 + 1e5, outcome: isAdmitted ? 0 : 1 };
    }),
  );
}

const random = randomStream(5, 'changing');

describe('a sliding window that does not stay the same', () => {
  it.each<[string, Service, number | undefined]>([
    ['some rejections', { counts: () => random() < 0.3 }, 0.3],
    ['half of the rejections', { counts: () => random() < 0.5 }, 0.5],
    ['no rejection', {}, undefined],
    ['each rejection', { counts: () => true }, undefined],
    ['no rejection, with a limit that falls', { limitAt: (ms) => (ms < 90_000 ? 1_000 : 900) }, undefined],
  ])('that counts %s is known for the share', (_, service, share) => {
    const found = shareOfRejectionsCounted(seen(service), promised);
    expect(found === undefined ? undefined : found.least < (share ?? 0) && (share ?? 0) < found.most).toBe(
      share === undefined ? undefined : true,
    );
  });
});
