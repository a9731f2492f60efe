import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { countBelow } from '../../../limits/arrays.ts';
import { type InferenceHints, inferLimiter } from '../../../limits/infer.ts';
import { isSettled, type LimiterInference, type Survivor } from '../../../limits/inference.ts';
import type { Charging } from '../../../limits/sent/traces.ts';
import type { Trace } from '../../../limits/trace.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import type { TriedProbe } from '../traces/scope.ts';

/** What a limiter is inferred from, and what it is. */
interface LimiterReading {
  readonly inference: LimiterInference;
  readonly traces: readonly Trace[];
  /** No one limiter explains all keys, and one explains the first of them. */
  readonly keysDiffer: boolean;
  /** No one limiter explains all requests, and one explains those before the mix of endpoints. */
  readonly endpointsDiffer: boolean;
}

/** What is assumed of whose requests share a limit: what was tried tells, and keys of one account may. */
type Sharers = Pick<Charging, 'account'> & { readonly tried: readonly TriedProbe[] };
/** The traces of a run by that. */
export type ReadTraces = (sharers: Sharers) => readonly Trace[];

/** What is not known beforehand. */
interface OpenQuestions {
  /** No promise says that each key has its own limit. */
  readonly mayShare: boolean;
  /** When requests to every endpoint in turn began, of which some may count more or less. */
  readonly mixedFromNs: number | undefined;
}

/** The first reading that some limiter of requests per time explains; if none does, the likeliest, which comes first. */
export function firstExplained(
  readings: readonly ReadTraces[],
  tried: readonly TriedProbe[],
  hints: InferenceHints,
  open: OpenQuestions,
): LimiterReading {
  let likeliest: LimiterReading | undefined;
  for (const read of readings) {
    const explained = explain(read, tried, hints, open);
    if (explained.inference.survivors.some(({ windowMs }) => windowMs !== null)) return explained;
    likeliest ??= explained;
  }
  if (likeliest === undefined) throw new Error('a profile leaves at least one reading open');
  return likeliest;
}

function explain(
  read: ReadTraces,
  tried: readonly TriedProbe[],
  hints: InferenceHints,
  { mayShare, mixedFromNs }: OpenQuestions,
): LimiterReading {
  const common = { keysDiffer: false, endpointsDiffer: false };
  const together = byScope(tried, mayShare, (sharers) => {
    const traces = read(sharers);
    return { traces, inference: inferLimiter(traces, hints), ...common };
  });
  if (mixedFromNs !== undefined && !together.inference.survivors.some(isCounter)) {
    const traces = together.traces.map((trace) => until(trace, mixedFromNs));
    const inference = inferLimiter(traces, hints);
    if (isSettled(inference) && inference.survivors.every(isCounter))
      return { ...common, traces, inference, endpointsDiffer: true };
  }
  if (together.inference.survivors.length > 0 || together.traces.length < 2) return together;
  const first = together.traces.slice(0, 1);
  const alone = inferLimiter(first, hints);
  return alone.survivors.length === 0
    ? together
    : { ...together, inference: alone, traces: first, keysDiffer: true };
}

/** The requests that were sent before an instant. */
function until(trace: Trace, ns: number): Trace {
  const length = countBelow(trace.sentNs, ns);
  const { answeredNs, outcome, sentNs, seq } = trace;
  return {
    length,
    sentNs: sentNs.subarray(0, length),
    answeredNs: answeredNs.subarray(0, length),
    outcome: outcome.subarray(0, length),
    seq: seq.subarray(0, length),
  };
}

/** The bystander is of another account than these, by definition. */
const ofOneAccount: readonly Role[] = roles.filter((role) => role !== 'bystander');

/**
 * Each key is taken to have its own limit, unless one for those of an account explains the answers more simply, or, where it is
 * unclear whether the bystander shares it, one for all. Answers alone tell: no key is tried that may be at its limit.
 */
function byScope(
  tried: readonly TriedProbe[],
  mayShare: boolean,
  judge: (sharers: Sharers) => LimiterReading,
): LimiterReading {
  const apart = judge({ tried });
  if (apart.traces.length < 2 || clarity(apart.inference) === 2) return apart;
  const isUnclear = tried.some(({ probe, sharing }) => probe === 'scope:other-key' && sharing === 'unclear');
  const ofAccount = mayShare ? judge({ tried, account: ofOneAccount }) : apart;
  const shared = tried.map(
    (each): TriedProbe => (each.probe === 'scope:other-key' ? { ...each, sharing: 'shared' } : each),
  );
  const others = [
    ...(ofAccount.traces.length < apart.traces.length ? [ofAccount] : []),
    ...(isUnclear ? [judge({ tried: shared })] : []),
  ];
  return others.reduce(
    (best, each) => (clarity(each.inference) > clarity(best.inference) ? each : best),
    apart,
  );
}

/** Unlike a queue, several nodes, a pair of limits, or a limit on requests in work. */
export function isCounter({ settled }: Survivor): boolean {
  return settled !== undefined;
}

/**
 * How simply an inference explains the answers: 2 by a limiter on one counter, 1 by another than several nodes, which fit what
 * two keys do to one counter. 0 if it is none of these, or undecided.
 */
function clarity(inference: LimiterInference): 0 | 1 | 2 {
  const [best] = inference.survivors;
  if (best === undefined || !isSettled(inference)) return 0;
  if (isCounter(best)) return 2;
  return best.algorithm === 'several-nodes' ? 0 : 1;
}

/** Requests to every endpoint that shares the limit, after a rest: more than the limit, if each counts once. */
export interface Mixed {
  readonly fromNs: number;
  readonly tookNs: number;
  readonly sent: number;
  readonly admitted: number;
  /** Admitted with the same key in the two windows before: what a sliding counter may still remember. */
  readonly before: number;
  readonly endpoints: readonly string[];
  readonly seqs: readonly number[];
}

const mixedRow = z.object({
  from_ns: z.number().nullable(),
  took_ns: z.number().nullable(),
  sent: z.number(),
  passed: z.number(),
  before: z.number(),
  endpoints: z.array(z.string()).nullable(),
  seqs: seqsColumn,
});

/** Undefined where none were sent. */
export async function mixedOf(history: History): Promise<Mixed | undefined> {
  const memoryNs = 2 * history.profile.rate_limit.windowMs * 1e6;
  const [row] = await history.rows(
    mixedRow,
    `WITH mixed AS (SELECT * FROM requests
       WHERE stage = 'study' AND phase = ${sqlText(studyPhases.mixed)} AND sent_ns IS NOT NULL)
     SELECT min(sent_ns) AS from_ns, max(coalesce(answered_ns, sent_ns)) - min(sent_ns) AS took_ns,
            count(*) AS sent, count(*) FILTER (${admitted}) AS passed,
            (SELECT count(*) FROM requests WHERE credential = 'load' AND ${admitted}
               AND answered_ns > (SELECT min(sent_ns) FROM mixed) - ${memoryNs}
               AND sent_ns < (SELECT min(sent_ns) FROM mixed)) AS before,
            list_sort(list(DISTINCT endpoint)) AS endpoints, ${firstSeqs} AS seqs
     FROM mixed`,
  );
  if (row === undefined || row.from_ns === null) return undefined;
  const { before, endpoints, from_ns: fromNs, passed, sent, seqs, took_ns: tookNs } = row;
  return { fromNs, tookNs: tookNs ?? 0, sent, admitted: passed, before, endpoints: endpoints ?? [], seqs };
}

/** A smaller difference, as a part of the limit, may come of other users of the key. */
const leastPart = 0.05;

/** Whether more were admitted than if each request counted once, or fewer: some request counts less, or more. */
export function isUneven(
  { admitted: passed, before, tookNs }: Mixed,
  { limit, refillPerS, windowMs }: Survivor,
): boolean {
  if (limit === null || windowMs === null) return false;
  const refilled =
    refillPerS === null ? limit * Math.floor(tookNs / (windowMs * 1e6)) : (refillPerS * tookNs) / 1e9;
  const room = limit + refilled;
  const mayDiffer = leastPart * limit;
  return passed < room - mayDiffer - before || passed > room + mayDiffer;
}
