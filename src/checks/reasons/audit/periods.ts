import { counted, number } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type AskedPeriod, askedText, sessionsText } from './asked.ts';

/** Reasons of the checks that compare numbers of sessions between periods and products. */
export const periodReasons = {
  'audit-adjacent-pass': ({ end, periods }: { periods: number; end: 'inclusive' | 'exclusive' | null }) =>
    `In ${counted(periods, 'period')} with sessions, the two parts together have exactly the sessions of the whole.${
      end === null ? '' : ` End dates are ${end}.`
    }`,
  'audit-adjacent-none': 'No period was answered both as a whole and in two parts.',
  'audit-adjacent-empty': 'No period has a session, so the sums show nothing.',
  'audit-adjacent-broken': (params: {
    whole: AskedPeriod;
    sessions: Bounds;
    left: AskedPeriod;
    leftSessions: Bounds;
    right: AskedPeriod;
    rightSessions: Bounds;
    maybeEachDay: boolean;
  }) =>
    `The parts ${params.left.from} / ${params.left.to} and ${params.right.from} / ${params.right.to} have ${sessionsText(params.leftSessions)} and ${sessionsText(params.rightSessions)}. Expected their sum for ${askedText(params.whole)}, got ${sessionsText(params.sessions)}.${
      params.maybeEachDay
        ? ' That is right if a session counts on each day with events (profile: analytics.session_day).'
        : ''
    }`,
  'audit-adjacent-other-end': ({ fitting, told }: { fitting: string; told: string }) =>
    `Everything adds up if end dates are ${fitting}, but the profile says ${told} (analytics.end_date).`,
  'audit-widening-pass': ({ periods }: { periods: number }) =>
    `In ${counted(periods, 'comparison')}, no period has fewer sessions than a period within it.`,
  'audit-widening-none': 'No period with sessions was answered together with a period within it.',
  'audit-within-broken': (params: { narrow: AskedPeriod; part: Bounds; wide: AskedPeriod; whole: Bounds }) =>
    `Expected at most the ${sessionsText(params.whole)} of ${askedText(params.wide)} for ${askedText(params.narrow)}, got ${sessionsText(params.part)}.`,
  'audit-filter-pass':
    'No product has more sessions than all products, and a product without sessions has none.',
  'audit-filter-none': 'No product was answered together with all products.',
  'audit-unknown-product-not-empty': (params: {
    asked: AskedPeriod;
    sessions: number;
    average: number;
    rate: number;
    shades: number;
    allSessions: number | null;
  }) =>
    `No session was ever created for ${askedText(params.asked)}. Expected an empty answer, got ${counted(params.sessions, 'session')}, an average of ${number(params.average)}, a rate of ${number(params.rate)} and ${counted(params.shades, 'top shade')}.${
      params.allSessions === null
        ? ''
        : ` All products together have ${counted(params.allSessions, 'session')}.`
    }`,
  'audit-products-pass': ({ periods }: { periods: number }) =>
    `In ${counted(periods, 'period')}, the known products together have at most the sessions of all products.`,
  'audit-products-none':
    'No known product has sessions. Name such products in the profile (analytics.products).',
  'audit-products-exceed': (params: { products: number; sum: Bounds; whole: AskedPeriod; total: Bounds }) =>
    `Expected at most the ${sessionsText(params.total)} of ${askedText(params.whole)} in ${counted(params.products, 'product')} together, got ${sessionsText(params.sum)}.`,
} as const;
