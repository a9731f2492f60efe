import type { Profile } from '../../../target/profile.ts';
import type {
  AverageMeasure,
  EndConvention,
  RateMeasure,
  SessionDay,
} from '../../../vocabulary/analytics.ts';
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
    average: (measure) => {
      const [shades = '', sessions = ''] = measure.split('/');
      return free(profile.shades_per_session, shades) && free(profile.sessions_averaged, sessions);
    },
    // The profile speaks of averages. A target that averages over sessions with shades may still take its rate over all.
    rate: (measure) =>
      free(profile.cart_intent, measure.startsWith('cart-last') ? 'last' : 'ever') &&
      (measure.endsWith('/all') || profile.sessions_averaged !== 'all'),
    topLength: profile.top_shades === 'discover' ? undefined : profile.top_shades,
  };
}
