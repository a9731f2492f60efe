import { listed, times, verb } from '../../../../amounts.ts';
import { requestText } from '../../../diagnosis/requests.ts';
import { wording } from '../../wording.ts';

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
  'scope-limit-not-reached': wording(
    {},
    () => 'The key never reached its limit, so the scope could not be tested.',
  ),
  'scope-unclear': wording({}, () => 'The tests at the limit gave no clear result.'),
  'scope-keys-not-tried': wording({}, () => 'No other key was tested at the limit.'),
  'scope-keys-unclear': wording({}, () => 'It is unclear whether another key shares the limit.'),
  'scope-keys-shared': wording<{ readonly isWrong: boolean }>(
    { isWrong: true },
    ({ isWrong }) =>
      `${isWrong ? 'Expected one limit for each key, but another' : 'Another'} key is rejected while this key is at its limit: the keys share one limit.`,
  ),
  'scope-keys-separate': wording<{ readonly isWrong: boolean }>({ isWrong: true }, ({ isWrong }) =>
    isWrong
      ? 'Expected one limit for all keys, but each key has a separate limit.'
      : 'Each key has a separate limit.',
  ),
  'scope-address-ignored': wording({}, () => 'The address of the client makes no difference.'),
  'scope-address-separate': wording<{ readonly isWrong: boolean }>(
    { isWrong: true },
    ({ isWrong }) =>
      `${isWrong ? 'Expected one limit for each key. ' : ''}At its limit, the same key is admitted from another address: each address has a separate limit.`,
  ),
  'scope-forwarded-ignored': wording({}, () => 'X-Forwarded-For makes no difference.'),
  'scope-forwarded-doubtful': wording(
    {},
    () =>
      'X-Forwarded-For gives a new limit. The limit may apply to addresses, and this address may be a trusted proxy.',
  ),
  'scope-forwarded-trusted': wording(
    {},
    () => 'X-Forwarded-For gives the key a new limit: a client that sets this header has no limit.',
  ),
  'scope-interactions-shared': wording<{ readonly isWrong: boolean }>(
    { isWrong: true },
    ({ isWrong }) =>
      `Interactions are rejected while the key that opened their session is at its limit: they count against it.${isWrong ? ' The profile says that they do not.' : ''}`,
  ),
  'scope-interactions-separate': wording<{ readonly isWrong: boolean }>(
    { isWrong: true },
    ({ isWrong }) =>
      `Interactions are admitted while the key that opened their session is at its limit: they do not count against it.${isWrong ? ' The profile says that they do.' : ''}`,
  ),
  'scope-endpoints-together': wording<{
    readonly endpoints: readonly string[];
    readonly isWrong: boolean;
    readonly isPartial: boolean;
  }>(
    { endpoints: ['analytics', 'read-session'], isWrong: false, isPartial: false },
    ({ endpoints, isPartial, isWrong }) =>
      `${isWrong ? 'Expected a limit for each endpoint. ' : ''}The limit of GET /shades also applies to ${listed(endpoints.map(requestText))}.${isPartial ? ' For other endpoints it is unclear.' : ''}`,
  ),
  'scope-endpoints-apart': wording<{
    readonly apart: readonly string[];
    readonly together: readonly string[];
    readonly promised: 'together' | 'apart' | 'discover';
  }>(
    { apart: ['analytics'], together: ['read-session'], promised: 'together' },
    ({ apart, promised, together }) =>
      [
        promised === 'together' ? 'Expected one limit for all endpoints.' : '',
        promised === 'apart' ? 'Expected a limit for each endpoint.' : '',
        `While GET /shades is at its limit, ${listed(apart.map(requestText))} ${verb(apart.length, 'is', 'are')} admitted: another limit applies, or none.`,
        together.length === 0
          ? ''
          : `At the same time, ${listed(together.map(requestText))} ${verb(together.length, 'is', 'are')} rejected.`,
        promised === 'discover' ? 'The profile does not say which is intended (`limit_endpoints`).' : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
  ),
  'order-untested': wording({}, () => 'No request had two reasons for rejection.'),
  'order-neither': wording(
    { request: 'bad-key', otherStatus: 401, limitStatus: 429 },
    ({ limitStatus, otherStatus, request }) =>
      `No request ${twoReasonsText(request)}, got ${otherStatus} or ${limitStatus}.`,
  ),
  'order-same': wording(
    { request: 'bad-key', status: 401, otherStatus: 429, answers: 8 },
    ({ answers, otherStatus, request, status }) =>
      `Requests ${twoReasonsText(request)}, got ${status} ${times(answers)} and never ${otherStatus}.`,
  ),
  'order-varies': wording(
    { request: 'bad-key', otherStatus: 401, limitStatus: 429, others: 5, limited: 3 },
    ({ limitStatus, limited, otherStatus, others, request }) =>
      `Requests ${twoReasonsText(request)}, got ${otherStatus} ${times(others)} and ${limitStatus} ${times(limited)}.`,
  ),
} as const;
