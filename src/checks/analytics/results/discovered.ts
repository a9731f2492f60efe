import type { History } from '../../../history/history.ts';
import type { Profile } from '../../../target/profile.ts';
import type { AnswerField, AverageMeasure, Deviation } from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown } from '../../core/verdict.ts';
import { conventionNames } from '../../reasons/analytics/conventions.ts';
import { either, scopeInWords } from '../../reasons/analytics/words.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type CausesByField, ofConventions } from '../causes/causes.ts';
import type { InferredConventions } from '../compare/inferred.ts';
import type { Choice, Search } from '../compare/search.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { leastOtherwise, type Otherwise } from '../conventions/deviations.ts';
import {
  type Accounts,
  areTogether,
  countedApart,
  isVouchedFor,
  type KnownPair,
  knownReasons,
} from '../conventions/whose-data.ts';
import type { AnalyticsTable } from './table.ts';

/** What the other checks saw. */
interface SeenInAnswers {
  readonly suspects: CausesByField;
  /** Fields that the same question got differently. */
  readonly changing: readonly AnswerField[];
}

/** The question that `data_scope` answers. */
const whose = 'data_scope: whose sessions an answer counts';

/** Which conventions fit every answer jointly, and whether the profile's own are among them. */
export function conventionsResult(
  history: History,
  table: AnalyticsTable,
  seen: SeenInAnswers,
): CheckFinding {
  const { search, rows, conventions, allowed } = table;
  const profile = history.profile.analytics;
  const expected: Shown = {
    date_format: profile.date_format,
    [whose]: scopeInWords[history.profile.data_scope],
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
    expected,
  } as const;
  if (search === undefined || conventions === null || rows.length === 0)
    return { ...base, verdict: 'inconclusive', observed: null, reasons: [reason('nothing-to-judge')] };
  const observed = Object.fromEntries(
    conventions.conventions.map(({ name, values }) => [
      name === 'account' ? whose : conventionNames[name],
      valuesText(values),
    ]),
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
    reasons: [
      ...(accounts.verdict === 'fail' ? accounts.reasons : []),
      nothingSeen ? reason('conventions-not-shown') : fitReason(conventions),
      ...openReasons(conventions),
      ...(accounts.verdict === 'fail' ? [] : accounts.reasons),
    ],
  };
}

/** What a misfit shows by itself; where it comes of single values alone, their causes explain it. */
function misfitCauses(
  search: Search,
  { breaks, kind }: InferredConventions,
  { changing, suspects }: SeenInAnswers,
): Pick<CheckFinding, 'causes'> {
  const between = kind === 'none' ? changingMeasures(search.chosen.evaluation) : [];
  const causes: Suspect[] =
    between.length < 2
      ? ofConventions(suspects)
      : changing.includes('avg_shades_per_session')
        ? [fits('answers-vary', { fields: changing })]
        : [
            fits(
              'convention-varies',
              { field: 'avg_shades_per_session', between },
              breaks.map(({ seq }) => seq),
            ),
          ];
  return causes.length === 0 ? {} : { causes };
}

function valuesText(values: readonly string[]): string {
  return values.length === 0 ? 'not shown' : either(values);
}

function fitReason({ conventions }: InferredConventions): Reason {
  const known = conventions.filter(({ values }) => values.length === 1).length;
  return reason('conventions-fit', { known, conventions: conventions.length });
}

function openReasons({ conventions }: InferredConventions): Reason[] {
  const open = conventions.filter(({ values }) => values.length > 1);
  return [
    ...open.map(({ name, values }) => reason('conventions-open', { convention: name, values })),
    ...open.flatMap(({ name }) =>
      name === 'date_format' ? [] : reason('separation-session', { convention: name }),
    ),
  ];
}

function misfit(
  search: Search,
  { kind, breaks }: InferredConventions,
  promised: { readonly profile: Profile['analytics']; readonly allowed: Allowed },
): Pick<CheckFinding, 'verdict' | 'reasons' | 'evidence'> {
  const { chosen, nearest } = search;
  const found = {
    verdict: 'fail',
    evidence: evidenceIfAny(
      'answers that do not fit the nearest',
      breaks.map(({ seq }) => seq),
    ),
  } as const;
  const between = kind === 'none' ? changingMeasures(chosen.evaluation) : [];
  if (between.length > 1)
    return {
      ...found,
      reasons: [reason('conventions-change', { field: 'avg_shades_per_session', between })],
    };
  const changes = frameReasons(
    search.asNear.flatMap(({ evaluation }) =>
      evaluation.of.members.map((frame) => ruledOut(frame, promised.profile, promised.allowed)),
    ),
  );
  if (kind === 'contradicts') return { ...found, reasons: [reason('conventions-contradict'), ...changes] };
  const isOtherwise = changes.length > 0 && nearest.misfits < chosen.misfits;
  const examples = breaks.slice(0, 3).map(({ field, query }) => ({ query, field }));
  return {
    ...found,
    reasons: [
      reason('conventions-none', { isAllowed: !isOtherwise }),
      ...(isOtherwise ? changes : []),
      reason('conventions-breaks', { values: breaks.length, examples }),
    ],
  };
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

/** A frame that is ruled out: by which of its conventions, and what is said instead. */
interface RuledOut {
  readonly otherwise: Otherwise;
  /** By other checks, or by what the profile says of accounts. */
  readonly against: readonly KnownPair[];
  /** What the profile says instead. */
  readonly said: readonly Deviation[];
}

const same: Deviation = { end: null, day: null, account: null, zone: null };

function ruledOut(frame: Frame, profile: Profile['analytics'], allowed: Allowed): RuledOut {
  const { account, day, end, zone } = frame;
  const { end_date, session_day, time_zone } = profile;
  return {
    otherwise: {
      end: allowed.end(end) ? null : end,
      day: allowed.day(day) ? null : day,
      account: allowed.account(account) ? null : account.groups,
      zone: allowed.zone(zone) ? null : zone,
    },
    against: allowed.against(account),
    said: [
      ...(allowed.end(end) || end_date === 'discover' ? [] : [{ ...same, end: end_date }]),
      ...(allowed.zone(zone) ? [] : [{ ...same, zone: { from: time_zone, to: time_zone } }]),
      ...(allowed.day(day) || session_day === 'discover' ? [] : [{ ...same, day: session_day }]),
    ],
  };
}

function frameReasons(frames: readonly RuledOut[]): Reason[] {
  const size = ({ against, said }: RuledOut): number => said.length + Math.sign(against.length);
  const least = Math.min(...frames.map(size));
  if (least === 0) return [];
  const nearest = frames.filter((one) => size(one) === least);
  const said = [
    ...new Map(nearest.flatMap((one) => one.said).map((one) => [JSON.stringify(one), one])).values(),
  ];
  const against = nearest.flatMap((one) => one.against);
  const isLeak = against.some(({ are }) => are === 'apart');
  return [
    reason('conventions-nearest', { deviations: leastOtherwise(frames.map((one) => one.otherwise)) }),
    ...(said.length === 0 ? [] : [reason('answer-due-conventions', { by: 'profile', deviations: said })]),
    ...knownReasons(against),
    ...(isLeak ? [reason('account-leak', { isPromised: against.some(({ by }) => by === 'promise') })] : []),
  ];
}

/** Whether what analytics show of the accounts of keys agrees with what every other check shows. */
export function judgeAccounts({ keys, known, search, allowed }: AnalyticsTable): {
  readonly verdict: 'fail' | 'pass';
  readonly reasons: readonly Reason[];
  /** Of a failure: the keys that analytics count apart. */
  readonly keys: readonly Role[];
} {
  const [only = null] = keys;
  if (keys.length < 2)
    return { verdict: 'pass', keys: [], reasons: [reason('accounts-not-tried', { key: only })] };
  const byId = new Map<string, Accounts>();
  for (const { evaluation } of search?.fitting ?? [])
    for (const frame of evaluation.of.members)
      if (allowed.frame(frame)) byId.set(frame.account.id, frame.account);
  const ways = [...byId.values()];
  const across = countedApart(known, ways);
  if (across.length > 0)
    return {
      verdict: 'fail',
      keys: roles.filter((role) => across.some(({ pair }) => pair.includes(role))),
      reasons: [reason('accounts-contradict'), ...knownReasons(across)],
    };
  const vouching = known.filter(({ pair, are }) =>
    ways.every((way) => areTogether(way, pair) === (are === 'together')),
  );
  return {
    verdict: 'pass',
    keys: [],
    reasons: [
      ...(vouching.length === 0 ? [] : [reason('accounts-agree'), ...knownReasons(vouching)]),
      ...(isVouchedFor(known, ways) ? [] : [reason('accounts-shown-by-analytics-alone')]),
    ],
  };
}
