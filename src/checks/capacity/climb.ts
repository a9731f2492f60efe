import { z } from 'zod';
import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { shown } from '../causes/cause.ts';
import type { CheckFinding, Shown, Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';

const stepSchema = z.object({
  phase: z.string(),
  startNs: z.number(),
  connections: z.number(),
  durationMs: z.number(),
  statuses: z.record(z.string(), z.number()),
  errors: z.number(),
  noSocket: z.number().optional(),
  timeouts: z.number(),
  requestsPerSecond: z.number(),
  latencyMs: z.object({ p50: z.number(), p90: z.number(), p99: z.number(), max: z.number() }),
});
type ClimbStep = z.output<typeof stepSchema>;

/**
 * What a step of the climb shows. Not about capacity: `limited`, rejected by the rate limit or the quota; `own`, at the end of
 * what the generator can do.
 */
interface ClimbStepJudged {
  readonly step: ClimbStep;
  readonly kind: 'good' | 'broken' | 'limited' | 'own';
  readonly reason: Reason;
}

/** How far the target can be pushed before its latency bound breaks: the knee of a closed-loop climb. */
export async function checkClimb(history: History): Promise<CheckFinding> {
  const events = await history.rows(
    z.object({ event: z.string() }),
    "SELECT CAST(event AS VARCHAR) AS event FROM events WHERE kind = 'saturation'",
  );
  const steps = events.map((row) => stepSchema.parse(JSON.parse(row.event)));
  steps.sort((a, b) => a.startNs - b.startNs);
  const bounds = boundsOf(history.run.slo);
  const judged = steps.map((step) => judgeStep(step, bounds));
  const { requests, windowMs } = history.profile.rate_limit;
  const promisedPerSecond = (requests / windowMs) * 1e3;
  const { verdict, reasons, knee } = judgeClimb(judged, bounds, promisedPerSecond);
  return {
    id: 'capacity.knee',
    verdict,
    expected: {
      bounds: bounds.map((slo) => `p${slo.percentile} at most ${number(slo.max_ms)} ms`),
      'requests per second within them': { min: Math.ceil(promisedPerSecond * 10) / 10 },
    },
    observed: { knee: knee === undefined ? null : shownStep(knee), steps: judged.map(shownStep) },
    reasons,
    ...(verdict === 'fail'
      ? {
          causes: [
            shown('capacity-below-promise', {
              found: knee?.step.requestsPerSecond,
              promised: Math.round(promisedPerSecond * 10) / 10,
            }),
          ],
        }
      : {}),
  };
}

/** The latency bounds that a step keeps figures for. Those for all endpoints, if there are any, else every one. */
function boundsOf(slo: readonly Slo[]): readonly Slo[] {
  const measured = slo.filter(({ percentile }) => [50, 90, 99, 100].includes(percentile));
  const general = measured.filter(({ endpoint }) => endpoint === '*');
  return general.length > 0 ? general : measured;
}

function judgeStep(step: ClimbStep, bounds: readonly Slo[]): ClimbStepJudged {
  const total = Object.values(step.statuses).reduce((sum, count) => sum + count, 0);
  const count = (first: (status: number) => boolean): number =>
    Object.entries(step.statuses).reduce((sum, [status, n]) => sum + (first(Number(status)) ? n : 0), 0);
  const { connections, noSocket = 0 } = step;
  if (noSocket > 0)
    return { step, kind: 'own', reason: reason('sockets-used-up', { connections: noSocket }) };
  const failed = step.errors + step.timeouts + count((status) => status >= 500);
  if (failed > 0) return { step, kind: 'broken', reason: reason('climb-failed', { connections, failed }) };
  const rejected = count((status) => status === 429 || status === 402);
  if (rejected > 0) {
    const limited = { connections, rejected, answers: total };
    return { step, kind: 'limited', reason: reason('climb-rejected', limited) };
  }
  const others = count((status) => status < 200 || status > 299);
  if (others > 0) {
    const wrong = { connections, others, answers: total };
    return { step, kind: 'broken', reason: reason('climb-unsuccessful', wrong) };
  }
  if (total === 0) return { step, kind: 'broken', reason: reason('climb-silent', { connections }) };
  const missed = bounds
    .filter(({ phase }) => phase === undefined || phase === step.phase)
    .find((slo) => latencyOf(step, slo.percentile) > slo.max_ms);
  if (missed === undefined) {
    const kept = { connections, perSecond: step.requestsPerSecond };
    return { step, kind: 'good', reason: reason('climb-kept', kept) };
  }
  const slow = {
    connections,
    percentile: `p${missed.percentile}`,
    atMs: latencyOf(step, missed.percentile),
    boundMs: missed.max_ms,
  };
  return { step, kind: 'broken', reason: reason('climb-slow', slow) };
}

function latencyOf({ latencyMs }: ClimbStep, percentile: number): number {
  if (percentile === 50) return latencyMs.p50;
  if (percentile === 90) return latencyMs.p90;
  return percentile === 99 ? latencyMs.p99 : latencyMs.max;
}

interface Climb {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly knee?: ClimbStepJudged;
}

function judgeClimb(
  steps: readonly ClimbStepJudged[],
  bounds: readonly Slo[],
  promisedPerSecond: number,
): Climb {
  if (steps.length === 0) return { verdict: 'inconclusive', reasons: [reason('climb-untried')] };
  if (bounds.length === 0) return { verdict: 'inconclusive', reasons: [reason('climb-unbounded')] };
  const end = steps.findIndex(({ kind }) => kind !== 'good');
  const knee = end === -1 ? steps.at(-1) : steps[end - 1];
  const breaking = end === -1 ? undefined : steps[end];
  const atKnee = knee === undefined ? {} : { knee };
  const kept = knee === undefined ? [] : [knee.reason];
  if (breaking === undefined)
    return { verdict: 'inconclusive', reasons: [reason('climb-not-reached'), ...kept], ...atKnee };
  if (breaking.kind === 'own')
    return { verdict: 'inconclusive', reasons: [breaking.reason, ...kept], ...atKnee };
  if (breaking.kind === 'limited')
    return { verdict: 'inconclusive', reasons: [reason('climb-limited'), breaking.reason], ...atKnee };
  if (knee === undefined) return { verdict: 'fail', reasons: [reason('climb-first-broke'), breaking.reason] };
  const best = Math.max(...steps.slice(0, end).map(({ step }) => step.requestsPerSecond));
  const promised = Math.round(promisedPerSecond * 10) / 10;
  const found = [knee.reason, breaking.reason];
  return best < promisedPerSecond
    ? { verdict: 'fail', reasons: [reason('climb-below', { promised, best }), ...found], knee }
    : { verdict: 'pass', reasons: [reason('climb-found', { promised, best }), ...found], knee };
}

function shownStep({ step, kind }: ClimbStepJudged): Shown {
  return {
    connections: step.connections,
    'requests per second': step.requestsPerSecond,
    'p99, ms': step.latencyMs.p99,
    statuses: step.statuses,
    'without an answer': step.errors + step.timeouts,
    kind,
  };
}
