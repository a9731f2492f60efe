import type { Slo } from '../../history/run.ts';

/** From this percentile on a bound is meant for nearly every request; one on a median says nothing of single ones. */
const tailFrom = 90;

/** The scenario's bounds that nearly every request is to keep. */
export function tailBounds(slo: readonly Slo[]): readonly Slo[] {
  return slo.filter(({ percentile }) => percentile >= tailFrom);
}

/** The share of requests that may take longer than a bound. */
export function allowedShare({ percentile }: Pick<Slo, 'percentile'>): number {
  return 1 - Number((percentile / 100).toFixed(12));
}
