import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { exitCode, targetError, usageError } from '../exit.ts';
import { parseRateLimit, type RateLimit } from '../scenario/quantities.ts';
import { type LimiterName, limiterNames } from '../service/limiters/catalogue.ts';
import type { KeyOptions } from '../service/options.ts';
import type { RunningService } from '../service/running.ts';
import type { ServiceInput } from '../service/server.ts';
import { onInterrupt } from './signals.ts';

export interface ServeArguments {
  readonly port: number;
  readonly host: string;
  readonly db?: string | undefined;
  readonly 'rate-limit': string;
  readonly limiter: LimiterName;
  readonly plan?: readonly string[] | undefined;
  readonly key?: readonly string[] | undefined;
  readonly json: boolean;
  readonly 'power-safe': boolean;
  readonly 'exit-with-parent': boolean;
}

/** `tryon serve`: the reference service in the foreground. */
export const serveCommand: CommandModule<object, ServeArguments> = {
  command: 'serve',
  describe: 'Run the reference service in the foreground',
  builder: {
    port: { type: 'number', default: 0, describe: 'Port; 0 takes a free one' },
    host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
    db: { type: 'string', describe: 'Database file, kept; without it a temporary one' },
    'rate-limit': { type: 'string', default: '1000/1m', describe: 'Requests per window, for each key' },
    limiter: { choices: limiterNames, default: 'sliding-log', describe: 'Algorithm of the rate limit' },
    plan: {
      type: 'string',
      array: true,
      describe:
        'NAME=QUOTA: sessions that a plan allows, or "unlimited". Given already: load, quota, bystander',
    },
    key: {
      type: 'string',
      array: true,
      describe: 'LABEL=PLAN[@ACCOUNT]: a key; it has an account of its own unless one is named',
    },
    json: { type: 'boolean', default: false, describe: 'Print base_url and keys as one line of JSON' },
    'power-safe': {
      type: 'boolean',
      default: false,
      describe: 'Survive power cuts: an fsync for each write',
    },
    'exit-with-parent': { type: 'boolean', default: false, hidden: true },
  },
  handler: serve,
};

async function serve(argv: ServeArguments): Promise<void> {
  const settings = readServeSettings(argv, process.env);
  const toldToStop = stopRequest(argv['exit-with-parent']);
  const service = await start({ ...settings, databaseFile: argv.db ?? temporaryDatabase() }, argv);
  process.stdout.write(
    argv.json ? asJson(service, settings.keys) : asText(service, settings, argv.db ?? 'temporary'),
  );
  await toldToStop;
  await service.drain();
}

/** The service's settings, but for the database, as the command line and the environment give them. */
export interface ServeSettings {
  readonly limiter: LimiterName;
  readonly rateLimit: RateLimit;
  readonly durability: 'process-kill' | 'power-cut';
  readonly plans: Readonly<Record<string, number>>;
  readonly keys: readonly KeyOptions[];
}

const defaultPlans: Readonly<Record<string, number>> = { load: 1_000_000, quota: 200, bystander: 10_000 };
const defaultKeys: readonly string[] = ['load=load', 'quota=quota', 'bystander=bystander'];

/**
 * Plans add to the default ones; keys replace the default ones. A key's secret is taken from
 * `TRYON_SERVE_KEY_<LABEL>`, the label in capitals with `_` for what is no letter or digit, so that a service which is
 * started again can keep its keys; without that it is random.
 */
export function readServeSettings(
  argv: ServeArguments,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  if (!Number.isInteger(argv.port) || argv.port < 0 || argv.port > 65_535) {
    throw usageError(`--port: expected a whole number from 0 to 65535, got ${argv.port}`);
  }
  if (argv.db === '') throw usageError('--db: expected the path of a file');
  return {
    limiter: argv.limiter,
    rateLimit: readRateLimit(argv['rate-limit']),
    durability: argv['power-safe'] ? 'power-cut' : 'process-kill',
    plans: { ...defaultPlans, ...Object.fromEntries((argv.plan ?? []).map(readPlan)) },
    keys: (argv.key ?? defaultKeys).map((text) => readKey(text, environment)),
  };
}

function readRateLimit(text: string): RateLimit {
  try {
    const { requests, windowMs } = parseRateLimit(text);
    // The limiters reckon in whole milliseconds, which 2.3 s, as a binary fraction, is not.
    const wholeMs = Math.round(windowMs);
    if (wholeMs === 0)
      throw new RangeError(`expected a window of at least 1 ms, got ${JSON.stringify(text)}`);
    return { requests, windowMs: wholeMs };
  } catch (error) {
    throw usageError(`--rate-limit: ${error instanceof Error ? error.message : String(error)}`, error);
  }
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

/** Starts the service. What it needs is loaded here, so that the other commands need not. */
async function start(input: ServiceInput, argv: ServeArguments): Promise<RunningService> {
  const [{ buildService }, { startService }, { ServiceConfigurationError }] = await Promise.all([
    import('../service/server.ts'),
    import('../service/running.ts'),
    import('../service/errors.ts'),
  ]);
  try {
    return await startService(buildService(input), argv);
  } catch (error) {
    if (error instanceof ServiceConfigurationError) throw usageError(error.message, error);
    if (error instanceof Error && 'syscall' in error) {
      throw targetError(`cannot listen on ${argv.host}, port ${argv.port}: ${error.message}`, error);
    }
    throw error;
  }
}

/** A database in a folder of its own that goes when the process does, unless that is killed. */
function temporaryDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-serve-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'service.db');
}

/**
 * Resolves at SIGTERM or SIGINT, or when the parent that holds the other end of standard input is gone. A second signal
 * ends the process at once.
 */
function stopRequest(exitWithParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    onInterrupt(resolve, () => process.exit(exitCode.interrupted));
    if (!exitWithParent) return;
    const parentGone = (): void => {
      process.stdin.destroy();
      resolve();
    };
    process.stdin.once('end', parentGone).once('error', parentGone).resume();
    // Nobody may be left to read what is printed.
    process.stdout.on('error', parentGone);
  });
}

function asJson(service: RunningService, keys: readonly KeyOptions[]): string {
  const secrets = Object.fromEntries(keys.map(({ label, secret }) => [label, secret]));
  return `${JSON.stringify({ base_url: service.baseUrl, keys: secrets })}\n`;
}

function asText(service: RunningService, settings: ServeSettings, database: string): string {
  const { limiter, rateLimit, plans, keys } = settings;
  const width = Math.max(...keys.map(({ label }) => label.length));
  const keyLines = keys.map(({ label, secret, plan, account }) => {
    const quota = plans[plan] === Number.POSITIVE_INFINITY ? 'unlimited' : plans[plan]?.toLocaleString('en');
    return `  ${label.padEnd(width)}  ${secret}  (plan ${plan}: ${quota} sessions; account ${account})`;
  });
  return [
    `base_url    ${service.baseUrl}`,
    `rate limit  ${rateLimit.requests} requests in ${rateLimit.windowMs / 1_000} s for each key, ${limiter}`,
    `database    ${database}`,
    'keys',
    ...keyLines,
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
