import { z } from 'zod';
import { fieldErrors } from '../exit.ts';
import { fields } from '../vocabulary/fields.ts';

/** What functions of a scenario take, as schemas: Node.js does not check types. */

export const optionsOf = <Shape extends z.ZodRawShape>(shape: Shape) => fields(shape, 'option');

/** Reads options. Throws a `RangeError` that names the function, the option, and what was expected. */
export function readOptions<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  if (typeof given !== 'object' || given === null)
    throw new RangeError(`${name}: expected options such as { name: … }, got ${JSON.stringify(given)}`);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RangeError(`${name}: ${fieldErrors(parsed.error).replaceAll('(root): ', '')}`);
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return z.custom<number>(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    { error: ({ input }) => `expected a whole number ${range}, got ${String(input)}` },
  );
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, {
    error: ({ input }) => `expected one of ${values.join(', ')}, got ${JSON.stringify(input)}`,
  });
}
