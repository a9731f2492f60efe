import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { checkGroups } from '../vocabulary/check-ids.ts';
import { assess, type CaseOutcome, type RunEnd, verdictOn } from './assess.ts';
import { type Case, honest } from './cases.ts';
import type { Programs } from './program.ts';
import { promising, promisingLittle, runArguments } from './runs.ts';

/** A case and its outcome. */
export interface Tried<Kind extends Case = Case> {
  readonly tried: Kind;
  readonly outcome: CaseOutcome;
  readonly tookMs: number;
  /** The run's folder, below that of the selftest; undefined when it was not kept. */
  readonly folder: string | undefined;
}

/** The folder of the runs, below that of the selftest. */
export const runsFolder = 'runs';
/** A run that takes longer has hung: the longest study has a minute. */
export const longestRunMs = 240_000;

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
    readonly goesOn: () => boolean;
    readonly onTried: (tried: Tried) => void;
  },
): Promise<void> {
  const { folder, goesOn, jobs, keepAll, onTried, programs } = options;
  const runs = join(folder, runsFolder);
  await mkdir(runs, { recursive: true });
  const profiles = { promising: join(runs, 'promising.json'), little: join(runs, 'promising-little.json') };
  await writeFile(profiles.promising, JSON.stringify(promising));
  await writeFile(profiles.little, JSON.stringify(promisingLittle));
  const tryOne = async (tried: Case): Promise<void> => {
    const name = join(runsFolder, `${tried.id}-${tried.run}-${tried.seed}`);
    const out = join(folder, name);
    const isVariant = tried.kind === 'harmless' && tried.id !== honest;
    const profile = isVariant ? profiles.little : profiles.promising;
    const alteration =
      tried.kind === 'defect' ? ['--defect', tried.id] : isVariant ? ['--variant', tried.id] : [];
    const beganMs = performance.now();
    const { code, output } = await programs.run(
      [...runArguments(tried.run, tried.seed, out, profile), ...alteration],
      longestRunMs,
    );
    if (!goesOn()) return;
    const tookMs = performance.now() - beganMs;
    const end: RunEnd = { code, output, ...(await readVerdicts(out)) };
    const outcome = assess(tried, end);
    const keep = keepAll || verdictOn(outcome) !== 'pass';
    if (!keep) await rm(out, { recursive: true, force: true });
    onTried({ tried, outcome, tookMs, folder: keep ? name : undefined });
  };
  await eachAtOnce(cases, jobs, tryOne, goesOn);
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
