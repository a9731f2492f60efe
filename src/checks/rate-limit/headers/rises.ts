/** A value that an answer gives, known no closer than between two bounds. */
export interface Point {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  /** As the earlier of two: at most this. */
  readonly from: number;
  /** As the later of two: at least this. */
  readonly to: number;
}

/** Two answers, the first given before the second was asked for, and how much more the second says at least. */
export interface Rise {
  readonly first: Point;
  readonly last: Point;
  readonly by: number;
}

/** The rises by more than `slack` that follow upon each other, each as early as it can be told: no two share an instant. */
export function disjointRises(points: readonly Point[], slack: number): Rise[] {
  const byAnswer = points.toSorted((a, b) => a.answeredNs - b.answeredNs);
  const rises: Rise[] = [];
  let answered = 0;
  let endNs = Number.NEGATIVE_INFINITY;
  let lowest: Point | undefined;
  for (const point of points.toSorted((a, b) => a.sentNs - b.sentNs)) {
    for (; answered < byAnswer.length; answered++) {
      const earlier = byAnswer[answered] as Point;
      if (earlier.answeredNs >= point.sentNs) break;
      if (earlier.sentNs > endNs && (lowest === undefined || earlier.from < lowest.from)) lowest = earlier;
    }
    if (lowest === undefined || point.to - lowest.from <= slack) continue;
    rises.push({ first: lowest, last: point, by: point.to - lowest.from });
    endNs = point.answeredNs;
    lowest = undefined;
  }
  return rises;
}

/** The most rises that lie together within a span of time shorter than `spanNs`. */
export function mostWithin(rises: readonly Rise[], spanNs: number): number {
  let most = 0;
  let from = 0;
  rises.forEach(({ last }, to) => {
    while (from <= to && last.answeredNs - (rises[from] as Rise).first.sentNs >= spanNs) from++;
    most = Math.max(most, to - from + 1);
  });
  return most;
}
