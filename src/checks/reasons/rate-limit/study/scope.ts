import { counted, listed, number, times, verb } from '../../../../amounts.ts';
import { requestText } from '../../../diagnosis/requests.ts';

const secondReasons: Readonly<Record<string, string>> = {
  'bad-key': 'with an unknown key',
  'no-key': 'without a key',
  'unknown-session': 'for an unknown session',
  'unknown-catalog': 'for an unknown catalog',
  'session over quota': 'for a session over the quota',
};

/** `over the rate limit, without a key`: why a request has two reasons for rejection. */
export function twoReasonsText(request: string): string {
  return `over the rate limit, ${secondReasons[request] ?? request}`;
}

/** Reasons of the checks of the limit's scope, and of the order of rejections. */
export const scopeReasons = {
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
  'scope-address-ignored': 'The address of the client makes no difference.',
  'scope-address-separate': ({ isWrong }: { isWrong: boolean }) =>
    `${isWrong ? 'Expected one limit for each key. ' : ''}At its limit, the same key is admitted from another address: each address has a separate limit.`,
  'scope-forwarded-ignored': 'X-Forwarded-For makes no difference.',
  'scope-forwarded-doubtful':
    'X-Forwarded-For gives a new limit. The limit may apply to addresses, and this address may be a trusted proxy.',
  'scope-forwarded-trusted':
    'X-Forwarded-For gives the key a new limit: a client that sets this header has no limit.',
  'scope-spelling-ignored': 'Another spelling of the path makes no difference.',
  'scope-spelling-separate':
    'Expected one limit for each key. At its limit, the key is admitted at the same path with a slash at its end.',
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
  'scope-requests-uneven': (params: {
    sent: number;
    admitted: number;
    endpoints: readonly string[];
    limit: number;
  }) =>
    `Expected every request to count once. After a rest, ${number(params.admitted)} of ${counted(params.sent, 'request')} to ${listed(params.endpoints.map(requestText))} were admitted. All earlier answers agree with a limit of ${number(params.limit)}, and these do not.`,
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
