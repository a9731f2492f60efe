import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { exitCode, fieldErrors, targetError } from '../exit.ts';
import { launcher } from '../program-files.ts';
import { limitText, type RateLimit } from '../vocabulary/quantities.ts';
import { roles } from '../vocabulary/roles.ts';
import { parsedJson } from './json.ts';
import type { Keys } from './keys.ts';
import { type ProfileInput, referenceConventions, usualPath } from './profile.ts';

/** The reference service, running in a separate process on a free loopback port. */
export interface EmbeddedService {
  readonly baseUrl: string;
  readonly keys: Keys;
  /** Keys of many separate accounts, for runs that no limit may disturb. */
  readonly pool: readonly string[];
  readonly pid: number;
  /** Sets its wall clock to an instant, epoch milliseconds; resolves once that is done. Only if requested. */
  readonly setClock?: (epochMs: number) => Promise<void>;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly rateLimit: RateLimit;
  /** Session quota of the account of the `quota` key. */
  readonly quota: number;
  /** How many keys `pool` is to hold. */
  readonly poolKeys: number;
  /** Ids of defects to plant and names of variants, as `tryon serve --list-defects` lists them. */
  readonly defects?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
  /** How long a session accepts events; half an hour by default. */
  readonly sessionLifetimeMs?: number | undefined;
  /** Whether its wall clock is to be set during the run. */
  readonly movesClock?: boolean | undefined;
}

/** For what hangs: a service that fails to start ends at once, and a busy machine may take long. */
const startWithinMs = 60_000;
const stopWithinMs = 5_000;
const clockWithinMs = 30_000;

const readyLine = z.object({
  base_url: z.url({ protocol: /^https?$/ }),
  keys: z.record(z.string(), z.string()),
});

/** Starts the service by `tryon serve --json`, as a user would. Throws a target error if it does not start. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedService> {
  const labels = Array.from({ length: options.poolKeys }, (_, index) => `pool${index}`);
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(launcher),
      'serve',
      '--json',
      '--exit-with-parent',
      ...['--rate-limit', limitText(options.rateLimit)],
      ...['--plan', 'load=unlimited', '--plan', `quota=${options.quota}`, '--plan', 'bystander=unlimited'],
      ...roles.flatMap((role) => ['--key', `${role}=${role === 'twin' ? 'quota' : role}`]),
      ...labels.flatMap((label) => ['--key', `${label}=load@load`]),
      ...(options.defects ?? []).flatMap((id) => ['--defect', id]),
      ...(options.variants ?? []).flatMap((name) => ['--variant', name]),
      ...(options.sessionLifetimeMs === undefined
        ? []
        : ['--session-lifetime', `${options.sessionLifetimeMs}ms`]),
      ...(options.movesClock === true ? ['--clock-by-stdin'] : []),
    ],
    // We hold its standard input: if this process dies, the input closes and the service ends. A separate process
    // group keeps Ctrl-C in the terminal from the service, which the run still needs.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env: { ...longKeys(), ...process.env } },
  );
  const { exited, lines, pid, ready } = await readyOf(child);
  const issued = ready.keys;
  const keys: Keys = {};
  for (const role of roles) {
    const value = issued[role];
    if (value !== undefined) keys[role] = { value, from: 'embedded' };
  }
  return {
    baseUrl: ready.base_url,
    keys,
    pool: labels.map((label) => issued[label] ?? ''),
    pid,
    ...(options.movesClock === true ? { setClock: clockSetter(child.stdin, lines) } : {}),
    async stop() {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(killer);
    },
  };
}

/** Keys of 87 characters, so that one that is cut after 72 bytes, as bcrypt does, can be tried. */
function longKeys(): Record<string, string> {
  return Object.fromEntries(
    roles.map((role) => [
      `TRYON_SERVE_KEY_${role.toUpperCase()}`,
      `tk_${randomBytes(63).toString('base64url')}`,
    ]),
  );
}

type ServiceProcess = ChildProcessByStdio<Writable, Readable, Readable>;

interface Started {
  readonly ready: z.infer<typeof readyLine>;
  readonly pid: number;
  /** The further lines of its output. */
  readonly lines: Interface;
  readonly exited: Promise<number | null>;
}

/** Waits for the line with which a service says that it listens. Without a usable one, kills it and throws. */
export async function readyOf(child: ServiceProcess, withinMs = startWithinMs): Promise<Started> {
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    exited,
    new Promise<undefined>((resolve) => setTimeout(resolve, withinMs, undefined).unref()),
  ]);
  const ready = readyLine.safeParse(parsedJson(typeof first === 'string' ? first : null));
  if (ready.success && child.pid !== undefined) return { ready: ready.data, pid: child.pid, lines, exited };
  child.kill('SIGKILL');
  const output = errors.trim() || 'no output';
  if (first === undefined)
    throw targetError(`the embedded service did not start within ${withinMs / 1_000} s: ${output}`);
  // The line holds keys, so it is not shown.
  if (typeof first === 'string' && ready.error !== undefined)
    throw new Error(`the first line of the embedded service cannot be read: ${fieldErrors(ready.error)}`);
  const message = `the embedded service ended before it was ready (exit code ${first ?? 'none'}): ${output}`;
  throw first === exitCode.internal ? new Error(message) : targetError(message);
}

/** Sets the clock by a line and waits for its echo, one after the other. Throws a target error where none comes. */
function clockSetter(input: Writable, lines: Interface): (epochMs: number) => Promise<void> {
  return async (epochMs) => {
    const line = JSON.stringify({ clock: new Date(epochMs).toISOString() });
    const answer = await new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(resolve, clockWithinMs, undefined);
      lines.once('line', (text) => {
        clearTimeout(timer);
        resolve(text);
      });
      input.write(`${line}\n`);
    });
    if (answer !== line)
      throw targetError(
        `the embedded service's clock could not be set: asked for ${line}, got ${answer ?? `nothing in ${clockWithinMs / 1_000} s`}`,
      );
  };
}

/** What the reference service promises: its documented conventions, which the interface leaves open. */
export function embeddedProfile(options: EmbeddedOptions): ProfileInput {
  const altered = [...(options.defects ?? []), ...(options.variants ?? [])];
  return {
    name: ['embedded reference service', altered.join(', ')].filter(Boolean).join(' with '),
    rate_limit: limitText(options.rateLimit),
    limiter: 'sliding-log',
    retry_after: 'shortest',
    error_bodies: 'json',
    limit_scope: 'per-key',
    exclusive_keys: true,
    limit_endpoints: 'together',
    finishes: ['matte', 'satin', 'gloss', 'shimmer'],
    quota: { sessions: options.quota, fresh: true, twin: 'other-account' },
    data_scope: 'per-key',
    channel: {
      path: usualPath,
      auth: 'session-token',
      counts_against_rate_limit: false,
      repeated_id: 'once',
      unknown_sku: 'refused',
      malformed: 'refused',
      other_token: 'refused',
    },
    analytics: {
      ...referenceConventions,
      freshness: '1s',
      exclusive: true,
    },
  };
}
