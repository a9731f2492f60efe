import { z } from 'zod';
import { durationSchema } from '../vocabulary/quantity-schemas.ts';

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
