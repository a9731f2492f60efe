import { counted, number } from '../amounts.ts';
import { exploredPower, shownByHalf } from '../checks/contract/explored/explored.ts';
import { type ExploredFindings, exploredFindings } from '../checks/contract/explored/findings.ts';
import { keysWanted } from '../checks/core/unanswered.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import type { Diagnosed, Judgement } from '../checks/diagnosis/diagnosis.ts';
import { reasonText } from '../checks/reasons/reason.ts';
import { steppedText } from '../checks/reasons/words/clock.ts';
import type { History } from '../history/history.ts';
import type { RunInfo } from '../history/run.ts';
import { type KeyFigure, keyFigures, stopsOf } from './key-figures.ts';
import { capacityLine, limiterLine, quotaLine } from './sections/results.ts';
import { compared, isPlain } from './shown.ts';
import { instant, shellWord } from './text.ts';
import { bySeverity } from './words.ts';

/** What a reader asks first, for every printer: the verdict, why, and the numbers. */
export interface ReportAnswer {
  readonly run: RunInfo;
  readonly judgement: Judgement;
  /** What a reader has to know before trusting the rest; an early end comes first. */
  readonly notices: readonly Notice[];
  /** Probable causes, the likeliest first; then each check that did not pass and that no cause explains. */
  readonly findings: readonly ReportFinding[];
  readonly figures: readonly KeyFigure[];
  /** What studies of the run found, each in a clause: the limiter, the capacity. */
  readonly results: readonly KeyFigure[];
  /** What a pass of the contract excludes, in words, and how many faults it does not, and what more calls are worth; absent where it excludes nothing. */
  readonly power?: { readonly text: string; readonly others: number; readonly more: string } | undefined;
}

interface Notice {
  readonly title: string;
  readonly text: string;
  readonly isEarlyEnd?: boolean;
}

/** A probable cause with the checks that it explains, or one check that none explains. */
export interface ReportFinding {
  readonly verdict: 'fail' | 'inconclusive';
  /** `Probable cause 1 of 2 (shown)`, or the id of the check. */
  readonly heading: string;
  readonly title: string;
  /** What decides. */
  readonly explanation: string;
  readonly cause?: Diagnosed;
  /** The one whose numbers decide comes first; of parts that were left out, none. */
  readonly checks: readonly CheckResult[];
}

/** The answer of a run. */
export async function answerOf(history: History, judgement: Judgement): Promise<ReportAnswer> {
  const { integrity, run } = history;
  const altered = integrity.kind === 'altered' ? integrity.differences : [];
  const explored = await exploredFindings(history);
  const power = await exploredPower(history);
  const found = {
    Limiter: await limiterLine(history),
    Quota: quotaLine(judgement),
    Capacity: await capacityLine(history),
  };
  return answerFrom(run, judgement, {
    notices: [
      ...(await stopsOf(history)).map(({ at_ns, detail, reason }) => ({
        title: `The run ended early at ${instant(at_ns)} (${reason})`,
        text: detail,
        isEarlyEnd: true,
      })),
      ...(altered.length === 0
        ? []
        : [
            {
              title: 'History altered',
              text: `the files are not what the run wrote: ${altered.join('; ')}. Do not rely on this report.`,
            },
          ]),
    ],
    figures: await keyFigures(history, judgement),
    results: Object.entries(found).flatMap(([label, value]): KeyFigure[] =>
      value === undefined ? [] : [{ label, value, rank: 'first' }],
    ),
    power: power &&
      explored && {
        text: `Would have shown ${number(power.shown)} of ${counted(power.faults, 'known fault')} of keys, shades, sessions and events`,
        others: power.faults - power.shown,
        more: power.shown < enoughShown * power.faults ? moreCalls(explored) : '',
      },
  });
}

/** A run that shows this part of the known faults is told of no more calls. Ours. */
const enoughShown = 0.9;

/** What more calls would be worth, by what the second half of them was. */
function moreCalls(findings: ExploredFindings): string {
  const half = shownByHalf(findings);
  return `Half of the calls would have shown ${number(half)}: more of them are sent by tryon run explore --budget 5m.`;
}

/** The same from what is known without the history. */
export function answerFrom(
  run: RunInfo,
  judgement: Judgement,
  more: Partial<Pick<ReportAnswer, 'figures' | 'notices' | 'power' | 'results'>> = {},
): ReportAnswer {
  const own = more.notices ?? [];
  const early = own.filter(({ isEarlyEnd }) => isEarlyEnd);
  return {
    figures: [],
    results: [],
    ...more,
    run,
    judgement,
    notices: [
      ...(early.length === 0 ? earlyEnd(run) : early),
      ...noticesOf(run, judgement),
      ...own.filter((each) => !early.includes(each)),
    ],
    findings: findingsOf(judgement),
  };
}

/** Why the run ended before its plan was carried out. All else that a report says follows from it. */
function earlyEnd({ ended }: RunInfo): Notice[] {
  if (ended === undefined)
    return [{ title: 'The run was killed', text: 'the history has no record of its end.', isEarlyEnd: true }];
  if (ended.how === 'completed') return [];
  const text = ended.detail ?? 'no detail was recorded';
  return [{ title: `The run ended early (${ended.how})`, text, isEarlyEnd: true }];
}

export function endedEarly({ notices }: ReportAnswer): boolean {
  return notices.some(({ isEarlyEnd }) => isEarlyEnd);
}

function noticesOf(run: RunInfo, { checks, diagnosis: { causes }, generatorBound }: Judgement): Notice[] {
  const wanted = keysWanted(run, checks);
  const steps = checks.flatMap(({ reasons }) =>
    reasons.flatMap((each) =>
      each.code === 'answers-clock-stepped' || each.code === 'limit-clock-stepped'
        ? [steppedText(each.params)]
        : each.code === 'answers-clocks-differ'
          ? [reasonText(each)]
          : [],
    ),
  );
  return [
    ...(generatorBound && !causes.some(({ cause }) => cause.code === 'generator-late')
      ? [
          {
            title: 'Generator-bound',
            text: 'this machine could not keep to the plan, so capacity and latency say nothing about the target.',
          },
        ]
      : []),
    ...(wanted.length === 0
      ? []
      : [
          {
            title: 'Not judged: a key is missing',
            text: `${wanted.map(({ isPart, role, what }) => `${what}${isPart ? ' in part' : ''} (${role})`).join(', ')}.`,
          },
        ]),
    ...steps.slice(0, 1).map((text) => ({ title: 'Clock', text })),
  ];
}

function findingsOf({ checks, diagnosis: { causes } }: Judgement): ReportFinding[] {
  const known = new Set(causes.flatMap((each) => each.checks));
  const others = bySeverity(checks).filter(({ id, verdict }) => verdict !== 'pass' && !known.has(id));
  const leftOut = others.filter(({ reasons }) => reasons.some(({ code }) => code === 'left-out'));
  const alone = leftOut.length > 1 ? others.filter((each) => !leftOut.includes(each)) : others;
  return [
    ...causes.map((cause): ReportFinding => {
      const own = checks.filter(({ id }) => cause.checks.includes(id));
      const [decisive = own[0]] = own.filter(hasOtherNumbers);
      return {
        verdict: cause.explains,
        heading: headingOf(cause, causes),
        title: cause.text,
        explanation: decisive?.explanation ?? '',
        cause,
        checks: [...own.filter((each) => each === decisive), ...own.filter((each) => each !== decisive)],
      };
    }),
    ...alone.flatMap((check): ReportFinding[] => {
      const { explanation, id, title, verdict } = check;
      return verdict === 'pass' ? [] : [{ verdict, heading: id, title, explanation, checks: [check] }];
    }),
    ...(leftOut.length > 1 ? [leftOutFinding(leftOut)] : []),
  ];
}

/** Parts of the scenario that the run had no room for: one finding, however many they are. */
function leftOutFinding(checks: readonly CheckResult[]): ReportFinding {
  return {
    verdict: 'inconclusive',
    heading: 'Left out',
    title: `${counted(checks.length, 'question')} of the scenario, for which the run has no room`,
    explanation: checks.map(({ explanation, title }) => `${title} ${explanation}`).join(' '),
    checks: [],
  };
}

/** `Probable cause (shown)`, with its number where there are several; other words where nothing failed because of it. */
function headingOf(cause: Diagnosed, causes: readonly Diagnosed[]): string {
  const alike = causes.filter(({ explains }) => explains === cause.explains);
  const which = alike.length > 1 ? ` ${alike.indexOf(cause) + 1} of ${alike.length}` : '';
  const what = cause.explains === 'fail' ? 'Probable cause' : 'Why checks are inconclusive';
  return `${what}${which} (${cause.certainty})`;
}

const certainties: Readonly<Record<Diagnosed['certainty'], string>> = {
  shown: '“Shown”: no other explanation is known.',
  fits: '“Fits”: other explanations are possible.',
};

/** What the words behind the causes of these findings mean; empty where they have none. */
export function certaintyWords(findings: readonly ReportFinding[]): string {
  const used = new Set(findings.flatMap(({ cause }) => cause?.certainty ?? []));
  return [...used].map((each) => certainties[each]).join(' ');
}

/** Whether numbers alone contradict what was expected: such a check shows best what is wrong. */
function hasOtherNumbers({ expected, observed }: CheckResult): boolean {
  return compared(expected, observed).differ.some(
    (each) => typeof each.expected !== 'string' && (!isPlain(each.expected) || each.observed !== null),
  );
}

/** `Explains 4 checks: analytics.product-filter, …`, within a number of columns whole ids, and how many more. */
export function explained({ checks }: Diagnosed, columns = Number.POSITIVE_INFINITY): string {
  const texts = checks.map((_, left) => {
    const ids = checks.slice(0, checks.length - left).join(', ');
    return `Explains ${counted(checks.length, 'check')}: ${ids}${left === 0 ? '' : ` and ${number(left)} more`}`;
  });
  return texts.find(({ length }) => length <= columns) ?? `Explains ${counted(checks.length, 'check')}`;
}

/** `Also fits: … Against it: rate-limit.limit passed.`, if anything does. */
export function doubts({ alternatives, contradictedBy }: Diagnosed): string | undefined {
  const texts = [
    ...(alternatives.length === 0 ? [] : [`Also fits: ${alternatives.join(' Or: ')}`]),
    ...(contradictedBy.length === 0 ? [] : [`Against it: ${contradictedBy.join(', ')} passed.`]),
  ];
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** The command that shows the cause of a failure again. */
export function reproduceCommand({ cause, explains }: Diagnosed, runDir: string): string | undefined {
  return explains === 'fail' ? `npx tryon reproduce ${shellWord(runDir)} ${cause.code}` : undefined;
}

/** `seed 1, scale 0.2`: which of the plans of a scenario it was. */
export function planName({ asked, seed }: Pick<RunInfo, 'asked' | 'seed'>): string {
  return `seed ${seed}${asked?.scale === undefined ? '' : `, scale ${asked.scale}`}`;
}

/** The target's name, by its profile; for the embedded service with its planted defects. */
export function targetName({ profile, target }: Pick<RunInfo, 'profile' | 'target'>): string {
  if (typeof profile.name === 'string') return profile.name;
  return target.kind === 'embedded' ? 'embedded reference service' : 'target';
}
