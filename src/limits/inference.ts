import type { Settled, WindowPhase } from './kinds/kind.ts';

/** A number known to lie within two bounds; `max` is absent where nothing bounds it. */
export interface OpenBounds {
  readonly min: number;
  readonly max?: number;
}

/** How large a limit is. Milliseconds. */
export interface LimitSize {
  readonly limit: number;
  readonly windowMs: number;
  readonly limitBounds: OpenBounds;
  readonly windowMsBounds: OpenBounds;
}

/** A kind of limiter that explains every answer, with its parameters. Plain data. */
export interface Survivor {
  /** `fixed-window`, `sliding-log-all`, … or a class outside the family: `none`, `concurrency`, `queueing`, `several-nodes`. */
  readonly algorithm: string;
  /** For sentences: "a ⟨name⟩ of …". */
  readonly name: string;
  /** The limit per window; of a concurrency limit, the requests in flight; null if there is none. */
  readonly limit: number | null;
  /** Milliseconds; null where there is no window. */
  readonly windowMs: number | null;
  /** What passes at once from idle. */
  readonly burst: number | null;
  /** Tokens a second, of buckets; requests a second, of a queue. */
  readonly refillPerS: number | null;
  readonly phase: WindowPhase | null;
  readonly rejectsCount: boolean | null;
  readonly limitBounds: OpenBounds | null;
  readonly windowMsBounds: OpenBounds | null;
  /** The length of a block started by a rejection, milliseconds; only where there is one. */
  readonly blockMs?: number;
  readonly blockMsBounds?: OpenBounds;
  /** Of a pair of limits, the shorter one. */
  readonly beside?: LimitSize;
  /** Answers that differ when it decides for itself. */
  readonly mismatches: number;
  /** The probability of this one, among those compared with the traces. */
  readonly confidence: number;
  /** To let it decide for itself; absent outside the family. */
  readonly settled?: Settled;
}

/** A kind of limiter that cannot have given these answers. */
export interface Refuted {
  readonly algorithm: string;
  readonly because: string;
  /** `seq`s of requests whose answers contradict each other under it. */
  readonly evidence: readonly number[];
}

/** What traces say about a limiter of which nothing was known. Plain data. */
export interface LimiterInference {
  readonly requests: number;
  readonly admitted: number;
  readonly limited: number;
  /** The likeliest first; empty when no known kind explains the answers. */
  readonly survivors: readonly Survivor[];
  readonly refuted: readonly Refuted[];
}

/** Whether one kind is far likelier than all others. */
export function isSettled({ survivors }: LimiterInference, confidence = 0.95): boolean {
  return (survivors[0]?.confidence ?? 0) >= confidence;
}

/** As `verdicts.json` carries it, its scope apart. */
export interface LimiterJson {
  readonly algorithm: string | null;
  readonly window_ms: number | null;
  readonly limit: number | null;
  readonly burst: number | null;
  readonly refill_per_s: number | null;
  readonly phase: WindowPhase | null;
  readonly rejects_count: boolean | null;
  /** Only where a rejection starts a block. */
  readonly block_ms?: number;
  readonly confidence: number;
  readonly refuted: readonly Refuted[];
}

/** The likeliest kind, or nulls when none survived. */
export function limiterJson({ survivors, refuted }: LimiterInference): LimiterJson {
  const [best] = survivors;
  return {
    algorithm: best?.algorithm ?? null,
    window_ms: best?.windowMs ?? null,
    limit: best?.limit ?? null,
    burst: best?.burst ?? null,
    refill_per_s: best?.refillPerS ?? null,
    phase: best?.phase ?? null,
    rejects_count: best?.rejectsCount ?? null,
    ...(best?.blockMs === undefined ? {} : { block_ms: best.blockMs }),
    confidence: best?.confidence ?? 0,
    refuted,
  };
}
