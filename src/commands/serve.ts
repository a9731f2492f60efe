import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { counted, number } from '../amounts.ts';
import { exitCode, targetError, usageError } from '../exit.ts';
import type { Alterations } from '../service/alterations.ts';
import type { KeyOptions, MovableClock } from '../service/options.ts';
import type { RunningService, ServiceInput } from '../service/server.ts';
import { examples } from './options.ts';
import { onInterrupt } from './run/signals.ts';
import type { Altered } from './serve/serve-alterations.ts';
import { type ServeArguments, serveOptions } from './serve/serve-options.ts';
import type { ServeSettings } from './serve/serve-settings.ts';

/** `tryon serve`: the reference service in the foreground. */
export const serveCommand: CommandModule<object, ServeArguments> = {
  command: 'serve',
  describe: 'Run the reference service in the foreground',
  builder: (yargs) =>
    yargs.options(serveOptions).example(
      examples({
        'serve --port 8080': 'until Ctrl-C',
        'serve --list-defects': 'what can be planted',
        'serve --defect R2,Q3': 'a wrong limit, and a quota with a race',
      }),
    ),
  handler: serve,
};

async function serve(argv: ServeArguments): Promise<void> {
  if (argv['list-defects']) {
    const { listAsJson, listAsText } = await import('./serve/serve-alterations.ts');
    process.stdout.write(argv.json ? listAsJson() : listAsText(process.stdout.columns));
    return;
  }
  const { readServeSettings } = await import('./serve/serve-settings.ts');
  const settings = readServeSettings(argv, process.env);
  const altered = await readAltered(argv);
  const toldToStop = stopRequest(argv['exit-with-parent']);
  try {
    const clock = argv['clock-by-stdin'] ? await settableClock() : undefined;
    const input = {
      ...settings,
      databaseFile: argv.db ?? temporaryDatabase(),
      ...(clock === undefined ? {} : { clock }),
    };
    const service = await start(input, altered.alterations, argv);
    process.stdout.write(
      argv.json
        ? asJson(service, settings.keys)
        : asText(service, settings, argv.db ?? 'temporary', altered.titles),
    );
    if (clock !== undefined) {
      const { obeyClockLines } = await import('./serve/serve-clock.ts');
      obeyClockLines(process.stdin, process.stdout, clock);
    }
    await toldToStop;
    await service.drain();
  } finally {
    // A process that listens to its standard input does not end while the other end is open.
    process.stdin.destroy();
  }
}

/** A clock that the starter of the service can set. Its code is loaded only on demand. */
async function settableClock(): Promise<MovableClock> {
  const { movableClock, systemClock } = await import('../service/options.ts');
  return movableClock(systemClock);
}

/** What the command line wants altered. The code for that is loaded only where something is. */
async function readAltered(argv: ServeArguments): Promise<Altered> {
  if (argv.defect === undefined && argv.variant === undefined) return { alterations: {}, titles: [] };
  const { readAlterations } = await import('./serve/serve-alterations.ts');
  return readAlterations(argv);
}

/** Starts the service. Its code is loaded here, so that the other commands do not load it. */
async function start(
  input: ServiceInput,
  alterations: Alterations,
  argv: ServeArguments,
): Promise<RunningService> {
  const [{ buildService }, { startService }, { ServiceConfigurationError }] = await Promise.all([
    import('../service/server.ts'),
    import('../service/server.ts'),
    import('../service/options.ts'),
  ]);
  try {
    const service = buildService(input, alterations);
    // The service does not know of descriptions: it shares only the types of bodies with the rest.
    service.get('/openapi.json', async () =>
      (await import('./serve/serve-openapi.ts')).referenceDescription(),
    );
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

function asJson(service: RunningService, keys: readonly KeyOptions[]): string {
  const secrets = Object.fromEntries(keys.map(({ label, secret }) => [label, secret]));
  return `${JSON.stringify({ base_url: service.baseUrl, keys: secrets })}\n`;
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
