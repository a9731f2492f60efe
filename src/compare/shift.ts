import type { Side } from './facts.ts';
import { quantile } from './sample.ts';

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
  if (before.sorted.length === 0 || after.sorted.length === 0) return [];
  return shares.map((share) => {
    const [x, y] = [before, after].map(({ epsilon, sorted }) => ({
      at: quantile(sorted, share),
      least: share - epsilon > 0 ? quantile(sorted, share - epsilon) : undefined,
      most: share + epsilon < 1 ? quantile(sorted, share + epsilon) : undefined,
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

function pooled({ runs }: Side): { readonly sorted: Float64Array; readonly epsilon: number } {
  const sorted = new Float64Array(runs.reduce((sum, { sortedMs }) => sum + sortedMs.length, 0));
  let place = 0;
  let independent = 0;
  for (const { samples, sortedMs } of runs) {
    sorted.set(sortedMs, place);
    place += sortedMs.length;
    const figures = samples[0]?.figures ?? [];
    independent += sortedMs.length / Math.max(1, ...figures.map(({ autocorrelation }) => autocorrelation));
  }
  return { sorted: sorted.sort(), epsilon: Math.sqrt(Math.log(2 / 0.025) / (2 * independent)) };
}
