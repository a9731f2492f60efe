import { describe, expect, it } from 'vitest';
import { isSettled, type LimiterInference } from '../../../src/limits/inference.ts';
import { rowsOf, times } from '../../effort.ts';
import { fullBudget, SimulatedStudy } from '../probing.ts';
import { type Beyond, beyond } from './services.ts';

const scale = { limit: 100, windowMs: 6_000 };
const seeds = times(1, 5);
/** Of a size, beyond the bounds that a pair of limits is given; others have to be exact to this part. */
const within = 0.01;

/** What is wrong with what is said; nothing where the right kind is named with its size, or rightly none. */
function wrongIn({ survivors, ...rest }: LimiterInference, truth: Beyond): string[] {
  const [best] = survivors;
  const isNamed = isSettled({ survivors, ...rest });
  if (best === undefined || !isNamed) return truth.name === undefined ? [] : ['not named'];
  if (best.algorithm !== truth.name) return [`named ${best.algorithm}`];
  const { limit, windowMs } = truth.actual?.(scale.limit, scale.windowMs) ?? scale;
  const beside = truth.beside?.(scale.limit, scale.windowMs);
  const paired = best.beside;
  const sizes = [
    ['limit', best.limit, limit, paired && best.limitBounds],
    ['window', best.windowMs, windowMs, paired && best.windowMsBounds],
    ['shorter limit', best.beside?.limit, beside?.limit, paired?.limitBounds],
    ['shorter window', best.beside?.windowMs, beside?.windowMs, paired?.windowMsBounds],
  ] as const;
  return sizes.flatMap(([what, found, right, bounds]) => {
    if (right === undefined) return [];
    const { min, max = Number.POSITIVE_INFINITY } = bounds ?? { min: found ?? 0, max: found ?? 0 };
    const isWithin = min <= right * (1 + within) && max >= right * (1 - within);
    return isWithin ? [] : [`${what} of ${min} to ${max}, not ${right}`];
  });
}

/** Two logs that get every other request are a log of twice the limit but for a few answers, and are taken for the coarser kind. */
const missed = ['two nodes in turn, logs'];

describe(`limits beyond one counter are named with their size within 1 %, or not at all (${seeds} seeds)`, () => {
  it.each(rowsOf(Object.entries(beyond), (_, place) => place % 3 === 0))('%s', (name, truth) => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const study = new SimulatedStudy({ names: [], make: truth.make }, scale, seed);
      for (const probe of fullBudget) study.probe(probe);
      wrong.push(
        ...wrongIn(study.infer({ requests: scale.limit, windowNs: scale.windowMs * 1e6 }), truth).map(
          (each) => `seed ${seed}: ${each}`,
        ),
      );
    }
    if (missed.includes(name)) expect(wrong.length).toBeGreaterThan(0);
    else expect(wrong).toEqual([]);
  });
});
