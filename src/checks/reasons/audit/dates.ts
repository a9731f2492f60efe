import { counted, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText } from './asked.ts';

type Empty = { asked: AskedPeriod; average: number; rate: number; shades: number };

/** Reasons of the checks of dates: `audit-empty-period`, `audit-reversed-dates`, `audit-malformed-dates`, `audit-period`. */
export const dateReasons = {
  'audit-dates-not-asked': wording({}, () => 'No such request was answered.'),
  'audit-dates-status': wording<{ asked: AskedPeriod; status: number }>(
    { asked: askedExample, status: 500 },
    ({ asked, status }) => `Expected 2xx or 4xx for ${askedText(asked)}, got ${status}.`,
  ),
  'audit-empty-pass': wording(
    { ahead: true, ago: true },
    ({ ago, ahead }) =>
      `Periods ${ahead && ago ? 'far in the future and in the past' : ahead ? 'far in the future' : 'far in the past'} are empty, or get 4xx.`,
  ),
  'audit-empty-old-sessions': wording<{ asked: AskedPeriod; sessions: number }>(
    { asked: askedExample, sessions: 3 },
    ({ asked, sessions }) =>
      `Expected no session for ${askedText(asked)}, got ${counted(sessions, 'session')}. The account may be that old.`,
  ),
  'audit-empty-sessions': wording<{ asked: AskedPeriod; sessions: number; isAll: boolean }>(
    { asked: askedExample, sessions: 3, isAll: true },
    ({ asked, isAll, sessions }) =>
      `Expected no session for ${askedText(asked)}, got ${counted(sessions, 'session')}.${
        isAll ? ' No period has more, so the dates are not applied.' : ''
      }`,
  ),
  'audit-empty-not-zero': wording<Empty>(
    { asked: askedExample, average: 1, rate: 0, shades: 2 },
    ({ asked, average, rate, shades }) =>
      `${upper(askedText(asked))} has no session. Expected zeros, got an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades, 'top shade')}.`,
  ),
  'audit-reversed-pass': wording({}, () => 'A period that ends before it starts is empty, or gets 4xx.'),
  'audit-reversed-sessions': wording<{ asked: AskedPeriod; sessions: number | null }>(
    { asked: askedExample, sessions: 3 },
    ({ asked, sessions }) =>
      `Expected 4xx or no session for ${askedText(asked)}, got ${
        sessions === null ? '2xx without a readable number of sessions' : counted(sessions, 'session')
      }. The service may swap the dates.`,
  ),
  'audit-malformed-pass': wording(
    { dates: 11 },
    ({ dates }) =>
      `No 5xx came in ${counted(dates, 'request')} with invalid dates or with dates in another form.`,
  ),
  'audit-malformed-accepted': wording<{ asked: AskedPeriod; status: number | null }>(
    { asked: askedExample, status: 200 },
    ({ asked, status }) => `Expected 4xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
  ),
  'audit-period-pass': wording(
    { periods: 12 },
    ({ periods }) => `In ${counted(periods, 'answer')}, \`period\` repeats the requested dates.`,
  ),
  'audit-period-none': wording({}, () => 'No request got a readable answer.'),
  'audit-period-wrong': wording<{ asked: AskedPeriod; got: string; expected: string }>(
    { asked: askedExample, got: '2026-05-01/2026-05-31', expected: '2026-05-01 / 2026-05-31' },
    ({ asked, expected, got }) =>
      `For ${askedText(asked)}, expected the period ${JSON.stringify(expected)}, got ${JSON.stringify(got)}.`,
  ),
} as const;

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
