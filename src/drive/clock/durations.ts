import { bucketCount, bucketOf, quantileOf } from '../../observe/boundaries.ts';

/** What a sender counted, for another to add. */
export interface DurationsShare {
  readonly counts: Float64Array;
  readonly leastNs: number;
  readonly mostNs: number;
}

/** How often durations came, in buckets: quantiles for the display, within a few percent. */
export class Durations implements DurationsShare {
  readonly counts = new Float64Array(bucketCount);
  leastNs = Number.POSITIVE_INFINITY;
  mostNs = 0;

  /** Less than nothing counts as nothing. */
  record(ns: number): void {
    const bucket = bucketOf(ns);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    if (ns < this.leastNs) this.leastNs = Math.max(0, ns);
    if (ns > this.mostNs) this.mostNs = ns;
  }

  add({ counts, leastNs, mostNs }: DurationsShare): void {
    for (let at = 0; at < counts.length; at++) this.counts[at] = (this.counts[at] ?? 0) + (counts[at] ?? 0);
    this.leastNs = Math.min(this.leastNs, leastNs);
    this.mostNs = Math.max(this.mostNs, mostNs);
  }

  get isEmpty(): boolean {
    return this.leastNs === Number.POSITIVE_INFINITY;
  }

  quantileMs(share: number): number {
    return 1e3 * quantileOf(this.counts, share, { least: this.leastNs / 1e9, most: this.mostNs / 1e9 });
  }

  /** All since the last call, and forgets it. */
  handOver(): DurationsShare {
    const { leastNs, mostNs } = this;
    const counts = this.counts.slice();
    this.counts.fill(0);
    this.leastNs = Number.POSITIVE_INFINITY;
    this.mostNs = 0;
    return { counts, leastNs, mostNs };
  }
}
