import { createHash } from 'node:crypto';
import { z } from 'zod';
import { checkGroups } from '../vocabulary/check-ids.ts';
import { roles } from '../vocabulary/roles.ts';
import { studyKinds } from '../vocabulary/studies.ts';
import { mostWorkers } from './files.ts';

/**
 * `run.json`: the intended run and its target, complete before the first request (only `ended` is added at the end).
 * With `history/` it is all that `tryon verify` and `tryon report` need. It holds no secret.
 */

const key = z.strictObject({
  /** Where the key came from: `env TRYON_KEY`, `file …`, `embedded`. */
  from: z.string(),
  /** The first 8 hex digits of the key's SHA-256, to tell keys apart. */
  fingerprint: z.string(),
});

const phase = z.strictObject({
  name: z.string(),
  role: z.enum(roles),
  /** What arrives at the stated pace: requests on a key, or shoppers. `connections`: a closed loop. */
  unit: z.enum(['requests', 'shoppers', 'connections']),
  /** In the words of the scenario: `900/min`. */
  pace: z.string(),
  start_ns: z.number(),
  end_ns: z.number(),
  /** The most requests that the phase plans within any window of the promised limit, per minute; absent for shoppers. */
  peak_per_minute: z.number().optional(),
});

const machine = z.strictObject({ platform: z.string(), cpus: z.number(), memory_gib: z.number() });

const sloSchema = z.strictObject({
  endpoint: z.string(),
  /** 0 < percentile < 100, or 100 for the maximum. */
  percentile: z.number().gt(0).max(100),
  /** Response time, from the intended instant, of 2xx answers. */
  max_ms: z.number().positive(),
  phase: z.string().optional(),
});

const capacityPlanSchema = z.strictObject({
  percentile: z.number().gt(0).lt(100),
  max_ms: z.number().positive(),
  error_share: z.number().min(0).max(1),
  /** Requests per second, ascending. */
  rates: z.array(z.number()),
  connections: z.array(z.number()),
  /** Keys that took turns. */
  keys: z.number(),
});

/** The version of `run.json`. */
export const runInfoVersion = 1;

export const runInfoSchema = z.strictObject({
  schema_version: z.literal(runInfoVersion),
  /** The run's tag, part of every product and catalog id that it creates. */
  id: z.string(),
  scenario: z.strictObject({ name: z.string(), title: z.string(), file: z.string().optional() }),
  /** What the command line said and no other field shows, to send the run again; absent in older runs. */
  asked: z
    .strictObject({
      /** Name or path of the scenario, as it was typed. */
      scenario: z.string(),
      /** SHA-256 of what the scenario's file defines. */
      scenario_sha256: z.string(),
      budget: z.string().optional(),
      scale: z.number().optional(),
      max_requests: z.number().optional(),
      max_sessions: z.number().optional(),
      max_minutes: z.number().optional(),
    })
    .optional(),
  seed: z.number(),
  /** Worker threads that the planned load was shared among, each with a segment of the history; absent for one. */
  workers: z.int().min(2).max(mostWorkers).optional(),
  /** Which part of the plan is in this folder, if several programs send it; absent otherwise. */
  shard: z
    .strictObject({
      index: z.int().min(1),
      of: z.int().min(2),
      /** SHA-256 of what the plan is made from. */
      plan: z.string(),
    })
    .optional(),
  /** Of a run merged from shards, each with a segment of the history: what is known of each, in their order. */
  shards: z
    .array(
      z.strictObject({
        state: z.enum(['whole', 'cut-off', 'missing']),
        /** How it ended, if it says so. */
        ended: z.string().optional(),
        /** The most by which its instants may differ from those of the store's clock. */
        clock_error_ns: z.number().optional(),
        /** From where it sent, as its machine says. */
        address: z.string().optional(),
        machine: machine.optional(),
      }),
    )
    .min(2)
    .optional(),
  /** Wall-clock time of the history's zero, epoch milliseconds. */
  zero_epoch_ms: z.number(),
  target: z.strictObject({ kind: z.enum(['embedded', 'foreign']), base_url: z.string() }),
  /**
   * What the embedded service was started with (--defect, --variant), to start it again; absent for other targets and
   * in older runs. No verdict may depend on it.
   */
  planted: z.strictObject({ defects: z.array(z.string()), variants: z.array(z.string()) }).optional(),
  /** The description of the target that the answers are held against, which is in the history; absent without one. */
  openapi: z.strictObject({ from: z.string(), sha256: z.string() }).optional(),
  /** The run's digits of trace ids, if its requests carried a `traceparent`; see `vocabulary/trace-id.ts`. */
  trace_run: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  /** The resolved profile (durations in milliseconds), without keys. */
  profile: z.record(z.string(), z.unknown()),
  keys: z.partialRecord(z.enum(roles), key),
  /** Which groups the scenario asks for; books, generator and history are always judged. */
  checks: z.array(z.enum(checkGroups)),
  slo: z.array(sloSchema),
  phases: z.array(phase),
  /** What the run finds out after the load by requests that react to answers; absent when nothing. */
  studies: z
    .array(
      z.strictObject({
        kind: z.enum(studyKinds),
        budget_ms: z.number(),
        /** Of a study of capacity: the promise for its steps, and the loads that it may try. */
        capacity: capacityPlanSchema.optional(),
      }),
    )
    .optional(),
  /** How many calls the explorer drew; absent where it sends none, and in older histories. */
  explored: z.int().optional(),
  /** Of older runs: how far they went to reach unusual values. */
  corners: z.string().optional(),
  /** Parts of the scenario that there was no room for in what the run might spend; absent when none. */
  left_out: z
    .array(
      z.strictObject({
        name: z.string(),
        /** What is not known for it. */
        question: z.string(),
        checks: z.array(z.enum(checkGroups)),
        why: z.string(),
      }),
    )
    .optional(),
  /** How many requests the plan holds, in all. */
  planned_requests: z.number(),
  /** How many of them are in each of the plan's lanes; absent for one. The n-th in lane l of L has the number n·L + l. */
  planned_by_lane: z.array(z.int().min(0)).min(2).optional(),
  /** Which session quota check applies: the most sessions that the run tries to create on the quota key. */
  quota_attempts: z.number(),
  /** How many sessions are drawn at random to be read back, of those that there are; absent in older histories. */
  read_back: z.number().optional(),
  catalogs: z.array(z.strictObject({ id: z.string(), role: z.enum(roles), shades: z.number() })),
  products: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** What the run announced that it would spend at most, per role. */
  budget: z.array(
    z.strictObject({
      role: z.string(),
      requests: z.number(),
      sessions: z.number(),
      imports: z.number(),
    }),
  ),
  minutes: z.number(),
  versions: z.record(z.string(), z.string()),
  machine,
  /** How the run ended; absent while it runs and after a crash. */
  ended: z
    .strictObject({
      at_epoch_ms: z.number(),
      how: z.enum(['completed', 'interrupted', 'kill-switch', 'cap', 'error']),
      detail: z.string().optional(),
      /** Of a shard: the most by which its instants may differ from those of the store's clock. */
      clock_error_ns: z.number().optional(),
      /** Of a shard: from where it sent, as its machine says. */
      address: z.string().optional(),
    })
    .optional(),
});
export type RunInfo = z.output<typeof runInfoSchema>;
export type Slo = RunInfo['slo'][number];
export type CapacityPlan = z.output<typeof capacityPlanSchema>;

/** SHA-256 of a run's description but for its end, which is added later. */
export function runDigest(run: RunInfo): string {
  // The schema sets the order of fields, so that the digest does not depend on the writer.
  const { ended: _ended, ...description } = runInfoSchema.parse(run);
  return digestOf(description);
}

/** SHA-256 of how a run ended. */
export function endDigest(ended: NonNullable<RunInfo['ended']>): string {
  return digestOf(runInfoSchema.shape.ended.parse(ended));
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
