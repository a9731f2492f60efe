import { counted, listed, number, range, verb } from '../../../amounts.ts';
import { answeredText } from '../../diagnosis/requests.ts';
import { wording } from '../wording.ts';
import { fieldsText } from './keys.ts';

const requests = [{ what: 'list-shades 200', count: 3 }];
const keys: readonly string[] = ['quota', 'twin'];

function onRaceKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `on the ${keys.join()} key` : `on the keys ${listed(keys, 4)}`;
}

/** Reasons of what only a study of the quota tries. */
export const quotaStudyReasons = {
  'quota-consumption-untried': wording(
    {},
    () => 'Before the quota was spent, the run sent no request that must not count.',
  ),
  'quota-consumption-unknown': wording(
    {},
    () => 'The quota is not known for certain, so the run cannot show what else was counted.',
  ),
  'quota-consumption-counted': wording(
    { admitted: 12, quota: 20 },
    ({ admitted, quota }) =>
      `Expected ${counted(quota, 'session')}, got ${number(admitted)}: ${counted(quota - admitted, 'other request')} ${verb(quota - admitted, 'was counted as a session', 'were counted as sessions')}.`,
  ),
  'quota-consumption-sent': wording({ requests }, ({ requests }) => {
    const kinds = requests.map(({ count, what }) => `${number(count)} × ${answeredText(what)}`);
    return `The run first sent requests that create no session (status in brackets). These were ${listed(kinds, 5)}.`;
  }),
  'quota-consumption-kept': wording(
    { quota: 20 },
    ({ quota }) =>
      `Afterwards the account still had ${counted(quota, 'session')}, so none of these was counted.`,
  ),
  'quota-consumption-in-doubt': wording(
    { admitted: 18, quota: 20 },
    ({ admitted, quota }) =>
      `The run got ${counted(admitted, 'session')} of a quota of ${number(quota)}, which does not show what else was counted.`,
  ),
  'quota-race-none': wording(
    {},
    () =>
      'No race took place. It needs a quota that the profile states or the run finds, and sessions left on that key or a twin key.',
  ),
  'quota-race-unsaid': wording(
    { fields: ['quota.sessions', 'quota.twin: same-account'] },
    ({ fields }) =>
      `No race took place: the twin key shares the quota, which was spent by then. Give ${fieldsText(fields)} in the profile, so that the last sessions of the quota race.`,
  ),
  'quota-race-unknown': wording(
    {},
    () => 'The quota is not known, so the expected number of sessions is not known either.',
  ),
  'quota-race-over': wording(
    { atOnce: 30, before: 10, won: 13, lost: 17, admitted: 23, quota: 20, keys },
    ({ admitted, atOnce, before, keys, lost, quota, won }) =>
      `Expected at most ${counted(quota, 'session')} ${onRaceKeys(keys)}, got ${number(admitted)}: ${number(admitted - quota)} too many. Before the race, ${counted(before, 'session')} ${verb(before, 'was', 'were')} created. Then ${counted(atOnce, 'request')} ${verb(atOnce, 'was', 'were')} sent at once: ${number(won)} got a session, and ${number(lost)} got 402.`,
  ),
  'quota-race-cause': wording({}, () => 'Probable cause: the service checks the quota, then increments it.'),
  'quota-race-exact': wording(
    { atOnce: 30, quota: 20, keys },
    ({ atOnce, keys, quota }) =>
      `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted ${onRaceKeys(keys)}, the last in a race of ${counted(atOnce, 'request')} at once.`,
  ),
  'quota-race-short': wording(
    { atOnce: 30, admitted: 18, quota: { min: 20, max: 21 }, keys },
    ({ admitted, atOnce, keys, quota }) =>
      `In all, ${counted(admitted, 'session')} ${verb(admitted, 'was', 'were')} admitted ${onRaceKeys(keys)}; the quota is ${range(quota)}. The last were requested in a race of ${counted(atOnce, 'request')} at once.`,
  ),
  'quota-race-without-402': wording({}, () => 'None got 402.'),
  'quota-race-others': wording({}, () => 'Others may have used the rest.'),
  'quota-precedence-untried': wording(
    {},
    () => 'No session was requested with quota and rate limit both spent.',
  ),
  'quota-precedence-varies': wording(
    { statuses: '402 3 times, 429 once' },
    ({ statuses }) => `Expected the same status with quota and rate limit both spent, got ${statuses}.`,
  ),
  'quota-precedence-found': wording(
    { statuses: '402 before 429' },
    ({ statuses }) =>
      `With quota and rate limit both spent, the order is ${statuses}: a new session always got the first of these.`,
  ),
} as const;
