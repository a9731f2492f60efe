import { z } from 'zod';
import { exitCode } from '../../exit.ts';
import type { RunEnd } from '../assess.ts';
import { diffOf, type Mutant } from './enumerate.ts';
import { operators } from './operators.ts';
import type { MutantRun } from './runs.ts';

/** How a mutant ended. */
const outcomeSchema = z.discriminatedUnion('kind', [
  /** A run failed. */
  z.object({
    kind: z.literal('killed'),
    run: z.string(),
    /** The failed checks. */
    checks: z.array(z.string()),
    /** The first probable cause. */
    cause: z.string().optional(),
    text: z.string().optional(),
  }),
  /** No run failed. */
  z.object({
    kind: z.literal('survived'),
    /** Checks that could not judge, although they can judge the service as it is. */
    inconclusive: z.array(z.object({ run: z.string(), checks: z.array(z.string()) })),
  }),
  /** The service does not start, or set-up ends the run: nothing was judged. */
  z.object({ kind: z.literal('invalid'), run: z.string(), why: z.string() }),
  /** No run reaches the changed place. */
  z.object({ kind: z.literal('unreached') }),
]);
export type MutantOutcome = z.output<typeof outcomeSchema>;

/** A mutant that was tried: a line of the results. */
export const triedMutantSchema = z.object({
  id: z.string(),
  operator: z.enum(Object.keys(operators) as [keyof typeof operators]),
  path: z.string(),
  line: z.int(),
  name: z.string(),
  before: z.string(),
  after: z.string(),
  diff: z.string(),
  outcome: outcomeSchema,
  /** The runs that it went through. */
  runs: z.array(z.string()),
  seconds: z.number(),
  /** Digest of the program that tried it. */
  program: z.string(),
});
export type TriedMutant = z.output<typeof triedMutantSchema>;

/** A run of the service as it is. */
export interface BaselineRun {
  /** Checks that cannot judge even the service as it is. */
  readonly inconclusive: readonly string[];
  readonly reaches: (mutant: Mutant) => boolean;
}

/** Runs a mutant once. */
type RunMutant = (mutant: Mutant, run: string) => Promise<RunEnd>;

/** Puts a mutant through the runs that reach it, in their order, until one fails. */
export async function tryMutant(
  mutant: Mutant,
  possible: readonly Pick<MutantRun, 'name'>[],
  baseline: (run: string) => Promise<BaselineRun>,
  run: RunMutant,
): Promise<{ readonly outcome: MutantOutcome; readonly runs: readonly string[] }> {
  const runs: string[] = [];
  const inconclusive: { run: string; checks: string[] }[] = [];
  for (const { name } of possible) {
    const { inconclusive: usual, reaches } = await baseline(name);
    if (!reaches(mutant)) continue;
    runs.push(name);
    let end = await run(mutant, name);
    // A busy machine is slow once; a slow mutant is slow again. A late request may miss what would have told.
    const isSlow = failedIn(end).some(isSlowness) && failedIn(end).every(isSlowness);
    if (isSlow || (failedIn(end).length === 0 && wasLate(end, usual))) end = await run(mutant, name);
    const failed = failedIn(end);
    if (failed.length > 0) {
      const [first] = end.diagnosis;
      const cause = first === undefined ? {} : { cause: first.cause, text: first.text };
      return { outcome: { kind: 'killed', run: name, checks: failed, ...cause }, runs };
    }
    if (end.checks === undefined || (end.code !== exitCode.pass && end.code !== exitCode.inconclusive))
      return { outcome: { kind: 'invalid', run: name, why: whyInvalid(end) }, runs };
    const unsure = end.checks
      .filter(({ id, verdict }) => verdict === 'inconclusive' && !usual.includes(id))
      .map(({ id }) => id);
    if (unsure.length > 0) inconclusive.push({ run: name, checks: unsure });
  }
  return { outcome: runs.length === 0 ? { kind: 'unreached' } : { kind: 'survived', inconclusive }, runs };
}

function wasLate({ checks }: RunEnd, usual: readonly string[]): boolean {
  return (checks ?? []).some(
    ({ id, verdict }) => verdict === 'inconclusive' && id.startsWith('generator.') && !usual.includes(id),
  );
}

function failedIn({ checks }: RunEnd): string[] {
  return (checks ?? []).filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

function isSlowness(check: string): boolean {
  return check.startsWith('latency.');
}

/** A line of the results. */
export function triedMutant(
  mutant: Mutant,
  tried: Awaited<ReturnType<typeof tryMutant>>,
  about: { readonly seconds: number; readonly program: string },
): TriedMutant {
  const { after, before, id, line, name, operator, path } = mutant;
  return {
    ...{ id, operator, path, line, name, before, after, diff: diffOf(mutant) },
    outcome: tried.outcome,
    runs: [...tried.runs],
    ...about,
  };
}

function whyInvalid({ code, output }: RunEnd): string {
  if (code === null) return 'the run did not end';
  const lines = output.trim().split('\n');
  const telling = lines.findLast((line) => /^tryon|error|fail/i.test(line)) ?? lines.at(-1) ?? '';
  return telling.slice(0, 300);
}
