import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { systemWords, targetError } from '../exit.ts';
import { fields } from '../vocabulary/fields.ts';

/** Stands for the instant in a command, ISO 8601 in UTC. */
const instantMark = '{instant}';

/** How long setting a clock may take. */
const withinMs = 10_000;

/** How the wall clock of a deployment is set: by a command of this machine, or by a request. */
export const clockSchema = z.union([
  fields({
    exec: z
      .array(z.string())
      .min(1)
      .refine(
        (words) => words.some((word) => word.includes(instantMark)),
        `expected ${instantMark} in a word`,
      ),
  }),
  fields({ post: z.url({ protocol: /^https?$/ }) }),
]);
type ToldClock = z.output<typeof clockSchema>;

/** Sets a deployment's wall clock, epoch milliseconds. Throws a target error if that fails. */
export type ClockSetter = (epochMs: number) => Promise<void>;

export function clockBy(told: ToldClock): ClockSetter {
  return async (epochMs) => {
    const instant = new Date(epochMs).toISOString();
    try {
      await ('exec' in told ? execute(told.exec, instant) : post(told.post, instant));
    } catch (error) {
      const [way] = Object.keys(told);
      throw targetError(
        `profile: clock.${way}: the clock was not set to ${instant}: ${whyText(error)}`,
        error,
      );
    }
  };
}

async function execute([program = '', ...words]: readonly string[], instant: string): Promise<void> {
  await promisify(execFile)(
    program,
    words.map((word) => word.replaceAll(instantMark, instant)),
    { timeout: withinMs },
  );
}

async function post(url: string, instant: string): Promise<void> {
  // Every reader of a profile loads this file, and few send a request.
  const { request } = await import('undici');
  const { body, statusCode } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clock: instant }),
    headersTimeout: withinMs,
    bodyTimeout: withinMs,
  });
  await body.dump();
  if (statusCode < 200 || statusCode > 299) throw new Error(`expected 2xx, got ${statusCode}`);
}

/** Of a command that failed: the last line that it wrote to standard error. */
function whyText(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return said === '' ? systemWords(error) : (said.split('\n').at(-1) ?? '');
}
