import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import { openHistory } from '../../src/history/history.ts';
import type { ProfileInput } from '../../src/target/profile.ts';

export const launcher = fileURLToPath(new URL('../../src/launcher.js', import.meta.url));

const cleanUps: (() => unknown)[] = [];

/** `test/setup.ts` calls it after the last test of each file: tests here run side by side, so that none can clean up by itself. */
export async function cleanUpAll(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

export function atEnd(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** A scenario of these tests. */
export function scenario(name: string): string {
  return fileURLToPath(new URL(`./scenarios/${name}.ts`, import.meta.url));
}
export const scaledLaunch = scenario('launch-scaled');

/** One with few calls of the explorer: too few to pass, and enough for a run that fails or is not to pass. */
export function brief(name: string): string {
  const file = join(temporaryFolder(), `${name}.ts`);
  writeFileSync(file, readFileSync(scenario(name), 'utf8').replace('explore: 150', 'explore: 40'));
  return file;
}

/** What runs of the scaled launch are told. The machine may be busy: being late is not what they are about. */
export const patient: ProfileInput = {
  rate_limit: '60/2s',
  quota: { sessions: 15, fresh: true },
  send_lag_bound: '5s',
  analytics: { freshness: '1s', exclusive: true },
};

/** `--profile` with a file that says what is to be told to a run besides. */
export function profileArguments(profile: ProfileInput): string[] {
  const file = join(temporaryFolder(), 'profile.json');
  writeFileSync(file, JSON.stringify(profile));
  return ['--profile', file];
}
/** For runs on a machine that may be busy with something else: a target that answers late is none that is silent. */
export const patiently: ProfileInput = {
  send_lag_bound: '60s',
  timeouts: { connect: '60s', headers: '60s', body: '60s' },
};

/** A folder that goes with the tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-e2e-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How a `tryon` process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `tryon` process of the test's own. */
export interface Program {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once `condition` holds, looked at after each piece of output and now and then; rejects when it ended before. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  readonly output: () => string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command in front, which becomes the program, as `ip netns exec` does. */
  readonly through?: readonly string[];
}

/** Compiled modules of all programs that tests start, whose temporary folders are their own. */
const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

/** Starts `tryon …`. The process ends with the tests in any case. */
export function start(args: readonly string[], { cwd, env = {}, through = [] }: Surroundings = {}): Program {
  const [program = '', ...rest] = [...through, process.execPath, launcher, ...args];
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Only what a program needs: no key of the machine's own may be picked up.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...compiled, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...out }));
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return {
    process: child,
    ended,
    output: () => out.stdout + out.stderr,
    async until(condition) {
      while (!(await condition())) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended before it came to that:\n${out.stdout}${out.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Runs `tryon …` to its end. */
export function tryon(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return start(args, surroundings).ended;
}

/** Runs command lines that end at once, all in one process; see `batch.ts`. */
export async function tryonEach(
  commandLines: readonly (readonly string[])[],
  env: Readonly<Record<string, string>>,
  cwd: string = process.cwd(),
): Promise<readonly Pick<Ended, 'code' | 'stdout' | 'stderr'>[]> {
  const program = fileURLToPath(new URL('./batch.ts', import.meta.url));
  const results = join(temporaryFolder(), 'results.json');
  const child = spawn(process.execPath, [program, results], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { PATH: process.env.PATH, ...compiled, ...env },
    cwd,
  });
  atEnd(() => child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(commandLines));
  await once(child, 'close');
  return JSON.parse(readFileSync(results, 'utf8')) as Pick<Ended, 'code' | 'stdout' | 'stderr'>[];
}

/** `tryon serve` in a process of the test's own. */
export async function serve(
  args: readonly string[],
  through: readonly string[] = [],
): Promise<{
  readonly baseUrl: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly program: Program;
}> {
  // A process that is killed cannot remove its temporary database.
  const program = start(['serve', '--json', ...args], { env: { TMPDIR: temporaryFolder() }, through });
  await program.until(() => program.output().includes('\n'));
  const { base_url: baseUrl, keys } = z
    .object({ base_url: z.string(), keys: z.record(z.string(), z.string()) })
    .parse(JSON.parse(program.output()));
  return { baseUrl, keys, program };
}

export function readVerdicts(dir: string): VerdictsJson {
  return JSON.parse(readFileSync(join(dir, 'verdicts.json'), 'utf8')) as VerdictsJson;
}

/** Every file below a folder with its bytes as text. */
export function filesBelow(dir: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, text: readFileSync(name, 'latin1') }));
}

/** The files of a run folder, and of the streams, that hold one of the secrets; a short piece of it gives it away already. */
export function leaks(dir: string, ended: Ended, secrets: readonly (string | RegExp)[]): string[] {
  const texts = [
    ...filesBelow(dir),
    { name: 'stdout', text: ended.stdout },
    { name: 'stderr', text: ended.stderr },
  ];
  const holds = (text: string, secret: string | RegExp): boolean =>
    typeof secret === 'string' ? text.includes(secret) : secret.test(text);
  return texts.filter(({ text }) => secrets.some((secret) => holds(text, secret))).map(({ name }) => name);
}

/** The checks that did not pass, as `id: verdict (why)`. */
export function troubles(verdicts: VerdictsJson): string[] {
  return verdicts.checks
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ explanation, id, verdict }) => `${id}: ${verdict} (${explanation})`);
}

/** Keys on which a run sent more than `run.json` announced. */
export async function overBudget(dir: string): Promise<string[]> {
  const history = await openHistory(dir);
  try {
    const spent = await history.rows(
      z.object({ role: z.string(), requests: z.number(), sessions: z.number(), imports: z.number() }),
      `SELECT credential AS role, count(*) AS requests, count(*) FILTER (endpoint = 'create-session' AND status BETWEEN 200 AND 299) AS sessions,
         count(*) FILTER (endpoint = 'import-shades') AS imports
       FROM requests WHERE sent_ns IS NOT NULL AND credential IN ('load', 'quota', 'twin', 'bystander') GROUP BY ALL`,
    );
    return spent.flatMap(({ role, ...counts }) => {
      const announced = history.run.budget.find((row) => row.role === role);
      return (['requests', 'sessions', 'imports'] as const)
        .filter((what) => counts[what] > (announced?.[what] ?? 0))
        .map((what) => `${role}: ${counts[what]} ${what}, announced ${announced?.[what] ?? 0}`);
    });
  } finally {
    history.close();
  }
}

/** The groups in which a check failed. */
export function failedGroups(verdicts: VerdictsJson): string[] {
  const failed = verdicts.checks.filter(({ verdict }) => verdict === 'fail');
  return [...new Set(failed.map(({ id }) => id.split('.')[0] ?? ''))];
}

/** Lets at most `most` tasks run at once; the machine has two cores, and a run that is late says so. */
export function atMost(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    while (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
