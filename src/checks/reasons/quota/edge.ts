import { counted, countedRange, number, range, verb } from '../../../amounts.ts';
import { fieldsText, onKeys } from './keys.ts';

/** Reasons for how many sessions were admitted before the first 402. */
export const quotaEdgeReasons = {
  'quota-edge-untried': 'No session was requested with the quota key.',
  'quota-edge-found': (params: { admitted: { min: number; max: number }; keys: readonly string[] }) =>
    `The profile does not give the quota (\`quota.sessions\`). The service admitted ${countedRange(params.admitted, 'session')}${onKeys(params.keys)}, then returned 402.`,
  'quota-edge-unreached': (params: {
    attempts: number;
    admitted: { min: number; max: number };
    keys: readonly string[];
  }) =>
    `The profile does not give the quota (\`quota.sessions\`). The run did not reach it with ${counted(params.attempts, 'attempt')}: ${range(params.admitted)} ${verb(params.admitted.max, 'was', 'were')} admitted${onKeys(params.keys)}.`,
  'quota-edge-over': (params: { admitted: number; quota: number; keys: readonly string[] }) =>
    `Expected at most ${counted(params.quota, 'session')}${onKeys(params.keys)}, got ${number(params.admitted)}: ${number(params.admitted - params.quota)} more than the quota.`,
  'quota-edge-over-in-doubt': (params: {
    admitted: number;
    quota: number;
    keys: readonly string[];
    fields: readonly string[];
  }) =>
    `The run got ${counted(params.admitted, 'session')}${onKeys(params.keys)}, ${number(params.admitted - params.quota)} more than the quota of ${number(params.quota)}. The answers suggest that these keys share it; the profile does not say so (${fieldsText(params.fields)}).`,
  'quota-edge-without-402': (params: {
    admitted: { min: number; max: number };
    attempts: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `No attempt got 402. Of ${counted(params.attempts, 'attempt')}, ${range(params.admitted)} ${verb(params.admitted.max, 'was', 'were')} admitted${onKeys(params.keys)}; the quota is ${number(params.quota)}.`,
  'quota-edge-early': (params: {
    admitted: { min: number; max: number };
    quota: number;
    keys: readonly string[];
  }) =>
    `Expected ${counted(params.quota, 'session')} before the first 402, got ${range(params.admitted)}${onKeys(params.keys)}.`,
  'quota-edge-unclear': (params: {
    admitted: { min: number; max: number };
    unclear: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `The run got ${countedRange(params.admitted, 'session')}${onKeys(params.keys)}, of a quota of ${number(params.quota)}. No clear answer came to ${counted(params.unclear, 'attempt')}.`,
  'quota-edge-exact': ({ keys, quota }: { quota: number; keys: readonly string[] }) =>
    `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted${onKeys(keys)}, then 402 was returned.`,
} as const;
