import { describe, expect, it } from 'vitest';
import { type Random, randomStream } from '../../../src/random.ts';
import { rowsOf, times } from '../../effort.ts';
import { sampleRun, withHistory } from '../../history/sample.ts';
import { judgeSeen } from './headers-judging.ts';
import {
  dialects,
  honestLimiters,
  type Limit,
  type MakeLimiter,
  observe,
  type ResetOf,
  type Rounding,
  randomLoad,
  type Scene,
  type Speech,
  waitAsTold,
} from './headers-simulate.ts';

/** Small enough for many: 40 in 2.4 s stands for 1,000 in 60 s. The other leaves room for whole seconds. */
const settings: readonly { readonly limit: Limit; readonly kind: 'embedded' | 'foreign' }[] = [
  { limit: { requests: 40, windowMs: 2_400 }, kind: 'foreign' },
  { limit: { requests: 100, windowMs: 30_000 }, kind: 'embedded' },
];

const resets: readonly ResetOf[] = ['next', 'all', 'whole window'];
const roundings: readonly Rounding[] = ['floor', 'round', 'ceil'];
const advices: readonly Speech['retryAfter'][] = ['seconds', 'date', 'none'];

function randomScene(make: MakeLimiter, limit: Limit, dialect: Speech['dialect'], random: Random): Scene {
  const pick = <Choice>(all: readonly Choice[], or: Choice): Choice =>
    all[Math.floor(random() * all.length)] ?? or;
  return {
    limit,
    limiter: make(limit, random),
    isShared: random() < 0.3,
    speech: {
      dialect,
      resetOf: pick(resets, 'next'),
      rounding: pick(roundings, 'ceil'),
      retryAfter: pick(advices, 'none'),
    },
    clockOffMs: (random() * 2 - 1) * 400,
    zeroEpochMs: sampleRun.zero_epoch_ms,
    roundTripMs: 2 + random() * 60,
    loss: random() < 0.3 ? 0.002 : 0,
    random,
  };
}

/** Of every random stream here. */
const seed = 1;

describe(`a target that tells the truth of itself is never accused by its headers (seed ${seed})`, () => {
  it.each(Object.entries(honestLimiters))('%s', async (name, make) => {
    const wrong: string[] = [];
    let judged = 0;
    for (const [n, { limit, kind }] of settings.entries()) {
      const run = { target: { kind, base_url: 'http://127.0.0.1:1/v1' } };
      const profile = { rate_limit: `${limit.requests}/${limit.windowMs}ms` };
      await withHistory({ run, profile }, async (history) => {
        const all = Object.keys(dialects) as Speech['dialect'][];
        for (const dialect of rowsOf(all, (_, place) => (place + name.length + 2 * n) % 8 === 0)) {
          const random = randomStream(seed, `${name} ${kind} ${dialect}`);
          const scene = randomScene(make, limit, dialect, random);
          // A fixed window that always names a whole one does not tell the truth.
          if (name.startsWith('windows') && scene.speech.resetOf === 'whole window') continue;
          const sent = waitAsTold(scene, observe(scene, randomLoad(limit, random)), 3);
          for (const { id, verdict, explanation, reasons = [] } of judgeSeen(sent, history)) {
            judged++;
            // A load with few rejections tests few waits.
            const isFew = reasons.some(({ code }) => code === 'retry-after-few-tested');
            if (verdict === 'fail' || (verdict !== 'pass' && !isFew))
              wrong.push(`${kind}, ${JSON.stringify(scene.speech)}: ${id} ${explanation}`);
          }
        }
      });
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(times(5, 30));
  });
});
