import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Profile } from '../../target/profile.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import { fits } from '../causes/cause.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { admitted, evidenceOf, firstSeqs, seqsColumn } from './found.ts';
import { lastProductAnswer } from './probes.ts';
import { type CheckFinding, evidence, type Verdict } from './verdict.ts';

const boundsRow = z.object({
  least: z.number(),
  most: z.number(),
  made: z.number(),
  rejected: z.number(),
  of_status: z.number(),
  seqs: seqsColumn,
});

/** Sessions that are to be rejected, and the question that shows whether they were stored. */
interface RejectedSessions {
  /** Analytics of their product, asked after them. */
  readonly probe: Probe;
  /** SQL: which requests for new sessions they are among. */
  readonly among: string;
  /** SQL: which of them were rejected, mostly with `status`. */
  readonly rejected: string;
  readonly status: number;
}

/** Sessions that are rejected are not stored: the analytics of their product count only those that were admitted. */
export async function judgeStored(
  history: History,
  { among, probe, rejected: isRejected, status }: RejectedSessions,
): Promise<Omit<CheckFinding, 'id'>> {
  const answer = await lastProductAnswer(history, probe);
  if (answer?.product_id == null || answer.total_sessions === null)
    return {
      verdict: 'inconclusive',
      observed: null,
      reasons: [reason('stored-unanswered')],
    };
  const possible = `(${admitted} OR lost IS NOT NULL OR (status >= 500 AND status <> ${status}))`;
  const [bounds] = await history.rows(
    boundsRow,
    `SELECT count(*) FILTER (${admitted}) AS least, count(*) FILTER (${possible}) AS most,
            coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS made,
            count(*) FILTER (${isRejected}) AS rejected, count(*) FILTER (status = ${status}) AS of_status,
            ${firstSeqs} FILTER (status = ${status}) AS seqs
     FROM requests WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND ${among} AND product_id = $productId`,
    { productId: answer.product_id },
  );
  if (bounds === undefined) throw new Error('an aggregate without a row');
  const { least, made, most, of_status: ofStatus, rejected, seqs } = bounds;
  const told = answer.total_sessions;
  const deliveries = history.profile.redeliveries + 1;
  const [verdict, why] = ((): [Verdict, Reason] => {
    if (rejected === 0) return ['inconclusive', reason('stored-none-rejected')];
    if (told > made + deliveries * rejected)
      return ['inconclusive', reason('stored-more-than-sent', { told })];
    if (told > made)
      return ['fail', reason('stored', { told, most: made, how: made > most ? 'made' : 'admitted' })];
    if (told > most) return ['inconclusive', reason('stored-in-doubt', { told, most })];
    if (told < least) return ['inconclusive', reason('stored-too-few', { told, least })];
    return ['pass', reason('not-stored', { told, rejected, status, ofStatus })];
  })();
  const isInDoubt = why.code === 'stored-in-doubt';
  return {
    verdict,
    expected: { min: least, max: most },
    observed: told,
    reasons: [why, ...(isInDoubt ? [reason('redelivered', { deliveries })] : [])],
    evidence: [
      evidence('the analytics asked afterwards', [answer.seq]),
      ...(verdict === 'fail' ? evidenceOf('rejected', { total: ofStatus, seqs }) : []),
    ],
    causes: [
      fits('rejections-have-effects', { sessions: told - made, status }, [...seqs.slice(0, 3), answer.seq]),
    ],
  };
}

/**
 * What `redeliveries` in the profile means: something between this program and the service, such as a gateway that
 * retries, delivers each request up to that many times more than it was sent, and passes on the answer to any of them.
 * The last delivery arrives within `lateArrivalMs` after the answer. All deliveries are rejected alike, except for what
 * other deliveries have taken from the quota or the rate limit. So, whatever the answer was:
 *
 * - POST /sessions may have made as many sessions that no client knows of, and spent the quota by them;
 * - each request may have spent the rate limit as often, and been rejected for that;
 * - an event or an import that got 429 may have been accepted; one that was accepted counts once, by its ids.
 *
 * What was admitted was admitted, so more than a limit allows is still a failure. Too little is in doubt as far as
 * redeliveries explain it. From outside, such a deployment looks like a service that counts twice: the profile has to
 * say it.
 */
export type Redelivering = Pick<Profile, 'redeliveries'>;

/** SQL: the most sessions that a POST /sessions has made. `possible`: SQL, one was granted or may have been. */
export function mostSessionsSql({ redeliveries }: Redelivering, possible: string): string {
  return `(if(coalesce(${possible}, false), 1, 0) + ${redeliveries})`;
}
