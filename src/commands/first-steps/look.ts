import type { IncomingHttpHeaders } from 'node:http';
import { systemClock } from '../../drive/clock/clock.ts';
import { type DateFormat, Days, dayQuery } from '../../drive/clock/days.ts';
import { openTranslation } from '../../target/adapt/adapter-translation.ts';
import { analytics } from '../../target/calls.ts';
import { openQuestions, TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Keys } from '../../target/keys.ts';
import { noAnswerText } from '../../target/problems.ts';
import type { Profile } from '../../target/profile.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';

/** What one request showed. */
interface Sighting {
  /** Undefined without an answer; `problem` then says why. */
  readonly status: number | undefined;
  readonly problem: string | undefined;
  /** How far the target's clock is ahead of this machine's, milliseconds; its Date header has whole seconds. */
  readonly clockAheadMs: { readonly min: number; readonly max: number } | undefined;
  /** It closed the connection after the answer, or said that it would. */
  readonly closes: boolean;
  /** Header fields that state a limit, as they came: `x-ratelimit-limit: 1000`. */
  readonly limits: readonly string[];
}

/** What a few reads showed of a target. */
export interface Look {
  readonly withoutKey: Sighting;
  /** The roles with a key. */
  readonly withKey: ReadonlyMap<Role, Sighting>;
  /** Which dates it takes; undefined if it took none, or no key was accepted. */
  readonly dateFormat: DateFormat | undefined;
}

/** Reads that a look sends at most: one without a key, one for each key, and one in another format of dates. */
export function requestsOfLook(keys: Keys): number {
  return 2 + roles.filter((role) => keys[role] !== undefined).length;
}

/** Looks at a target by reading analytics, which changes nothing there. */
export async function lookAt(baseUrl: URL, profile: Profile, keys: Keys): Promise<Look> {
  const clock = systemClock();
  const client = new TargetClient(
    baseUrl,
    openQuestions(baseUrl, profile),
    clock.nowNs,
    await openTranslation(profile, baseUrl),
  );
  const days = new Days(Date.now(), () => Date.now());
  const read = async (key: string | undefined, format: DateFormat): Promise<Sighting> => {
    const sentMs = Date.now();
    const exchange = await new Promise<Exchange<undefined>>((resolve) => {
      const authorization = key === undefined ? undefined : `Bearer ${key}`;
      client.send(analytics(dayQuery(days.exact(), format)), authorization, undefined, { done: resolve });
    });
    const { cause, lost, status } = exchange;
    const problem =
      status === undefined
        ? `${lost ?? 'no connection'}: ${await noAnswerText(cause, baseUrl, profile.address)}`
        : undefined;
    return sighting(exchange, sentMs, problem);
  };
  try {
    const { date_format: told } = profile.analytics;
    const formats: readonly DateFormat[] = told === 'discover' ? ['date', 'date-time'] : [told];
    const [first = 'date', second] = formats;
    const withoutKey = await read(undefined, first);
    const withKey = new Map<Role, Sighting>();
    let dateFormat: DateFormat | undefined;
    for (const role of roles) {
      const key = keys[role];
      if (key === undefined || withoutKey.status === undefined) continue;
      let seen = await read(key.value, dateFormat ?? first);
      if (seen.status === 200) dateFormat ??= first;
      else if (role === 'load' && second !== undefined && (seen.status === 400 || seen.status === 422)) {
        seen = await read(key.value, second);
        if (seen.status === 200) dateFormat = second;
      }
      withKey.set(role, seen);
    }
    return { withoutKey, withKey, dateFormat };
  } finally {
    await client.destroy();
  }
}

function sighting(
  { headers, status }: Exchange<undefined>,
  sentMs: number,
  problem: string | undefined,
): Sighting {
  const dateMs = Date.parse(headers.date ?? '');
  return {
    status,
    problem,
    clockAheadMs: Number.isNaN(dateMs)
      ? undefined
      : { min: dateMs - Date.now(), max: dateMs + 1_000 - sentMs },
    closes: /(^|,)\s*close\s*(,|$)/i.test(headers.connection ?? ''),
    limits: limitsOf(headers),
  };
}

function limitsOf(headers: Readonly<IncomingHttpHeaders>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /^(x-)?rate-?limit(?!.*-(remaining|reset|used)$)/.test(name)
      ? [`${name}: ${[value].flat().join(', ')}`]
      : [],
  );
}
