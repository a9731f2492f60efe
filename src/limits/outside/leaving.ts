import type { SubsetOfRequests } from '../subset.ts';

/** Of as many requests as have room at once, this part is looked at together. */
const row = 0.9;
/** A queue lets half of them leave in half the time that all take in turn; the others must have passed at once. */
const faster = 2;

/**
 * Whether requests left faster than a queue lets them that has room for `limit` and lets `perS` leave: nearly all that have room
 * were sent and answered within half the time that they take in turn. A queue that lets up to 45 % of `limit` pass at once and
 * delays the others (nginx's `delay`) is not that fast. An answer that this program reads late makes the time longer: it proves
 * nothing wrong.
 */
export function leftTogether(
  { answeredNs, sentNs }: SubsetOfRequests,
  { limit, perS }: { readonly limit: number; readonly perS: number },
): boolean {
  const bySending = Int32Array.from(sentNs, (_, i) => i).sort(
    (a, b) => (sentNs[a] as number) - (sentNs[b] as number),
  );
  const length = Math.ceil(row * limit) + 1;
  const shortestNs = (row * limit * 1e9) / (perS * faster);
  for (let first = 0; first + length <= bySending.length; first++) {
    const latestNs = (sentNs[bySending[first] as number] as number) + shortestNs;
    const together = bySending.subarray(first, first + length);
    if (together.every((i) => (answeredNs[i] as number) < latestNs)) return true;
  }
  return false;
}
