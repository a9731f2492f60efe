import { z } from 'zod';
import { times } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { studyPhases } from '../../../history/phases.ts';
import { type Suspect, shown } from '../../diagnosis/cause.ts';
import { firstSeqs, seqsColumn, sqlText } from '../../found.ts';
import { type CheckResult, evidence, mergeVerdicts, type Verdict } from '../../verdict.ts';
import type { LimiterFindings } from './findings.ts';
import type { Tried } from './scope.ts';

const statusRow = z.object({
  status: z.number(),
  total: z.number(),
  /** Places that may have become free in the volleys: a bucket's tokens. */
  lucky: z.number(),
  seqs: seqsColumn,
});

export interface Order {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
  readonly seqs: readonly number[];
  /** Of a fail. */
  readonly causes: readonly Suspect[];
}

/** Which refusal a request gets that deserves two: always the same one. */
export async function judgeOrder(
  history: History,
  { tried, refusalStatus }: LimiterFindings,
): Promise<CheckResult> {
  const orders = [
    ...['scope:bad-key', 'scope:no-key'].flatMap((probe) => orderOf(tried, probe, 401, refusalStatus)),
    ...['scope:unknown-session', 'scope:unknown-catalog'].flatMap((probe) =>
      orderOf(tried, probe, 404, refusalStatus),
    ),
    ...(await quotaOrder(history, refusalStatus)),
  ];
  const texts = Object.fromEntries(orders.map(({ name, text }) => [name, text]));
  return {
    id: 'rate-limit.order',
    title: 'A request with two reasons for rejection always gets the same status',
    verdict: mergeVerdicts(orders.map(({ verdict }) => verdict)),
    expected: 'for each pair of 401, 404, 402 and 429, always the same one',
    observed: texts,
    data: { orders: texts },
    explanation:
      orders.length === 0
        ? 'No request was due to be refused for two reasons.'
        : orders.some(({ verdict }) => verdict === 'fail')
          ? `Which refusal comes first varies: ${orders
              .filter(({ verdict }) => verdict === 'fail')
              .map(({ name, text }) => `${name}: ${text}`)
              .join('; ')}.`
          : `${orders.map(({ name, text }) => `${name}: ${text}`).join('; ')}.`,
    evidence: orders
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ name, seqs }) => evidence(name, seqs)),
    causes: orders.flatMap(({ causes, verdict }) => (verdict === 'fail' ? causes : [])),
  };
}

function orderOf(tried: readonly Tried[], probe: string, other: number, refusalStatus: number): Order[] {
  const own = tried.find((each) => each.probe === probe);
  if (own === undefined) return [];
  const others = own.otherwise[other] ?? 0;
  const order = orderFrom(
    probe.slice('scope:'.length),
    others,
    own.refused,
    other,
    refusalStatus,
    own.seqs,
    own.lucky,
  );
  // Requests without a good key may have a limiter of their own, which may have begun to refuse meanwhile.
  return [other === 401 && order.verdict === 'fail' ? { ...order, verdict: 'inconclusive' } : order];
}

/** One of several may have got a bucket's token, and then its other refusal. */
const mostLucky = 1;

function orderFrom(
  name: string,
  others: number,
  limited: number,
  other: number,
  refusalStatus: number,
  seqs: readonly number[],
  lucky: number,
): Order {
  const both = others + limited;
  const causes = [shown('refusal-order-varies', { statuses: [other, refusalStatus] }, seqs)];
  const order = { name, seqs, causes };
  if (both === 0) return { ...order, verdict: 'inconclusive', text: 'neither came' };
  if (limited === 0) return { ...order, verdict: 'pass', text: `${other} before ${refusalStatus}` };
  if (others === 0) return { ...order, verdict: 'pass', text: `${refusalStatus} before ${other}` };
  const text = `${other} ${times(others)}, ${refusalStatus} ${times(limited)}`;
  return { ...order, verdict: others > lucky && limited > mostLucky ? 'fail' : 'inconclusive', text };
}

/** With quota and rate limit both spent, in volleys in which reads were refused for the rate. */
export async function quotaOrder(history: History, refusalStatus: number): Promise<Order[]> {
  const { requests, windowMs } = history.profile.rate_limit;
  const perNs = requests / (windowMs * 1e6);
  const phase = `stage = 'study' AND phase = ${sqlText(studyPhases.precedence)}`;
  const rows = await history.rows(
    statusRow,
    `WITH spans AS (
       SELECT intended_ns, max(answered_ns) AS over_ns,
              coalesce(lag(intended_ns) OVER (ORDER BY intended_ns), intended_ns) AS before_ns,
              bool_and(status = ${refusalStatus}) FILTER (probe = 'scope:control') AS isLimited
       FROM requests WHERE ${phase} GROUP BY intended_ns),
     volleys AS (
       SELECT intended_ns, sum(greatest(1, ceil((over_ns - before_ns) * ${perNs}))) OVER () AS lucky
       FROM spans WHERE isLimited)
     SELECT status, count(*) AS total, max(lucky) AS lucky, ${firstSeqs} AS seqs FROM requests JOIN volleys USING (intended_ns)
     WHERE ${phase} AND probe = 'precedence:create-session' AND status IS NOT NULL GROUP BY status`,
  );
  if (rows.length === 0) return [];
  const of = (status: number): number => rows.find((row) => row.status === status)?.total ?? 0;
  const seqs = rows.flatMap((row) => row.seqs);
  return [
    orderFrom(
      'session over quota',
      of(402),
      of(refusalStatus),
      402,
      refusalStatus,
      seqs,
      Math.max(...rows.map((row) => row.lucky)),
    ),
  ];
}
