import type { Profile } from '../../target/profile.ts';
import type { EndConvention } from './period.ts';

/**
 * The conventions of GET /analytics/sessions that the interface does not show, as the dimensions along which a
 * target's answers are matched.
 */

/** Whose sessions an answer counts: those of the asking key's own account, or of all the run's keys (one account for all). */
export type Account = 'own' | 'all-keys';

/** The conventions that decide which sessions count. */
export interface Frame {
  readonly end: EndConvention;
  readonly account: Account;
}

/** What an average or a rate is the mean of, and over which sessions. `copies`: repeated ids counted again (never right). */
export const measures = [
  'distinct/all',
  'selections/all',
  'distinct/with-shades',
  'selections/with-shades',
  'copies/all',
  'copies/with-shades',
  'cart/all',
  'cart/with-shades',
] as const;
export type Measure = (typeof measures)[number];
export type AverageMeasure = Exclude<Measure, `copies/${string}` | `cart/${string}`>;
export type RateMeasure = Extract<Measure, `cart/${string}`>;

/** In order of preference, where several fit: the reference conventions first. */
export const averageMeasures: readonly AverageMeasure[] = [
  'distinct/all',
  'selections/all',
  'distinct/with-shades',
  'selections/with-shades',
];
export const rateMeasures: readonly RateMeasure[] = ['cart/all', 'cart/with-shades'];

/** What the profile leaves open. */
export interface Allowed {
  frame(frame: Frame): boolean;
  average(measure: AverageMeasure): boolean;
  rate(measure: RateMeasure): boolean;
  /** Largest length of top_shades, if fixed. */
  readonly topLength: number | undefined;
}

/** What `profile` allows. An embedded target's accounts are known to be separate. */
export function allowedBy(profile: Profile['analytics'], embedded: boolean): Allowed {
  const free = (fixed: string, value: string): boolean => fixed === 'discover' || fixed === value;
  return {
    frame: ({ end, account }) =>
      free(profile.end_date, end === 'inclusive-day' ? 'inclusive' : end) && (account === 'own' || !embedded),
    average: (measure) => {
      const [shades = '', sessions = ''] = measure.split('/');
      return free(profile.shades_per_session, shades) && free(profile.sessions_averaged, sessions);
    },
    // The profile speaks of averages. A target that averages over sessions with shades may still take its rate over all.
    rate: (measure) => measure === 'cart/all' || profile.sessions_averaged !== 'all',
    topLength: profile.top_shades === 'discover' ? undefined : profile.top_shades,
  };
}

/** A measure in words, for explanations: “returned 3.00 = …”. */
export function measureWords(measure: Measure): string {
  return words[measure];
}

const words: Readonly<Record<Measure, string>> = {
  'distinct/all': 'the mean number of different shades over all sessions',
  'selections/all': 'the mean number of selections over all sessions',
  'distinct/with-shades': 'the mean number of different shades over sessions with at least one shade',
  'selections/with-shades': 'the mean number of selections over sessions with at least one shade',
  'copies/all':
    'the mean number of selections over all sessions, with repeated interaction ids counted again',
  'copies/with-shades':
    'the mean number of selections over sessions with at least one shade, with repeated interaction ids counted again',
  'cart/all': 'the share of all sessions with cart intent',
  'cart/with-shades': 'the share with cart intent of the sessions with at least one shade',
};

export function endWords(end: EndConvention): string {
  return end === 'exclusive'
    ? 'end_date exclusive'
    : end === 'inclusive'
      ? 'end_date inclusive'
      : 'date-times cut to whole days, end_date inclusive';
}

export function accountWords(account: Account): string {
  return account === 'own'
    ? 'each key counts its own sessions'
    : 'all keys share one account, and every answer counts all their sessions';
}

export function frameWords(frame: Frame): string {
  return frame.account === 'own'
    ? endWords(frame.end)
    : `${endWords(frame.end)}, ${accountWords(frame.account)}`;
}
