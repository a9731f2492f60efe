import { z } from 'zod';
import {
  type DurationText,
  parseAssurance,
  parseDurationMs,
  parseRate,
  parseRateLimit,
  type RateText,
} from './quantities.ts';

/** A zod schema that parses with a function which throws `RangeError`, and reports its message at the right path. */
export function parsedBy<Schema extends z.ZodType, Output>(
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
/** The same of more than nothing. */
export const positiveDurationSchema = parsedBy(z.custom<DurationText>(), (text) =>
  positive(parseDurationMs(text), text),
);
/** Checks `900/min`, and keeps the text. */
export const rateSchema = parsedBy(z.custom<RateText>(), (text) => {
  parseRate(text);
  return text;
});
/** Reads a rate of more than nothing. */
export const perSecondSchema = parsedBy(z.custom<RateText>(), (text) => {
  const { count, perMs } = parseRate(text);
  return positive((count / perMs) * 1e3, text);
});
/** Reads `1000/1m`. */
export const rateLimitSchema = parsedBy(z.string(), parseRateLimit);
/** Checks `1/1000@99%`, and keeps the text. */
export const assuranceSchema = parsedBy(z.string(), (text) => {
  parseAssurance(text);
  return text;
});

function positive(value: number, text: DurationText): number {
  if (value > 0) return value;
  throw new RangeError(`expected more than 0, got ${JSON.stringify(text)}`);
}
