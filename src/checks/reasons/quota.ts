import { counted, listed, number, times, verb } from '../../amounts.ts';
import { requestText } from '../diagnosis/requests.ts';
import { type Got, gotText } from './contract/got.ts';
import { quotaEdgeReasons } from './quota/edge.ts';
import { quotaKeyReasons } from './quota/keys.ts';
import { quotaStudyReasons } from './quota/study.ts';

/** A read with the key whose quota is spent, and what came of it. */
interface QuotaRead {
  readonly endpoint: string;
  readonly got: Got;
}

function readsText(reads: readonly QuotaRead[]): string {
  return listed(
    reads.map(({ endpoint, got }) => `${requestText(endpoint)} ${gotText(got)}`),
    3,
  );
}

/** Reasons of the quota checks. */
export const quotaReasons = {
  ...quotaKeyReasons,
  ...quotaEdgeReasons,
  ...quotaStudyReasons,
  'quota-without-key': 'No key was given for the role `quota`.',
  'quota-closed-unspent': 'No attempt got 402, so the run did not see the end of the quota.',
  'quota-closed-admitted': ({ sessions }: { sessions: number }) =>
    `Expected no session after the first 402, got ${number(sessions)}: ${verb(sessions, 'it was', 'they were')} requested after that 402 had come back.`,
  'quota-closed-held': 'No attempt that was sent after the first 402 was admitted.',
  'quota-status-other': ({ answers }: { answers: readonly { status: number; count: number }[] }) =>
    `Expected 402 for sessions over the quota, got ${listed(answers.map(({ count, status }) => `${status} ${times(count)}`))}.`,
  'quota-status-429': ({ count }: { count: number }) =>
    `Expected 402 for sessions over the quota, got 429 ${times(count)}, with far fewer requests than the rate limit allows.`,
  'quota-status-none': 'No attempt was rejected after the quota was spent.',
  'quota-status-402': 'Every rejection over the quota was a 402.',
  'quota-reads-rejected': ({ reads }: { reads: readonly QuotaRead[] }) =>
    `Expected 2xx for reads after the quota was spent, but ${readsText(reads)}.`,
  'quota-reads-untried': ({ reads }: { reads: readonly QuotaRead[] }) =>
    `Not every read could be judged: ${readsText(reads)}.`,
  'quota-reads-unspent': 'The reads succeeded, but no attempt had got 402: the quota was not spent.',
  'quota-reads-succeeded': ({ imports, reads }: { reads: number; imports: number }) =>
    `After the quota was spent, ${counted(reads, 'read')}${imports === 0 ? '' : ` and ${counted(imports, 'import')}`} succeeded. None was rejected.`,
  'quota-stored-unanswered': 'Analytics of the account were not answered after the quota was spent.',
  'quota-stored-all-products':
    'Analytics were not requested for one product, so they may count more than this run.',
  'quota-stored': (params: { counted: number; most: number; how: 'made' | 'admitted' }) =>
    `Expected at most ${counted(params.most, 'session')} in analytics, as many as can have been ${params.how}; got ${number(params.counted)}. Rejected sessions were stored, or one request made several, for example because a gateway repeats it (\`redeliveries\`).`,
  'quota-stored-in-doubt': ({ counted: told, most }: { counted: number; most: number }) =>
    `Analytics count ${counted(told, 'session')}, and at most ${number(most)} ${verb(most, 'was', 'were')} admitted. Nothing shows whether rejected sessions were stored.`,
  'quota-stored-too-few': ({ counted: told, least }: { counted: number; least: number }) =>
    `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show whether rejected sessions were stored.`,
  'quota-stored-none-rejected': 'No session was rejected, so none can have been stored wrongly.',
  'quota-not-stored': (params: { counted: number; rejected: number; overQuota: number }) =>
    `Analytics of the product count ${counted(params.counted, 'session')}. They do not count ${counted(params.rejected, 'session request')} for this product that got 4xx (402: ${number(params.overQuota)}, other 4xx: ${number(params.rejected - params.overQuota)}).`,
} as const;
