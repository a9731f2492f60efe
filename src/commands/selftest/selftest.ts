import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { counted, number, span } from '../../amounts.ts';
import { type ExitCode, exitCode } from '../../exit.ts';
import { launcher } from '../../program-files.ts';
import { embeddedProfile, startEmbedded } from '../../target/embedded.ts';
import type { ProfileInput } from '../../target/profile.ts';
import { checkGroups } from '../../vocabulary/check-ids.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { SelftestArguments } from '../options.ts';
import { listedDefects, listedVariants, readAlterations } from '../serve/serve-alterations.ts';
import { freeFolder, makeFolder, newRunFolder, onInterrupt } from '../shell.ts';
import {
  type Case,
  expectations,
  harmlessRuns,
  honest,
  limitsOf,
  longestFirst,
  promising,
  promisingLittle,
  runArguments,
} from './expectations.ts';
import { assess, isProven, type RunEnd, renderSelftest, type Tried, verdictOn } from './outcome.ts';

/** Runs a selftest from the command line; returns the exit code. Throws usage errors. */
export async function runSelftest(args: SelftestArguments): Promise<ExitCode> {
  const { foreign, jobs = 2 * availableParallelism(), out = freeFolder('selftest') } = args;
  newRunFolder(out);
  const cases = chooseCases(args);
  await makeFolder(join(out, 'runs'));
  const running = new Set<ChildProcess>();
  let isGoingOn = true;
  const stop = (): void => {
    isGoingOn = false;
    // Each one drains, judges and stops its service.
    for (const child of running) child.kill('SIGINT');
  };
  const offInterrupt = onInterrupt(stop, stop);
  const beganMs = Date.now();
  const all: Tried[] = [];
  process.stderr.write(`${counted(cases.length, 'run')}, ${number(jobs)} at once; each takes 10 to 60 s\n`);
  const tryOne = async (tried: Case): Promise<void> => {
    const one = await tryCase(tried, { out, foreign, running });
    // An interrupted run says nothing about its case.
    if (!isGoingOn) return;
    all.push(one);
    process.stderr.write(
      `${number(all.length)} of ${number(cases.length)}  ${tried.id} (${tried.run}, seed ${tried.seed}): ${one.outcome.kind}, ${span(one.tookMs)}\n`,
    );
  };
  const byLength = cases.toSorted((a, b) => longestFirst.indexOf(a.run) - longestFirst.indexOf(b.run));
  try {
    await eachAtOnce(byLength, jobs, tryOne, () => isGoingOn);
  } finally {
    offInterrupt();
  }
  // Of what went as it should, nothing is left.
  await rmdir(join(out, 'runs')).catch(() => undefined);
  const tries = all.toSorted((a, b) => cases.indexOf(a.tried) - cases.indexOf(b.tried));
  const result = { beganMs, tookMs: Date.now() - beganMs, jobs, foreign, planned: cases.length, tries };
  const file = join(out, 'selftest.json');
  await writeFile(file, `${JSON.stringify({ schema_version: 3, ...result }, null, 2)}\n`);
  process.stdout.write(`${renderSelftest(result)}\nReport  ${file}\n`);
  if (!isGoingOn) return exitCode.interrupted;
  return isProven(result) ? exitCode.pass : exitCode.checkFailed;
}

type Selection = Pick<SelftestArguments, 'defect' | 'variant' | 'first-seed' | 'seeds'>;

/** The cases that the arguments name, by default all. Throws a usage error for a name that does not exist. */
export function chooseCases({ defect, 'first-seed': firstSeed, seeds, variant }: Selection): Case[] {
  const each = (texts: readonly string[] = []): string[] => texts.flatMap((text) => text.split(','));
  const [ids, names] = [each(defect), each(variant)];
  const isAll = ids.length + names.length === 0;
  if (!isAll) readAlterations({ defect: ids, variant: names.filter((name) => name !== honest) });
  return [
    ...listedDefects
      .filter(({ id }) => isAll || ids.includes(id))
      .map(({ id, grade, title }): Case => {
        const expected = expectations[id];
        if (expected === undefined) throw new Error(`there is no expectation for defect ${id}`);
        return { id, grade, title, run: expected.run, seed: firstSeed, expected };
      }),
    ...[{ name: honest, title: 'The service without changes' }, ...listedVariants]
      .filter(({ name }) => isAll || names.includes(name))
      .flatMap(({ name, title }) =>
        harmlessRuns(name).flatMap((run) =>
          Array.from({ length: seeds }, (_, at): Case => ({ id: name, title, run, seed: firstSeed + at })),
        ),
      ),
  ];
}

/** A run that takes longer has hung: the longest study has a minute. */
const longestRunMs = 240_000;

/** Runs one case in a separate program. The folder of the run stays if its outcome was not expected. */
async function tryCase(
  tried: Case,
  how: {
    readonly out: string;
    /** Start the service apart and give its URL to the run, which then knows nothing of its past, as of a deployment's. */
    readonly foreign: boolean;
    readonly running: Set<ChildProcess>;
  },
): Promise<Tried> {
  const folder = join('runs', `${tried.id}-${tried.run}-${tried.seed}`);
  const dir = join(how.out, folder);
  const beganMs = performance.now();
  const service = how.foreign ? await startApart(tried) : asEmbedded(tried);
  const profile = `${dir}.profile.json`;
  await writeFile(profile, JSON.stringify(service.profile));
  const args = [...runArguments(tried.run, tried.seed, dir, profile), ...service.args];
  const ended = await runProgram(args, service.environment, how.running).finally(service.stop);
  const outcome = assess(tried, { ...ended, ...(await readVerdicts(dir)) }, how.foreign);
  const isKept = verdictOn[outcome.kind] !== 'pass';
  if (!isKept) for (const path of [dir, profile]) await rm(path, { recursive: true, force: true });
  return { tried, outcome, tookMs: performance.now() - beganMs, ...(isKept ? { folder } : {}) };
}

/** What a run is given so that it meets the service of a case. */
interface ServiceOfCase {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: ProfileInput;
  readonly stop: () => Promise<void>;
}

/** The run starts the service itself. */
function asEmbedded(tried: Case): ServiceOfCase {
  const { expected, id } = tried;
  return {
    args: id === honest ? [] : [expected ? '--defect' : '--variant', id],
    environment: {},
    profile: profileFor(tried),
    stop: () => Promise.resolve(),
  };
}

function profileFor({ expected, id }: Case): ProfileInput {
  return expected || id === honest ? promising : promisingLittle;
}

/** The service is there before the run, which is given its URL, its keys and the promises of its documentation. */
async function startApart(tried: Case): Promise<ServiceOfCase> {
  const { expected, id, run } = tried;
  const options = {
    ...limitsOf(run),
    poolKeys: 0,
    defects: expected ? [id] : [],
    variants: expected || id === honest ? [] : [id],
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
      ...profileFor(tried),
    },
    stop,
  };
}

/** The fields of `verdicts.json` that are compared with the expectation. */
const verdictsFile = z.object({
  checks: z.array(
    z.object({
      id: z.templateLiteral([z.enum(checkGroups), '.', z.string()]),
      verdict: z.enum(['pass', 'fail', 'inconclusive']),
      explanation: z.string(),
    }),
  ),
  diagnosis: z.array(z.object({ cause: z.string(), text: z.string(), checks: z.array(z.string()) })),
});

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
  let hasFailed = false;
  const work = async (): Promise<void> => {
    try {
      for (const item of waiting) if (!hasFailed && goesOn()) await action(item);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

/** The last characters of a program's output that are kept. */
const keptOutput = 20_000;

/** Runs `tryon …` in a separate process, as a user would, to its end. */
function runProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  running: Set<ChildProcess>,
): Promise<Pick<RunEnd, 'code' | 'output'>> {
  const child = spawn(process.execPath, [fileURLToPath(launcher), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    timeout: longestRunMs,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptOutput);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, output });
    });
  });
}
