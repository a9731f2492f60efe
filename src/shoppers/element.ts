/** The element at an index that the caller knows to be in range; a `RangeError` if it is not. */
export function elementAt<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} is outside a list of ${list.length}`);
  return element;
}
