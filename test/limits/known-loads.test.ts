import { expect, it } from 'vitest';
import { fixedWindow, fixedWindowFirstRequest } from '../../src/limits/kinds/fixed-window.ts';
import { keyOf, type LimiterKind } from '../../src/limits/kinds/kind.ts';
import { slidingLog } from '../../src/limits/kinds/sliding-log.ts';
import { tokenBucket } from '../../src/limits/kinds/token-bucket.ts';
import { measures } from '../../src/limits/outside/known-loads.ts';
import { randomStream } from '../../src/random.ts';

const rows: readonly (readonly [string, LimiterKind, number])[] = [
  ['windows on a grid', fixedWindow, 1e9],
  ['windows started by a request', fixedWindowFirstRequest, 1e9],
  ['a sliding window', slidingLog, 1e9],
  ['a bucket', tokenBucket, 70e6],
];

it.each(rows)('%s, as one of two limits, count what they count alone', (_, kind, scaleNs) => {
  const random = randomStream(7, 'known-loads');
  const requests = 2_000;
  const atNs = Float64Array.from({ length: requests }, () => random() * 60e9).sort();
  const counted = Uint8Array.from({ length: requests }, () => (random() < 0.7 ? 1 : 0));
  const settled = { kind: keyOf(kind), limit: Number.MAX_SAFE_INTEGER, scaleNs, boundaryNs: 0.4e9 };
  const loads = new Float64Array(requests);
  measures[keyOf(kind)]?.(settled, { atNs, counted }, loads);

  const alone: number[] = [];
  const decide = kind.decide(settled, (load) => alone.push(load));
  for (let k = 0; k < requests; k++) decide(atNs[k] as number, counted[k] === 1);
  expect([...loads]).toEqual(alone);
  expect(Math.max(...loads)).toBeGreaterThan(5);
});
