import { counted, number } from '../../../amounts.ts';
import type { AnswerField, ConventionName } from '../../../vocabulary/analytics.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import { either } from './words.ts';

/** What each convention is called; as in the profile, where it has it. */
export const conventionNames: Readonly<Record<ConventionName, string>> = {
  date_format: 'date_format',
  end_date: 'end_date',
  time_zone: 'time_zone',
  session_day: 'session_day',
  shades_per_session: 'shades_per_session',
  sessions_averaged: 'sessions_averaged',
  cart_intent_over: 'cart_intent_rate over sessions',
  cart_intent: 'cart_intent',
  top_shades: 'top_shades',
  rounding: 'rounding',
  account: 'account',
};

/** What a run has to have for a convention to show. */
const needed: Readonly<Record<Exclude<ConventionName, 'date_format'>, string>> = {
  end_date: 'sessions on the first and the last day of a period',
  time_zone: 'a session at an hour that belongs to different days in different zones',
  session_day: 'a session that is created before midnight and has an event after it',
  shades_per_session: 'a session that selects one shade twice',
  sessions_averaged: 'a session that selects no shade',
  cart_intent_over: 'a session with a cart intent, and one that selects no shade',
  cart_intent: 'a session that selects a shade after its cart intent',
  top_shades: 'more shades than a list can hold',
  rounding: 'a mean with more decimals than are returned',
  account: 'sessions of two keys, queried with each key',
};
type Separable = keyof typeof needed;

/** Which conventions fit the answers, and what the profile and other checks say of them. */
export const conventionReasons = {
  'clock-set':
    'After the run had set the clock, {sessions:count new session} had an `expires_at` after the time that it was set to.',
  'clock-set-without-effect':
    'Expected new sessions to expire after the time that the clock was set to. Of {sessions:count new session}, {expired} had expired by then.',
  'clock-set-untold': 'No new session with a readable `expires_at` came after the clock was set.',
  'nothing-to-judge': 'There is no analytics answer to judge.',
  'conventions-fit': ({ conventions, known }: { known: number; conventions: number }) =>
    `One set of conventions fits every answer. ${known === conventions ? 'The answers decide every convention' : `Of ${counted(conventions, 'convention')}, the answers decide ${number(known)}`}.`,
  'conventions-not-shown': 'No answer distinguishes one convention from another.',
  'conventions-open': ({ convention, values }: { convention: ConventionName; values: readonly string[] }) =>
    `This run does not show whether ${conventionNames[convention]} is ${either(values, 2)}.`,
  'separation-session': ({ convention }: { convention: Separable }) =>
    `To learn ${conventionNames[convention]}, a run needs ${needed[convention]}.`,
  'conventions-contradict':
    'One set of conventions fits every answer, but it is not what was promised or shown.',
  'conventions-none':
    'No set of conventions fits every answer. The nearest set is the one with the fewest differences.',
  'conventions-breaks': (params: {
    values: number;
    examples: readonly { query: string; field: AnswerField }[];
  }) =>
    `The nearest set does not fit ${counted(params.values, 'value')}${params.examples
      .slice(0, 1)
      .map(({ field, query }) => `, such as ${field} of ${query}`)
      .join('')}.`,
  'conventions-otherwise': (params: {
    convention: ConventionName;
    values: readonly string[];
    promised: string | null;
  }) =>
    `In the nearest set, ${conventionNames[params.convention]} is ${either(params.values)}${params.promised === null ? '' : `, but the profile says ${params.promised}`}.`,
  'account-leak': ({ isPromised }: { isPromised: boolean }) =>
    `Data of one account is in the analytics of another.${isPromised ? '' : ' If all keys are of one account, the profile can say so (data_scope: shared).'}`,
  'known-by-profile': 'The profile says {field:text}: {value:text}.',
  'known-by-read': ({ canRead, status }: { canRead: boolean; status: number }) =>
    `The bystander key ${canRead ? 'can' : 'cannot'} read a session of the load key (${status}, see contract.tenancy).`,
  'known-by-quota': ({ key }: { key: Role }) =>
    `The ${key} key has another quota than the quota key (see quota.sharing).`,
  'accounts-not-tried': ({ key }: { key: Role | null }) =>
    `Whether analytics keep accounts apart is unknown, because only ${key === null ? 'one' : `the ${key}`} key created sessions and queried analytics.`,
  'accounts-contradict':
    'Another check shows that keys share data, but analytics count them as separate accounts. If they are separate accounts, the read is a leak.',
  'accounts-agree':
    'The sessions that analytics count for each key agree with the accounts that the run found.',
  'accounts-shown-by-analytics-alone':
    'Nothing else in this run shows that the keys share an account. If they do not, analytics leak data. The profile can say so (data_scope: per-key).',
} as const;
