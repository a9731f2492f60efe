import { counted, listed, number, seconds } from '../../../../amounts.ts';
import type { FittedKinds } from '../fitted.ts';
import { type Pace, paceText } from '../names.ts';

/** Who says it: a dialect, and the name of the policy where it has one. */
export interface SpeakingDialect {
  readonly dialect: string;
  readonly policy: string;
}

/** A fault of the headers that one dialect has for one policy, with the number of answers that show it. */
export interface Faulty extends SpeakingDialect {
  readonly answers: number;
}

/** `draft-6 headers`, `draft-10 headers (policy “burst”)`. */
export function headersOf({ dialect, policy }: SpeakingDialect): string {
  return `${dialect} headers${policy === '' ? '' : ` (policy “${policy}”)`}`;
}

/** `a limit of 180`, `180 per 60 s`. */
export function statedText({ limit, windowMs }: Stated): string {
  return windowMs === null ? `a limit of ${number(limit)}` : paceText({ requests: limit, windowMs });
}

/** A limit that headers state; null where they state no window. */
export interface Stated {
  readonly limit: number;
  readonly windowMs: number | null;
}

const inAnswers = ({ answers }: Faulty): string => `(${counted(answers, 'answer')})`;

/** What the draft forbids in one answer. */
export type DraftBreach =
  | 'q-missing'
  | 'w-not-positive'
  | 'r-missing'
  | 'pk-differs'
  | 'violated-with-quota'
  | 'other-status';

const breachTexts: Readonly<Record<DraftBreach, string>> = {
  'q-missing': 'a policy has no quota (`q`)',
  'w-not-positive': 'the window (`w`) is not longer than 0 s',
  'r-missing': 'no remaining quota (`r`) is given',
  'pk-differs': 'the two fields name different partition keys (`pk`) for one policy',
  'violated-with-quota': 'requests remain under a policy that the body calls violated',
  'other-status': 'the problem document in the body has another status than the answer',
};

/** What is wrong with rate-limit headers. With `fitted`: the reason of the comparison, which follows, names the limiter. */
export const headerFaultReasons = {
  'headers-limit-wrong': ({ stated, ...fault }: Faulty & Pace & { stated: readonly Stated[] }) =>
    `Expected ${paceText(fault)} in the ${headersOf(fault)}, got ${listed(stated.map(statedText), 2)} ${inAnswers(fault)}.`,
  'headers-draft-broken': ({ breach, ...fault }: Faulty & { breach: DraftBreach }) =>
    `In the ${headersOf(fault)}, ${breachTexts[breach]} ${inAnswers(fault)}.`,
  'headers-retry-before-reset': (fault: Faulty) =>
    `In the ${headersOf(fault)} of rejections, \`t\` is over a second later than Retry-After ${inAnswers(fault)}. A limiter with windows admits nothing before \`t\`.`,
  'headers-remaining-above-limit': (fault: Faulty) =>
    `In the ${headersOf(fault)}, more remains than the limit that they state ${inAnswers(fault)}.`,
  'headers-used-and-remaining': (fault: Faulty) =>
    `In the ${headersOf(fault)}, \`used\` and \`remaining\` do not add up to the limit ${inAnswers(fault)}.`,
  'headers-rejected-with-remaining': (fault: Faulty) =>
    `Requests get 429, but the ${headersOf(fault)} of that answer say that requests remain ${inAnswers(fault)}.`,
  'headers-rejected-next': (fault: Faulty) =>
    `Requests get 429 right after ${headersOf(fault)} that say that requests remain ${inAnswers(fault)}. Fewer requests than that were sent in between.`,
  'headers-remaining-constant': ({ remaining, ...fault }: Faulty & { remaining: number }) =>
    `In the ${headersOf(fault)}, \`remaining\` stays at ${number(remaining)} while requests are admitted ${inAnswers(fault)}.`,
  'headers-remaining-rises': (fault: Faulty) =>
    `In the ${headersOf(fault)}, \`remaining\` rises or stays the same while requests are admitted ${inAnswers(fault)}. No limiter recovers that fast.`,
  'headers-remaining-too-high': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, \`remaining\` is more than the limiter had left ${inAnswers(fault)}.`,
  'headers-remaining-too-low': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, \`remaining\` is less than the limiter had left ${inAnswers(fault)}.`,
  'headers-reset-unit': (fault: Faulty) =>
    `In the ${headersOf(fault)}, the reset is a point in time; the draft says seconds from now ${inAnswers(fault)}.`,
  'headers-reset-negative': (fault: Faulty) =>
    `In the ${headersOf(fault)}, the reset is negative ${inAnswers(fault)}.`,
  'headers-reset-past': (fault: Faulty) =>
    `In the ${headersOf(fault)}, the reset is a time that had already passed before the request ${inAnswers(fault)}.`,
  'headers-reset-too-far': ({
    aheadMs,
    looksLikeMs,
    mostMs,
    ...fault
  }: Faulty & { aheadMs: number; mostMs: number; looksLikeMs: boolean }) =>
    `Expected a reset within two windows (${seconds(mostMs)}) in the ${headersOf(fault)}, got ${seconds(aheadMs)} ${inAnswers(fault)}.${looksLikeMs ? ' It looks like milliseconds.' : ''}`,
  'headers-reset-moves-away': (fault: Faulty) =>
    `In the ${headersOf(fault)}, the reset moves later before it is reached ${inAnswers(fault)}. That happens more often than windows start.`,
  'headers-reset-too-late': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, the reset is later than any reset of the limiter ${inAnswers(fault)}.`,
  'headers-reset-too-early': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, the reset is earlier than any reset of the limiter ${inAnswers(fault)}.`,
} as const;
