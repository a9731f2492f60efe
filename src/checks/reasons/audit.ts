import { counted, number, range, span } from '../../amounts.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';

/** Reasons of the analytics audit. `asked`: a question in words. */
export const auditReasons = {
  'audit-averages-excluded': 'A mean that is not weighted by sessions is excluded for {excluded:list}.',
  'audit-session-total-only': 'No interaction could be sent, so only total_sessions is judged.',
  'audit-averages-moved': 'No period with sessions stayed the same long enough to compare averages.',
  'audit-averages-unknown-products': ({ rest, sessions }: { rest: Bounds; sessions: Bounds }) =>
    `Of ${range(sessions)} ${sessions.min === 1 && sessions.max === 1 ? 'session' : 'sessions'}, ${range(rest)} may be of products that are not in the profile (analytics.products). The weights of averages cannot be seen.`,
  'audit-averages-one-part':
    'All sessions are in one part of each period and of one product, or averages are equal. The weights of averages cannot be seen.',
  'audit-averages-no-fraction':
    'For {asked:text}, {field:text} is {got}. No mean over {sessions:count session} has that value.',
  'audit-dates-status': 'Expected 2xx or 4xx for {asked:text}, got {status}.',
  'audit-empty-old-sessions':
    'Expected no session for {asked:text}, got {sessions:count session}. The account may be that old.',
  'audit-empty-sessions': (params: { asked: string; sessions: number; isAll: boolean }) =>
    `Expected no session for ${params.asked}, got ${counted(params.sessions, 'session')}.${
      params.isAll ? ' No period has more, so the dates are not applied.' : ''
    }`,
  'audit-empty-not-zero':
    'There is no session for {asked:text}. Expected zeros, but got another value in {fields:list}.',
  'audit-reversed-sessions': ({ asked, sessions }: { asked: string; sessions: number | null }) =>
    `Expected 4xx or no session for ${asked}, got ${
      sessions === null ? '2xx without a readable number of sessions' : counted(sessions, 'session')
    }. The service may swap the dates.`,
  'audit-malformed-accepted': ({ asked, status }: { asked: string; status: number | null }) =>
    `Expected 4xx for ${asked}, got ${status ?? 'no answer'}.`,
  'audit-malformed-apart':
    'Expected 4xx for {asked:text}, got 200. At the other end of a period, “{word:text}” gets {status}.',
  'audit-period-wrong': 'For {asked:text}, expected the period “{expected:text}”, got “{got:text}”.',
  'audit-adjacent-other-end':
    'Everything adds up if end dates are {fitting:text}, but the profile says {told:text} (analytics.end_date).',
  'audit-unknown-product-not-empty': (params: {
    asked: string;
    sessions: number;
    fields: string[];
    allSessions: number | null;
  }) =>
    `No session was ever created for ${params.asked}. Expected an empty answer, got ${counted(params.sessions, 'session')} and a value in ${params.fields.join(', ')}.${
      params.allSessions === null
        ? ''
        : ` All products together have ${counted(params.allSessions, 'session')}.`
    }`,
  'audit-products-none':
    'No known product has sessions. Name such products in the profile (analytics.products).',
  'audit-session-not-created': ({ status }: { status: number | null }) =>
    `No session could be created: ${status ?? 'no answer'}.`,
  'audit-session-too-early': 'Analytics were not asked late enough after the session.',
  'audit-session-unclear':
    'The interactions of the session got no clear answer, so the expected values are not known.',
  'audit-session-redelivered':
    'Expected 1 session for {asked:text}, got {sessions}. The request may have been delivered again (profile: redeliveries).',
  'audit-session-missing': (params: { asked: string; freshnessMs: number; isLate: boolean }) =>
    `Expected 1 session for ${params.asked} after ${span(params.freshnessMs)}, got 0. ${
      params.isLate
        ? 'A later answer has it, so it came too late.'
        : 'The last answer has none either: it is lost, or even later.'
    }`,
  'audit-session-shades': (params: { asked: string; shades: { sku: string; selections: number }[] }) =>
    `Expected one shade with 1 selection in top_shades of ${params.asked}. Got ${
      params.shades.map(({ selections, sku }) => `${sku} with ${number(selections)}`).join(', ') || 'no shade'
    }.`,
  'audit-session-day': ({ day, due, zone }: { day: string; due: string[]; zone: string | null }) =>
    `The session was created on ${due.join(' or ')}, but counts on ${day}. ${
      zone === null
        ? 'No time zone explains that.'
        : `The profile says that days begin by ${zone} (analytics.time_zone).`
    }`,
  'audit-shades-wrong': (params: {
    asked: string;
    sku: string;
    selections: number;
    before: number | null;
    fault: 'twice' | 'no-count' | 'unsorted';
  }) => {
    const { asked, before, fault, selections, sku } = params;
    if (fault === 'twice')
      return `Expected each SKU once in top_shades of ${asked}, but ${sku} is there twice.`;
    return fault === 'no-count'
      ? `Expected whole numbers in top_shades of ${asked}, got ${number(selections)} for ${sku}.`
      : `Expected most selections first in top_shades of ${asked}. But ${sku} with ${number(selections)} stands after a shade with ${number(before ?? 0)}.`;
  },
  'audit-may-come-back':
    'The answer for {query:text} changed and changed back, which is right for means over sessions with shades, or by the last event. The profile can tell (analytics.sessions_averaged, analytics.cart_intent).',
  'audit-answer-malformed': 'The answer for {asked:text} is not in the promised form: {problem:text}.',
  'audit-answer-status': ({ asked, status }: { asked: string; status: number | null }) =>
    `Expected 2xx for ${asked}, got ${status ?? 'no answer'}.`,
} as const;
