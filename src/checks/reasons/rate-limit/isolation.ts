import { counted, noneOf } from '../../../amounts.ts';
import { type LimiterSize, sizeText } from './names.ts';

/** Reasons of the check that keys do not limit each other. */
export const isolationReasons = {
  'isolation-no-bystander': 'No key is given for the role bystander, or no request was sent with it.',
  'isolation-no-other-rejected': 'No other key got 429.',
  'isolation-none-meanwhile': 'No request was sent with the bystander key while another key got 429.',
  'isolation-no-shared-limiter':
    'The profile says that all keys share one limit. No limiter that all keys share explains all answers together.',
  'isolation-shared-as-promised':
    'One limit for all keys together explains every answer, as the profile says.',
  'isolation-shared-found': ({ rejected }: { rejected: number }) =>
    `The bystander key got 429 for ${counted(rejected, 'request')}. One limit for all keys together explains this. The interface does not say whether keys share a limit; here they do.`,
  'isolation-none-rejected': ({ others, requests }: { requests: number; others: number }) =>
    `Other keys got 429 for ${counted(others, 'request')}. Meanwhile 0 of ${counted(requests, 'request')} with the bystander key got 429: ${noneOf(requests)}.`,
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
} as const;
