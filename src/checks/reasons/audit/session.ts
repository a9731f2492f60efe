import { counted, number, span } from '../../../amounts.ts';
import { type AskedPeriod, askedText } from './asked.ts';

/** Reasons of `analytics.audit-session`. */
export const sessionReasons = {
  'audit-session-pass': ({ hasInteractions, numbers }: { numbers: number; hasInteractions: boolean }) =>
    `The new session counts exactly once in ${counted(numbers, 'number')}.${
      hasInteractions ? '' : ' No interaction could be sent, so only total_sessions is judged.'
    }`,
  'audit-session-not-created': ({ status }: { status: number | null }) =>
    `No session could be created: ${status ?? 'no answer'}.`,
  'audit-session-too-early': 'Analytics were not asked late enough after the session.',
  'audit-session-unclear':
    'The interactions of the session got no clear answer, so the expected values are not known.',
  'audit-session-redelivered': (params: { asked: AskedPeriod; sessions: number; isMore: boolean }) =>
    `Expected 1 ${params.isMore ? 'more ' : ''}session for ${askedText(params.asked)}, got ${number(params.sessions)}. The request may have been delivered again (profile: redeliveries).`,
  'audit-session-missing': (params: { asked: AskedPeriod; freshnessMs: number; isLate: boolean }) =>
    `Expected 1 session for ${askedText(params.asked)} after ${span(params.freshnessMs)}, got 0. ${
      params.isLate
        ? 'A later answer has it, so it came too late.'
        : 'The last answer has none either: it is lost, or even later.'
    }`,
  'audit-session-count': ({ asked, sessions }: { asked: AskedPeriod; sessions: number }) =>
    `Expected 1 session for ${askedText(asked)}, because one was created; got ${number(sessions)}.`,
  'audit-session-average': ({ asked, got }: { asked: AskedPeriod; got: number }) =>
    `Expected avg_shades_per_session 1 for ${askedText(asked)}, got ${number(got)}. Its only session has one shade.`,
  'audit-session-rate': ({ asked, got }: { asked: AskedPeriod; got: number }) =>
    `Expected cart_intent_rate 1 for ${askedText(asked)}, got ${number(got)}. Its only session has a cart intent.`,
  'audit-session-shades': (params: { asked: AskedPeriod; shades: { sku: string; selections: number }[] }) =>
    `Expected one shade with 1 selection in top_shades of ${askedText(params.asked)}. Got ${
      params.shades
        .slice(0, 5)
        .map(({ selections, sku }) => `${sku} with ${number(selections)}`)
        .join(', ') || 'no shade'
    }.`,
  'audit-session-total': ({ after, asked, before }: { asked: AskedPeriod; before: number; after: number }) =>
    `One session was created. Expected 1 more than ${number(before)} for ${askedText(asked)}, got ${number(after)}.`,
  'audit-session-mean': (params: {
    asked: AskedPeriod;
    field: string;
    before: number;
    sessions: number;
    got: number;
    expected: number;
  }) =>
    `Before, ${params.field} of ${askedText(params.asked)} was ${number(params.before)} over ${counted(params.sessions, 'session')}. With one session of value 1 more, expected ${number(params.expected)}, got ${number(params.got)}.`,
  'audit-session-day': ({ day, due, zone }: { day: string; due: string[]; zone: string | null }) =>
    `The session was created on ${due.join(' or ')}, but counts on ${day}. ${
      zone === null
        ? 'No time zone explains that.'
        : `The profile says that days begin by ${zone} (analytics.time_zone).`
    }`,
} as const;
