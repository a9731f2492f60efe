import { counted } from '../../amounts.ts';
import {
  type Few,
  groupOfId,
  type Repeatable,
  repeatableCauses,
  type StillThere,
  stillThere,
} from '../../checks/diagnosis/again.ts';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import { type ExitCode, exitCode, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import { verdictWords } from '../../report/words.ts';
import { cutTo } from '../../scenario/define.ts';
import type { Keys } from '../../target/keys.ts';
import type { Profile } from '../../target/profile.ts';
import { closest } from '../../vocabulary/closest.ts';
import type { ReproduceArguments } from '../options.ts';
import { conclude, withJudgement } from '../run/conclude.ts';
import { previewTarget } from '../run/open-target.ts';
import { planRun } from '../run/plan-run.ts';
import { environment, freeFolder, newRunFolder, say } from '../shell.ts';
import { type Again, againOf, sendAgain, tell } from './replay-run.ts';
import { assertEnded } from './run-facts.ts';

/** A part of a run is sent again if it takes at most this time, or this share of the time of the run. Ours. */
const mostMs = 60_000;
const mostShare = 0.5;

/** What of a run shows a cause, ready to be sent. */
interface RepeatedPart {
  readonly again: Again;
  /** Of a part; undefined where it takes the whole run. */
  readonly part?: {
    /** Families of the probes in it. */
    readonly families: readonly string[];
    /** The names of all phases of the run: a part has the same shoppers as the run. */
    readonly phases: readonly string[];
    /** How many requests of the run are in it. */
    readonly requests: number;
    /** Those of its shoppers that may show the cause without the others. */
    readonly few: Few | undefined;
  };
}

/**
 * Sends the part of a run again that shows a cause, or all of it where no part does: exit code 0 if it no longer fails, 1 if
 * it does, 3 if that cannot be told. Without a cause, lists those of the run. Throws usage and target errors.
 */
export async function reproduce(args: ReproduceArguments): Promise<ExitCode> {
  const { cause, dir } = args;
  await assertEnded(dir);
  const { causes, run } = await withJudgement(dir, async (history, judgement) => ({
    run: history.run,
    causes: await repeatableCauses(history, judgement),
  }));
  const again = await againOf(run, args);
  const partFor = (each: Repeatable): RepeatedPart => partOf(each, run, again, args);
  if (cause === undefined) {
    say(`${causes.length === 0 ? 'No check with a known cause failed' : 'Causes of what failed'} in ${dir}`);
    for (const each of causes) tellWay(dir, each, partFor(each));
    return exitCode.pass;
  }
  const wanted = causes.find(({ code }) => code === cause);
  if (wanted === undefined) {
    const codes = causes.map(({ code }) => code);
    const meant = closest(cause, codes);
    throw usageError(
      codes.length === 0
        ? `${dir}: no check with a known cause failed, so there is no cause ${cause}`
        : `${dir}: no cause ${cause}; ${meant === undefined ? '' : `did you mean ${meant}? `}the run has ${codes.join(', ')}`,
    );
  }
  return send(wanted, partFor(wanted), args);
}

/** The part of the run that shows a cause, if there is one that takes much less than the run. */
function partOf(
  { checks, part }: Repeatable,
  run: RunInfo,
  again: Again,
  options: ReproduceArguments,
): RepeatedPart {
  if (part === undefined) return { again };
  const { args: whole, file, notes } = again;
  const { families, few, phases, requests, studies } = part;
  // Unusual values are sent where the contract is checked.
  const groups = [
    ...new Set([...checks.map(groupOfId), ...(families.includes('corners') ? (['contract'] as const) : [])]),
  ];
  const kept = { probes: families.length > 0, phases, studies, checks: groups };
  const reduced = { ...file, scenario: cutTo(file.scenario, kept) };
  // A budget for parts of a scenario was for all of them; threads share only what is long.
  const budgeted = file.scenario.parts.length === 0 ? whole.budget : undefined;
  const args = { ...whole, budget: budgeted, workers: undefined };
  // Nothing is sent with these keys, so that causes can be listed without the real ones.
  const standIns = (places: Profile['keys']): Keys =>
    Object.fromEntries(Object.keys(places).map((role) => [role, { value: role, from: 'preview' }]));
  const target = previewTarget(args, reduced.scenario, environment(options['env-file']), standIns);
  const { budget } = planRun(target, args, { file: reduced, seed: run.seed, wanted: 1 });
  if (budget.totalMs > Math.max(mostMs, mostShare * run.minutes * 60_000)) return { again };
  const all = run.phases.map(({ name }) => name);
  return { again: { file: reduced, args, notes }, part: { families, few, phases: all, requests } };
}

function tellWay(dir: string, { code, texts }: Repeatable, { part }: RepeatedPart): void {
  say('');
  say(`${code}: ${texts.join(' ')}`);
  const what =
    part === undefined
      ? 'The whole run shows it'
      : `A part of the run shows it (${costOf(part.few ?? part)})`;
  say(`${what}: tryon reproduce ${dir} ${code}`, 2);
}

function costOf({ requests }: Pick<Few, 'requests'>): string {
  return `about ${counted(requests, 'request')}`;
}

/** First what few shoppers send; where that does not show the cause, the whole part: other shoppers may. */
async function send(wanted: Repeatable, repeated: RepeatedPart, args: ReproduceArguments): Promise<ExitCode> {
  const { again, part } = repeated;
  const few = part?.few;
  const outDir = newRunFolder(args.out ?? freeFolder(`reproduce-${wanted.code}`));
  const whole = few === undefined ? outDir : newRunFolder(`${outDir}-more`);
  tell(again.notes);
  if (part !== undefined && few !== undefined) {
    const { code, answer } = await sendPart(wanted, repeated, args, outDir);
    if (answer === undefined || answer === 'yes') return code;
    say(`${counted(few.shoppers.length, 'shopper')} alone did not show it; others of the run may.`);
  }
  const all = part === undefined ? repeated : { again, part: { ...part, few: undefined } };
  const { answer, code } = await sendPart(wanted, all, args, whole);
  const advice = answer === undefined ? undefined : adviceFor(answer, wanted, args.dir);
  if (advice !== undefined) say(advice);
  return code;
}

/** What a part shows; no answer if it ended early. */
interface PartAnswer {
  readonly code: ExitCode;
  readonly answer?: StillThere | undefined;
}

async function sendPart(
  wanted: Repeatable,
  { again, part }: RepeatedPart,
  args: ReproduceArguments,
  outDir: string,
): Promise<PartAnswer> {
  let answer: StillThere | undefined;
  const code = await sendAgain(again, args, outDir, {
    ...(part && {
      onlyProbes: (part.few ?? part).families,
      excerpt: { phases: part.phases, shoppers: part.few && new Set(part.few.shoppers) },
      isAnnounced: true,
    }),
    assertUseful: ({ target }) =>
      say(
        `Sends ${part === undefined ? 'the whole run again' : costOf(part.few ?? part)} to ${target.base_url}`,
      ),
    judge: async ({ how }) => {
      const judgement = await conclude(outDir, { isQuiet: true });
      if (how !== 'completed') {
        say(`Ended early (${how}), so that nothing can be said about ${wanted.code}`);
        return exitCode.inconclusive;
      }
      answer = stillThere(wanted, judgement);
      if (part?.few === undefined || answer === 'yes') tellAnswer(wanted, answer, judgement);
      say(`Report  ${outDir}/report.html`);
      return exits[answer];
    },
  });
  return { code, answer };
}

const exits: Readonly<Record<StillThere, ExitCode>> = {
  yes: exitCode.checkFailed,
  otherwise: exitCode.checkFailed,
  no: exitCode.pass,
  unknown: exitCode.inconclusive,
};

function tellAnswer({ checks, code }: Repeatable, answer: StillThere, judgement: Judgement): void {
  const shown = judgement.checks.filter(
    ({ causes = [], id }) => checks.includes(id) || causes.some(({ cause }) => cause.code === code),
  );
  const others = new Set(shown.flatMap(({ causes = [] }) => causes.map(({ cause }) => cause.code)));
  const words: Readonly<Record<StillThere, string>> = {
    yes: `Still fails: ${code}`,
    otherwise: `Still fails, for another cause than ${code}: ${[...others].join(', ') || 'none known'}`,
    no: `No longer fails: ${code}`,
    unknown: `Cannot tell: ${code}`,
  };
  say('');
  say(words[answer]);
  for (const { explanation, id, verdict } of shown)
    say(`${verdictWords[verdict].mark} ${id}: ${explanation}`, 2);
}

function adviceFor(answer: StillThere, { part }: Repeatable, dir: string): string | undefined {
  if (answer === 'unknown')
    return part === undefined ? 'Send it once more.' : `Send it once more, or use: tryon replay ${dir}`;
  return answer === 'no' && part?.isShownElsewhere === true
    ? `Other requests of the run showed it, too: tryon replay ${dir} sends all of them.`
    : undefined;
}
