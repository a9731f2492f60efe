import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { CapacityPlan } from '../../history/run.ts';
import {
  type CapacitySlo,
  isSaturated,
  judgeStep,
  type StepFigures,
  type StepJudged,
  type StepWhy,
  stepEnds,
} from '../../limits/capacity/step.ts';
import { evidenceLimit } from '../core/verdict.ts';
import type { LoadUnit } from '../reasons/capacity.ts';
import { type Reason, reason } from '../reasons/reason.ts';

/** The steps of a study of capacity as the history has them, each judged anew. */

/** A step of either search. What only one of them measures is left out by the other. */
export interface CapacityStepSeen {
  readonly step: number;
  readonly purpose: 'climb' | 'bisect' | 'repeat';
  /** Its place among the loads that the study could try. */
  readonly place: number;
  /** Requests per second, or connections. */
  readonly load: number;
  readonly figures: StepFigures;
  readonly judged: StepJudged;
  /** Of the open model from the intended instant, of a closed loop from the sending; 0 where nothing was answered. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly promised: number };
  readonly loopDelayMaxMs: number;
  readonly slowest?: readonly number[];
  readonly lagP99Ms?: number;
  readonly perSecond?: number;
  readonly busyShare?: number;
}

/** The search for the highest load that keeps the promise, in one of the two models. */
export interface CapacitySearch {
  readonly unit: LoadUnit;
  /** Which latency the promise is on. */
  readonly latency: 'response time' | 'service time';
  /** The loads that it could try. */
  readonly loads: readonly number[];
  readonly steps: readonly CapacityStepSeen[];
}

export interface Capacity {
  readonly plan: CapacityPlan;
  readonly slo: CapacitySlo;
  readonly rate: CapacitySearch;
  readonly connections: CapacitySearch;
}

const common = {
  step: z.number(),
  purpose: z.enum(['climb', 'bisect', 'repeat']),
  ended: z.enum(stepEnds),
  self: z.object({ loopDelayMaxMs: z.number() }),
};
const eventSchema = z.discriminatedUnion('model', [
  z.object({
    ...common,
    model: z.literal('open'),
    ratePerSecond: z.number(),
    planned: z.number(),
    late: z.number(),
    lagMs: z.object({ p99: z.number() }),
  }),
  z.object({
    ...common,
    model: z.literal('closed'),
    connections: z.number(),
    statuses: z.record(z.string(), z.number()),
    counted: z.number(),
    failed: z.number(),
    over: z.number(),
    perSecond: z.number(),
    latencyMs: z.object({ p50: z.number(), p99: z.number(), promised: z.number() }),
    busyShare: z.number(),
    noSocket: z.number().optional(),
  }),
]);
type StepEvent = z.output<typeof eventSchema>;

/** Why a step has its outcome. */
export function whyOf(why: StepWhy): Reason[] {
  switch (why.kind) {
    case 'limited':
      return [reason('step-limited', { rejected: why.rejected })];
    case 'stopped':
      return [reason('step-stopped')];
    case 'silent':
      return [reason('step-silent')];
    case 'failed':
      return [reason('step-failed', { failed: why.failed, judged: why.judged })];
    case 'over': {
      const { allowed, boundMs, judged, late, over } = why;
      return [
        reason('step-over', { over, judged, allowed, boundMs }),
        ...(late === undefined ? [] : [reason('step-late', { late })]),
      ];
    }
  }
}

const figuresRow = z.object({
  step: z.number(),
  judged: z.number(),
  over: z.number(),
  failed: z.number(),
  refused: z.number(),
  response_ns: z.array(z.coerce.number()).nullable(),
  slowest: z.array(z.coerce.number()).nullable(),
});
type FiguresRow = z.output<typeof figuresRow>;

/** Undefined for a run without such a study. */
export async function readCapacity(history: History): Promise<Capacity | undefined> {
  const plan = history.run.studies?.find(({ capacity }) => capacity !== undefined)?.capacity;
  if (plan === undefined) return undefined;
  const slo: CapacitySlo = {
    percentile: plan.percentile,
    maxMs: plan.max_ms,
    errorShare: plan.error_share,
  };
  const events = await history.rows(
    z.object({ event: z.string() }),
    "SELECT CAST(event AS VARCHAR) AS event FROM events WHERE kind = 'capacity' ORDER BY CAST(json_extract(event, '$.step') AS BIGINT)",
  );
  const rows = new Map((await openFigures(history, slo)).map((row) => [row.step, row]));
  const parsed = events.map(({ event }) => eventSchema.parse(JSON.parse(event)));
  const open = parsed.flatMap((each) =>
    each.model === 'open' ? [openStep(each, rows.get(each.step), plan, slo)] : [],
  );
  const closed = parsed.flatMap((each) => (each.model === 'closed' ? [closedStep(each, plan, slo)] : []));
  return {
    ...{ plan, slo },
    rate: { unit: 'rate', latency: 'response time', loads: plan.rates, steps: open },
    connections: { unit: 'connections', latency: 'service time', loads: plan.connections, steps: closed },
  };
}

/** What became of the requests of each open step. A request stopped with the run shows nothing. */
function openFigures(history: History, slo: CapacitySlo): Promise<FiguresRow[]> {
  const boundNs = Math.floor(slo.maxMs * 1e6);
  // 99.9 / 100 is a little over 0.999, which would ask for the next rank.
  const quantile = Number((slo.percentile / 100).toFixed(12));
  return history.rows(
    figuresRow,
    `WITH steps AS (
       SELECT CAST(json_extract(event, '$.step') AS BIGINT) AS step, CAST(json_extract(event, '$.countedFromNs') AS DOUBLE) AS from_ns
       FROM events WHERE kind = 'capacity' AND json_extract_string(event, '$.model') = 'open'
     ), requests_of AS (
       SELECT step, seq, status, lost, not_sent, intended_ns, answered_ns, answered_ns - intended_ns AS response_ns,
         intended_ns >= from_ns AND coalesce(status, 0) NOT IN (402, 429)
           AND coalesce(lost, '') <> 'stopped' AND coalesce(not_sent, '') <> 'stopped' AS counts
       FROM requests JOIN steps ON probe = 'capacity:' || step
     )
     SELECT step, count(*) FILTER (counts) AS judged,
       count(*) FILTER (counts AND (status IS NULL OR response_ns > ${boundNs})) AS over,
       count(*) FILTER (counts AND coalesce(not_sent, lost, '') NOT IN ('in-flight-bound', 'no-socket', 'no-room') AND (status IS NULL OR status NOT BETWEEN 200 AND 299)) AS failed,
       count(*) FILTER (status IN (402, 429)) AS refused,
       quantile_disc(response_ns, [0.5, 0.99, ${quantile}]) FILTER (counts AND status IS NOT NULL) AS response_ns,
       arg_max(seq, response_ns, ${evidenceLimit}) FILTER (counts AND status IS NOT NULL AND response_ns > ${boundNs}) AS slowest
     FROM requests_of GROUP BY step`,
  );
}

function openStep(
  event: Extract<StepEvent, { model: 'open' }>,
  row: FiguresRow | undefined,
  plan: CapacityPlan,
  slo: CapacitySlo,
): CapacityStepSeen {
  const { ended, late, planned, purpose, ratePerSecond, self, step } = event;
  const [p50 = 0, p99 = 0, promised = 0] = (row?.response_ns ?? []).map((ns) => Math.round(ns / 1e3) / 1e3);
  const figures: StepFigures = {
    ended,
    planned,
    late,
    judged: row?.judged ?? 0,
    over: row?.over ?? 0,
    failed: row?.failed ?? 0,
    refused: row?.refused ?? 0,
  };
  return {
    ...{ step, purpose, place: plan.rates.indexOf(ratePerSecond), load: ratePerSecond, figures },
    judged: judgeStep(figures, slo),
    latencyMs: { p50, p99, promised },
    lagP99Ms: event.lagMs.p99,
    slowest: row?.slowest ?? [],
    ...self,
  };
}

function closedStep(
  event: Extract<StepEvent, { model: 'closed' }>,
  plan: CapacityPlan,
  slo: CapacitySlo,
): CapacityStepSeen {
  const { busyShare, connections, counted, ended, failed, over, perSecond, purpose, self, statuses, step } =
    event;
  const figures: StepFigures = {
    ...{ ended, failed, over },
    planned: counted,
    judged: counted,
    refused: (statuses[429] ?? 0) + (statuses[402] ?? 0),
    late: isSaturated(event) ? counted : 0,
  };
  return {
    ...{ step, purpose, place: plan.connections.indexOf(connections), load: connections, figures },
    judged: judgeStep(figures, slo),
    latencyMs: event.latencyMs,
    perSecond,
    busyShare,
    ...self,
  };
}
