import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { counted, number } from '../../amounts.ts';
import { exitCode, readOption, targetError, usageError } from '../../exit.ts';
import type { Alterations } from '../../service/alterations.ts';
import type { KeyOptions, ServiceOptions } from '../../service/options.ts';
import type { RunningService, ServiceInput } from '../../service/server.ts';
import { isObject, parsedJson } from '../../target/json.ts';
import { parseDurationMs, parseRateLimit, type RateLimit } from '../../vocabulary/quantities.ts';
import type { ServeArguments } from '../options.ts';
import { onInterrupt } from '../shell.ts';
import type { Altered } from './serve-alterations.ts';

/** `tryon serve`: the reference service in the foreground. */
export async function serve(argv: ServeArguments): Promise<void> {
  if (argv['list-defects']) {
    const { listAsJson, listAsText } = await import('./serve-alterations.ts');
    process.stdout.write(argv.json ? listAsJson() : listAsText(process.stdout.columns));
    return;
  }
  const settings = readServeSettings(argv, process.env);
  const altered: Altered =
    argv.defect === undefined && argv.variant === undefined
      ? { alterations: {}, titles: [] }
      : (await import('./serve-alterations.ts')).readAlterations(argv);
  const toldToStop = stopRequest(argv['exit-with-parent']);
  try {
    // Its code is loaded only on demand.
    const clocks = argv['clock-by-stdin'] ? await import('../../service/options.ts') : undefined;
    const clock = clocks?.movableClock(clocks.systemClock);
    const input = {
      ...settings,
      databaseFile: argv.db ?? temporaryDatabase(),
      ...(clock === undefined ? {} : { clock }),
    };
    const service = await start(input, altered.alterations, argv);
    const keys = Object.fromEntries(settings.keys.map(({ label, secret }) => [label, secret]));
    process.stdout.write(
      argv.json
        ? `${JSON.stringify({ base_url: service.baseUrl, keys })}\n`
        : asText(service, settings, argv.db ?? 'temporary', altered.titles),
    );
    if (clock !== undefined) obeyClockLines(process.stdin, process.stdout, clock);
    await toldToStop;
    await service.drain();
  } finally {
    // A process that listens to its standard input does not end while the other end is open.
    process.stdin.destroy();
  }
}

/** Starts the service. Its code is loaded here, so that the other commands do not load it. */
async function start(
  input: ServiceInput,
  alterations: Alterations,
  argv: ServeArguments,
): Promise<RunningService> {
  const [{ buildService, startService }, { ServiceConfigurationError }] = await Promise.all([
    import('../../service/server.ts'),
    import('../../service/options.ts'),
  ]);
  try {
    const service = buildService(input, alterations);
    // The service does not know of descriptions: it shares only the types of bodies with the rest.
    service.get('/openapi.json', async () => (await import('./serve-openapi.ts')).referenceDescription());
    return await startService(service, argv);
  } catch (error) {
    if (error instanceof ServiceConfigurationError) throw usageError(error.message, error);
    if (error instanceof Error && 'syscall' in error) {
      throw targetError(`cannot listen on ${argv.host}, port ${argv.port}: ${error.message}`, error);
    }
    throw error;
  }
}

/** A database in a temporary folder that the process removes at its end, unless it is killed. */
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
    const parentGone = (): void => resolve();
    process.stdin.once('end', parentGone).once('error', parentGone).resume();
    // The reader of the output may be gone.
    process.stdout.on('error', parentGone);
  });
}

function asText(
  service: RunningService,
  settings: ServeSettings,
  database: string,
  altered: readonly string[],
): string {
  const { limiter, rateLimit, plans, keys } = settings;
  const width = Math.max(...keys.map(({ label }) => label.length));
  const keyLines = keys.map(({ label, secret, plan, account }) => {
    const quota = plans[plan] === Number.POSITIVE_INFINITY ? 'unlimited' : number(plans[plan] ?? 0);
    return `  ${label.padEnd(width)}  ${secret}  (pricing plan ${plan}: ${quota} sessions; account ${account})`;
  });
  return [
    `base_url    ${service.baseUrl}`,
    `rate limit  ${counted(rateLimit.requests, 'request')} in ${number(rateLimit.windowMs / 1_000)} s for each key, ${limiter}`,
    `database    ${database}`,
    'keys',
    ...keyLines,
    ...(altered.length === 0 ? [] : ['altered', ...altered.map((title) => `  ${title}`)]),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

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
    const wanted = parsedJson(line);
    const at = isObject(wanted) && Object.keys(wanted).length === 1 ? wanted.clock : undefined;
    const isInstant = typeof at === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at);
    // Of a day that there is not, Date makes another.
    const parsedMs = isInstant ? Date.parse(at) : Number.NaN;
    const isDay =
      isInstant && !Number.isNaN(parsedMs) && new Date(parsedMs).getUTCDate() === Number(at.slice(8, 10));
    const epochMs = isDay ? parsedMs : Number.NaN;
    if (!Number.isNaN(epochMs)) clock.set(epochMs);
    const answer = Number.isNaN(epochMs)
      ? { error: 'expected {"clock":"<ISO 8601 instant in UTC>"} in a line' }
      : wanted;
    output.write(`${JSON.stringify(answer)}\n`);
  });
}

/** The service's settings, but for the database, as the command line and the environment give them. */
export type ServeSettings = Omit<ServiceOptions, 'databaseFile' | 'clock' | 'analytics'>;

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
