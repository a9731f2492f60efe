import { counted, listed, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Profile } from '../../target/profile.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';
import { type CheckResult, evidence, type Shown } from '../verdict.ts';
import { type Allowed, type AverageMeasure, dayWords, endWords, measureWords } from './conventions.ts';
import { leastOtherwise } from './frame-words.ts';
import type { ConventionName, Inferred, InferredConventions } from './inferred.ts';
import { judgeAccounts } from './judge-accounts.ts';
import type { Choice, Search } from './search.ts';
import type { AnswerField } from './sources.ts';
import { ofConventions, type SuspectsByField } from './suspects.ts';
import type { AnalyticsTable } from './table.ts';
import { knownWords } from './whose-data.ts';

/** How a convention is called in the result; as in the profile, where it has it. */
const names: Readonly<Record<ConventionName, string>> = {
  date_format: 'date_format',
  end_date: 'end_date',
  time_zone: 'time_zone',
  session_day: 'session_day',
  shades_per_session: 'shades_per_session',
  sessions_averaged: 'sessions_averaged',
  cart_intent_over: 'cart_intent_rate over sessions',
  cart_intent: 'cart_intent',
  top_shades: 'top_shades',
  tie_order: 'order of ties in top_shades',
  rounding: 'rounding',
  account: 'account',
};

/** What the other checks saw. */
interface Seen {
  readonly suspects: SuspectsByField;
  /** Fields that the same question got differently. */
  readonly changing: readonly AnswerField[];
}

/** Which conventions fit every answer jointly, and whether the profile's own are among them. */
export function conventionsResult(history: History, table: AnalyticsTable, seen: Seen): CheckResult {
  const { search, rows, conventions, allowed } = table;
  const profile = history.profile.analytics;
  const expected: Shown = {
    date_format: profile.date_format,
    data_scope: history.profile.data_scope,
    end_date: profile.end_date,
    time_zone: profile.time_zone,
    session_day: profile.session_day,
    shades_per_session: profile.shades_per_session,
    sessions_averaged: profile.sessions_averaged,
    cart_intent: profile.cart_intent,
    top_shades: profile.top_shades,
  };
  const base = {
    id: 'analytics.conventions',
    title: 'One set of conventions fits every answer',
    expected,
    evidence: [],
  } as const;
  if (search === undefined || conventions === null || rows.length === 0)
    return { ...base, verdict: 'inconclusive', observed: null, explanation: 'There was nothing to judge.' };
  const observed = Object.fromEntries(
    conventions.conventions.map(({ name, values }) => [names[name], valuesText(values)]),
  );
  if (conventions.kind !== 'fits')
    return {
      ...base,
      observed,
      ...misfit(search, conventions, { profile, allowed }),
      ...misfitCauses(search, conventions, seen),
    };
  const nothingSeen = search.chosen.fits === 0;
  const accounts = judgeAccounts(table);
  return {
    ...base,
    verdict: accounts.verdict === 'fail' ? 'fail' : nothingSeen ? 'inconclusive' : 'pass',
    observed,
    ...(accounts.verdict === 'fail'
      ? {
          causes: [
            fits('analytics-count-by-key', { keys: accounts.keys }),
            fits('accounts-not-separate', { what: ['sessions'] }),
          ],
        }
      : {}),
    explanation: [
      ...(accounts.verdict === 'fail' ? [accounts.text] : []),
      nothingSeen ? 'No answer tells any convention from another.' : fitText(conventions.conventions),
      ...openText(conventions),
      ...(accounts.verdict === 'fail' ? [] : [accounts.text]),
    ]
      .filter((text) => text !== '')
      .join(' '),
  };
}

/** What a misfit shows by itself. Where single values are wrong, the checks of their fields say why. */
function misfitCauses(
  search: Search,
  { breaks, kind }: InferredConventions,
  { changing, suspects }: Seen,
): Pick<CheckResult, 'causes'> {
  const between = kind === 'none' ? changingMeasures(search.chosen.evaluation) : [];
  const causes: Suspect[] =
    between.length < 2
      ? ofConventions(suspects)
      : changing.includes('avg_shades_per_session')
        ? [fits('answers-vary', { fields: changing })]
        : [
            fits(
              'convention-varies',
              { field: 'avg_shades_per_session', between: between.map(measureWords) },
              breaks.map(({ seq }) => seq),
            ),
          ];
  return causes.length === 0 ? {} : { causes };
}

function valuesText(values: readonly string[]): string {
  return values.length === 0 ? 'not shown' : listed(values, 3).replaceAll(', ', ' or ');
}

function fitText(conventions: readonly Inferred[]): string {
  const known = conventions.filter(({ values }) => values.length === 1);
  return `Every answer fits ${known.map(({ name, values }) => `${names[name]}: ${values[0]}`).join(', ')}.`;
}

function openText({ conventions, separations }: InferredConventions): string[] {
  const open = conventions.filter(({ values }) => values.length > 1);
  if (open.length === 0) return [];
  const told = separations.map(({ convention, words }) => `${names[convention]}: ${words}`);
  return [
    `This run's data cannot tell ${open.map(({ name, values }) => `${listed(values, 2).replaceAll(', ', ' from ')} (${names[name]})`).join(', nor ')}.`,
    ...(told.length === 0 ? [] : [`What would tell: ${told.join('; ')}.`]),
  ];
}

function misfit(
  search: Search,
  { kind, breaks }: InferredConventions,
  { profile, allowed }: { readonly profile: Profile['analytics']; readonly allowed: Allowed },
): Pick<CheckResult, 'verdict' | 'explanation' | 'evidence'> {
  const { chosen, nearest } = search;
  const where = breaks.slice(0, 3).map(({ query, field }) => `${query}: ${field}`);
  const places = `${where.join('; ')}${breaks.length > 3 ? `; and ${number(breaks.length - 3)} more` : ''}`;
  const shown =
    breaks.length === 0
      ? []
      : [
          evidence(
            'answers that do not fit the nearest',
            breaks.map(({ seq }) => seq),
          ),
        ];
  const flips = kind === 'none' ? changing(chosen.evaluation) : undefined;
  const changes = contradictions(search, profile, allowed);
  if (flips !== undefined) return { verdict: 'fail', explanation: flips, evidence: shown };
  if (changes.length > 0 && nearest.misfits < chosen.misfits)
    return {
      verdict: 'fail',
      explanation:
        kind === 'contradicts'
          ? `Every answer fits ${changes.join('; ')}.`
          : `No set of conventions fits every answer. The nearest is ${changes.join('; ')}, and ${counted(breaks.length, 'value')} still ${verb(breaks.length, 'does', 'do')} not fit it: ${places}.`,
      evidence: shown,
    };
  return {
    verdict: 'fail',
    explanation: `No set of conventions fits every answer. The nearest is what the profile allows, and ${counted(breaks.length, 'value')} ${verb(breaks.length, 'does', 'do')} not fit it: ${places}.`,
    evidence: shown,
  };
}

/** What the profile or another check rules out in the nearest set of conventions, and what it says instead. */
function contradictions(
  { nearest: { average, rate }, asNear }: Pick<Search, 'nearest' | 'asNear'>,
  profile: Profile['analytics'],
  allowed: Allowed,
): string[] {
  const frames = asNear.flatMap(({ evaluation }) =>
    evaluation.of.members.map((frame) => ({
      zone: allowed.zone(frame.zone) ? undefined : frame.zone,
      rest: [
        allowed.end(frame.end) ? [] : [endWords(frame.end)],
        allowed.day(frame.day) ? [] : [dayWords[frame.day]],
        allowed.account(frame.account) ? [] : [frame.account.words],
      ].flat(),
      against: allowed.against(frame.account),
      said: [
        allowed.end(frame.end) ? [] : [`end_date ${profile.end_date}`],
        allowed.zone(frame.zone) ? [] : [`days of ${profile.time_zone}`],
        allowed.day(frame.day) || profile.session_day === 'discover' ? [] : [dayWords[profile.session_day]],
      ].flat(),
    })),
  );
  const size = ({ against, said }: (typeof frames)[number]): number =>
    said.length + Math.sign(against.length);
  const least = Math.min(...frames.map(size));
  const nearest = frames.filter((one) => size(one) === least);
  const said = [...new Set(nearest.flatMap((one) => one.said))];
  const against = nearest.flatMap((one) => one.against);
  const because = [
    ...(said.length === 0 ? [] : [`the profile says ${said.join(' and ')}`]),
    ...(against.length === 0 ? [] : [knownWords(against)]),
  ].join(', and ');
  const leak = against.some(({ are }) => are === 'apart')
    ? `: data of one account shows in the analytics of another${against.some(({ by }) => by === 'promise') ? '' : ' (if all keys are of one account, the profile can say so: data_scope: shared)'}`
    : '';
  const cart = rate.startsWith('cart-last') ? 'last' : 'ever';
  const carted = profile.cart_intent === 'discover' || profile.cart_intent === cart;
  const [shades = '', sessions = ''] = average.split('/');
  return [
    ...(least === 0 ? [] : [`${leastOtherwise(frames)}, while ${because}${leak}`]),
    ...(profile.shades_per_session === 'discover' || profile.shades_per_session === shades
      ? []
      : [`shades_per_session ${shades}, while the profile says ${profile.shades_per_session}`]),
    ...(profile.sessions_averaged === 'discover' || profile.sessions_averaged === sessions
      ? []
      : [`sessions_averaged ${sessions}, while the profile says ${profile.sessions_averaged}`]),
    ...(carted ? [] : [`cart_intent ${cart}, while the profile says ${profile.cart_intent}`]),
    ...(allowed.rate(rate) || !carted
      ? []
      : [`cart_intent_rate is ${measureWords(rate)}, which the profile rules out`]),
  ];
}

/** The conventions of averages that each fit some of them, and no single one all; none where some average fits none. */
function changingMeasures({ averages }: Choice['evaluation']): AverageMeasure[] {
  const fitted: AverageMeasure[] = [];
  const count = averages.values().next().value?.length ?? 0;
  for (let index = 0; index < count; index++) {
    const fitting = [...averages].filter(([, each]) => each[index] !== 'misfits');
    if (fitting.length === 0) return [];
    if (fitting.length < averages.size) fitted.push(...fitting.slice(0, 1).map(([measure]) => measure));
  }
  return [...new Set(fitted)];
}

function changing(evaluation: Choice['evaluation']): string | undefined {
  const different = changingMeasures(evaluation).map(measureWords);
  return different.length > 1
    ? `The convention of avg_shades_per_session changes between answers: some are ${different.join(', others ')}.`
    : undefined;
}
