import { cpus, totalmem } from 'node:os';
import { readBackOf } from '../../drive/settle/settle.ts';
import { latticesOf } from '../../drive/study/capacity/capacity.ts';
import { costOf } from '../../drive/study/cost.ts';
import type { CapacityPlan, RunInfo } from '../../history/run.ts';
import { mostSlotsWithin } from '../../plan/lanes.ts';
import type { PlacedPhase } from '../../plan/plan.ts';
import { programVersion } from '../../program-files.ts';
import type { CapacityStudy } from '../../scenario/study.ts';
import { fingerprint } from '../../target/keys.ts';
import { roles } from '../../vocabulary/roles.ts';
import { shardInfo } from './join-shards.ts';
import { askedOf, type PlannedRun } from './plan-run.ts';

/**
 * What `run.json` says before the first request. `zeroEpochMs`: the zero of the history's clock; `traceRun`: the run's digits of trace
 * ids, if its requests carry one.
 */
export function describeRun(run: PlannedRun, zeroEpochMs: number, traceRun?: string): RunInfo {
  const { budget, description, file, leftOut, scenario, shard, target } = run;
  const { keys, profile } = target;
  const explorations = [run.exploration, run.explorationBeside];
  const explored = explorations.flatMap((each) => each?.groups.flat() ?? []).length;
  return {
    schema_version: 1,
    id: run.tag,
    scenario: { name: scenario.name, title: scenario.title, file: file.file.replace(/^.*[/\\]/, '') },
    asked: askedOf(run),
    seed: run.seed,
    ...(run.workers.count === 1 ? {} : { workers: run.workers.count }),
    ...(shard === undefined ? {} : { shard: shardInfo(shard, run.planInput) }),
    zero_epoch_ms: zeroEpochMs,
    target: { kind: target.kind, base_url: target.baseUrl.href },
    ...(target.planted === undefined ? {} : { planted: target.planted }),
    ...(description === undefined ? {} : { openapi: { from: description.from, sha256: description.sha256 } }),
    ...(traceRun === undefined ? {} : { trace_run: traceRun }),
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
    phases: run.plan.phases.map((placed) => describePhase(placed, profile.rate_limit.windowMs)),
    ...(scenario.study.length === 0
      ? {}
      : {
          studies: scenario.study.map((study) => ({
            kind: study.kind,
            budget_ms: costOf(study, profile).ms,
            ...(study.kind === 'capacity' ? { capacity: describeCapacity(study, run.poolKeys) } : {}),
          })),
        }),
    ...(explored === 0 ? {} : { explored }),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    planned_requests: budget.plannedRequests,
    ...(budget.plannedByLane.length > 1 ? { planned_by_lane: [...budget.plannedByLane] } : {}),
    quota_attempts: run.quotaAttempts,
    read_back: readBackOf(scenario, profile),
    catalogs: run.imported.map((role) => ({
      id: run.catalogs[role].id,
      role,
      shades: run.catalogs[role].products.reduce((sum, product) => sum + product.shades.length, 0),
    })),
    products: run.imported.flatMap((role) =>
      run.catalogs[role].products.map(({ id, name }) => ({ id, name })),
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
