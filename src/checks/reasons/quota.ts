import { counted, listed, number, times, verb } from '../../amounts.ts';
import { requestText } from '../diagnosis/requests.ts';
import { type Got, gotText } from './contract/got.ts';
import { quotaEdgeReasons } from './quota/edge.ts';
import { quotaKeyReasons } from './quota/keys.ts';
import { quotaStudyReasons } from './quota/study.ts';
import { wording } from './wording.ts';

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
  'quota-without-key': wording({}, () => 'No key was given for the role `quota`.'),
  'quota-closed-unspent': wording(
    {},
    () => 'No attempt got 402, so the run did not see the end of the quota.',
  ),
  'quota-closed-admitted': wording(
    { sessions: 3 },
    ({ sessions }) =>
      `Expected no session after the first 402, got ${number(sessions)}: ${verb(sessions, 'it was', 'they were')} requested after that 402 had come back.`,
  ),
  'quota-closed-held': wording({}, () => 'No attempt that was sent after the first 402 was admitted.'),
  'quota-status-other': wording(
    { answers: [{ status: 403, count: 3 }] },
    ({ answers }) =>
      `Expected 402 for sessions over the quota, got ${listed(answers.map(({ count, status }) => `${status} ${times(count)}`))}.`,
  ),
  'quota-status-429': wording(
    { count: 3 },
    ({ count }) =>
      `Expected 402 for sessions over the quota, got 429 ${times(count)}, with far fewer requests than the rate limit allows.`,
  ),
  'quota-status-none': wording({}, () => 'No attempt was rejected after the quota was spent.'),
  'quota-status-402': wording({}, () => 'Every rejection over the quota was a 402.'),
  'quota-reads-rejected': wording<{ reads: readonly QuotaRead[] }>(
    { reads: [{ endpoint: 'analytics', got: { status: 402 } }] },
    ({ reads }) => `Expected 2xx for reads after the quota was spent, but ${readsText(reads)}.`,
  ),
  'quota-reads-untried': wording<{ reads: readonly QuotaRead[] }>(
    { reads: [{ endpoint: 'analytics', got: { status: 429 } }] },
    ({ reads }) => `Not every read could be judged: ${readsText(reads)}.`,
  ),
  'quota-reads-unspent': wording(
    {},
    () => 'The reads succeeded, but no attempt had got 402: the quota was not spent.',
  ),
  'quota-reads-succeeded': wording(
    { reads: 3, imports: 1 },
    ({ imports, reads }) =>
      `After the quota was spent, ${counted(reads, 'read')}${imports === 0 ? '' : ` and ${counted(imports, 'import')}`} succeeded. None was rejected.`,
  ),
  'quota-stored-unanswered': wording(
    {},
    () => 'Analytics of the account were not answered after the quota was spent.',
  ),
  'quota-stored-all-products': wording(
    {},
    () => 'Analytics were not requested for one product, so they may count more than this run.',
  ),
  'quota-stored': wording<{ counted: number; most: number; how: 'made' | 'admitted' }>(
    { counted: 22, most: 20, how: 'admitted' },
    ({ counted: told, how, most }) =>
      `Expected at most ${counted(most, 'session')} in analytics, as many as can have been ${how}; got ${number(told)}. Rejected sessions were stored, or one request made several, for example because a gateway repeats it (\`redeliveries\`).`,
  ),
  'quota-stored-in-doubt': wording(
    { counted: 22, most: 20 },
    ({ counted: told, most }) =>
      `Analytics count ${counted(told, 'session')}, and at most ${number(most)} ${verb(most, 'was', 'were')} admitted. Nothing shows whether rejected sessions were stored.`,
  ),
  'quota-stored-too-few': wording(
    { counted: 18, least: 20 },
    ({ counted: told, least }) =>
      `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show whether rejected sessions were stored.`,
  ),
  'quota-stored-none-rejected': wording(
    {},
    () => 'No session was rejected, so none can have been stored wrongly.',
  ),
  'quota-not-stored': wording(
    { counted: 20, rejected: 5, overQuota: 3 },
    ({ counted: told, overQuota, rejected }) =>
      `Analytics count ${counted(told, 'session')}. They do not count ${counted(rejected, 'request')} that got 4xx (402: ${number(overQuota)}, other 4xx: ${number(rejected - overQuota)}).`,
  ),
} as const;
