import { z } from 'zod';
import { times } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { renewalsWithin } from '../../../target/clock.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { firstSeqs, seqsColumn } from '../../core/found.ts';
import { isProbe } from '../../core/probes.ts';
import {
  type CheckFinding,
  evidence,
  mergeVerdicts,
  type OrderCounts,
  type Verdict,
} from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { TriedProbe } from '../traces/scope.ts';
import type { LimiterFindings } from './findings.ts';

const statusRow = z.object({
  status: z.number(),
  total: z.number(),
  /** Places that may have become free in the volleys: a bucket's tokens. */
  lucky: z.number(),
  seqs: seqsColumn,
});

interface Order extends OrderCounts {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
  readonly seqs: readonly number[];
  /** Of a fail. */
  readonly causes: readonly Suspect[];
}

/** Which status a request gets that has two reasons for rejection: always the same one. */
export async function judgeOrder(
  history: History,
  { tried, refusalStatus }: LimiterFindings,
): Promise<CheckFinding> {
  const orders = [
    ...(['scope:bad-key', 'scope:no-key'] as const).flatMap((probe) =>
      orderOf(tried, probe, 401, refusalStatus),
    ),
    ...(['scope:unknown-session', 'scope:unknown-catalog'] as const).flatMap((probe) =>
      orderOf(tried, probe, 404, refusalStatus),
    ),
    ...(await quotaOrder(history, refusalStatus)),
  ];
  const failing = orders.filter(({ verdict }) => verdict === 'fail');
  return {
    id: 'rate-limit.order',
    verdict: mergeVerdicts(orders.map(({ verdict }) => verdict)),
    observed: Object.fromEntries(orders.map(({ name, text }) => [name, text])),
    data: { orders: Object.fromEntries(orders.map((each) => [each.name, countsOf(each)])) },
    reasons:
      orders.length === 0
        ? [reason('order-untested')]
        : (failing.length > 0 ? failing : orders).map(reasonFor),
    evidence: failing.map(({ name, seqs }) => evidence(name, seqs)),
    causes: failing.flatMap(({ causes }) => causes),
  };
}

function countsOf({ limitStatus, limited, otherStatus, others }: Order): OrderCounts {
  return { otherStatus, limitStatus, others, limited };
}

function reasonFor(order: Order): Reason {
  const { limitStatus, limited, name: request, otherStatus, others } = order;
  if (others + limited === 0) return reason('order-neither', { request, otherStatus, limitStatus });
  if (limited === 0)
    return reason('order-same', {
      request,
      status: otherStatus,
      otherStatus: limitStatus,
      answers: others,
    });
  if (others === 0)
    return reason('order-same', { request, status: limitStatus, otherStatus, answers: limited });
  return reason('order-varies', { request, otherStatus, limitStatus, others, limited });
}

/** `401 before 429`, `401 3 times, 429 once`, `neither came`. */
export function orderText({ limitStatus, limited, otherStatus, others }: OrderCounts): string {
  if (others + limited === 0) return 'neither came';
  if (limited === 0) return `${otherStatus} before ${limitStatus}`;
  if (others === 0) return `${limitStatus} before ${otherStatus}`;
  return `${otherStatus} ${times(others)}, ${limitStatus} ${times(limited)}`;
}

function orderOf(
  tried: readonly TriedProbe[],
  probe: ScopeProbe,
  otherStatus: number,
  limitStatus: number,
): Order[] {
  const own = tried.find((each) => each.probe === probe);
  if (own === undefined) return [];
  const { lucky, refused: limited, seqs } = own;
  const counts = { otherStatus, limitStatus, others: own.otherwise[otherStatus] ?? 0, limited };
  const order = orderFrom(probe.slice('scope:'.length), counts, seqs, lucky);
  // Requests without a good key may have another limiter, which may reject by now.
  return [otherStatus === 401 && order.verdict === 'fail' ? { ...order, verdict: 'inconclusive' } : order];
}

/** One of several may have got a bucket's token, and then the other status. */
const mostLucky = 1;

function orderFrom(name: string, counts: OrderCounts, seqs: readonly number[], lucky: number): Order {
  const { limitStatus, limited, otherStatus, others } = counts;
  const causes = [shown('refusal-order-varies', { statuses: [otherStatus, limitStatus] }, seqs)];
  const isFail = others > lucky && limited > mostLucky;
  const isSame = others + limited > 0 && (others === 0 || limited === 0);
  const verdict = isFail ? 'fail' : isSame ? 'pass' : 'inconclusive';
  return { ...counts, name, verdict, text: orderText(counts), seqs, causes };
}

/** With quota and rate limit both spent, in bursts in which reads were rejected by the rate limit. */
export async function quotaOrder(history: History, refusalStatus: number): Promise<Order[]> {
  const { requests, windowMs } = history.profile.rate_limit;
  const perNs = requests / (windowMs * 1e6);
  const phase = `stage = 'study' AND phase = ${sqlText(studyPhases.precedence)} ${await beforeRenewal(history)}`;
  const rows = await history.rows(
    statusRow,
    `WITH spans AS (
       SELECT intended_ns, max(answered_ns) AS over_ns,
              coalesce(lag(intended_ns) OVER (ORDER BY intended_ns), intended_ns) AS before_ns,
              bool_and(status = ${refusalStatus}) FILTER (${isProbe('scope:control')}) AS isLimited
       FROM requests WHERE ${phase} GROUP BY intended_ns),
     volleys AS (
       SELECT intended_ns, sum(greatest(1, ceil((over_ns - before_ns) * ${perNs}))) OVER () AS lucky
       FROM spans WHERE isLimited)
     SELECT status, count(*) AS total, max(lucky) AS lucky, ${firstSeqs} AS seqs FROM requests JOIN volleys USING (intended_ns)
     WHERE ${phase} AND ${isProbe('precedence:create-session')} AND status IS NOT NULL GROUP BY status`,
  );
  if (rows.length === 0) return [];
  const of = (status: number): number => rows.find((row) => row.status === status)?.total ?? 0;
  const seqs = rows.flatMap((row) => row.seqs);
  const counts = {
    otherStatus: 402,
    limitStatus: refusalStatus,
    others: of(402),
    limited: of(refusalStatus),
  };
  const lucky = Math.max(...rows.map((row) => row.lucky));
  return [orderFrom('session over quota', counts, seqs, lucky)];
}

const spentRow = z.object({ spent_ns: z.number().nullable(), last_ns: z.number().nullable() });

/** SQL: before the quota renewed after it was spent. From then on a session is not over quota. */
async function beforeRenewal(history: History): Promise<string> {
  const { clock_skew_bound: slackMs, quota } = history.profile;
  if (quota.renews === undefined) return '';
  const [row] = await history.rows(
    spentRow,
    `SELECT max(answered_ns) FILTER (phase = ${sqlText(studyPhases.quotaEdge)} AND status = 402) AS spent_ns,
       max(sent_ns) FILTER (phase = ${sqlText(studyPhases.precedence)}) AS last_ns FROM requests WHERE credential = 'quota'`,
  );
  if (row?.spent_ns == null || row.last_ns === null) return '';
  const epochMs = (ns: number): number => history.run.zero_epoch_ms + ns / 1e6;
  const [first] = renewalsWithin(
    quota.renews,
    epochMs(row.spent_ns) - slackMs,
    epochMs(row.last_ns) + slackMs,
  );
  return first === undefined
    ? ''
    : `AND coalesce(answered_ns, sent_ns) < ${Math.round((first - slackMs - history.run.zero_epoch_ms) * 1e6)}`;
}
