import { counted, listed, noneOf, number, seconds, verb } from '../../../amounts.ts';
import type { DraftBreach } from '../../../history/limit-headers.ts';
import { comparedWith, type FittedKinds, type Pace, paceText } from '../words/limits.ts';

/** Fewer admissions say next to nothing of others. */
const fewestTelling = 5;

/** What is claimed of the state of a limiter: what remains, until when, and when to come back. */
export type HeaderQuantity = 'remaining' | 'reset' | 'wait';

/** A dialect, and the name of a policy where it has one. */
interface StatedIn {
  readonly dialect: string;
  readonly policy: string;
}

/** `draft-6 headers`, `draft-10 headers (policy “burst”)`. */
function headersOf({ dialect, policy }: StatedIn): string {
  return `${dialect} headers${policy === '' ? '' : ` (policy “${policy}”)`}`;
}

/** A limit that headers state; null where they state no window. */
export interface StatedLimit {
  readonly limit: number;
  readonly windowMs: number | null;
}

/** `a limit of 180`, `180 per 60 s`. */
export function statedText({ limit, windowMs }: StatedLimit): string {
  return windowMs === null ? `a limit of ${number(limit)}` : paceText({ requests: limit, windowMs });
}

const draftBreaches: Readonly<Record<DraftBreach, string>> = {
  'q-missing': 'a policy has no quota (`q`)',
  'w-not-positive': 'the window (`w`) is not longer than 0 s',
  'r-missing': 'no remaining quota (`r`) is given',
  'pk-differs': 'the two fields name different partition keys (`pk`) for one policy',
  'violated-with-quota': 'requests remain under a policy that the body calls violated',
  'other-status': 'the problem document in the body has another status than the answer',
};

/** What is wrong with rate-limit headers: with what they say, before the reason that names the limiter where one is known. */
const wrongTexts = {
  ...draftBreaches,
  'remaining-above-limit': 'more remains than the limit that they state',
  'used-and-remaining': '`used` and `remaining` do not add up to the limit',
  'rejected-with-remaining': 'requests remain, although the answer is 429',
  'rejected-next':
    'requests remain, but a request right afterwards gets 429; fewer than that were sent in between',
  'remaining-constant': '`remaining` stays the same while requests are admitted',
  'remaining-rises':
    '`remaining` rises or stays the same while requests are admitted, faster than any limiter recovers',
  'remaining-too-high': '`remaining` is more than the limiter had left',
  'remaining-too-low': '`remaining` is less than the limiter had left',
  'reset-mixed': 'the reset is now seconds from now, and now a point in time',
  'reset-unit': 'the reset is a point in time; the draft says seconds from now',
  'reset-past': 'the reset is a time that had already passed before the request',
  'reset-too-far': 'the reset is more than two windows ahead',
  'reset-moves-away': 'the reset moves later before it is reached, more often than windows start',
  'reset-before-retry-after':
    '`t` of rejections is over a second later than Retry-After; a limiter with windows admits nothing before `t`',
  'reset-too-late': 'the reset is later than any reset of the limiter',
  'reset-too-early': 'the reset is earlier than any reset of the limiter',
  'wait-too-short': 'the wait ends before the limiter admits again',
  'wait-rejected-again': 'a request after the whole wait, and none in between, gets 429 again',
  'wait-too-long':
    'the wait is longer than any limiter of the promised window needs, and the same key is admitted before its end',
  'wait-beyond-need': 'the wait is longer than any limiter of the promised window needs',
  'wait-not-shortest':
    'the wait is longer than needed; the profile promises the shortest, rounded up to seconds',
} as const;
export type HeaderWrong = keyof typeof wrongTexts;

/** Reasons of the checks of rate-limit headers and of `Retry-After`. */
export const headerReasons = {
  'retry-after-waits': (params: {
    by: 'retry-after' | 'reset';
    answers: number;
    waited: number;
    admitted: number;
    /** Requests before the end of the wait. */
    early: number;
    earlyAdmitted: number;
  }) => {
    const { admitted, answers, by, early, earlyAdmitted, waited } = params;
    const came = `${by === 'reset' ? 'A reset' : 'Retry-After'} was in ${counted(answers, 'answer')} with 429.`;
    if (waited > 0)
      return `${came} Of ${counted(waited, 'request')} after that wait, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted${admitted === waited && waited >= fewestTelling ? `: ${noneOf(waited)}` : ''}.`;
    return earlyAdmitted === 0
      ? `${came} No request tested that wait.`
      : `${came} No request waited that long. Of ${counted(early, 'request')} before the end of the wait, ${number(earlyAdmitted)} ${verb(earlyAdmitted, 'was', 'were')} already admitted, so a full wait is long enough for ${verb(earlyAdmitted, 'it', 'them')}.`;
  },
  'retry-after-few-tested':
    'Only {tested} of {advices:count stated wait} {tested:was|were} tested: too few for a pass.',
  'headers-limit-wrong': (params: StatedIn & Pace & { stated: readonly StatedLimit[]; answers: number }) =>
    `Expected ${paceText(params)} in the ${headersOf(params)}, got ${listed(params.stated.map(statedText), 2)} (${counted(params.answers, 'answer')}).`,
  /** `how`: by another meaning that makes the values right. */
  'headers-wrong': ({
    answers,
    how,
    wrong,
    ...who
  }: StatedIn & { wrong: HeaderWrong; answers: number; how?: string }) =>
    `In the ${headersOf(who)}, ${wrongTexts[wrong]} (${counted(answers, 'answer')}).${how === undefined ? '' : ` It seems to be ${how}.`}`,
  'headers-missing':
    'Expected {header:text} in every 429, as the profile promises; {missing} of {rejected:count such answer} {missing:lacks|lack} it.',
  'headers-none': ({ promises }: { promises: boolean }) =>
    `No answer has a rate-limit header${promises ? '' : ', and the profile promises none'}.`,
  'headers-dialect-unknown': 'Rate-limit headers came with {answers:count answer}, in no known dialect.',
  'headers-dialects': 'Rate-limit headers came with {answers:count answer} (dialect: {dialects:list}).',
  'headers-limit-right': (promised: { requests: number; windowMs: number }) =>
    `None of them contradicts the promised ${paceText(promised)}.`,
  'headers-possible': ({ of, values }: { of: HeaderQuantity; values: number }) =>
    `The answers state ${counted(values, `\`${of}\` value`)}, and each is possible for some limiter.`,
  'headers-values': (
    params: StatedIn &
      Readonly<Record<'above' | 'aboveBy' | 'below' | 'belowBy' | 'compared', number>> & {
        readonly of: HeaderQuantity;
        readonly fitted: FittedKinds;
      },
  ) => {
    const { above, aboveBy, below, belowBy, compared, fitted, of, ...who } = params;
    const upTo = (by: number): string =>
      by <= 0 ? '' : ` (by up to ${of === 'remaining' ? number(Math.ceil(by)) : seconds(by / 1e6)})`;
    const found =
      above + below === 0
        ? `None of these is wrong: ${noneOf(compared)}.`
        : `Of these, ${number(above)} ${verb(above, 'is', 'are')} too high${upTo(aboveBy)} and ${number(below)} too low${upTo(belowBy)}.`;
    return `The state of the limiter is known for ${counted(compared, `\`${of}\` value`)} in the ${headersOf(who)}. ${found} ${comparedWith(fitted)}`;
  },
} as const;
