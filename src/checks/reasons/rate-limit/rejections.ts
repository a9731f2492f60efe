import { counted, number, seconds } from '../../../amounts.ts';
import { wording } from '../wording.ts';

interface LongWait {
  readonly text: string;
  readonly waitMs: number;
}

/** Reasons of the check of what 429 says about waiting. */
export const rejectionReasons = {
  'rejections-none': wording({}, () => 'No request got 429.'),
  'rejections-without-retry-after': wording(
    {},
    () => 'No 429 has Retry-After. The interface does not promise it.',
  ),
  'rejections-with-retry-after': wording(
    { given: 30, rejected: 40 },
    ({ given, rejected }) => `Retry-After came with ${number(given)} of ${counted(rejected, 'rejection')}.`,
  ),
  'rejections-impossible': wording(
    { values: 3 },
    ({ values }) => `Expected Retry-After with a possible wait. Got ${counted(values, 'impossible value')}.`,
  ),
  'rejections-doubtful': wording(
    { values: 3 },
    ({ values }) => `Retry-After has ${counted(values, 'doubtful value')}.`,
  ),
  'rejections-negative': wording(
    { text: '-3' },
    ({ text }) => `For example, Retry-After: ${text} is negative.`,
  ),
  'rejections-fraction': wording(
    { text: '1.5' },
    ({ text }) => `For example, Retry-After: ${text} is not in whole seconds.`,
  ),
  'rejections-no-date': wording(
    { text: 'soon' },
    ({ text }) => `For example, Retry-After: ${text} is neither seconds nor a date.`,
  ),
  'rejections-late-date': wording<LongWait>(
    { text: 'Fri, 01 May 2026 12:00:00 GMT', waitMs: 90_000 },
    ({ text, waitMs }) =>
      `For example, Retry-After: ${text} is ${seconds(waitMs)} ahead by the clock of this program.`,
  ),
  'rejections-over-a-day': wording<{
    readonly text: string;
    /** Null where the number is too large for one. */
    readonly waitMs: number | null;
  }>(
    { text: '9,000,000', waitMs: 9_000_000_000 },
    ({ text, waitMs }) =>
      `For example, Retry-After: ${text} is a wait of ${waitMs === null ? '' : `${seconds(waitMs)}, `}more than a day. It looks like an epoch time or milliseconds.`,
  ),
  'rejections-long-wait': wording<LongWait & { readonly windowMs: number }>(
    { text: '300', waitMs: 300_000, windowMs: 6_000 },
    ({ text, waitMs, windowMs }) =>
      `For example, Retry-After: ${text} is a wait of ${seconds(waitMs)}; two windows last ${seconds(2 * windowMs)}. Nothing contradicts it.`,
  ),
  'rejections-admitted-earlier': wording<LongWait & { readonly admissions: number }>(
    { text: '300', waitMs: 300_000, admissions: 3 },
    ({ admissions, text, waitMs }) =>
      `For example, Retry-After: ${text} is a wait of ${seconds(waitMs)}. The same key got at least ${counted(admissions, 'admission')} long before its end.`,
  ),
} as const;
