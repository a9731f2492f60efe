import { counted, noneOf } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type LimiterSize, sizeText } from './names.ts';

/** Reasons of the check that keys do not limit each other. */
export const isolationReasons = {
  'isolation-no-bystander': wording(
    {},
    () => 'No key is given for the role bystander, or no request was sent with it.',
  ),
  'isolation-no-other-rejected': wording({}, () => 'No other key got 429.'),
  'isolation-none-meanwhile': wording(
    {},
    () => 'No request was sent with the bystander key while another key got 429.',
  ),
  'isolation-no-shared-limiter': wording(
    {},
    () =>
      'The profile says that all keys share one limit. No limiter that all keys share explains all answers together.',
  ),
  'isolation-shared-as-promised': wording(
    {},
    () => 'One limit for all keys together explains every answer, as the profile says.',
  ),
  'isolation-shared-found': wording(
    { rejected: 12 },
    ({ rejected }) =>
      `The bystander key got 429 for ${counted(rejected, 'request')}. One limit for all keys together explains this. The interface does not say whether keys share a limit; here they do.`,
  ),
  'isolation-none-rejected': wording(
    { requests: 103, others: 400 },
    ({ others, requests }) =>
      `Other keys got 429 for ${counted(others, 'request')}. Meanwhile 0 of ${counted(requests, 'request')} with the bystander key got 429: ${noneOf(requests)}.`,
  ),
  'isolation-own-load': wording(
    {},
    () => 'The bystander key was itself near its limit, which explains why it got 429.',
  ),
  'isolation-rejected-unclear': wording(
    {},
    () =>
      'The bystander key got 429 only where its limit was perhaps spent before, or where the limit of the endpoint is unclear.',
  ),
  'isolation-own-limiter': wording<{
    readonly rejected: number;
    readonly limiter: string;
    readonly size: LimiterSize;
    readonly isCertain: boolean;
  }>(
    {
      rejected: 12,
      limiter: 'token bucket',
      size: { limit: 1, windowMs: 60, refillPerS: 16.7 },
      isCertain: false,
    },
    ({ isCertain, limiter, rejected, size }) =>
      `The bystander key got 429 for ${counted(rejected, 'request')}. Its own requests alone explain this with a ${limiter} of ${sizeText(size)}.${isCertain ? '' : ' Some rejections were not compared with it, or other limiters are possible.'}`,
  ),
  'isolation-rejected': wording(
    { rejected: 12, isSharedRefuted: true },
    ({ isSharedRefuted, rejected }) =>
      `Expected no 429 for the bystander key, which was far below its own limit. Got 429 for ${counted(rejected, 'request')} while other keys were at their limits.${isSharedRefuted ? ' One limit for all keys together does not explain this either.' : ''}`,
  ),
} as const;
