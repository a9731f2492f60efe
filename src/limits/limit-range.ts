/**
 * The whole limits L for which one limiter model explains the answers so far. It starts as every limit from 0 and
 * only narrows: an admitted request raises `min`, a rejected one lowers `max`. Empty once min > max.
 */
export class LimitRange {
  min = 0;
  max = Number.POSITIVE_INFINITY;
  /** Indexes in the trace of the requests that set `min` and `max`; -1 before anything did. */
  minSetBy = -1;
  maxSetBy = -1;
  /** Added to the indexes: where the current trace starts when several are judged together. */
  base = 0;

  /** L is at least `least`, since request `index` was admitted. */
  atLeast(least: number, index: number): void {
    if (least <= this.min) return;
    this.min = least;
    this.minSetBy = this.base + index;
  }

  /** L is at most `most`, since request `index` was rejected. */
  atMost(most: number, index: number): void {
    if (most >= this.max) return;
    this.max = most;
    this.maxSetBy = this.base + index;
  }

  /** No limit explains request `index`. */
  refute(index: number): void {
    this.atLeast(Number.MAX_SAFE_INTEGER, index);
    this.atMost(0, index);
  }

  get isEmpty(): boolean {
    return this.min > this.max;
  }

  includes(limit: number): boolean {
    return this.min <= limit && limit <= this.max;
  }
}

/** What admissions alone ask of the limit. */
export class LimitFromAdmissions extends LimitRange {
  override atMost(): void {}
}

/** The bounds on the limit from rejections only. */
export class LimitFromRefusals extends LimitRange {
  override atLeast(): void {}
}
