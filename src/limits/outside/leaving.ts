import type { SubsetOfRequests } from '../subset.ts';

/** This many requests after the first are looked at together. A queue may let a few pass at once; these are too many for it. */
const row = 16;

/**
 * Whether requests left faster than a queue lets them, of at most `perS`. One leaves every 1/`perS`, so those that were sent and
 * answered within a time are at most that time × `perS`, and one. An answer that this program reads late makes the time longer: it proves
 * nothing wrong.
 */
export function leftTogether({ answeredNs, sentNs }: SubsetOfRequests, perS: number): boolean {
  const bySending = Int32Array.from(sentNs, (_, i) => i).sort(
    (a, b) => (sentNs[a] as number) - (sentNs[b] as number),
  );
  const shortestNs = (row * 1e9) / perS;
  for (let first = 0; first + row < bySending.length; first++) {
    const limitNs = (sentNs[bySending[first] as number] as number) + shortestNs;
    const inTime = bySending.subarray(first, first + row + 1);
    if (inTime.every((i) => (answeredNs[i] as number) < limitNs)) return true;
  }
  return false;
}
