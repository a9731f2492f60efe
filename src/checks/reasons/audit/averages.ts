import { counted, number, range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type AskedPeriod, askedText, sessionsText } from './asked.ts';

/** Reasons of `analytics.audit-averages`. */
export const averageReasons = {
  'audit-averages-pass': ({ comparisons, excluded }: { comparisons: number; excluded: string[] }) =>
    `Averages and rates of parts combine to those of the whole in ${counted(comparisons, 'comparison')}.${
      excluded.length === 0
        ? ' Each lies between the values of its parts.'
        : ` A mean that is not weighted by sessions is excluded for ${excluded.join(' and ')}.`
    }`,
  'audit-averages-moved': 'No period with sessions stayed the same long enough to compare averages.',
  'audit-averages-unknown-products': ({ rest, sessions }: { rest: Bounds; sessions: Bounds }) =>
    `Of ${sessionsText(sessions)}, ${range(rest)} may be of products that are not in the profile (analytics.products). The weights of averages cannot be seen.`,
  'audit-averages-one-part':
    'All sessions are in one part of each period and of one product, or averages are equal. The weights of averages cannot be seen.',
  'audit-averages-broken': (params: {
    asked: AskedPeriod;
    field: string;
    got: Bounds;
    expected: Bounds;
    parts: { mean: Bounds; sessions: Bounds }[];
  }) =>
    `Expected ${params.field} of ${range(params.expected)} for ${askedText(params.asked)}, got ${range(params.got)}.${
      params.parts.length === 0
        ? ''
        : ` ${params.parts.length === 1 ? 'Its only part has' : 'Its first parts have'} ${params.parts
            .slice(0, 4)
            .map(({ mean, sessions }) => `${range(mean)} over ${sessionsText(sessions)}`)
            .join(', ')}.`
    }`,
  'audit-averages-no-fraction': (params: {
    asked: AskedPeriod;
    field: string;
    got: number;
    sessions: number;
  }) =>
    `For ${askedText(params.asked)}, ${params.field} is ${number(params.got)}. No mean over ${counted(params.sessions, 'session')} has that value.`,
} as const;
