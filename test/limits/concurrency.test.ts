import { describe, expect, it } from 'vitest';
import { isSettled } from '../../src/limits/inference.ts';
import { rowsOf } from '../effort.ts';
import { SimulatedStudy } from './probing.ts';
import { truths } from './services.ts';

/** As nginx admits: 40 at once, and 25 a second. */
const scale = { limit: 40, windowMs: 1_600 };

describe('where round trips are long, a limiter is not taken for a limit on requests in work', () => {
  const rows = [
    ['token bucket', 60, 0],
    ['token bucket', 120, 5],
    ['leaky bucket in thousandths', 120, 0],
  ] as const;
  it.each(rowsOf(rows, ([, roundTripMs]) => roundTripMs > 60))(
    '%s, at %i ms and %i standstills a second',
    (name, meanRoundTripMs, standstillsPerS) => {
      const named = [1, 2].map((seed) => {
        const truth = truths[name];
        if (truth === undefined) throw new Error(`${name} is simulated`);
        const network = { meanRoundTripMs, loss: 0, standstillsPerS };
        const study = new SimulatedStudy(truth, scale, seed, network);
        for (const probe of ['E', 'B'] as const) study.probe(probe);
        const inference = study.infer();
        expect(
          inference.survivors.map(({ algorithm }) => algorithm),
          'survivors',
        ).toContain('token-bucket');
        return isSettled(inference) ? inference.survivors[0]?.algorithm : 'undecided';
      });
      expect(named, 'by seeds 1 and 2').not.toContain('concurrency');
    },
  );
});
