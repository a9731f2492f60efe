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

/** Points by columns, in order of sending. */
export interface Points {
  readonly length: number;
  readonly seq: Float64Array;
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Indexes, in order of answers. */
  readonly byAnswer: Int32Array;
}

/** Two answers, the first given before the second was asked for, and how much more the second says at least. */
export interface Rise {
  readonly first: Point;
  readonly last: Point;
  readonly by: number;
}

/** The rises by more than `slack` that follow upon each other, each as early as it can be told: no two share an instant. */
export function disjointRises(points: Points, slack: number): Rise[] {
  const { answeredNs, byAnswer, from, length, sentNs, to } = points;
  const rises: Rise[] = [];
  let answered = 0;
  let endNs = Number.NEGATIVE_INFINITY;
  let lowest = -1;
  for (let i = 0; i < length; i++) {
    for (; answered < length; answered++) {
      const earlier = byAnswer[answered] as number;
      if ((answeredNs[earlier] as number) >= (sentNs[i] as number)) break;
      if ((sentNs[earlier] as number) <= endNs) continue;
      if (lowest < 0 || (from[earlier] as number) < (from[lowest] as number)) lowest = earlier;
    }
    if (lowest < 0) continue;
    const by = (to[i] as number) - (from[lowest] as number);
    if (by <= slack) continue;
    rises.push({ first: pointAt(points, lowest), last: pointAt(points, i), by });
    endNs = answeredNs[i] as number;
    lowest = -1;
  }
  return rises;
}

function pointAt({ answeredNs, from, sentNs, seq, to }: Points, i: number): Point {
  return {
    seq: seq[i] as number,
    sentNs: sentNs[i] as number,
    answeredNs: answeredNs[i] as number,
    from: from[i] as number,
    to: to[i] as number,
  };
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
