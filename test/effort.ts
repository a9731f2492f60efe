/** `npm run test:long` sets it, before a release: what buys certainty by repetition is done in full, and in part by `npm test`. */
export const isLong = process.env.TRYON_TEST === 'long';

/** How often to repeat or draw: in `npm test`, and in `npm run test:long`. */
export function times(short: number, long: number): number {
  return isLong ? long : short;
}

/** Rows of a table: all of them in `npm run test:long`, those that `isShort` in `npm test`. */
export function rowsOf<Row>(table: readonly Row[], isShort: (row: Row, place: number) => boolean): Row[] {
  return table.filter((row, place) => isLong || isShort(row, place));
}
