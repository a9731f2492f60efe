import type { Profile } from '../../../target/profile.ts';
import type { Deviation } from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Search } from '../compare/search.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { type Accounts, areTogether } from '../conventions/accounts.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { leastOtherwise, type Otherwise } from '../conventions/deviations.ts';
import { countedApart, isVouchedFor, type KnownPair, knownReasons } from '../conventions/whose-data.ts';

/** A frame that is ruled out: by which of its conventions, and what is said instead. */
interface RuledOut {
  readonly otherwise: Otherwise;
  /** By other checks, or by what the profile says of accounts. */
  readonly against: readonly KnownPair[];
  /** What the profile says instead. */
  readonly said: readonly Deviation[];
}

/** What the profile or another check rules out in the nearest set of conventions, and what it says instead. */
export function contradictions(
  { nearest: { average, rate }, asNear }: Pick<Search, 'nearest' | 'asNear'>,
  profile: Profile['analytics'],
  allowed: Allowed,
): Reason[] {
  const frames = asNear.flatMap(({ evaluation }) =>
    evaluation.of.members.map((frame) => ruledOut(frame, profile, allowed)),
  );
  const cart = rate.startsWith('cart-last') ? 'last' : 'ever';
  const isCartAllowed = profile.cart_intent === 'discover' || profile.cart_intent === cart;
  const [shades = '', sessions = ''] = average.split('/');
  return [
    ...frameReasons(frames),
    ...fieldReasons('shades_per_session', shades, profile.shades_per_session),
    ...fieldReasons('sessions_averaged', sessions, profile.sessions_averaged),
    ...fieldReasons('cart_intent', cart, profile.cart_intent),
    ...(allowed.rate(rate) || !isCartAllowed
      ? []
      : [reason('conventions-rate-ruled-out', { measure: rate })]),
  ];
}

function fieldReasons(field: string, found: string, told: string): Reason[] {
  return told === 'discover' || told === found ? [] : [reason('conventions-field', { field, found, told })];
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
