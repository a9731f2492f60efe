import { counted, number, seconds } from '../../../amounts.ts';

interface LongWait {
  readonly text: string;
  readonly waitMs: number;
}

/** Reasons of the check of what 429 says about waiting. */
export const rejectionReasons = {
  'rejections-none': 'No request got 429.',
  'rejections-without-retry-after': 'No 429 has Retry-After. The interface does not promise it.',
  'rejections-with-retry-after': ({ given, rejected }: { given: number; rejected: number }) =>
    `Retry-After came with ${number(given)} of ${counted(rejected, 'rejection')}.`,
  'rejections-impossible': ({ values }: { values: number }) =>
    `Expected Retry-After with a possible wait. Got ${counted(values, 'impossible value')}.`,
  'rejections-doubtful': ({ values }: { values: number }) =>
    `Retry-After has ${counted(values, 'doubtful value')}.`,
  'rejections-negative': ({ text }: { text: string }) => `For example, Retry-After: ${text} is negative.`,
  'rejections-fraction': ({ text }: { text: string }) =>
    `For example, Retry-After: ${text} is not in whole seconds.`,
  'rejections-no-date': ({ text }: { text: string }) =>
    `For example, Retry-After: ${text} is neither seconds nor a date.`,
  'rejections-late-date': ({ text, waitMs }: LongWait) =>
    `For example, Retry-After: ${text} is ${seconds(waitMs)} ahead by the clock of this program.`,
  'rejections-over-a-day': (params: {
    text: string /** Null where the number is too large for one. */;
    readonly waitMs: number | null;
  }) =>
    `For example, Retry-After: ${params.text} is a wait of ${params.waitMs === null ? '' : `${seconds(params.waitMs)}, `}more than a day. It looks like an epoch time or milliseconds.`,
  'rejections-long-wait': ({ text, waitMs, windowMs }: LongWait & { windowMs: number }) =>
    `For example, Retry-After: ${text} is a wait of ${seconds(waitMs)}; two windows last ${seconds(2 * windowMs)}. Nothing contradicts it.`,
  'rejections-admitted-earlier': ({ admissions, text, waitMs }: LongWait & { admissions: number }) =>
    `For example, Retry-After: ${text} is a wait of ${seconds(waitMs)}. The same key got at least ${counted(admissions, 'admission')} long before its end.`,
} as const;
