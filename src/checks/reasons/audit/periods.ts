import { counted, number } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText, sessionsText } from './asked.ts';

const three: Bounds = { min: 3, max: 3 };
const otherExample: AskedPeriod = { ...askedExample, product: null };

/** Reasons of the checks that compare numbers of sessions between periods and products. */
export const periodReasons = {
  'audit-adjacent-pass': wording<{ periods: number; end: 'inclusive' | 'exclusive' | null }>(
    { periods: 12, end: 'inclusive' },
    ({ end, periods }) =>
      `In ${counted(periods, 'period')} with sessions, the two parts together have exactly the sessions of the whole.${
        end === null ? '' : ` End dates are ${end}.`
      }`,
  ),
  'audit-adjacent-none': wording({}, () => 'No period was answered both as a whole and in two parts.'),
  'audit-adjacent-empty': wording({}, () => 'No period has a session, so the sums show nothing.'),
  'audit-adjacent-broken': wording<{
    whole: AskedPeriod;
    sessions: Bounds;
    left: AskedPeriod;
    leftSessions: Bounds;
    right: AskedPeriod;
    rightSessions: Bounds;
    maybeEachDay: boolean;
  }>(
    {
      ...{ whole: askedExample, sessions: three, left: askedExample, leftSessions: three },
      ...{ right: askedExample, rightSessions: three, maybeEachDay: false },
    },
    ({ left, leftSessions, maybeEachDay, right, rightSessions, sessions, whole }) =>
      `The parts ${left.from} / ${left.to} and ${right.from} / ${right.to} have ${sessionsText(leftSessions)} and ${sessionsText(rightSessions)}. Expected their sum for ${askedText(whole)}, got ${sessionsText(sessions)}.${
        maybeEachDay
          ? ' That is right if a session counts on each day with events (profile: analytics.session_day).'
          : ''
      }`,
  ),
  'audit-adjacent-other-end': wording<{ fitting: string; told: string }>(
    { fitting: 'exclusive', told: 'inclusive' },
    ({ fitting, told }) =>
      `Everything adds up if end dates are ${fitting}, but the profile says ${told} (analytics.end_date).`,
  ),
  'audit-widening-pass': wording(
    { periods: 12 },
    ({ periods }) =>
      `In ${counted(periods, 'comparison')}, no period has fewer sessions than a period within it.`,
  ),
  'audit-widening-none': wording(
    {},
    () => 'No period with sessions was answered together with a period within it.',
  ),
  'audit-within-broken': wording<{ narrow: AskedPeriod; part: Bounds; wide: AskedPeriod; whole: Bounds }>(
    { narrow: askedExample, part: { min: 5, max: 6 }, wide: otherExample, whole: three },
    ({ narrow, part, whole, wide }) =>
      `Expected at most the ${sessionsText(whole)} of ${askedText(wide)} for ${askedText(narrow)}, got ${sessionsText(part)}.`,
  ),
  'audit-filter-pass': wording(
    {},
    () => 'No product has more sessions than all products, and a product without sessions has none.',
  ),
  'audit-filter-none': wording({}, () => 'No product was answered together with all products.'),
  'audit-unknown-product-not-empty': wording<{
    asked: AskedPeriod;
    sessions: number;
    average: number;
    rate: number;
    shades: number;
    allSessions: number | null;
  }>(
    { asked: askedExample, sessions: 3, average: 2, rate: 0.5, shades: 4, allSessions: 3 },
    ({ allSessions, asked, average, rate, sessions, shades }) =>
      `No session was ever created for ${askedText(asked)}. Expected an empty answer, got ${counted(sessions, 'session')}, an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades, 'top shade')}.${
        allSessions === null ? '' : ` All products together have ${counted(allSessions, 'session')}.`
      }`,
  ),
  'audit-products-pass': wording(
    { periods: 4 },
    ({ periods }) =>
      `In ${counted(periods, 'period')}, the known products together have at most the sessions of all products.`,
  ),
  'audit-products-none': wording(
    {},
    () => 'No known product has sessions. Name such products in the profile (analytics.products).',
  ),
  'audit-products-exceed': wording<{ products: number; sum: Bounds; whole: AskedPeriod; total: Bounds }>(
    { products: 13, sum: { min: 9, max: 10 }, whole: otherExample, total: three },
    ({ products, sum, total, whole }) =>
      `Expected at most the ${sessionsText(total)} of ${askedText(whole)} in ${counted(products, 'product')} together, got ${sessionsText(sum)}.`,
  ),
} as const;
