import { counted, listed, noneOf, number, seconds, verb } from '../../../amounts.ts';
import { comparedWith, type FittedKinds, type Pace, paceText } from '../words/limits.ts';
import { requestsText } from '../words/requests.ts';

/** Reasons of the check of `Retry-After`. */
const adviceReasons = {
  'retry-after-negative': ({ answers }: { answers: number }) =>
    `Retry-After is negative in ${counted(answers, 'answer')}.`,
  'retry-after-over-a-day': ({ answers }: { answers: number }) =>
    `Retry-After asks for more than a day in ${counted(answers, 'answer')}. It looks like a point in time or milliseconds, not seconds.`,
  'retry-after-rejected-again': ({ rejected, waited }: { rejected: number; waited: number }) =>
    `Expected admission after the wait that the answer asks for; ${number(rejected)} of ${counted(waited, 'such request')} got 429 again. No other request came in between.`,
  'retry-after-too-short': (params: { early: number; compared: number; byMs: number; fitted: FittedKinds }) =>
    `Expected a wait until the limiter admits again. Of ${counted(params.compared, 'wait')}, ${number(params.early)} ${verb(params.early, 'is', 'are')} too short, by up to ${seconds(params.byMs)}. ${comparedWith(params.fitted)}`,
  'retry-after-too-long': (wait: { askedMs: number; neededMs: number; windowMs: number }) =>
    `Retry-After asks for ${seconds(wait.askedMs)}, but the same key was admitted again within ${seconds(wait.neededMs)}. No limiter with a window of ${seconds(wait.windowMs)} needs such a wait.`,
  'retry-after-waits': (params: {
    by: 'retry-after' | 'reset';
    answers: number;
    waited: number;
    admitted: number /** Requests before the end of the wait. */;
    early: number;
    earlyAdmitted: number;
  }) => {
    const { admitted, answers, by, early, earlyAdmitted, waited } = params;
    const came = `${by === 'reset' ? 'A reset' : 'Retry-After'} was in ${counted(answers, 'answer')} with 429.`;
    if (waited === 0 && earlyAdmitted === 0) return `${came} No request tested that wait.`;
    return waited === 0
      ? `${came} No request waited that long. Of ${counted(early, 'request')} before the end of the wait, ${number(earlyAdmitted)} ${verb(earlyAdmitted, 'was', 'were')} already admitted, so a full wait is long enough for ${verb(earlyAdmitted, 'it', 'them')}.`
      : `${came} Of ${counted(waited, 'request')} after that wait, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted${admitted === waited ? `: ${noneOf(waited)}` : ''}.`;
  },
  'retry-after-few-tested': ({ advices, tested }: { tested: number; advices: number }) =>
    `Only ${number(tested)} of ${counted(advices, 'stated wait')} ${verb(tested, 'was', 'were')} tested: too few for a pass.`,
  'retry-after-none-too-short': ({ compared, fitted }: { compared: number; fitted: FittedKinds }) =>
    `In ${counted(compared, 'answer')} with 429, the stated wait is consistent with the limiter: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  'retry-after-few-too-short': (params: {
    early: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }) =>
    `Of ${counted(params.compared, 'wait')}, ${number(params.early)} ${verb(params.early, 'is', 'are')} too short, by up to ${seconds(params.byMs)}: too few to exclude an accident. ${comparedWith(params.fitted)}`,
  'retry-after-not-shortest': (params: {
    late: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }) =>
    `The profile promises the shortest wait, rounded up to seconds. Of ${counted(params.compared, 'wait')}, ${number(params.late)} ${verb(params.late, 'is', 'are')} longer than needed, by up to ${seconds(params.byMs)}. ${comparedWith(params.fitted)}`,
  'retry-after-beyond-need': (params: {
    beyond: number;
    compared: number;
    longestMs: number;
    fitted: FittedKinds;
  }) =>
    `Expected waits of up to ${seconds(params.longestMs)}, the longest that a limiter of this window needs. Of ${counted(params.compared, 'wait')}, ${number(params.beyond)} ${verb(params.beyond, 'is', 'are')} longer. ${comparedWith(params.fitted)}`,
  'retry-after-longer': ({ byMs, compared, late }: { late: number; compared: number; byMs: number }) =>
    `Of ${counted(compared, 'wait')}, ${number(late)} ${verb(late, 'is', 'are')} over a second longer than needed, by up to ${seconds(byMs)}: cautious, but not wrong.`,
  'retry-after-longest': ({ askedMs, neededMs }: { askedMs: number; neededMs: number }) =>
    `The longest wait is ${seconds(askedMs)}, but the same key was admitted again within ${seconds(neededMs)}: cautious, but not wrong.`,
} as const;

/** Who says it: a dialect, and the name of the policy where it has one. */
interface SpeakingDialect {
  readonly dialect: string;
  readonly policy: string;
}

/** A fault of the headers that one dialect has for one policy, with the number of answers that show it. */
interface Faulty extends SpeakingDialect {
  readonly answers: number;
}

/** `draft-6 headers`, `draft-10 headers (policy “burst”)`. */
function headersOf({ dialect, policy }: SpeakingDialect): string {
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
const headerFaultReasons = {
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
  'headers-requests-count-more': (params: {
    endpoints: readonly string[];
    places: number;
    requests: number;
  }) =>
    `Expected \`remaining\` to fall by 1 with each request, as the stated limit is that of requests. It fell by ${number(params.places)} at ${counted(params.requests, 'request')} to ${requestsText(params.endpoints)}.`,
  'headers-remaining-rises': (fault: Faulty) =>
    `In the ${headersOf(fault)}, \`remaining\` rises or stays the same while requests are admitted ${inAnswers(fault)}. No limiter recovers that fast.`,
  'headers-remaining-too-high': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, \`remaining\` is more than the limiter had left ${inAnswers(fault)}.`,
  'headers-remaining-too-low': (fault: Faulty & { fitted: FittedKinds }) =>
    `In the ${headersOf(fault)}, \`remaining\` is less than the limiter had left ${inAnswers(fault)}.`,
  'headers-reset-mixed': ({ instants, waits, ...fault }: Faulty & { waits: number; instants: number }) =>
    `In the ${headersOf(fault)}, the reset is seconds from now in ${counted(waits, 'answer')}, and a point in time in ${number(instants)}.`,
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
