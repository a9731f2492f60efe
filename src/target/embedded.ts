import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { exitCode, targetError } from '../exit.ts';
import { launcher } from '../program-files.ts';
import type { RateLimit } from '../vocabulary/quantities.ts';
import { roles } from '../vocabulary/roles.ts';
import { usualPath } from './channel.ts';
import type { Keys } from './keys.ts';
import type { ProfileInput } from './profile.ts';
import { referenceConventions } from './reference-conventions.ts';

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

const startWithinMs = 10_000;
const stopWithinMs = 5_000;
const clockWithinMs = 5_000;

const readyLine = z.object({ base_url: z.string(), keys: z.record(z.string(), z.string()) });

/** Starts the service by `tryon serve --json`, as a user would. Throws a target error if it does not start. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { requests, windowMs } = options.rateLimit;
  const labels = Array.from({ length: options.poolKeys }, (_, index) => `pool${index}`);
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(launcher),
      'serve',
      '--json',
      '--exit-with-parent',
      ...['--rate-limit', `${requests}/${windowMs}ms`],
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
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    exited,
    new Promise<undefined>((resolve) => setTimeout(resolve, startWithinMs, undefined).unref()),
  ]);
  const ready = typeof first === 'string' ? readyLine.safeParse(JSON.parse(first)) : undefined;
  if (ready?.success !== true || child.pid === undefined) {
    child.kill('SIGKILL');
    throw notStarted(first, errors.trim() || 'no output');
  }
  const issued = ready.data.keys;
  const keys: Keys = {};
  for (const role of roles) {
    const value = issued[role];
    if (value !== undefined) keys[role] = { value, from: 'embedded' };
  }
  return {
    baseUrl: ready.data.base_url,
    keys,
    pool: labels.map((label) => issued[label] ?? ''),
    pid: child.pid,
    ...(options.movesClock === true ? { setClock: clockSetter(child.stdin, lines) } : {}),
    async stop() {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(killer);
    },
  };
}

/** Why the service did not start: `first` is its first line, its exit code, or undefined when its time was up. */
function notStarted(first: string | number | null | undefined, output: string): Error {
  if (first === undefined)
    return targetError(`the embedded service did not start within ${startWithinMs / 1_000} s: ${output}`);
  const message = `the embedded service ended before it was ready (exit code ${first ?? 'none'}): ${output}`;
  return first === exitCode.internal ? new Error(message) : targetError(message);
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
    rate_limit: `${options.rateLimit.requests}/${options.rateLimit.windowMs}ms`,
    limiter: 'sliding-log',
    limit_scope: 'per-key',
    limit_endpoints: 'together',
    quota: { sessions: options.quota, fresh: true, twin: 'other-account' },
    data_scope: 'per-key',
    channel: {
      path: usualPath,
      auth: 'session-token',
      counts_against_rate_limit: false,
      repeated_id: 'once',
      unknown_sku: 'refused',
      other_token: 'refused',
    },
    analytics: {
      ...referenceConventions,
      freshness: '1s',
      exclusive: true,
    },
  };
}
