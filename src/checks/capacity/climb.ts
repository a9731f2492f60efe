import { z } from 'zod';
import { counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { shown } from '../diagnosis/cause.ts';
import type { CheckResult, Shown, Verdict } from '../verdict.ts';

const stepSchema = z.object({
  phase: z.string(),
  startNs: z.number(),
  connections: z.number(),
  durationMs: z.number(),
  statuses: z.record(z.string(), z.number()),
  errors: z.number(),
  timeouts: z.number(),
  requestsPerSecond: z.number(),
  latencyMs: z.object({ p50: z.number(), p90: z.number(), p99: z.number(), max: z.number() }),
});
type Step = z.output<typeof stepSchema>;

/** What a step of the climb shows. `limited`: refused by the rate limit or the quota, so not about capacity. */
interface StepJudged {
  readonly step: Step;
  readonly kind: 'good' | 'broken' | 'limited';
  readonly why: string;
}

/** How far the target can be pushed before its latency bound breaks: the knee of a closed-loop climb. */
export async function checkClimb(history: History): Promise<CheckResult> {
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
  const { verdict, explanation, knee } = judgeClimb(judged, bounds, promisedPerSecond);
  return {
    id: 'capacity.knee',
    title: 'The promised request rate is reached before a latency bound breaks',
    verdict,
    expected: {
      bounds: bounds.map((slo) => `p${slo.percentile} at most ${number(slo.max_ms)} ms`),
      'requests per second within them': { min: Math.ceil(promisedPerSecond * 10) / 10 },
    },
    observed: { knee: knee === undefined ? null : shownStep(knee), steps: judged.map(shownStep) },
    explanation,
    evidence: [],
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

function judgeStep(step: Step, bounds: readonly Slo[]): StepJudged {
  const total = Object.values(step.statuses).reduce((sum, count) => sum + count, 0);
  const count = (first: (status: number) => boolean): number =>
    Object.entries(step.statuses).reduce((sum, [status, n]) => sum + (first(Number(status)) ? n : 0), 0);
  const failed = step.errors + step.timeouts + count((status) => status >= 500);
  if (failed > 0) return { step, kind: 'broken', why: `${counted(failed, 'request')} failed` };
  const refused = count((status) => status === 429 || status === 402);
  if (refused > 0)
    return {
      step,
      kind: 'limited',
      why: `${number(refused)} of ${counted(total, 'request')} ${verb(refused, 'was', 'were')} refused by a limit`,
    };
  const others = count((status) => status < 200 || status > 299);
  if (others > 0)
    return {
      step,
      kind: 'broken',
      why: `${number(others)} of ${counted(total, 'answer')} ${verb(others, 'was', 'were')} no success`,
    };
  if (total === 0) return { step, kind: 'broken', why: 'nothing was answered' };
  const missed = bounds
    .filter(({ phase }) => phase === undefined || phase === step.phase)
    .find((slo) => latencyOf(step, slo.percentile) > slo.max_ms);
  return missed === undefined
    ? { step, kind: 'good', why: 'within the bounds' }
    : {
        step,
        kind: 'broken',
        why: `p${missed.percentile} was ${latencyOf(step, missed.percentile)} ms, over ${number(missed.max_ms)} ms`,
      };
}

function latencyOf({ latencyMs }: Step, percentile: number): number {
  if (percentile === 50) return latencyMs.p50;
  if (percentile === 90) return latencyMs.p90;
  return percentile === 99 ? latencyMs.p99 : latencyMs.max;
}

interface Climb {
  readonly verdict: Verdict;
  readonly explanation: string;
  readonly knee?: StepJudged;
}

function judgeClimb(steps: readonly StepJudged[], bounds: readonly Slo[], promisedPerSecond: number): Climb {
  if (steps.length === 0)
    return { verdict: 'inconclusive', explanation: 'No step of a saturation was driven.' };
  if (bounds.length === 0) {
    return {
      verdict: 'inconclusive',
      explanation:
        'The scenario states no bound on latency (p50, p90, p99 or maximum), so no step can break it.',
    };
  }
  const end = steps.findIndex(({ kind }) => kind !== 'good');
  const knee = end === -1 ? steps.at(-1) : steps[end - 1];
  const breaking = end === -1 ? undefined : steps[end];
  const shownKnee =
    knee === undefined
      ? ''
      : `${counted(knee.step.connections, 'connection')} kept the bounds at ${counted(knee.step.requestsPerSecond, 'request')} a second`;
  if (breaking === undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `The knee was not reached: ${shownKnee}, and nothing higher was tried.`,
      ...(knee === undefined ? {} : { knee }),
    };
  }
  if (breaking.kind === 'limited') {
    return {
      verdict: 'inconclusive',
      explanation: `A limit ended the climb at ${counted(breaking.step.connections, 'connection')}: ${breaking.why}. More keys are needed to find the knee.`,
      ...(knee === undefined ? {} : { knee }),
    };
  }
  if (knee === undefined) {
    return {
      verdict: 'fail',
      explanation: `The first step, with ${counted(breaking.step.connections, 'connection')}, broke already: ${breaking.why}.`,
    };
  }
  const bestPerSecond = Math.max(...steps.slice(0, end).map(({ step }) => step.requestsPerSecond));
  const found = `${shownKnee}; with ${number(breaking.step.connections)}, ${breaking.why}`;
  return bestPerSecond < promisedPerSecond
    ? {
        verdict: 'fail',
        explanation: `The knee lies below the promised request rate: ${found}.`,
        knee,
      }
    : { verdict: 'pass', explanation: `The knee was found: ${found}.`, knee };
}

function shownStep({ step, kind, why }: StepJudged): Shown {
  return {
    connections: step.connections,
    'requests per second': step.requestsPerSecond,
    'p99, ms': step.latencyMs.p99,
    kind,
    why,
  };
}
