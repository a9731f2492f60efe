import { randomBytes } from 'node:crypto';
import { readOption, usageError } from '../../exit.ts';
import type { LimiterName } from '../../service/limiters.ts';
import type { KeyOptions } from '../../service/options.ts';
import { parseDurationMs, parseRateLimit, type RateLimit } from '../../vocabulary/quantities.ts';
import type { ServeArguments } from './serve-options.ts';

/** The service's settings, but for the database, as the command line and the environment give them. */
export interface ServeSettings {
  readonly limiter: LimiterName;
  readonly rateLimit: RateLimit;
  readonly durability: 'process-kill' | 'power-cut';
  readonly sessionLifetimeMs: number;
  readonly plans: Readonly<Record<string, number>>;
  readonly keys: readonly KeyOptions[];
}

const defaultPlans: Readonly<Record<string, number>> = { load: 1_000_000, quota: 200, bystander: 10_000 };
const defaultKeys: readonly string[] = ['load=load', 'quota=quota', 'twin=quota', 'bystander=bystander'];

/**
 * Plans add to the default ones; keys replace the default ones. A key's secret comes from `TRYON_SERVE_KEY_<LABEL>`
 * (capitals, `_` for other characters), so that a restarted service can keep its keys. Without it, the secret is
 * random.
 */
export function readServeSettings(
  argv: ServeArguments,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  if (argv.db === '') throw usageError('--db: expected the path of a file');
  return {
    limiter: argv.limiter,
    rateLimit: readOption('--rate-limit', () => readRateLimit(argv['rate-limit'])),
    durability: argv['power-safe'] ? 'power-cut' : 'process-kill',
    sessionLifetimeMs: readOption('--session-lifetime', () => parseDurationMs(argv['session-lifetime'])),
    plans: { ...defaultPlans, ...Object.fromEntries((argv.plan ?? []).map(readPlan)) },
    keys: (argv.key ?? defaultKeys).map((text) => readKey(text, environment)),
  };
}

function readRateLimit(text: string): RateLimit {
  const { requests, windowMs } = parseRateLimit(text);
  // The limiters calculate in whole milliseconds; 2.3 s, as a binary fraction, is not a whole number of them.
  const wholeMs = Math.round(windowMs);
  if (wholeMs === 0) throw new RangeError(`expected a window of at least 1 ms, got ${JSON.stringify(text)}`);
  return { requests, windowMs: wholeMs };
}

function readPlan(text: string): [name: string, quota: number] {
  const [, name, quota] = /^([A-Za-z0-9][\w.-]*)=(\d+|unlimited)$/.exec(text) ?? [];
  if (name === undefined || quota === undefined) {
    throw usageError(`--plan: expected NAME=QUOTA such as "small=200" or "big=unlimited", got "${text}"`);
  }
  return [name, quota === 'unlimited' ? Number.POSITIVE_INFINITY : Number(quota)];
}

function readKey(text: string, environment: Readonly<Record<string, string | undefined>>): KeyOptions {
  const [, label, plan, account] = /^([A-Za-z0-9][\w.-]*)=([\w.-]+)(?:@(.+))?$/.exec(text) ?? [];
  if (label === undefined || plan === undefined) {
    throw usageError(`--key: expected LABEL=PLAN or LABEL=PLAN@ACCOUNT, got "${text}"`);
  }
  const variable = `TRYON_SERVE_KEY_${label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
  const secret = environment[variable] ?? `tk_${randomBytes(24).toString('base64url')}`;
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw usageError(`${variable}: expected a key of visible ASCII characters without spaces`);
  }
  return { label, plan, account: account ?? label, secret };
}
