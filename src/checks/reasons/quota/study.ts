import { counted, listed, number, range, verb } from '../../../amounts.ts';
import { answeredText } from '../../diagnosis/requests.ts';
import { fieldsText } from './keys.ts';

function onRaceKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `on the ${keys.join()} key` : `on the keys ${listed(keys, 4)}`;
}

/** Reasons of what only a study of the quota tries. */
export const quotaStudyReasons = {
  'quota-consumption-untried': 'Before the quota was spent, the run sent no request that must not count.',
  'quota-consumption-unknown':
    'The quota is not known for certain, so the run cannot show what else was counted.',
  'quota-consumption-counted': ({ admitted, quota }: { admitted: number; quota: number }) =>
    `Expected ${counted(quota, 'session')}, got ${number(admitted)}: ${counted(quota - admitted, 'other request')} ${verb(quota - admitted, 'was counted as a session', 'were counted as sessions')}.`,
  'quota-consumption-sent': ({ requests }: { requests: readonly { what: string; count: number }[] }) => {
    const kinds = requests.map(({ count, what }) => `${number(count)} × ${answeredText(what)}`);
    return `The run first sent requests that create no session (status in brackets). These were ${listed(kinds, 5)}.`;
  },
  'quota-consumption-kept': ({ quota }: { quota: number }) =>
    `Afterwards the account still had ${counted(quota, 'session')}, so none of these was counted.`,
  'quota-consumption-in-doubt': ({ admitted, quota }: { admitted: number; quota: number }) =>
    `The run got ${counted(admitted, 'session')} of a quota of ${number(quota)}, which does not show what else was counted.`,
  'quota-race-none':
    'No race took place. It needs a quota that the profile states or the run finds, and sessions left on that key or a twin key.',
  'quota-race-unsaid': ({ fields }: { fields: readonly string[] }) =>
    `No race took place: the twin key shares the quota, which was spent by then. Give ${fieldsText(fields)} in the profile, so that the last sessions of the quota race.`,
  'quota-race-unknown': 'The quota is not known, so the expected number of sessions is not known either.',
  'quota-race-over': (params: {
    atOnce: number;
    before: number;
    won: number;
    lost: number;
    admitted: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `Expected at most ${counted(params.quota, 'session')} ${onRaceKeys(params.keys)}, got ${number(params.admitted)}: ${number(params.admitted - params.quota)} too many. Before the race, ${counted(params.before, 'session')} ${verb(params.before, 'was', 'were')} created. Then ${counted(params.atOnce, 'request')} ${verb(params.atOnce, 'was', 'were')} sent at once: ${number(params.won)} got a session, and ${number(params.lost)} got 402.`,
  'quota-race-cause': 'Probable cause: the target checks the quota, then increments it.',
  'quota-race-exact': ({ atOnce, keys, quota }: { atOnce: number; quota: number; keys: readonly string[] }) =>
    `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted ${onRaceKeys(keys)}, the last in a race of ${counted(atOnce, 'request')} at once.`,
  'quota-race-short': (params: {
    atOnce: number;
    admitted: number;
    quota: { min: number; max: number };
    keys: readonly string[];
  }) =>
    `In all, ${counted(params.admitted, 'session')} ${verb(params.admitted, 'was', 'were')} admitted ${onRaceKeys(params.keys)}; the quota is ${range(params.quota)}. The last were requested in a race of ${counted(params.atOnce, 'request')} at once.`,
  'quota-race-without-402': 'None got 402.',
  'quota-race-others': 'Others may have used the rest.',
  'quota-precedence-untried': 'No session was requested with quota and rate limit both spent.',
  'quota-precedence-varies': ({ statuses }: { statuses: string }) =>
    `Expected the same status with quota and rate limit both spent, got ${statuses}.`,
  'quota-precedence-found': ({ statuses }: { statuses: string }) =>
    `With quota and rate limit both spent, the order is ${statuses}: a new session always got the first of these.`,
} as const;
