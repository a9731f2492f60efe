import { counted, number, span } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText } from './asked.ts';

/** Reasons of `analytics.audit-session`. */
export const sessionReasons = {
  'audit-session-pass': wording(
    { numbers: 6, hasInteractions: false },
    ({ hasInteractions, numbers }) =>
      `The new session counts exactly once in ${counted(numbers, 'number')}.${
        hasInteractions ? '' : ' No interaction could be sent, so only total_sessions is judged.'
      }`,
  ),
  'audit-session-not-created': wording<{ status: number | null }>(
    { status: 402 },
    ({ status }) => `No session could be created: ${status ?? 'no answer'}.`,
  ),
  'audit-session-too-early': wording({}, () => 'Analytics were not asked late enough after the session.'),
  'audit-session-unclear': wording(
    {},
    () => 'The interactions of the session got no clear answer, so the expected values are not known.',
  ),
  'audit-session-redelivered': wording<{ asked: AskedPeriod; sessions: number; isMore: boolean }>(
    { asked: askedExample, sessions: 2, isMore: false },
    ({ asked, isMore, sessions }) =>
      `Expected 1 ${isMore ? 'more ' : ''}session for ${askedText(asked)}, got ${number(sessions)}. The request may have been delivered again (profile: redeliveries).`,
  ),
  'audit-session-missing': wording<{ asked: AskedPeriod; freshnessMs: number; isLate: boolean }>(
    { asked: askedExample, freshnessMs: 1_000, isLate: true },
    ({ asked, freshnessMs, isLate }) =>
      `Expected 1 session for ${askedText(asked)} after ${span(freshnessMs)}, got 0. ${
        isLate
          ? 'A later answer has it, so it came too late.'
          : 'The last answer has none either: it is lost, or even later.'
      }`,
  ),
  'audit-session-count': wording<{ asked: AskedPeriod; sessions: number }>(
    { asked: askedExample, sessions: 2 },
    ({ asked, sessions }) =>
      `Expected 1 session for ${askedText(asked)}, because one was created; got ${number(sessions)}.`,
  ),
  'audit-session-average': wording<{ asked: AskedPeriod; got: number }>(
    { asked: askedExample, got: 2 },
    ({ asked, got }) =>
      `Expected avg_shades_per_session 1 for ${askedText(asked)}, got ${number(got)}. Its only session has one shade.`,
  ),
  'audit-session-rate': wording<{ asked: AskedPeriod; got: number }>(
    { asked: askedExample, got: 0 },
    ({ asked, got }) =>
      `Expected cart_intent_rate 1 for ${askedText(asked)}, got ${number(got)}. Its only session has a cart intent.`,
  ),
  'audit-session-shades': wording<{
    asked: AskedPeriod;
    shades: { readonly sku: string; readonly selections: number }[];
  }>(
    { asked: askedExample, shades: [{ sku: 'A-1', selections: 2 }] },
    ({ asked, shades }) =>
      `Expected one shade with 1 selection in top_shades of ${askedText(asked)}. Got ${
        shades
          .slice(0, 5)
          .map(({ selections, sku }) => `${sku} with ${number(selections)}`)
          .join(', ') || 'no shade'
      }.`,
  ),
  'audit-session-total': wording<{ asked: AskedPeriod; before: number; after: number }>(
    { asked: askedExample, before: 3, after: 5 },
    ({ after, asked, before }) =>
      `One session was created. Expected 1 more than ${number(before)} for ${askedText(asked)}, got ${number(after)}.`,
  ),
  'audit-session-mean': wording<{
    asked: AskedPeriod;
    field: string;
    before: number;
    sessions: number;
    got: number;
    expected: number;
  }>(
    { asked: askedExample, field: 'cart_intent_rate', before: 0.5, sessions: 4, got: 0.5, expected: 0.6 },
    ({ asked, before, expected, field, got, sessions }) =>
      `Before, ${field} of ${askedText(asked)} was ${number(before)} over ${counted(sessions, 'session')}. With one session of value 1 more, expected ${number(expected)}, got ${number(got)}.`,
  ),
  'audit-session-day': wording<{ day: string; due: string[]; zone: string | null }>(
    { day: '2026-05-02', due: ['2026-05-01'], zone: 'UTC' },
    ({ day, due, zone }) =>
      `The session was created on ${due.join(' or ')}, but counts on ${day}. ${
        zone === null
          ? 'No time zone explains that.'
          : `The profile says that days begin by ${zone} (analytics.time_zone).`
      }`,
  ),
} as const;
