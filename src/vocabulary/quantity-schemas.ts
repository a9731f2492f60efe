import { z } from 'zod';
import { parseAssurance, parseDurationMs, parseRateLimit } from './quantities.ts';

/** A zod schema that parses with a function which throws `RangeError`, and reports its message at the right path. */
function parsedBy<Schema extends z.ZodType, Output>(
  input: Schema,
  parse: (value: z.output<Schema>) => Output,
) {
  return input.transform((value, context): Output => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

/** Reads a duration into milliseconds. */
export const durationSchema = parsedBy(z.union([z.string(), z.number()]), parseDurationMs);
/** Reads `1000/1m`. */
export const rateLimitSchema = parsedBy(z.string(), parseRateLimit);
/** Checks `1/1000@99%`, and keeps the text. */
export const assuranceSchema = parsedBy(z.string(), (text) => {
  parseAssurance(text);
  return text;
});
