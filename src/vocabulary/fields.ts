import { z } from 'zod';
import { meantText } from './closest.ts';

/** An object with these fields and no others: an unknown one is refused by a message that names the known ones. */
export function fields<Shape extends z.ZodRawShape>(
  shape: Shape,
  noun = 'field',
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownText(noun, issue.keys, Object.keys(shape)) : undefined,
  });
}

/** `there is no field "shopper"; did you mean shoppers? There are name, title and shoppers`. */
function unknownText(noun: string, unknown: readonly string[], known: readonly string[]): string {
  const each = unknown.map((name) => `there is no ${noun} ${JSON.stringify(name)}${meantText(name, known)}`);
  return `${each.join('; ').replace(/[^?]$/, '$&.')} There are ${known.join(', ')}`;
}
