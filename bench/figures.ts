/** Several measurements of one thing: the middle one, and the least and the most. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[], digits: number): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number): number => Number((sorted[place] ?? Number.NaN).toFixed(digits));
  return { median: at((sorted.length - 1) >> 1), least: at(0), most: at(sorted.length - 1) };
}

export function spreadText({ least, median, most }: Spread): string {
  return `${median} (${least}–${most})`;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 1e3) /
    1e3;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}
