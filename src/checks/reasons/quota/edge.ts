import { counted, countedRange, number, range, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { fieldsText, onKeys } from './keys.ts';

const keys: readonly string[] = ['quota', 'twin'];
const fields: readonly string[] = ['quota.twin', 'data_scope'];

/** Reasons for how many sessions were admitted before the first 402. */
export const quotaEdgeReasons = {
  'quota-edge-untried': wording({}, () => 'No session was requested with the quota key.'),
  'quota-edge-found': wording(
    { admitted: { min: 19, max: 20 }, keys },
    ({ admitted, keys }) =>
      `The profile does not give the quota (\`quota.sessions\`). The service admitted ${countedRange(admitted, 'session')}${onKeys(keys)}, then returned 402.`,
  ),
  'quota-edge-unreached': wording(
    { attempts: 20, admitted: { min: 19, max: 20 }, keys },
    ({ admitted, attempts, keys }) =>
      `The profile does not give the quota (\`quota.sessions\`). The run did not reach it with ${counted(attempts, 'attempt')}: ${range(admitted)} ${verb(admitted.max, 'was', 'were')} admitted${onKeys(keys)}.`,
  ),
  'quota-edge-over': wording(
    { admitted: 23, quota: 20, keys },
    ({ admitted, keys, quota }) =>
      `Expected at most ${counted(quota, 'session')}${onKeys(keys)}, got ${number(admitted)}: ${number(admitted - quota)} more than the quota.`,
  ),
  'quota-edge-over-in-doubt': wording(
    { admitted: 23, quota: 20, keys, fields },
    ({ admitted, fields, keys, quota }) =>
      `The run got ${counted(admitted, 'session')}${onKeys(keys)}, ${number(admitted - quota)} more than the quota of ${number(quota)}. The answers suggest that these keys share it; the profile does not say so (${fieldsText(fields)}).`,
  ),
  'quota-edge-without-402': wording(
    { admitted: { min: 18, max: 19 }, attempts: 19, quota: 20, keys },
    ({ admitted, attempts, keys, quota }) =>
      `No attempt got 402. Of ${counted(attempts, 'attempt')}, ${range(admitted)} ${verb(admitted.max, 'was', 'were')} admitted${onKeys(keys)}; the quota is ${number(quota)}.`,
  ),
  'quota-edge-early': wording(
    { admitted: { min: 18, max: 19 }, quota: 20, keys },
    ({ admitted, keys, quota }) =>
      `Expected ${counted(quota, 'session')} before the first 402, got ${range(admitted)}${onKeys(keys)}.`,
  ),
  'quota-edge-unclear': wording(
    { admitted: { min: 19, max: 20 }, unclear: 1, quota: 20, keys },
    ({ admitted, keys, quota, unclear }) =>
      `The run got ${countedRange(admitted, 'session')}${onKeys(keys)}, of a quota of ${number(quota)}. No clear answer came to ${counted(unclear, 'attempt')}.`,
  ),
  'quota-edge-exact': wording(
    { quota: 20, keys },
    ({ keys, quota }) =>
      `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted${onKeys(keys)}, then 402 was returned.`,
  ),
} as const;
