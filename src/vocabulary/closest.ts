/**
 * The name that `typed` most likely meant: fewest letters to add, leave out, change, or swap, and at most a third of
 * the name. Undefined if none is that close.
 */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, slips }) => slips <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.slips - b.slips);
  return best?.name;
}

/** `; did you mean shoppers?`, or nothing if no name is that close. */
export function meantText(typed: string, names: readonly string[]): string {
  const meant = closest(typed, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The distance of optimal string alignment. */
function slipsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
