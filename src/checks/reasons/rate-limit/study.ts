import { counted, listed, number, range, times, verb } from '../../../amounts.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { type LimiterSize, type Pace, paceText, sizeText } from '../words/limits.ts';
import { requestText } from '../words/requests.ts';

type What = 'limit' | 'window';
/** A limit in requests, or a window in milliseconds. */
const sizeIs = (what: What, bounds: Interval): string =>
  what === 'limit' ? range(bounds) : `${range(bounds, (ms) => number(Math.round(ms)))} ms`;

interface SizedKind {
  readonly name: string;
  readonly bounds: Interval;
}

const secondReasons: Readonly<Record<string, string>> = {
  'bad-key': 'with an unknown key',
  'no-key': 'without a key',
  'unknown-session': 'for an unknown session',
  'unknown-catalog': 'for an unknown catalog',
  'session over quota': 'for a session over the quota',
};

/** `over the rate limit, without a key`: why a request has two reasons for rejection. */
function twoReasonsText(request: string): string {
  return `over the rate limit, ${secondReasons[request] ?? request}`;
}

/** Reasons of the limiter study. */
export const studyReasons = {
  'study-keys-differ': 'The keys have different limits; these figures are those of the load key.',
  'study-generator-late':
    'Of the requests of the study, 1 % were sent at least {lagMs} ms late (bound: {boundMs} ms). Requests that are late together can make a limiter look like another one. Repeat the study while the machine is less busy.',
  'study-also-as-promised': ({ name, ...promised }: Pace & { name: string }) =>
    `But a ${name} of ${paceText(promised)}, as promised, explains every answer, too. The other limiter is only more likely.`,
  'algorithm-unknown':
    'No known kind of limiter explains every answer. Other users of the same key would have the same effect.',
  'algorithm-queue-rejects':
    'Some requests wait in a queue and others are rejected. Either a full queue rejects them, or the service behind a limiter is slow.',
  'algorithm-queue': ({ perSecond, ...promised }: Pace & { perSecond: number | null }) =>
    `Expected 429 beyond ${paceText(promised)}, but requests wait in a queue${perSecond === null ? '' : ` that serves ${number(perSecond)} a second`}.`,
  'algorithm-none': ({
    admitted,
    atOnce,
    isOver,
    ...promised
  }: Pace & { admitted: number; atOnce: number; isOver: boolean }) =>
    `No limit was found: the service admitted ${counted(admitted, 'request')} and rejected none. At most ${number(atOnce)} waited for an answer at the same time. ${
      isOver
        ? `Expected 429 beyond ${paceText(promised)}.`
        : 'It is not certain that they exceeded the promised limit.'
    }`,
  'algorithm-nodes': ({ admits, isMore, ...promised }: Pace & { admits: number | null; isMore: boolean }) =>
    isMore
      ? `Admissions and rejections mix as if several nodes each had a counter. Expected ${paceText(promised)}, got ${admits === null ? 'more' : `${number(admits)} in the same time`}.`
      : 'Admissions and rejections mix as if several nodes each had a counter, or the limiter is of an unknown kind.',
  'algorithm-concurrency': ({ atOnce }: { atOnce: number | null }) =>
    `The limit is on requests at the same time${atOnce === null ? '' : ` (about ${number(atOnce)})`}, not on requests per time.`,
  'algorithm-differs': 'Expected a {promised:kind}; the limiter is a {name:text}.',
  'algorithm-status': ({ name, status }: { name: string; status: number }) =>
    `The limiter looks like a ${name}. Expected 429 for each rejection, got ${status} in place of it.`,
  'algorithm-rejection-status': ({ status }: { status: number }) =>
    `It rejects with ${status} in place of 429.`,
  'algorithm-undecided':
    'More than one kind of limiter explains every answer: {names:list 3}. More probes could decide (`--budget`).',
  'algorithm-found': ({
    name,
    refuted,
    requests,
    ...size
  }: LimiterSize & { name: string; requests: number; refuted: number }) =>
    `The limiter is a ${name} of ${sizeText(size)}. It explains every answer (${counted(requests, 'request')}), and ${counted(refuted, 'other kind')} ${verb(refuted, 'is', 'are')} refuted.`,
  'size-none-rejected': ({ rejected, what }: { what: What; rejected: number }) =>
    rejected === 0
      ? `No request was rejected, so the answers give no bounds for the ${what}.`
      : `The target rejected ${counted(rejected, 'request')}. Each may be due to requests before the run or to another limit, so the answers give no bounds for the ${what}.`,
  'size-no-kind': ({ what }: { what: What }) => `No kind of limiter with a ${what} explains every answer.`,
  'size-drifts': (params: { isShrinking: boolean; admittedAt: number; rejectedAt: number }) =>
    `Expected one limit in the whole study, but the limit ${params.isShrinking ? 'shrinks' : 'grows'}. A request was admitted after ${counted(Math.floor(params.admittedAt), 'request')} of its window, and ${params.isShrinking ? 'later' : 'earlier'} one was rejected after ${number(Math.ceil(params.rejectedAt))}.`,
  'size-one-more': ({ name, promised }: { name: string; promised: number }) =>
    `The limiter is a ${name} that admits ${number(promised + 1)} from idle and refills at the promised rate. Some limiters that are set to ${number(promised)} do that.`,
  'size-differs': (params: { what: What; name: string; bounds: Interval; promised: number }) =>
    `Expected a ${params.what} of ${sizeIs(params.what, { min: params.promised, max: params.promised })}; the ${params.what} of the ${params.name} is ${sizeIs(params.what, params.bounds)}.`,
  'size-of-nodes': 'That is {nodes} × the promised limit, as if several nodes each had a counter.',
  'size-none-as-promised': ({ isCertain, what }: { what: What; isCertain: boolean }) =>
    `${isCertain ? 'Every' : 'Every likely'} kind of limiter that explains the answers has another ${what} than promised.`,
  'size-assumed':
    'This assumes that requests that waited reached the queue about as promptly as rejected ones.',
  'size-undecided': ({ kinds, what }: { what: What; kinds: readonly SizedKind[] }) =>
    `The ${what} depends on the kind of limiter. Not told apart: ${listed(
      kinds.map(({ bounds, name }) => `${name} (${what} ${sizeIs(what, bounds)})`),
      3,
    )}.`,
  'size-vague': ({ bounds, what }: { what: What; bounds: Interval }) =>
    `The answers only show a ${what} of ${sizeIs(what, bounds)}, which is too wide to confirm the promise.`,
  'size-as-promised': ({ bounds, name, what }: { what: What; name: string; bounds: Interval }) =>
    `Every answer is consistent with a ${what} of ${sizeIs(what, bounds)} (limiter: ${name}).`,
  'scope-limit-not-reached': 'The key was not at its limit for long enough to test the scope.',
  'scope-unclear': 'The tests at the limit gave no clear result.',
  'scope-keys-not-tried': 'No other key was tested at the limit.',
  'scope-keys-unclear': 'It is unclear whether another key shares the limit.',
  'scope-keys-shared': ({ isWrong }: { isWrong: boolean }) =>
    `${isWrong ? 'Expected one limit for each key, but another' : 'Another'} key is rejected while this key is at its limit: the keys share one limit.`,
  'scope-keys-separate': ({ isWrong }: { isWrong: boolean }) =>
    isWrong
      ? 'Expected one limit for all keys, but each key has a separate limit.'
      : 'Each key has a separate limit.',
  'scope-keys-and-addresses':
    'Expected one limit for each key, or one for all. At its limit, this key is rejected from two addresses. Another key is then rejected from one of them and admitted from the other: each key and each address has a limit.',
  'scope-shards-separate':
    'Expected the same limit from every address. At its limit, the same key is admitted from another address: each address has a separate limit.',
  'scope-address-ignored': ({ addresses = [] }: { addresses?: readonly string[] }) =>
    addresses.length === 0
      ? 'The address of the client makes no difference.'
      : `The address of the client makes no difference: at its limit, the key is rejected from ${listed(addresses, 4)} alike.`,
  'scope-one-address': ({ address }: { address: string | null }) =>
    `Whether each address has a separate limit was not tested: ${address === null ? 'it is not known from which addresses the shards sent' : `both shards sent from ${address}`}.`,
  'scope-address-unclear': 'It is unclear whether each address has a separate limit.',
  'scope-address-separate': ({ isWrong }: { isWrong: boolean }) =>
    `${isWrong ? 'Expected one limit for each key. ' : ''}At its limit, the same key is admitted from another address: each address has a separate limit.`,
  'scope-forwarded-ignored':
    'X-Forwarded-For, X-Real-IP, Forwarded and headers like them make no difference.',
  'scope-forwarded-doubtful':
    'X-Forwarded-For or a header like it gives a new limit. The limit may apply to addresses, and this address may be a trusted proxy.',
  'scope-forwarded-trusted':
    'X-Forwarded-For or a header like it gives the key a new limit: a client that sets this header has no limit.',
  'scope-spelling-ignored': 'Another spelling of the path makes no difference.',
  'scope-spelling-separate':
    'Expected one limit for each key. At its limit, the key is admitted at the same path with a slash at its end.',
  'scope-connection-ignored': 'A new connection makes no difference.',
  'scope-connection-separate': ({ passed, refused }: { passed: number; refused: number }) =>
    `Expected one limit for each key. At its limit, the key is admitted over ${number(passed)} of ${counted(passed + refused, 'new connection')}.`,
  'scope-interactions-shared': ({ isWrong }: { isWrong: boolean }) =>
    `Interactions are rejected while the key that opened their session is at its limit: they count against it.${isWrong ? ' The profile says that they do not.' : ''}`,
  'scope-interactions-separate': ({ isWrong }: { isWrong: boolean }) =>
    `Interactions are admitted while the key that opened their session is at its limit: they do not count against it.${isWrong ? ' The profile says that they do.' : ''}`,
  'scope-endpoints-together': (params: {
    endpoints: readonly string[];
    isWrong: boolean;
    isPartial: boolean;
  }) =>
    `${params.isWrong ? 'Expected a limit for each endpoint. ' : ''}The limit of GET /shades also applies to ${listed(params.endpoints.map(requestText))}.${params.isPartial ? ' For other endpoints it is unclear.' : ''}`,
  'scope-endpoints-apart': (params: {
    apart: readonly string[];
    together: readonly string[];
    promised: 'together' | 'apart' | 'discover';
  }) =>
    [
      params.promised === 'together' ? 'Expected one limit for all endpoints.' : '',
      params.promised === 'apart' ? 'Expected a limit for each endpoint.' : '',
      `While GET /shades is at its limit, ${listed(params.apart.map(requestText))} ${verb(params.apart.length, 'is', 'are')} admitted: another limit applies, or none.`,
      params.together.length === 0
        ? ''
        : `At the same time, ${listed(params.together.map(requestText))} ${verb(params.together.length, 'is', 'are')} rejected.`,
      params.promised === 'discover' ? 'The profile does not say which is intended (`limit_endpoints`).' : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  'scope-urls-separate':
    'Expected one limit for the requests of a key. A limiter as promised explains the answers only if each URL has its own: lists of one catalog are rejected, and lists of others pass.',
  'scope-repeats-free':
    'A limiter as promised explains the answers if a list that is asked for again within {withinMs:span} does not count.',
  'scope-endpoint-counts': ({ endpoint, places }: { endpoint: string; places: number }) =>
    `Expected each request to count once. A limiter as promised explains the answers if ${requestText(endpoint)} ${places === 0 ? 'does not count, although it is rejected at the limit' : `counts as ${counted(places, 'request')}`}.`,
  'scope-counts-forgotten': (limit: Pace) =>
    `Expected at most ${paceText(limit)}. A limiter as promised explains the answers if its count is lost at times, and starts again.`,
  'scope-keys-forgotten':
    'A limiter as promised explains the answers if it loses the count of a key once {others:count other key} were used since.',
  'scope-bursts-free':
    'Expected every request to count. A limiter as promised explains the answers only if it does not count the first {free:count request} after each pause of {pauseMs:span}.',
  'order-untested': 'No request had two reasons for rejection.',
  'order-neither': (params: { request: string; otherStatus: number; limitStatus: number }) =>
    `No request ${twoReasonsText(params.request)}, got ${params.otherStatus} or ${params.limitStatus}.`,
  'order-same': (params: { request: string; status: number; otherStatus: number; answers: number }) =>
    `Requests ${twoReasonsText(params.request)}, got ${params.status} ${times(params.answers)} and never ${params.otherStatus}.`,
  'order-varies': (params: {
    request: string;
    otherStatus: number;
    limitStatus: number;
    others: number;
    limited: number;
  }) =>
    `Requests ${twoReasonsText(params.request)}, got ${params.otherStatus} ${times(params.others)} and ${params.limitStatus} ${times(params.limited)}.`,
} as const;
