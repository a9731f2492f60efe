import { type InferenceHints, inferLimiter } from '../../../limits/infer.ts';
import { isSettled, type LimiterInference, type Survivor } from '../../../limits/inference.ts';
import type { Charging } from '../../../limits/sent/traces.ts';
import type { Trace } from '../../../limits/trace.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { TriedProbe } from '../traces/scope.ts';

/** What a limiter is inferred from, and what it is. */
interface LimiterReading {
  readonly inference: LimiterInference;
  readonly traces: readonly Trace[];
  /** No one limiter explains all keys, and one explains the first of them. */
  readonly keysDiffer: boolean;
}

/** What is assumed of whose requests share a limit: what was tried tells, and keys of one account may. */
type Sharers = Pick<Charging, 'account'> & { readonly tried: readonly TriedProbe[] };
/** The traces of a run by that. */
export type ReadTraces = (sharers: Sharers) => readonly Trace[];

/**
 * The first reading that some limiter of requests per time explains; if none does, the likeliest, which comes first. `mayShare`: no
 * promise says that each key has its own limit.
 */
export function firstExplained(
  readings: readonly ReadTraces[],
  tried: readonly TriedProbe[],
  hints: InferenceHints,
  mayShare: boolean,
): LimiterReading {
  let likeliest: LimiterReading | undefined;
  for (const read of readings) {
    const explained = explain(read, tried, hints, mayShare);
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
  mayShare: boolean,
): LimiterReading {
  const together = byScope(tried, mayShare, (sharers) => {
    const traces = read(sharers);
    return { traces, inference: inferLimiter(traces, hints), keysDiffer: false };
  });
  if (together.inference.survivors.length > 0 || together.traces.length < 2) return together;
  const first = together.traces.slice(0, 1);
  const alone = inferLimiter(first, hints);
  return alone.survivors.length === 0
    ? together
    : { ...together, inference: alone, traces: first, keysDiffer: true };
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
