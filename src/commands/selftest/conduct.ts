import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { launcher } from '../../program-files.ts';
import { embeddedProfile, startEmbedded } from '../../target/embedded.ts';
import type { ProfileInput } from '../../target/profile.ts';
import { checkGroups } from '../../vocabulary/check-ids.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { assess, type CaseOutcome, type RunEnd, verdictOn } from './assess.ts';
import { honest } from './cases.ts';
import { type Case, limitsOf, promising, promisingLittle, runArguments } from './expectations.ts';

/** A case and its outcome. */
export interface Tried {
  readonly tried: Case;
  readonly outcome: CaseOutcome;
  readonly tookMs: number;
  /** The run's folder, below that of the selftest; undefined when it was not kept. */
  readonly folder: string | undefined;
}

/** The folder of the runs, below that of the selftest. */
export const runsFolder = 'runs';
/** A run that takes longer has hung: the longest study has a minute. */
const longestRunMs = 240_000;

/** The fields of `verdicts.json` that are compared with the expectation. */
const verdictsFile = z.object({
  checks: z.array(
    z.object({
      id: z.templateLiteral([z.enum(checkGroups), '.', z.string()]),
      title: z.string(),
      verdict: z.enum(['pass', 'fail', 'inconclusive']),
      explanation: z.string(),
    }),
  ),
  diagnosis: z.array(z.object({ cause: z.string(), text: z.string(), checks: z.array(z.string()) })),
});

/** Runs the cases, several at once, and passes on each result as it ends. */
export async function conduct(
  cases: readonly Case[],
  options: {
    readonly programs: Programs;
    /** Where runs and their profiles are put. */
    readonly folder: string;
    readonly jobs: number;
    /** Keep the folders of all runs, not only of those with an unexpected result. */
    readonly keepAll: boolean;
    /** Start each service apart and give its URL to the run, which then knows nothing of its past, as of a deployment's. */
    readonly foreign: boolean;
    readonly goesOn: () => boolean;
    readonly onTried: (tried: Tried) => void;
  },
): Promise<void> {
  const { folder, foreign, goesOn, jobs, keepAll, onTried, programs } = options;
  const runs = join(folder, runsFolder);
  await mkdir(runs, { recursive: true });
  const tryOne = async (tried: Case): Promise<void> => {
    const name = join(runsFolder, `${tried.id}-${tried.run}-${tried.seed}`);
    const out = join(folder, name);
    const beganMs = performance.now();
    const started = foreign ? await startApart(tried) : asEmbedded(tried);
    const profile = `${out}.profile.json`;
    await writeFile(profile, JSON.stringify(started.profile));
    const { code, output } = await programs
      .run(
        [...runArguments(tried.run, tried.seed, out, profile), ...started.args],
        longestRunMs,
        started.environment,
      )
      .finally(started.stop);
    if (!goesOn()) return;
    const tookMs = performance.now() - beganMs;
    const end: RunEnd = { code, output, ...(await readVerdicts(out)) };
    const outcome = assess(tried, end, foreign);
    const keep = keepAll || verdictOn[outcome.kind] !== 'pass';
    if (!keep) await Promise.all([out, profile].map((path) => rm(path, { recursive: true, force: true })));
    onTried({ tried, outcome, tookMs, folder: keep ? name : undefined });
  };
  await eachAtOnce(cases, jobs, tryOne, goesOn);
}

/** What a run is given so that it meets the service of a case. */
interface ServiceOfCase {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: ProfileInput;
  readonly stop: () => Promise<void>;
}

function isVariant({ expected, id }: Case): boolean {
  return expected === undefined && id !== honest;
}

/** The run starts the service itself. */
function asEmbedded(tried: Case): ServiceOfCase {
  const option = tried.expected ? '--defect' : '--variant';
  return {
    args: tried.id === honest ? [] : [option, tried.id],
    environment: {},
    profile: isVariant(tried) ? promisingLittle : promising,
    stop: () => Promise.resolve(),
  };
}

/** The service is there before the run, which is given its URL, its keys and the promises of its documentation. */
async function startApart(tried: Case): Promise<ServiceOfCase> {
  const options = {
    ...limitsOf(tried.run),
    poolKeys: 0,
    defects: tried.expected ? [tried.id] : [],
    variants: isVariant(tried) ? [tried.id] : [],
  };
  const { baseUrl, keys, stop } = await startEmbedded(options);
  const variable = (role: Role): string => `TRYON_SELFTEST_${role.toUpperCase()}`;
  return {
    args: ['--target', baseUrl, ...roles.flatMap((role) => ['--key', `${role}=${variable(role)}`])],
    environment: Object.fromEntries(roles.map((role) => [variable(role), keys[role]?.value ?? ''])),
    profile: {
      ...embeddedProfile(options),
      name: 'selftest',
      // Nothing says so of a deployment's keys.
      exclusive_keys: false,
      ...(isVariant(tried) ? promisingLittle : promising),
    },
    stop,
  };
}

/** Reads the verdicts that a run left in its folder. */
export async function readVerdicts(out: string): Promise<Pick<RunEnd, 'checks' | 'diagnosis'>> {
  try {
    return verdictsFile.parse(JSON.parse(await readFile(join(out, 'verdicts.json'), 'utf8')));
  } catch {
    // There may be none, or half of one: the case then says how its run ended.
    return { checks: undefined, diagnosis: [] };
  }
}

/**
 * Runs an action on each item, `atOnce` at a time, starting in order. It starts no more once `goesOn` returns false.
 * Rejects with the first error, after those under way have ended.
 */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  action: (item: Item) => Promise<void>,
  goesOn: () => boolean,
): Promise<void> {
  const waiting = items.values();
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (failure !== undefined || !goesOn()) return;
      try {
        await action(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failure !== undefined) throw failure.error;
}

/** The last characters of a program's output that are kept. */
const keptOutput = 200_000;

/** How a program ended. */
interface Ended {
  /** Null when a signal ended it, or it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly output: string;
}

/** Runs `tryon …` in separate processes, as a user would. */
export class Programs {
  readonly #running = new Set<ChildProcess>();

  /** Runs it to its end; kills it after `withinMs`. `environment` is added to that of this process. */
  run(
    args: readonly string[],
    withinMs: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const child = spawn(process.execPath, [fileURLToPath(launcher), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.#running.add(child);
    const kept = { stdout: '', output: '' };
    const keep = (name: keyof typeof kept, text: string): void => {
      kept[name] = (kept[name] + text).slice(-keptOutput);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      keep('stdout', text);
      keep('output', text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => keep('output', text));
    const killer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    return new Promise((resolve) => {
      const over = (code: number | null): void => {
        clearTimeout(killer);
        this.#running.delete(child);
        resolve({ code, ...kept });
      };
      child.once('error', ({ message }) => {
        keep('output', `\n${message}`);
        over(null);
      });
      child.once('close', over);
    });
  }

  /** Tells every one that runs to end; each drains, judges and stops its service. */
  interrupt(): void {
    for (const child of this.#running) child.kill('SIGINT');
  }
}
