import { number } from '../amounts.ts';
import type { BoxSearch } from './box-search.ts';
import type { LimiterKind, PromisedLimit, Settled, WindowPhase } from './kinds/kind.ts';
import type { Span } from './span.ts';
import { seqAt } from './trace.ts';
import type { View } from './view.ts';

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

/** A survivor with the number of its free parameters. */
export type Contender = Survivor & { readonly degreesOfFreedom: number };

/** What a contender is charged for. */
type Penalty = Pick<Contender, 'mismatches' | 'degreesOfFreedom'>;

/**
 * The log-likelihood that one wrong answer costs a model. Arrivals are guessed, so even the truth gets some wrong, in
 * clusters; each counts for less than if they were independent.
 */
const perMismatch = 0.5;
/**
 * The cost of a free parameter, as a log-likelihood (half the logarithm of some thousand observations, as BIC).
 */
const perParameter = 4;

/** Answers that guessed arrivals alone may turn around: this many, and this part of all. */
const turned = { count: 10, part: 0.15 };

/**
 * On one counter or two, guessed arrivals turn this part around: the more, the more other requests are under way during one. In
 * simulated studies of 24 kinds the truth got at most 1.0 % wrong with 0.2 others, and 2.9 % with 3.8. A bucket in thousandths
 * got up to 4.7 % wrong, since its rate is found as a round one. With 17 others it was up to 18.6 %, but on starved machines
 * wrong kinds got 10 %: with more than `most` none is named.
 */
const turnedBy = { least: 0.04, other: 0.01, most: 0.1 };

/** Whether a model that gets this many answers wrong when it runs free may still be the truth. */
export function isPlausible(mismatches: number, requests: number): boolean {
  return mismatches <= turned.count + turned.part * requests;
}

/** Who gets no more wrong than this, and this part of all requests, may well be the truth. */
const few = { count: 5, part: 0.01 };

export function isNear(mismatches: number, requests: number): boolean {
  return mismatches <= few.count + few.part * requests;
}

/** Free parameters charged for an unknown kind. */
const degreesOfTheUnknown = 5;

/** This many concurrent requests swap answers one by one; more of them, together. */
const usualCrowd = 2;

/**
 * Ranks contenders by log-likelihood less a penalty per free parameter, and gives each a probability. An unknown kind
 * is among them; it gets as much wrong as guessed arrivals may. `crowd`: how many other requests were sent during
 * one; a doubt then shows in that many answers.
 */
export function withConfidence(
  contenders: readonly Contender[],
  requests: number,
  crowd: number,
): Survivor[] {
  const perWrong = perMismatch / Math.max(1, crowd / usualCrowd);
  const scoreOf = ({ degreesOfFreedom, mismatches }: Penalty): number =>
    -perWrong * mismatches - perParameter * degreesOfFreedom;
  const likeliest = contenders.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  // In a crowd a wrong answer counts for little: then the number of parameters would decide alone for a kind that gets many
  // wrong. It is charged to none of those that get next to nothing wrong, and not to the unknown.
  // What several nodes, a queue or work under way leave open is not for arrivals alone to explain.
  const part =
    likeliest?.settled === undefined && likeliest?.beside === undefined
      ? turned.part
      : Math.min(turnedBy.most, turnedBy.least + turnedBy.other * crowd);
  const mostTurned = turned.count + part * requests;
  const isDoubtful =
    likeliest !== undefined &&
    !isNear(likeliest.mismatches, requests) &&
    (part >= turnedBy.most || likeliest.mismatches > mostTurned);
  const chargedFor = (degrees: number): number =>
    isDoubtful ? Math.min(degrees, likeliest.degreesOfFreedom) : degrees;
  const scored = contenders.map(({ degreesOfFreedom, ...survivor }) => {
    const { mismatches } = survivor;
    const degrees = isNear(mismatches, requests) ? chargedFor(degreesOfFreedom) : degreesOfFreedom;
    return { survivor, score: scoreOf({ mismatches, degreesOfFreedom: degrees }) };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const unknown = scoreOf({
    mismatches: mostTurned,
    degreesOfFreedom: chargedFor(degreesOfTheUnknown),
  });
  const highest = Math.max(unknown, best);
  const total = scored.reduce(
    (sum, { score }) => sum + Math.exp(score - highest),
    Math.exp(unknown - highest),
  );
  return scored
    .toSorted((a, b) => b.score - a.score)
    .map(({ survivor, score }) => ({ ...survivor, confidence: Math.exp(score - highest) / total }));
}

/** Why nothing in the search explains the answers, by the contradiction that comes nearest to being none. */
export function refutationOf(views: readonly View[], kind: LimiterKind, { nearest }: BoxSearch): Refuted {
  const algorithm = kind.id;
  if (nearest === undefined) return { algorithm, because: 'No hypothesis was tested.', evidence: [] };
  const { range, scale } = nearest;
  const evidence = [range.minSetBy, range.maxSetBy].flatMap((index) => seqOf(views, index));
  const [admission, refusal] = evidence;
  const span = describe(kind, (scale.loNs + scale.hiNs) / 2);
  const because =
    admission === undefined || refusal === undefined
      ? `A ${kind.name} does not explain the answers, ${span}.`
      : admission === refusal
        ? `A ${kind.name} fits best ${span}. No limit then explains the answer to request ${admission}.`
        : `A ${kind.name} fits best ${span}. Admitting request ${admission} then needs a limit of at least ${number(range.min)}, and rejecting request ${refusal} one of at most ${number(range.max)}.`;
  return { algorithm, because, evidence };
}

/** The `seq` of the request at an index that counts through all traces. */
export function seqOf(views: readonly View[], index: number): number[] {
  const view = views.findLast(({ base }) => base <= index);
  return view === undefined || index < 0 ? [] : [seqAt(view.trace, index - view.base)];
}

function describe({ scale }: LimiterKind, scaleNs: number): string {
  return scale === 'token'
    ? `with ${number(Number((1e9 / scaleNs).toPrecision(3)))} tokens a second`
    : `with a window of ${number(Number((scaleNs / 1e9).toPrecision(3)))} s`;
}

/** A queue in front of the target that delays instead of rejecting. */
export interface QueueFit {
  readonly perS: number;
  /** The longest wait. Milliseconds. */
  readonly longestMs: number;
}

/** What explanations other than a limiter of requests per time on one counter start from. */
export interface OutsiderEvidence {
  readonly views: readonly View[];
  /** The `seq` of a rejection, if there was one. */
  readonly refusal: number | undefined;
  /** Enough requests have an answer that tells. */
  readonly isTold: boolean;
  readonly queue: QueueFit | undefined;
  /** The queue that rejects, if there is one. */
  readonly bounded: Contender | undefined;
  /** The windows that are possible, and the times between two tokens. */
  readonly windows: Span;
  readonly intervals: Span;
  readonly promised: PromisedLimit | undefined;
  /** A limiter on one counter, or an explanation before this one, may be the truth. */
  readonly isOneCounter: boolean;
  /** One of them gets next to nothing wrong. */
  readonly isClose: boolean;
}

/** What is particular to an explanation that survives. */
export type Estimate = Partial<Contender> & Pick<Contender, 'degreesOfFreedom'>;

/** An explanation of answers other than a limiter of requests per time on one counter. */
export interface Outsider {
  readonly id: string;
  /** For sentences: "a ⟨name⟩". */
  readonly name: string;
  /** What it is if it may be the truth, else why it cannot; undefined where nothing is said of it. */
  readonly explain: (seen: OutsiderEvidence) => Estimate | Omit<Refuted, 'algorithm'> | undefined;
}
