/**
 * Rows in which each two values of any two columns meet at least once. `sizes`: how many values each column has; a row
 * holds a value's number for each. Greedy: each row begins with a pair that is still open, and takes in every other
 * column the value that closes most open pairs.
 */
export function coveringArray(sizes: readonly number[]): number[][] {
  const open = new Set<string>();
  const key = (a: number, value: number, b: number, other: number): string =>
    a < b ? `${a} ${value} ${b} ${other}` : `${b} ${other} ${a} ${value}`;
  sizes.forEach((size, a) => {
    sizes.forEach((otherSize, b) => {
      if (a < b)
        for (let value = 0; value < size; value++)
          for (let other = 0; other < otherSize; other++) open.add(key(a, value, b, other));
    });
  });
  const rows: number[][] = [];
  for (const [first] of open.entries()) {
    // Closed meanwhile.
    if (!open.has(first)) continue;
    const [a = 0, value = 0, b = 0, other = 0] = first.split(' ').map(Number);
    const row: (number | undefined)[] = sizes.map((_, column) =>
      column === a ? value : column === b ? other : undefined,
    );
    sizes.forEach((size, column) => {
      if (row[column] !== undefined) return;
      let best = 0;
      let most = -1;
      for (let candidate = 0; candidate < size; candidate++) {
        const closed = row.filter(
          (each, place) => each !== undefined && open.has(key(column, candidate, place, each)),
        ).length;
        if (closed > most) [best, most] = [candidate, closed];
      }
      row[column] = best;
    });
    const whole = row.map((each) => each ?? 0);
    whole.forEach((each, place) => {
      whole.forEach((neighbour, at) => {
        if (place < at) open.delete(key(place, each, at, neighbour));
      });
    });
    rows.push(whole);
  }
  return rows;
}
