import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { systemWords, targetError } from '../exit.ts';
import { fields } from '../vocabulary/fields.ts';
import { durationSchema } from '../vocabulary/quantity-schemas.ts';

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

const dayMs = 86_400_000;
const shortestMs = 1_000;

/** Whether this machine's time zone data knows it. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** When a session quota renews: sessions created before do not count after it. */
export const renewalSchema = z
  .strictObject({
    every: z.union([
      z.enum(['day', 'month']),
      durationSchema.refine((ms) => ms >= shortestMs, 'expected day, month, or a duration of at least 1 s'),
    ]),
    /** One instant of renewal, by the clock of `zone`: `2026-01-15` or `2026-01-15T06:00`. Not given: midnight, and day 1. */
    anchor: z
      .string()
      .regex(
        /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/,
        'expected a date such as 2026-01-15, or 2026-01-15T06:00',
      )
      .refine((text) => !Number.isNaN(wallMs(text)), 'expected a date that exists')
      .optional(),
    zone: z
      .string()
      .refine(isTimeZone, 'expected an IANA time zone or an offset such as +02:00')
      .default('UTC'),
  })
  .refine(({ anchor, every }) => typeof every === 'string' || anchor !== undefined, {
    error: 'expected an instant of renewal, since `every` is a duration',
    path: ['anchor'],
  });
type Renewal = z.output<typeof renewalSchema>;

function wallMs(anchor: string): number {
  return Date.parse(anchor.includes('T') ? `${anchor}Z` : `${anchor}T00:00Z`);
}

/** The instants of renewal in a span, epoch ms. */
export function renewalsWithin({ anchor, every, zone }: Renewal, fromMs: number, toMs: number): number[] {
  const anchorMs = anchor === undefined ? 0 : wallMs(anchor);
  const found: number[] = [];
  const take = (atMs: number): boolean => {
    if (atMs >= fromMs && atMs <= toMs) found.push(atMs);
    return atMs <= toMs;
  };
  if (typeof every === 'number') {
    const firstMs = epochOf(anchorMs, zone);
    for (let n = Math.ceil((fromMs - firstMs) / every); take(firstMs + n * every); n++);
    return found;
  }
  const timeMs = ((anchorMs % dayMs) + dayMs) % dayMs;
  const beginMs = fromMs + offsetMs(fromMs, zone) - dayMs;
  if (every === 'day') {
    for (let day = Math.floor(beginMs / dayMs); take(epochOf(day * dayMs + timeMs, zone)); day++);
    return found;
  }
  const dayOfMonth = new Date(anchorMs).getUTCDate();
  const begin = new Date(beginMs);
  for (let month = begin.getUTCFullYear() * 12 + begin.getUTCMonth(); ; month++) {
    const [year, inYear] = [Math.floor(month / 12), month % 12];
    const days = new Date(Date.UTC(year, inYear + 1, 0)).getUTCDate();
    if (!take(epochOf(Date.UTC(year, inYear, Math.min(dayOfMonth, days)) + timeMs, zone))) return found;
  }
}

/** The instant at which the clocks of a zone show a time, given as if it were UTC. */
function epochOf(wall: number, zone: string): number {
  return wall - offsetMs(wall - offsetMs(wall, zone), zone);
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(epochMs: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}
