import { cpus, totalmem } from 'node:os';
import type { Budget } from '../../drive/budget.ts';
import { readBackOf } from '../../drive/settle/assured.ts';
import { latticesOf } from '../../drive/study/capacity/capacity.ts';
import { costOf } from '../../drive/study/cost.ts';
import type { CapacityPlan, RunInfo } from '../../history/run.ts';
import { mostSlotsWithin } from '../../plan/lanes.ts';
import type { PlacedPhase } from '../../plan/plan.ts';
import { programVersion } from '../../program-files.ts';
import type { ScenarioFile } from '../../scenario/files.ts';
import type { CapacityStudy } from '../../scenario/study.ts';
import { fingerprint } from '../../target/keys.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { GivenDescription } from './open-description.ts';
import type { Target } from './open-target.ts';
import type { Prepared } from './prepare.ts';

/** What `run.json` says before the first request. */
export function describeRun(input: {
  readonly scenario: ScenarioFile;
  readonly asked: RunInfo['asked'];
  readonly leftOut: NonNullable<RunInfo['left_out']>;
  readonly seed: number;
  readonly target: Target;
  readonly prepared: Prepared;
  readonly budget: Budget;
  readonly zeroEpochMs: number;
  /** Threads that drive the load. */
  readonly workers: number;
  readonly description: GivenDescription | undefined;
  readonly shard?: RunInfo['shard'];
  /** The run's digits of trace ids, if its requests carry one. */
  readonly traceRun: string | undefined;
}): RunInfo {
  const { budget, prepared, seed, target } = input;
  const { scenario, file } = input.scenario;
  const { keys, profile } = target;
  const explorations = [prepared.exploration, prepared.explorationBeside];
  const explored = explorations.flatMap((each) => each?.groups.flat() ?? []).length;
  return {
    schema_version: 1,
    id: prepared.tag,
    scenario: { name: scenario.name, title: scenario.title, file: file.replace(/^.*[/\\]/, '') },
    ...(input.asked === undefined ? {} : { asked: input.asked }),
    seed,
    ...(input.workers === 1 ? {} : { workers: input.workers }),
    ...(input.shard === undefined ? {} : { shard: input.shard }),
    zero_epoch_ms: input.zeroEpochMs,
    target: { kind: target.kind, base_url: target.baseUrl.href },
    ...(target.planted === undefined ? {} : { planted: target.planted }),
    ...(input.description === undefined
      ? {}
      : { openapi: { from: input.description.from, sha256: input.description.sha256 } }),
    ...(input.traceRun === undefined ? {} : { trace_run: input.traceRun }),
    profile: { ...profile },
    keys: Object.fromEntries(
      roles.flatMap((role) => {
        const key = keys[role];
        return key === undefined ? [] : [[role, { from: key.from, fingerprint: fingerprint(key) }]];
      }),
    ),
    checks: scenario.checks,
    slo: scenario.slo.map(({ endpoint, percentile, under, phase }) => ({
      endpoint,
      percentile,
      max_ms: under,
      ...(phase === undefined ? {} : { phase }),
    })),
    phases: prepared.plan.phases.map((placed) => describePhase(placed, profile.rate_limit.windowMs)),
    ...(scenario.study.length === 0
      ? {}
      : {
          studies: scenario.study.map((study) => ({
            kind: study.kind,
            budget_ms: costOf(study, profile).ms,
            ...(study.kind === 'capacity' ? { capacity: describeCapacity(study, prepared.poolKeys) } : {}),
          })),
        }),
    ...(explored === 0 ? {} : { explored }),
    ...(input.leftOut.length === 0 ? {} : { left_out: input.leftOut }),
    planned_requests: budget.plannedRequests,
    ...(budget.plannedByLane.length > 1 ? { planned_by_lane: [...budget.plannedByLane] } : {}),
    quota_attempts: prepared.quotaAttempts,
    read_back: readBackOf(scenario, profile),
    catalogs: prepared.imported.map((role) => ({
      id: prepared.catalogs[role].id,
      role,
      shades: prepared.catalogs[role].products.reduce((sum, product) => sum + product.shades.length, 0),
    })),
    products: prepared.imported.flatMap((role) =>
      prepared.catalogs[role].products.map(({ id, name }) => ({ id, name })),
    ),
    budget: budget.rows,
    minutes: Math.ceil(budget.totalMs / 6e3) / 10,
    versions: { tryon: programVersion(), node: process.versions.node },
    machine: {
      platform: `${process.platform} ${process.arch}`,
      cpus: cpus().length,
      memory_gib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    },
  };
}

function describeCapacity(study: CapacityStudy, poolKeys: number): CapacityPlan {
  const { connections, rates } = latticesOf(study);
  return {
    percentile: study.percentile,
    max_ms: study.maxMs,
    error_share: study.errorShare,
    rates: [...rates],
    connections: [...connections],
    keys: Math.max(1, poolKeys),
  };
}

function describePhase(placed: PlacedPhase, windowMs: number): RunInfo['phases'][number] {
  const time = { start_ns: placed.startNs, end_ns: placed.endNs };
  if (placed.kind === 'closed') {
    const { connections, name } = placed.phase;
    return {
      name,
      role: 'load',
      unit: 'connections',
      pace: `${connections.join(', ')} connections`,
      ...time,
    };
  }
  const { name, pace, role, segments, unit } = placed.phase;
  const peakPerMinute = (mostSlotsWithin(segments, windowMs) * 60_000) / windowMs;
  return {
    name,
    role,
    unit,
    pace,
    ...time,
    ...(unit === 'requests' ? { peak_per_minute: peakPerMinute } : {}),
  };
}
