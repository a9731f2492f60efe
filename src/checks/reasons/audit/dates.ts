import { counted, number } from '../../../amounts.ts';
import { type AskedPeriod, askedText } from './asked.ts';

type Empty = { asked: AskedPeriod; average: number; rate: number; shades: number };

/** Reasons of the checks of dates: `audit-empty-period`, `audit-reversed-dates`, `audit-malformed-dates`, `audit-period`. */
export const dateReasons = {
  'audit-dates-not-asked': 'No such request was answered.',
  'audit-dates-status': ({ asked, status }: { asked: AskedPeriod; status: number }) =>
    `Expected 2xx or 4xx for ${askedText(asked)}, got ${status}.`,
  'audit-empty-pass': ({ ago, ahead }: { ahead: boolean; ago: boolean }) =>
    `Periods ${ahead && ago ? 'far in the future and in the past' : ahead ? 'far in the future' : 'far in the past'} are empty, or get 4xx.`,
  'audit-empty-old-sessions': ({ asked, sessions }: { asked: AskedPeriod; sessions: number }) =>
    `Expected no session for ${askedText(asked)}, got ${counted(sessions, 'session')}. The account may be that old.`,
  'audit-empty-sessions': (params: { asked: AskedPeriod; sessions: number; isAll: boolean }) =>
    `Expected no session for ${askedText(params.asked)}, got ${counted(params.sessions, 'session')}.${
      params.isAll ? ' No period has more, so the dates are not applied.' : ''
    }`,
  'audit-empty-not-zero': ({ asked, average, rate, shades }: Empty) =>
    `${upper(askedText(asked))} has no session. Expected zeros, got an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades, 'top shade')}.`,
  'audit-reversed-pass': 'A period that ends before it starts is empty, or gets 4xx.',
  'audit-reversed-sessions': ({ asked, sessions }: { asked: AskedPeriod; sessions: number | null }) =>
    `Expected 4xx or no session for ${askedText(asked)}, got ${
      sessions === null ? '2xx without a readable number of sessions' : counted(sessions, 'session')
    }. The service may swap the dates.`,
  'audit-malformed-pass': ({ dates }: { dates: number }) =>
    `No 5xx came in ${counted(dates, 'request')} with invalid dates or with dates in another form.`,
  'audit-malformed-accepted': ({ asked, status }: { asked: AskedPeriod; status: number | null }) =>
    `Expected 4xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
  'audit-period-pass': ({ periods }: { periods: number }) =>
    `In ${counted(periods, 'answer')}, \`period\` repeats the requested dates.`,
  'audit-period-none': 'No request got a readable answer.',
  'audit-period-wrong': ({ asked, expected, got }: { asked: AskedPeriod; got: string; expected: string }) =>
    `For ${askedText(asked)}, expected the period ${JSON.stringify(expected)}, got ${JSON.stringify(got)}.`,
} as const;

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
