import { counted, range } from '../../amounts.ts';
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
  'audit-reversed-sessions': ({ asked, sessions }: { asked: string; sessions: number | null }) =>
    `Expected 4xx or no session for ${asked}, got ${
      sessions === null ? '2xx without a readable number of sessions' : counted(sessions, 'session')
    }. The service may swap the dates.`,
  'audit-malformed-accepted': ({ asked, status }: { asked: string; status: number | null }) =>
    `Expected 4xx for ${asked}, got ${status ?? 'no answer'}.`,
  'audit-malformed-apart':
    'Expected 4xx for {asked:text}, got 200. At the other end of a period, “{word:text}” gets {status}.',
  'audit-adjacent-other-end':
    'Everything adds up if end dates are {fitting:text}, but the profile says {told:text} (analytics.end_date).',
  'audit-products-none':
    'No known product has sessions. Name such products in the profile (analytics.products).',
  'audit-session-not-created': ({ status }: { status: number | null }) =>
    `No session could be created: ${status ?? 'no answer'}.`,
  'audit-session-open':
    'For {asked:text}, several values are right: a request for the session got no clear answer, or may have been delivered again (profile: redeliveries).',
  'audit-session-too-early': 'Analytics were not asked late enough after the session.',
  'audit-may-come-back':
    'The answer for {query:text} changed and changed back, which is right for means over sessions with shades, or by the last event. The profile can tell (analytics.sessions_averaged, analytics.cart_intent).',
  'audit-answer-malformed': 'The answer for {asked:text} is not in the promised form: {problem:text}.',
  'audit-answer-status': ({ asked, status }: { asked: string; status: number | null }) =>
    `Expected 2xx for ${asked}, got ${status ?? 'no answer'}.`,
} as const;
