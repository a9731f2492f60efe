import { readFile } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { counted, listed } from '../../amounts.ts';
import { usageError } from '../../exit.ts';
import { harSchema, scenarioText, shoppersOf } from '../../scenario/from-har.ts';
import { parsedJson } from '../../target/json.ts';
import type { HarArguments } from '../options.ts';
import { writeNew } from '../shell.ts';

/** Writes a scenario of a recording, and prints what was read and what was left out. Throws usage errors. */
export async function importHar({ file, out }: HarArguments): Promise<void> {
  const name = basename(file).replace(/\.[^.]*$/, '');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error);
  });
  const recording = harSchema.safeParse(parsedJson(text));
  if (!recording.success)
    throw usageError(`${file}: expected a recording in the form HAR 1.2 (log.entries)`, recording.error);
  const found = shoppersOf(recording.data);
  if (found.sessions === 0)
    throw usageError(`${file}: no session was opened in it (POST …/sessions with a 2xx answer)`);
  const scenario = out ?? `${name}.ts`;
  writeNew(
    `--out: ${scenario}`,
    scenario,
    scenarioText(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), found),
  );
  const left = [...found.leftOut].map(([what, count]) => `${what} (${counted(count, 'request')})`);
  process.stdout.write(
    [
      `Wrote ${scenario}: shoppers as in ${counted(found.sessions, 'session')} with ${counted(found.events, 'event')}`,
      ...(left.length === 0 ? [] : [`Left out: ${listed(left)}`]),
      `Next: tryon simulate ${isAbsolute(scenario) ? scenario : `./${scenario}`}\n`,
    ].join('\n'),
  );
}
