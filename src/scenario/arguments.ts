import { unknownText } from '../vocabulary/fields.ts';
import { named, parseRate, type RateText } from '../vocabulary/quantities.ts';

/** Checks of the arguments of a scenario's functions: Node.js does not check types. */

/** Throws a `RangeError` that names the known options unless these are some of them. */
export function assertKnown(name: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new RangeError(
      `${name}: expected options such as { ${known[0]}: … }, got ${JSON.stringify(options)}`,
    );
  const unknown = Object.keys(options).filter((each) => !known.includes(each));
  if (unknown.length > 0) throw new RangeError(`${name}: ${unknownText('option', unknown, known)}`);
}

/** The same for a value that has to be one of several. */
export function oneOf<Value extends string>(values: readonly Value[], name: string, value: Value): Value {
  if (values.includes(value)) return value;
  throw new RangeError(`${name}: expected one of ${values.join(', ')}, got ${JSON.stringify(value)}`);
}

/** Throws a `RangeError` that names the argument unless it is a rate. */
export function ratePerMs(name: string, rate: RateText): number {
  const { count, perMs } = named(name, () => parseRate(rate));
  return count / perMs;
}

/** Throws a `RangeError` that names the argument unless it is a whole number from `least`. */
export function wholeFrom(least: number, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${name}: expected a whole number from ${least}, got ${String(value)}`);
}
