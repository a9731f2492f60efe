import type { Side } from './facts.ts';

/** The change of one quantile of response time, as a share of that of A. An end that nothing is known about is absent. */
export interface QuantileShift {
  readonly share: number;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly change: number;
  readonly least?: number;
  readonly most?: number;
}

const shares = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999] as const;

/**
 * Quantile by quantile, with bands that hold together with 95 % (Dvoretzky–Kiefer–Wolfowitz, half of the 5 % a side).
 * They count requests that are alike as one, and leave out how much runs differ by themselves.
 */
export function shiftFunction(a: Side, b: Side): QuantileShift[] {
  const [before, after] = [pooled(a), pooled(b)];
  if (before.points.length === 0 || after.points.length === 0) return [];
  return shares.map((share) => {
    const [x, y] = [before, after].map(({ epsilon, points }) => ({
      at: weighedQuantile(points, share),
      least: share - epsilon > 0 ? weighedQuantile(points, share - epsilon) : undefined,
      most: share + epsilon < 1 ? weighedQuantile(points, share + epsilon) : undefined,
    })) as [QuantileBand, QuantileBand];
    return {
      share,
      beforeMs: x.at,
      afterMs: y.at,
      change: y.at / x.at - 1,
      ...(y.least === undefined || x.most === undefined ? {} : { least: y.least / x.most - 1 }),
      ...(y.most === undefined || x.least === undefined ? {} : { most: y.most / x.least - 1 }),
    };
  });
}

interface QuantileBand {
  readonly at: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** The response times of all runs of a side. A run is as heavy as it has requests, however many quantiles its summary has. */
function pooled({ runs }: Side): PooledTimes {
  const points = runs.flatMap(({ figures: { quantiles_ms, samples } }) => {
    const weight = (samples[0]?.requests ?? 0) / quantiles_ms.length;
    return quantiles_ms.map((ms) => ({ ms, weight }));
  });
  const independent = runs.reduce((sum, { figures: { samples } }) => {
    const all = samples[0];
    return (
      sum + (all?.requests ?? 0) / Math.max(1, ...(all?.figures ?? []).map((each) => each.autocorrelation))
    );
  }, 0);
  return {
    points: points.toSorted((x, y) => x.ms - y.ms),
    epsilon: Math.sqrt(Math.log(2 / 0.025) / (2 * independent)),
  };
}

interface PooledTimes {
  readonly points: readonly { readonly ms: number; readonly weight: number }[];
  readonly epsilon: number;
}

/** The first point up to which the points weigh the share. */
function weighedQuantile(points: PooledTimes['points'], share: number): number {
  const whole = points.reduce((sum, { weight }) => sum + weight, 0);
  let upTo = 0;
  for (const { ms, weight } of points) {
    upTo += weight;
    // A sum of fractions falls short of the whole by rounding.
    if (upTo >= share * whole * (1 - 1e-12)) return ms;
  }
  return points.at(-1)?.ms ?? Number.NaN;
}
