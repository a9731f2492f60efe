import {
  counted,
  countedRange,
  listed,
  milliseconds,
  number,
  percent,
  range,
  seconds,
  times,
  verb,
} from '../../amounts.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import { headerReasons } from './rate-limit/headers.ts';
import { studyReasons } from './rate-limit/study.ts';
import { type ShownBy, type SteppedApart, sidesText, steppedText } from './words/clock.ts';
import {
  keysText,
  kindText,
  type LimiterSize,
  type Pace,
  paceText,
  type StreamName,
  sizeText,
} from './words/limits.ts';
import { requestsText } from './words/requests.ts';

/** Of a fail: what is promised; `promised` is the kind of limiter, null where the profile leaves it open. */
interface Promised {
  readonly stream: StreamName;
  readonly limit: Pace;
  readonly promised: string | null;
}

/** The most requests admitted within a window. */
interface Peak {
  readonly stream: StreamName;
  readonly limit: Pace;
  readonly admitted: Required<Interval>;
}

function peakText({ admitted, limit: { requests, windowMs }, stream: of }: Peak): string {
  return `The peak with ${keysText(of)} is ${countedRange(admitted, 'admitted request')} in ${seconds(windowMs)}; the limit is ${number(requests)}`;
}

function atLeast({ max, min }: Required<Interval>): string {
  return min === max
    ? number(min)
    : `at least ${number(min)} (at most ${number(max)}: the times of arrival are uncertain)`;
}

function excludedText({ max, min = 0 }: Interval): string {
  if (max === undefined || max === Number.POSITIVE_INFINITY)
    return `A limit below ${number(min)} is excluded.`;
  return min === max
    ? `Every limit but ${number(min)} is excluded.`
    : `A limit below ${number(min)} or above ${number(max)} is excluded.`;
}

/** Reasons of the rate-limit checks. */
export const rateLimitReasons = {
  'limit-not-passed': 'No request of this run was over the limit.',
  'stream-unanswered': 'No request with {stream:keys} got 2xx or 429.',

  'enforced-explained': (params: {
    stream: StreamName;
    limit: Pace;
    limiter: string /** Other kinds that explain the answers, too. */;
    readonly others: readonly string[] /** What the answers bound the limit of that kind to. */;
    readonly limits: Interval;
    rejected: number;
    admitted: number;
  }) =>
    `A ${params.limiter} of ${paceText(params.limit)} explains every answer with ${keysText(params.stream)}. The answers are ${counted(params.rejected, 'rejection')} and ${counted(params.admitted, 'admission')}. ${excludedText(params.limits)}${params.others.length === 0 ? '' : ` These limiters explain the answers, too: ${listed(params.others)}.`}`,
  'enforced-limit-vague': (params: { stream: StreamName; limit: Pace; limits: Interval }) =>
    `The answers with ${keysText(params.stream)} show a limit of ${range(params.limits)} per ${seconds(params.limit.windowMs)}. This is too vague to confirm ${paceText(params.limit)}.`,
  'enforced-load-too-small':
    'No request with {stream:keys} got 429. A {limiter:text} of {limit:pace} would not reject any of them either. The load did not go far enough over the limit.',
  'enforced-no-429': (params: { stream: StreamName; limit: Pace; admitted: number; peak: number }) =>
    `Expected 429 beyond ${paceText(params.limit)}. Got none: ${counted(params.admitted, 'request')} with ${keysText(params.stream)} ${verb(params.admitted, 'was', 'were')} admitted, ${number(params.peak)} of them within ${seconds(params.limit.windowMs)}. Every limiter of this limit would have rejected some.`,
  'enforced-other-status': (params: { stream: StreamName; limit: Pace; status: number; rejected: number }) =>
    `Expected 429 beyond ${paceText(params.limit)}. Got ${params.status} instead for ${counted(params.rejected, 'request')} with ${keysText(params.stream)}.`,
  'enforced-other-limiter': (params: Promised & { limiter: string; limits: Interval }) =>
    `Expected a ${kindText(params.promised)} of ${paceText(params.limit)}. The answers with ${keysText(params.stream)} fit a ${params.limiter} of ${range(params.limits)} per ${seconds(params.limit.windowMs)}.`,
  'enforced-other-window': (params: {
    stream: StreamName;
    limit: Pace;
    limiter: string;
    size: LimiterSize;
    peak: number;
  }) =>
    `Expected a limiter of ${paceText(params.limit)}. The answers with ${keysText(params.stream)} fit a ${params.limiter} of ${sizeText(params.size)}. At the peak, ${counted(params.peak, 'request')} passed within ${seconds(params.limit.windowMs)}.`,
  'enforced-second-limit': (params: {
    stream: StreamName;
    limit: Pace;
    second: Pace;
    isOfAllKeys: boolean;
  }) =>
    `Expected a limiter of ${paceText(params.limit)}. The answers with ${keysText(params.stream)} fit two limits together: about that one, and ${paceText(params.second)}${params.isOfAllKeys ? ' for all keys together' : ''}.`,
  'enforced-count-lost': (params: { stream: StreamName; limit: Pace; times: number }) =>
    `Expected a limiter of ${paceText(params.limit)}. No window that starts again explains the answers with ${keysText(params.stream)}. But by the headers, nearly the whole limit remained again at once, ${times(params.times)} within ${seconds(params.limit.windowMs)}.`,
  'enforced-not-atomic': (params: { stream: StreamName; limit: Pace; over: number; lateMs?: number }) => {
    const { lateMs = 0, limit, over, stream } = params;
    const late =
      lateMs === 0
        ? 'lets requests pass together if they are in flight at the same time'
        : `may count a request ${milliseconds(lateMs)} ms after it was admitted`;
    return `Expected at most ${paceText(limit)}. The answers with ${keysText(stream)} fit a sliding window that ${late}. At the peak, ${counted(over, 'request')} too many passed.`;
  },
  'enforced-counts-in-part': (params: {
    stream: StreamName;
    limit: Pace;
    of: 'rejections' | 'admissions';
    least: number;
    most: number;
    every?: number;
  }) => {
    const share = `${percent(params.least)} to ${percent(params.most)}`;
    const [expected, found] =
      params.of === 'rejections'
        ? ['rejections always or never', `${share} of them`]
        : [
            'each request once',
            `${params.every === undefined ? share : `1 in ${number(params.every)}`} of them twice`,
          ];
    return `Expected a limiter of ${paceText(params.limit)} that counts ${expected}. One that counts ${found} explains the answers with ${keysText(params.stream)}.`;
  },
  'enforced-endpoints-exempt': (params: {
    stream: StreamName;
    limit: Pace;
    endpoints: readonly string[];
    limiter: string;
    isPromised: boolean;
  }) =>
    `Expected ${paceText(params.limit)} for all requests with ${keysText(params.stream)}. A ${params.limiter} of ${paceText(params.limit)} explains all answers but those to ${requestsText(params.endpoints)}. None of these got 429. ${params.isPromised ? 'All endpoints share one limit by the profile (`limit_endpoints`).' : 'They have no limit or a separate one. The profile does not say whether endpoints share the limit (`limit_endpoints`).'}`,
  'enforced-closed-for-a-while':
    'Expected 429 only beyond {limit:pace}. From {fromMs:seconds} on, nearly all requests with {stream:keys} got 429 for {forMs:seconds} ({rejected}). Without them, a limiter as promised explains the answers.',
  'enforced-over-limit': (params: Promised & { least: number }) =>
    `Expected no more admissions with ${keysText(params.stream)} than a ${kindText(params.promised)} of ${paceText(params.limit)} allows. Got more: they need a limit of at least ${paceText({ ...params.limit, requests: params.least })}.`,
  'enforced-below-limit': (params: Promised & { most: number }) =>
    `Expected 429 with ${keysText(params.stream)} only as a ${kindText(params.promised)} of ${paceText(params.limit)} gives it. Got rejections that need a limit of at most ${paceText({ ...params.limit, requests: params.most })}.`,
  'enforced-not-the-kind':
    'Expected a {promised:kind}. No {promised:kind} explains the answers with {stream:keys}, whatever its limit.',
  'enforced-kind-unknown': (params: { stream: StreamName; limit: Pace; peak: number }) =>
    `No known limiter, of whatever limit, explains the answers with ${keysText(params.stream)}. At least ${counted(params.peak, 'request')} passed within ${seconds(params.limit.windowMs)} at the peak. Some limiters of ${paceText(params.limit)} allow that.`,
  'enforced-unproven':
    'The answers with {stream:keys} fit a {limiter:text} of {limit:pace}. This kind of limiter keeps to the limit in another way. The profile does not say whether it is promised.',

  'admitted-within-limit': (params: Peak) => `${peakText(params)}.`,
  'admitted-as-kind-allows': (params: Peak & { promised: string | null; allowed: number }) =>
    `${peakText(params)}. ${params.promised === null ? 'A limiter of the kind that fits' : `The promised ${kindText(params.promised)}`} admits up to ${number(params.allowed)} in any ${seconds(params.limit.windowMs)}.`,
  'admitted-too-many': (params: Promised & { allowed: number; admitted: Required<Interval> }) =>
    `Expected at most ${counted(params.allowed, 'admitted request')} within ${seconds(params.limit.windowMs)}, the most that ${params.promised === null ? 'any limiter' : `a ${kindText(params.promised)}`} of ${paceText(params.limit)} allows. Got ${atLeast(params.admitted)} with ${keysText(params.stream)}.`,
  'admitted-none-rejected': (params: Peak) =>
    `No request with ${keysText(params.stream)} got 429. ${peakText(params)}.`,
  'admitted-none': 'No request with {stream:keys} was admitted.',
  'admitted-kind-unknown': (params: Peak) =>
    `${peakText(params)}. The kind of limiter is unknown, and so is the peak that it may allow.`,

  'recovery-admitted': (params: { stream: StreamName; admitted: number; isByAny: boolean }) =>
    `After the overload, every limiter ${params.isByAny ? 'of the promised limit' : 'that explains the answers'} would have admitted ${counted(params.admitted, 'request')} with ${keysText(params.stream)}. ${verb(params.admitted, 'It did not get', 'None of them got')} 429.`,
  'recovery-rejected':
    'Expected no 429 once every limiter of {limit:pace} had recovered from the overload. Got 429 for {rejected:count request} with {stream:keys}.',
  'recovery-unproven':
    'The target rejected {rejected:count request} with {stream:keys} when most limiters would have recovered. A {limiter:text} of {limit:pace} would not have recovered.',
  'recovery-no-overload':
    'No request with {stream:keys} got 429 over the limit, so there was no overload to recover from.',
  'recovery-no-late-answer':
    'No request with {stream:keys} was answered late enough after the overload to show a recovery.',

  'wrongful-nothing-sent': 'No request was sent with any key.',
  'wrongful-none-rejected':
    'No request with {stream:keys} got 429, and {admitted} {admitted:was|were} admitted. This does not show whether the limit is enforced.',
  'wrongful-all-due':
    'Each 429 with {stream:keys} is one that a limiter of {limit:pace} may give ({rejected:count rejection}).',
  'wrongful-below-limit':
    'Expected 429 only beyond {limit:pace}. Got {wrongful} of {rejected:count rejection} with {stream:keys} when even the strictest limiter had room. The strictest limiter counts rejected requests and all uncertain ones, and its windows may begin at any time. Other users of the key could explain this, too.',
  'wrongful-lower-limit': (params: { stream: StreamName; limit: Pace; most: number }) =>
    `Expected a limit of ${paceText(params.limit)}. No limiter of more than ${paceText({ ...params.limit, requests: params.most })} explains the rejections with ${keysText(params.stream)}.`,
  'wrongful-unproven':
    'Rejections with {stream:keys} came below the limit; a {limiter:text} of {limit:pace} explains them. The profile does not say whether this kind of limiter is promised.',
  'wrongful-not-judged': ({ interactions, rejected }: { rejected: number; interactions: number }) =>
    `Left out: ${counted(rejected, 'further request')} that got 429${interactions === 0 ? '' : `, ${counted(interactions, 'interaction')} among them`}. It is not known which limit counts ${rejected === 1 ? 'it' : 'them'}.`,
  'set-aside-use-before': (params: { stream: StreamName; limit: Pace; rejected: number }) =>
    `Within the first ${seconds(params.limit.windowMs)}, ${counted(params.rejected, 'request')} with ${keysText(params.stream)} got 429. Use of the key before the run could explain this; the requests of this run alone do not, at ${paceText(params.limit)}. To decide: let the key rest for ${seconds(params.limit.windowMs)}, and run again for longer than that. If nothing else uses the key, set exclusive_keys in the profile.`,
  'set-aside-use-meanwhile':
    'Something else seems to use the keys. With up to {others:count request} of others in each window, {limit:pace} explains the answers with {stream:keys}. If nothing else uses the key, set exclusive_keys in the profile.',

  'isolation-no-bystander': 'No key is given for the role bystander, or no request was sent with it.',
  'isolation-no-other-rejected': 'No other key got 429.',
  'isolation-none-meanwhile': 'No request was sent with the bystander key while another key got 429.',
  'isolation-no-shared-limiter':
    'The profile says that all keys share one limit. No limiter that all keys share explains all answers together.',
  'isolation-shared-as-promised':
    'One limit for all keys together explains every answer, as the profile says.',
  'isolation-shared-found':
    'The bystander key got 429 for {rejected:count request}. One limit for all keys together explains this. The interface does not say whether keys share a limit; here they do.',
  'isolation-none-rejected':
    'Other keys got 429 for {others:count request}. Meanwhile 0 of {requests:count request} with the bystander key got 429: {requests:none of}.',
  'isolation-own-load': 'The bystander key was itself near its limit, which explains why it got 429.',
  'isolation-rejected-unclear':
    'The bystander key got 429 only where its limit was perhaps spent before, or where the limit of the endpoint is unclear.',
  'isolation-own-limiter': (params: {
    rejected: number;
    limiter: string;
    size: LimiterSize;
    isCertain: boolean;
  }) =>
    `The bystander key got 429 for ${counted(params.rejected, 'request')}. Its own requests alone explain this with a ${params.limiter} of ${sizeText(params.size)}.${params.isCertain ? '' : ' Some rejections were not compared with it, or other limiters are possible.'}`,
  'isolation-rejected': ({ isSharedRefuted, rejected }: { rejected: number; isSharedRefuted: boolean }) =>
    `Expected no 429 for the bystander key, which was far below its own limit. Got 429 for ${counted(rejected, 'request')} while other keys were at their limits.${isSharedRefuted ? ' One limit for all keys together does not explain this either.' : ''}`,
  'rejections-none': 'No request got 429.',
  'rejections-without-retry-after': 'No 429 has Retry-After. The interface does not promise it.',
  'rejections-with-retry-after': 'Retry-After came with {given} of {rejected:count rejection}.',
  /** `isForm`: wrong whatever the time is. */
  'rejections-wrong': (params: {
    values: number;
    how: string;
    example: string;
    isImpossible: boolean;
    isForm: boolean;
  }) =>
    `${params.isImpossible ? `Expected Retry-After with a possible wait. Got ${counted(params.values, 'impossible value')}` : `Retry-After has ${counted(params.values, 'doubtful value')}`} (${params.how}): ${params.example}.`,
  'only-first-judged':
    'This is about the first {judged:count request} only. The check left out {left:count later request}.',
  'limit-clock-stepped': (step: SteppedApart & ShownBy) =>
    `${steppedText(step)} A limiter that uses this clock admits more or fewer requests for a while. So requests before and after it do not show one limit. ${sidesText(step)}`,
  'found-second-limit': (params: { second: Pace; rejected: number; below: number; isOfAllKeys: boolean }) =>
    `Found, not promised: another limit in addition to this one, about ${paceText(params.second)}${params.isOfAllKeys ? ' for all keys together' : ''}. It explains ${counted(params.rejected, 'rejection')}, ${number(params.below)} of them below the promised limit. The profile promises no kind of limiter, so this is not ruled out.`,
  'found-endpoints-apart': 'Found, not promised: each endpoint has its own limit.',
  'found-keys-share': ({ keys = [] }: { keys?: readonly string[] }) =>
    `Found, not promised: ${keys.length === 0 ? 'all keys' : `the ${listed(keys)} keys`} share one limit.`,
  'found-interactions-count': 'Found, not promised: interactions spend the rate limit.',

  'others-may-have-spent': ({ isRedelivered }: { isRedelivered: boolean }) =>
    `${isRedelivered ? 'Redeliveries, or other users of the key,' : 'Other users of the key'} may have spent the rest of the limit.`,
  'others-counted-by-headers': 'Headers count {requests:count more request} on the key than this run sent.',
  'others-share-keys': 'The profile says that others use the keys (`shared_keys`).',
  'others-redelivered':
    'Each request may have been delivered up to {deliveries} times (profile: redeliveries).',
  'others-as-it-looks': 'This is how the limiter looks to this program.',
  'others-spent':
    'Within some window, {requests:count request} of the limit {requests:was|were} spent, and not by this run.',
  'others-not-needed': 'No rejection needs this explanation.',
  'others-own-requests': 'The requests of this run explain every rejection.',
  ...headerReasons,
  ...studyReasons,
} as const;
