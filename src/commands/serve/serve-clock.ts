import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { parsedJson } from '../../target/json.ts';

/** One line of JSON on standard input, and the same line back on standard output once the clock is set. */
const clockLine = z.strictObject({ clock: z.iso.datetime() });

/**
 * Sets the clock as the lines of `input` want it: `{"clock":"2028-02-29T00:00:00.000Z"}`. Each is answered with a line of
 * its own: itself, or `{"error": …}` for one that cannot be read, which changes nothing.
 */
export function obeyClockLines(
  input: Readable,
  output: Writable,
  clock: { set(epochMs: number): void },
): void {
  createInterface({ input }).on('line', (line) => {
    const wanted = clockLine.safeParse(parsedJson(line));
    if (wanted.success) clock.set(Date.parse(wanted.data.clock));
    const answer = wanted.success
      ? wanted.data
      : { error: 'expected {"clock":"<ISO 8601 instant in UTC>"} in a line' };
    output.write(`${JSON.stringify(answer)}\n`);
  });
}
