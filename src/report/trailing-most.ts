/** The most in a trailing window, by bucket of time. */
interface TrailingPoint {
  readonly bucket: number;
  readonly n: number;
}

/**
 * The most instants in the window up to any instant of each bucket. `instantsNs` ascend from 0; a window holds its
 * end and not its beginning. Buckets from 0 to `count` without instants have the value at their beginning.
 */
export function mostInTrailing(
  instantsNs: Float64Array,
  windowNs: number,
  { widthNs, count }: { readonly widthNs: number; readonly count: number },
): TrailingPoint[] {
  const most = new Map<number, number>();
  let upTo = 0;
  let gone = 0;
  const visit = (ns: number, bucket: number): void => {
    while (upTo < instantsNs.length && (instantsNs[upTo] as number) <= ns) upTo++;
    while (gone < upTo && (instantsNs[gone] as number) <= ns - windowNs) gone++;
    most.set(bucket, Math.max(most.get(bucket) ?? 0, upTo - gone));
  };
  let next = 0;
  for (const ns of instantsNs) {
    const bucket = Math.floor(ns / widthNs);
    for (; next < count && next <= bucket; next++) visit(next * widthNs, next);
    visit(ns, bucket);
  }
  for (; next < count; next++) visit(next * widthNs, next);
  return [...most].map(([bucket, n]) => ({ bucket, n }));
}
