import { counted, number, range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText, sessionsText } from './asked.ts';

/** Reasons of `analytics.audit-averages`. */
export const averageReasons = {
  'audit-averages-pass': wording<{ comparisons: number; excluded: string[] }>(
    { comparisons: 12, excluded: ['cart_intent_rate'] },
    ({ comparisons, excluded }) =>
      `Averages and rates of parts combine to those of the whole in ${counted(comparisons, 'comparison')}.${
        excluded.length === 0
          ? ' Each lies between the values of its parts.'
          : ` A mean that is not weighted by sessions is excluded for ${excluded.join(' and ')}.`
      }`,
  ),
  'audit-averages-moved': wording(
    {},
    () => 'No period with sessions stayed the same long enough to compare averages.',
  ),
  'audit-averages-unknown-products': wording<{ rest: Bounds; sessions: Bounds }>(
    { rest: { min: 400, max: 410 }, sessions: { min: 600, max: 610 } },
    ({ rest, sessions }) =>
      `Of ${sessionsText(sessions)}, ${range(rest)} may be of products that are not in the profile (analytics.products). The weights of averages cannot be seen.`,
  ),
  'audit-averages-one-part': wording(
    {},
    () =>
      'All sessions are in one part of each period and of one product, or averages are equal. The weights of averages cannot be seen.',
  ),
  'audit-averages-broken': wording<{
    asked: AskedPeriod;
    field: string;
    got: Bounds;
    expected: Bounds;
    parts: { readonly mean: Bounds; readonly sessions: Bounds }[];
  }>(
    {
      asked: askedExample,
      field: 'cart_intent_rate',
      got: { min: 0.2, max: 0.2 },
      expected: { min: 0.29, max: 0.31 },
      parts: [{ mean: { min: 0.3, max: 0.3 }, sessions: { min: 4, max: 4 } }],
    },
    ({ asked, expected, field, got, parts }) =>
      `Expected ${field} of ${range(expected)} for ${askedText(asked)}, got ${range(got)}.${
        parts.length === 0
          ? ''
          : ` ${parts.length === 1 ? 'Its only part has' : 'Its first parts have'} ${parts
              .slice(0, 4)
              .map(({ mean, sessions }) => `${range(mean)} over ${sessionsText(sessions)}`)
              .join(', ')}.`
      }`,
  ),
  'audit-averages-no-fraction': wording<{ asked: AskedPeriod; field: string; got: number; sessions: number }>(
    { asked: askedExample, field: 'cart_intent_rate', got: 0.37, sessions: 2 },
    ({ asked, field, got, sessions }) =>
      `For ${askedText(asked)}, ${field} is ${number(got)}. No mean over ${counted(sessions, 'session')} has that value.`,
  ),
} as const;
