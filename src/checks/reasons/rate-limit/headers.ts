import { counted, listed, noneOf, number, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { comparedWith, type FittedKinds, fittedExample } from './fitted.ts';
import { adviceReasons } from './headers/advice.ts';
import {
  headerFaultReasons,
  headersOf,
  type SpeakingDialect,
  type Stated,
  statedText,
} from './headers/faults.ts';
import { paceText } from './names.ts';

const speaker: SpeakingDialect = { dialect: 'draft-6', policy: '' };

/** What is unusual in rate-limit headers, and not wrong. */
export const headerRemarkReasons = {
  'headers-also-state': wording<SpeakingDialect & { readonly stated: Stated }>(
    { ...speaker, stated: { limit: 10_000, windowMs: 86_400_000 } },
    ({ stated, ...who }) => `The ${headersOf(who)} also state ${statedText(stated)}.`,
  ),
  'headers-remaining-negative': wording<SpeakingDialect>(
    speaker,
    (who) => `In the ${headersOf(who)}, \`remaining\` goes below zero.`,
  ),
  'headers-reset-instant': wording<SpeakingDialect>(
    speaker,
    (who) => `In the ${headersOf(who)}, the reset is a point in time; the drafts say seconds from now.`,
  ),
  'headers-reset-whole-window': wording<SpeakingDialect>(
    speaker,
    (who) => `In the ${headersOf(who)}, the reset is always a whole window ahead.`,
  ),
  'headers-count-more': wording<SpeakingDialect & { readonly unexplained: number }>(
    { ...speaker, unexplained: 12 },
    ({ unexplained, ...who }) =>
      `The ${headersOf(who)} count ${counted(unexplained, 'request')} that this run did not send. Someone else used the key, or requests count more than once.`,
  ),
} as const;

interface HeldHeaders extends SpeakingDialect {
  readonly of: 'remaining' | 'reset';
  readonly compared: number;
  readonly fitted: FittedKinds;
}
const held: HeldHeaders = { ...speaker, of: 'remaining', compared: 312, fitted: fittedExample };

/** Reasons of the checks of rate-limit headers. */
export const headerReasons = {
  ...headerFaultReasons,
  ...headerRemarkReasons,
  ...adviceReasons,
  'headers-missing': wording<{ header: string; missing: number; rejected: number }>(
    { header: 'Retry-After', missing: 3, rejected: 30 },
    ({ header, missing, rejected }) =>
      `Expected ${header} in every 429, as the profile promises; ${number(missing)} of ${counted(rejected, 'such answer')} ${verb(missing, 'lacks', 'lack')} it.`,
  ),
  'headers-none': wording<{ promises: boolean }>(
    { promises: false },
    ({ promises }) =>
      `No answer has a rate-limit header${promises ? '' : ', and the profile promises none'}.`,
  ),
  'headers-dialect-unknown': wording(
    { answers: 12 },
    ({ answers }) => `Rate-limit headers came with ${counted(answers, 'answer')}, in no known dialect.`,
  ),
  'headers-dialects': wording<{ answers: number; dialects: readonly string[] }>(
    { answers: 130, dialects: ['draft-6'] },
    ({ answers, dialects }) =>
      `Rate-limit headers came with ${counted(answers, 'answer')} (dialect: ${listed(dialects)}).`,
  ),
  'headers-limit-right': wording(
    { requests: 100, windowMs: 6_000 },
    (promised) => `None of them contradicts the promised ${paceText(promised)}.`,
  ),
  'headers-remaining-possible': wording(
    { values: 3_871 },
    ({ values }) =>
      `The answers state ${counted(values, '`remaining` value')}, and each is possible for some limiter.`,
  ),
  'headers-reset-possible': wording(
    { values: 3_871 },
    ({ values }) => `The answers state ${counted(values, 'reset')}, and each is possible for some limiter.`,
  ),
  'headers-values-right': wording<HeldHeaders>(
    held,
    ({ compared, fitted, of, ...who }) =>
      `The state of the limiter is known for ${counted(compared, `\`${of}\` value`)} in the ${headersOf(who)}. None of these is wrong: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  ),
  'headers-values-wrong': wording<HeldHeaders & { readonly above: number; readonly below: number }>(
    { ...held, above: 2, below: 0 },
    ({ above, below, compared, fitted, of, ...who }) =>
      `The state of the limiter is known for ${counted(compared, `\`${of}\` value`)} in the ${headersOf(who)}: ${number(above)} ${verb(above, 'is', 'are')} too high and ${number(below)} too low. ${comparedWith(fitted)}`,
  ),
} as const;

export type FaultCode = keyof typeof headerFaultReasons;
export type RemarkCode = keyof typeof headerRemarkReasons;
