import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inferLimiter } from '../../../src/limits/infer.ts';
import { traceOf } from '../../../src/limits/trace.ts';

/**
 * Studies of express-rate-limit twice, for 10 per 400 ms and 40 per 2 s, on two cores that three other processes kept busy:
 * some dozens of requests were on their way at once. By probe: microseconds of each request's start, its round trip, and the
 * outcome's number.
 */
const studies = JSON.parse(
  readFileSync(new URL('starved-express.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly (readonly [number, number, 0 | 1 | 2])[]>>;

describe('two limits in turn, studied on a starved machine', () => {
  it.each(Object.entries(studies))('%s', (_, rows) => {
    const trace = traceOf(
      rows.map(([sentUs, tripUs, outcome], at) => ({
        seq: at + 1,
        sentNs: sentUs * 1e3,
        answeredNs: (sentUs + tripUs) * 1e3,
        outcome,
      })),
    );
    const [best] = inferLimiter([trace]).survivors;
    expect(best).toMatchObject({ algorithm: 'two-limits', limit: 40, burst: 10 });
    expect(Math.abs((best?.windowMs ?? 0) / 2_000 - 1)).toBeLessThan(0.05);
    expect(Math.abs((best?.beside?.windowMs ?? 0) / 400 - 1)).toBeLessThan(0.05);
  });
});
