import { describe, expect, it } from 'vitest';
import { arrivalsOf, mismatches } from '../../../src/limits/arrivals.ts';
import { type Between, type KnownBox, type LimiterKind, LimitRange } from '../../../src/limits/kinds/kind.ts';
import { deciderOf } from '../../../src/limits/kinds/table.ts';
import { exactly } from '../../../src/limits/span.ts';
import { limited } from '../../../src/limits/trace.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { times } from '../../effort.ts';
import { allKinds, limit, observed, settledOf } from './observed.ts';

/** Requests arrive at known instants, so far apart that clocks leave hardly more than one of them in doubt. */
const apart = { wayNs: 0, apartNs: 47e6, requests: 90 } as const;
const seeds = Array.from({ length: times(20, 200) }, (_, seed) => seed);
const limitsTried = Array.from({ length: 3 * limit }, (_, k) => k + 1);

/** How vague bounds are on average: on the count, on what is left, and (the median, milliseconds) on when a place comes free. */
interface Vagueness {
  readonly load: number;
  readonly left: number;
  readonly freeMs: number;
}
const byClocks: Vagueness = { load: 0.2, left: 0.2, freeMs: 20 };
/** Of kinds that forget in pieces, refill in lumps, or have windows that nothing shows. */
const vaguer: Readonly<Record<string, Vagueness>> = {
  'sliding-log-pieces (0.1)': { load: 0.6, left: 0.5, freeMs: 220 },
  'sliding-log-pieces (0.25)': { load: 1.4, left: 1.1, freeMs: 520 },
  'sliding-log-all-pieces (0.1)': { load: 0.9, left: 0.4, freeMs: 220 },
  'sliding-log-all-pieces (0.25)': { load: 2.1, left: 0.7, freeMs: 520 },
  'token-bucket (thousandths)': { ...byClocks, freeMs: 30 },
  'token-bucket-second-lumps': { load: 0.8, left: 0.7, freeMs: 1_000 },
  'token-bucket-lumps (0.1 s)': { load: 0.3, left: 0.3, freeMs: 220 },
  'token-bucket-lumps (0.2 s)': { load: 0.5, left: 0.4, freeMs: 400 },
  'token-bucket-lumps (0.25 s)': { load: 0.6, left: 0.5, freeMs: 500 },
  'token-bucket-lumps (0.5 s)': { load: 0.8, left: 0.7, freeMs: 520 },
  'sliding-counter': { ...byClocks, freeMs: 90 },
  'sliding-counter-all': { ...byClocks, freeMs: 90 },
  'sliding-counter-block-cache': { ...byClocks, freeMs: 90 },
  'sliding-counter-first-request': { load: 4, left: 3, freeMs: 800 },
  'sliding-counter-all-first-request': { load: 3, left: 1, freeMs: 1_000 },
  'block-after-refusal': { load: 1, left: 0.7, freeMs: 900 },
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
const width = ({ least, most }: Between): number => most - least;

/** What a run of the limiter leaves open of its limit, beside what letting it decide with each limit shows. */
function seen(kind: LimiterKind, seed: number) {
  const settled = settledOf(kind, ((seed * 37) % 2_000) * 1e6);
  const { trace } = observed(kind, settled, seed, apart);
  const view = viewOf(trace);
  const box: KnownBox = {
    scale: exactly(settled.scaleNs),
    boundary: kind.period === undefined ? undefined : exactly(settled.boundaryNs),
    limits: { least: limit, most: limit },
  };
  const [range, anyPhase] = [new LimitRange(), new LimitRange()];
  kind.narrow(view, box, range, 'every');
  kind.narrowAnyPhase?.(view, box.scale, anyPhase);
  const arrivals = arrivalsOf(trace);
  const explaining = limitsTried.filter(
    (each) => mismatches(arrivals, deciderOf({ ...settled, limit: each })) === 0,
  );
  const loads = kind.loads(view, box);
  const stateAt = kind.states(view, box);
  const states = Array.from(trace.outcome, (outcome, i) => ({ outcome, ...stateAt(i) }));
  const free = states
    .filter(({ outcome }) => outcome === limited)
    .map(({ free: { hiNs, loNs } }) => (hiNs - loNs) / 1e6)
    .toSorted((a, b) => a - b);
  return {
    range,
    anyPhase,
    explaining: { least: explaining[0] ?? 0, most: explaining.at(-1) ?? 0 },
    load: mean(
      states
        .map((_, i) => width({ least: loads.least[i] as number, most: loads.most[i] as number }))
        .filter(Number.isFinite),
    ),
    left: mean(states.map(({ left }) => width(left)).filter(Number.isFinite)),
    freeMs: free[free.length >> 1],
  };
}

describe(`as narrow as clocks and its own arithmetic allow, over ${seeds.length} runs:`, () => {
  it.each(allKinds)('%s', (name, kind) => {
    const runs = seeds.map((seed) => ({ seed, ...seen(kind, seed) }));
    // A bucket that no rejection bounds may hold any number; one second may hold a few tokens more.
    const doubt = name === 'token-bucket-second-lumps' ? 2 : 1;
    const vague = runs.filter(
      ({ explaining: { least, most }, range }) =>
        range.min < least - doubt || (range.max > most + doubt && most < 3 * limit),
    );
    expect(
      vague.map(({ explaining, range: { max, min }, seed }) => ({ seed, min, max, explaining })),
    ).toEqual([]);
    // Wherever windows begin: the rejections of most runs bound the limit, and a few admissions.
    if (kind.narrowAnyPhase !== undefined) {
      const most = runs.map(({ anyPhase: { max } }) => max).toSorted((x, y) => x - y);
      expect(most[Math.floor(0.75 * most.length)]).toBeLessThanOrEqual(2 * limit);
      expect(mean(runs.map(({ anyPhase: { min } }) => min))).toBeGreaterThanOrEqual(limit / 2);
    }
    const allowed = vaguer[name] ?? byClocks;
    expect(mean(runs.map(({ load }) => load))).toBeLessThanOrEqual(allowed.load);
    expect(mean(runs.map(({ left }) => left))).toBeLessThanOrEqual(allowed.left);
    const freeMs = runs.flatMap((run) => run.freeMs ?? []).toSorted((a, b) => a - b);
    expect(freeMs[freeMs.length >> 1]).toBeLessThanOrEqual(allowed.freeMs);
  });
});
