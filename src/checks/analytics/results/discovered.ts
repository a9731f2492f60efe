import type { History } from '../../../history/history.ts';
import type { ConventionName } from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown } from '../../core/verdict.ts';
import { conventionNames } from '../../reasons/analytics/conventions.ts';
import { either } from '../../reasons/analytics/words.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type CausesByField, ofConventions } from '../causes/causes.ts';
import type { InferredConventions } from '../compare/inferred.ts';
import type { Search } from '../compare/search.ts';
import { type Allowed, frameConventions, measureConventions } from '../conventions/conventions.ts';
import {
  type Accounts,
  areTogether,
  countedApart,
  isVouchedFor,
  knownReasons,
} from '../conventions/whose-data.ts';
import type { AnalyticsTable } from './table.ts';

/** The question that `data_scope` answers. */
const whose = 'data_scope: whose sessions an answer counts';

const shownName = (name: ConventionName): string => (name === 'account' ? whose : conventionNames[name]);

/** Which conventions fit every answer jointly, and whether the profile's own are among them. */
export function conventionsResult(
  history: History,
  table: AnalyticsTable,
  suspects: CausesByField,
): CheckFinding {
  const { search, rows, conventions, allowed } = table;
  const { profile } = history;
  const told = [...frameConventions, ...measureConventions].flatMap(({ name, promised }) => {
    const value = promised(profile);
    return value === null ? [] : [[shownName(name), value]];
  });
  const expected: Shown = {
    date_format: profile.analytics.date_format,
    ...Object.fromEntries(told),
    top_shades: profile.analytics.top_shades,
  };
  const base = {
    id: 'analytics.conventions',
    expected,
  } as const;
  if (search === undefined || conventions === null || rows.length === 0)
    return { ...base, verdict: 'inconclusive', observed: null, reasons: [reason('nothing-to-judge')] };
  const observed = Object.fromEntries(
    conventions.conventions.map(({ name, values }) => [
      shownName(name),
      values.length === 0 ? 'not shown' : either(values),
    ]),
  );
  if (conventions.kind !== 'fits')
    return {
      ...base,
      observed,
      ...misfit(search, conventions, allowed, ofConventions(suspects)),
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

/** `causes`: what the misfits come of, as far as conventions explain them. */
function misfit(
  { nearest }: Search,
  { breaks, conventions, kind }: InferredConventions,
  allowed: Allowed,
  causes: readonly Suspect[],
): Pick<CheckFinding, 'verdict' | 'reasons' | 'evidence' | 'causes'> {
  const against = allowed.against(nearest.evaluation.frame.account);
  const isLeak = against.some(({ are }) => are === 'apart');
  const otherwise = conventions.filter(
    ({ name, profile, values }) =>
      (name === 'account' && against.length > 0) ||
      (profile !== null && profile !== 'discover' && values.length > 0 && !values.includes(profile)),
  );
  const examples = breaks.slice(0, 3).map(({ field, query }) => ({ query, field }));
  return {
    verdict: 'fail',
    evidence: evidenceIfAny(
      'answers that do not fit the nearest',
      breaks.map(({ seq }) => seq),
    ),
    ...(causes.length > 0 && { causes }),
    reasons: [
      reason(kind === 'contradicts' ? 'conventions-contradict' : 'conventions-none'),
      ...otherwise.map(({ name, profile, values }) =>
        reason('conventions-otherwise', {
          convention: name,
          values,
          promised: profile === 'discover' ? null : profile,
        }),
      ),
      ...knownReasons(against),
      ...(isLeak ? [reason('account-leak', { isPromised: against.some(({ by }) => by === 'promise') })] : []),
      ...(breaks.length > 0 ? [reason('conventions-breaks', { values: breaks.length, examples })] : []),
    ],
  };
}

/** Whether what analytics show of the accounts of keys agrees with what every other check shows. */
function judgeAccounts({ keys, known, search, allowed }: AnalyticsTable): {
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
