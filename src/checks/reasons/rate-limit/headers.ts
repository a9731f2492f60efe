import { counted, listed, noneOf, number, seconds, verb } from '../../../amounts.ts';
import { comparedWith, type FittedKinds } from './fitted.ts';
import { adviceReasons } from './headers/advice.ts';
import {
  headerFaultReasons,
  headersOf,
  type SpeakingDialect,
  type Stated,
  statedText,
} from './headers/faults.ts';
import { paceText } from './names.ts';

/** What is unusual in rate-limit headers, and not wrong. */
const headerRemarkReasons = {
  'headers-also-state': ({ stated, ...who }: SpeakingDialect & { stated: Stated }) =>
    `The ${headersOf(who)} also state ${statedText(stated)}.`,
  'headers-remaining-negative': (who: SpeakingDialect) =>
    `In the ${headersOf(who)}, \`remaining\` goes below zero.`,
  'headers-reset-instant': (who: SpeakingDialect) =>
    `In the ${headersOf(who)}, the reset is a point in time; the drafts say seconds from now.`,
  'headers-reset-whole-window': (who: SpeakingDialect) =>
    `In the ${headersOf(who)}, the reset is always a whole window ahead.`,
  'headers-retry-before': ({ rejections, ...who }: SpeakingDialect & { rejections: number }) =>
    `Retry-After is before \`t\` of the ${headersOf(who)} in ${counted(rejections, 'rejection')}; the draft says that it should not be.`,
  'headers-count-more': ({ unexplained, ...who }: SpeakingDialect & { unexplained: number }) =>
    `The ${headersOf(who)} count ${counted(unexplained, 'request')} that this run did not send. Someone else used the key, or requests count more than once.`,
} as const;

interface HeldHeaders extends SpeakingDialect {
  readonly of: 'remaining' | 'reset';
  readonly compared: number;
  readonly fitted: FittedKinds;
}

/** Reasons of the checks of rate-limit headers. */
export const headerReasons = {
  ...headerFaultReasons,
  ...headerRemarkReasons,
  ...adviceReasons,
  'headers-missing': ({ header, missing, rejected }: { header: string; missing: number; rejected: number }) =>
    `Expected ${header} in every 429, as the profile promises; ${number(missing)} of ${counted(rejected, 'such answer')} ${verb(missing, 'lacks', 'lack')} it.`,
  'headers-none': ({ promises }: { promises: boolean }) =>
    `No answer has a rate-limit header${promises ? '' : ', and the profile promises none'}.`,
  'headers-dialect-unknown': ({ answers }: { answers: number }) =>
    `Rate-limit headers came with ${counted(answers, 'answer')}, in no known dialect.`,
  'headers-dialects': ({ answers, dialects }: { answers: number; dialects: readonly string[] }) =>
    `Rate-limit headers came with ${counted(answers, 'answer')} (dialect: ${listed(dialects)}).`,
  'headers-limit-right': (promised: { requests: number; windowMs: number }) =>
    `None of them contradicts the promised ${paceText(promised)}.`,
  'headers-remaining-possible': ({ values }: { values: number }) =>
    `The answers state ${counted(values, '`remaining` value')}, and each is possible for some limiter.`,
  'headers-reset-possible': ({ values }: { values: number }) =>
    `The answers state ${counted(values, 'reset')}, and each is possible for some limiter.`,
  'headers-values-right': ({ compared, fitted, of, ...who }: HeldHeaders) =>
    `The state of the limiter is known for ${counted(compared, `\`${of}\` value`)} in the ${headersOf(who)}. None of these is wrong: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  'headers-values-wrong': (
    params: HeldHeaders & Readonly<Record<'above' | 'aboveBy' | 'below' | 'belowBy', number>>,
  ) => {
    const { above, aboveBy, below, belowBy, compared, fitted, of, ...who } = params;
    const upTo = (by: number): string =>
      by <= 0 ? '' : ` (by up to ${of === 'reset' ? seconds(by) : number(Math.ceil(by))})`;
    return `The state of the limiter is known for ${counted(compared, `\`${of}\` value`)} in the ${headersOf(who)}. Of these, ${number(above)} ${verb(above, 'is', 'are')} too high${upTo(aboveBy)} and ${number(below)} too low${upTo(belowBy)}. ${comparedWith(fitted)}`;
  },
} as const;

export type FaultCode = keyof typeof headerFaultReasons;
export type RemarkCode = keyof typeof headerRemarkReasons;
