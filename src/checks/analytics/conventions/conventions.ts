import type { Profile } from '../../../target/profile.ts';
import {
  type AverageMeasure,
  type ConventionName,
  type EndConvention,
  measureKinds,
  type RateMeasure,
  type SessionDay,
} from '../../../vocabulary/analytics.ts';
import { accountsText, scopeInWords } from '../../reasons/analytics/words.ts';
import { type Accounts, type KnownPair, ruledOut } from './whose-data.ts';
import type { Zone } from './zones.ts';

/**
 * The conventions of GET /analytics/sessions that the interface does not show, as the dimensions along which a
 * target's answers are matched.
 */

/** The conventions that decide which sessions count. */
export interface Frame {
  readonly end: EndConvention;
  /** Whose sessions an answer counts: those of the asking key's account. */
  readonly account: Accounts;
  readonly zone: Zone;
  readonly day: SessionDay;
}

/** A set of conventions that answers are held against. */
interface ConventionSet {
  readonly frame: Frame;
  readonly average: AverageMeasure;
  readonly rate: RateMeasure;
}

interface ConventionRow<Of> {
  readonly name: ConventionName;
  /** What the profile says; `discover` where it leaves it open, null where it has no such field. */
  readonly promised: (profile: Profile) => string | null;
  /** Its value, as the profile has it. */
  readonly read: (of: Of) => string;
}

/** The conventions that decide which sessions count, and whether what is known allows a value. */
export const frameConventions: readonly (ConventionRow<Frame> & {
  readonly isAllowed: (frame: Frame, allowed: Allowed) => boolean;
})[] = [
  {
    name: 'end_date',
    promised: ({ analytics }) => analytics.end_date,
    read: ({ end }) => (end === 'inclusive-day' ? 'inclusive' : end),
    isAllowed: ({ end }, allowed) => allowed.end(end),
  },
  {
    name: 'time_zone',
    promised: ({ analytics }) => analytics.time_zone,
    read: ({ zone }) => zone.name,
    isAllowed: ({ zone }, allowed) => allowed.zone(zone),
  },
  {
    name: 'session_day',
    promised: ({ analytics }) => analytics.session_day,
    read: ({ day }) => day,
    isAllowed: ({ day }, allowed) => allowed.day(day),
  },
  {
    name: 'account',
    promised: ({ data_scope }) => scopeInWords[data_scope],
    read: ({ account }) => accountsText(account.groups),
    isAllowed: ({ account }, allowed) => allowed.account(account),
  },
];

/** Of a rate: which cart intents it is about, as the profile says it. */
export const lastOrEver = (rate: RateMeasure): 'last' | 'ever' =>
  measureKinds[rate].of === 'cart-last' ? 'last' : 'ever';

/** Those that decide what is averaged, over which of them. */
export const measureConventions: readonly ConventionRow<ConventionSet>[] = [
  {
    name: 'shades_per_session',
    promised: ({ analytics }) => analytics.shades_per_session,
    read: ({ average }) => measureKinds[average].of,
  },
  {
    name: 'sessions_averaged',
    promised: ({ analytics }) => analytics.sessions_averaged,
    read: ({ average }) => measureKinds[average].over,
  },
  { name: 'cart_intent_over', promised: () => null, read: ({ rate }) => measureKinds[rate].over },
  {
    name: 'cart_intent',
    promised: ({ analytics }) => analytics.cart_intent,
    read: ({ rate }) => lastOrEver(rate),
  },
];

/** What the profile leaves open. */
export interface Allowed {
  frame(frame: Frame): boolean;
  end(end: EndConvention): boolean;
  zone(zone: Zone): boolean;
  day(day: SessionDay): boolean;
  account(account: Accounts): boolean;
  /** What says that keys do not share accounts like that; empty where it is allowed. */
  against(account: Accounts): readonly KnownPair[];
  average(measure: AverageMeasure): boolean;
  rate(measure: RateMeasure): boolean;
  /** Largest length of top_shades, if fixed. */
  readonly topLength: number | undefined;
}

/** What `profile` allows, and what is `known` of the accounts of keys. */
export function allowedBy(profile: Profile['analytics'], known: readonly KnownPair[]): Allowed {
  const free = (fixed: string, value: string): boolean => fixed === 'discover' || fixed === value;
  const each = {
    end: (end: EndConvention) => free(profile.end_date, end === 'inclusive-day' ? 'inclusive' : end),
    zone: (zone: Zone) => free(profile.time_zone, zone.name),
    day: (day: SessionDay) => free(profile.session_day, day),
    account: (account: Accounts) => ruledOut(known, account).length === 0,
    against: (account: Accounts) => ruledOut(known, account),
  };
  return {
    frame: ({ end, account, zone, day }) =>
      each.end(end) && each.zone(zone) && each.day(day) && each.account(account),
    ...each,
    average: (measure) =>
      free(profile.shades_per_session, measureKinds[measure].of) &&
      free(profile.sessions_averaged, measureKinds[measure].over),
    // The profile speaks of averages. A target that averages over sessions with shades may still take its rate over all.
    rate: (measure) =>
      free(profile.cart_intent, lastOrEver(measure)) &&
      (measureKinds[measure].over === 'all' || profile.sessions_averaged !== 'all'),
    topLength: profile.top_shades === 'discover' ? undefined : profile.top_shades,
  };
}
