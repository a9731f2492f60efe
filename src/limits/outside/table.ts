import { countBelow, countUpTo } from '../arrays.ts';
import {
  type Contender,
  isNear,
  isPlausible,
  type Outsider,
  type OutsiderEvidence,
  type Refuted,
  seqOf,
} from '../inference.ts';
import { kinds } from '../kinds/table.ts';
import {
  ambiguous,
  countOutcome,
  isDecided,
  limited,
  notRejected,
  outOfScope,
  type Trace,
} from '../trace.ts';
import type { View } from '../view.ts';
import { fitQueue, queueing, waitedInTurn } from './queueing.ts';
import { severalNodes } from './several-nodes.ts';
import { twoLimits } from './two-limits.ts';

/** No limit at all. */
const none: Outsider = {
  id: 'none',
  name: 'service without a limit',
  explain: ({ isTold, queue, refusal }) => {
    if (refusal !== undefined) return { because: 'Requests were rejected.', evidence: [refusal] };
    if (queue !== undefined) return { because: waitedInTurn(queue), evidence: [] };
    return isTold ? { degreesOfFreedom: 0 } : undefined;
  },
};

const blank = {
  limit: null,
  windowMs: null,
  burst: null,
  refillPerS: null,
  phase: null,
  rejectsCount: null,
  limitBounds: null,
  windowMsBounds: null,
  mismatches: 0,
  confidence: 0,
} as const;

/** `fewest`: the answers that the best limiter on one counter gets wrong. `bounded`: the queue that rejects, if there is one. */
export function explainOutside(
  views: readonly View[],
  fewest: number,
  given: Pick<OutsiderEvidence, 'windows' | 'intervals' | 'promised' | 'bounded'>,
): { readonly survivors: readonly Contender[]; readonly refuted: readonly Refuted[] } {
  const [refusal] = views.flatMap((view) =>
    view.refused.length > 0 ? seqOf(views, view.base + (view.refused.index[0] as number)) : [],
  );
  const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
  const queue = fitQueue(views);
  const isTold = areTold(views, queue?.longestMs);
  const survivors: Contender[] = [];
  const refuted: Refuted[] = [];
  for (const { id, name, explain } of outsiders) {
    const wrong = Math.min(fewest, ...survivors.map((each) => each.mismatches));
    const [isOneCounter, isClose] = [isPlausible(wrong, requests), isNear(wrong, requests)];
    const found = explain({ ...given, views, refusal, isTold, queue, isOneCounter, isClose });
    if (found === undefined) continue;
    if ('because' in found) refuted.push({ algorithm: id, ...found });
    else survivors.push({ ...blank, algorithm: id, name, ...found });
  }
  return { survivors, refuted };
}

/** Answers may be unclear by chance for this part of the requests. More may be rejections of an unknown kind. */
const mostUntold = 0.05;

/** A request given up after as long a wait as any may have been in a queue; others without a clear answer do not tell. */
function areTold(views: readonly View[], longestMs = Number.POSITIVE_INFINITY): boolean {
  const inScope = views.reduce((sum, { trace }) => sum + trace.length - countOutcome(trace, outOfScope), 0);
  const untold = views.reduce((sum, { trace }) => sum + unclearSooner(trace, longestMs * 1e6), 0);
  return inScope > 0 && untold <= mostUntold * inScope;
}

function unclearSooner({ answeredNs, outcome, sentNs }: Trace, ns: number): number {
  return outcome.filter(
    (each, i) =>
      (each === ambiguous || each === notRejected) && (answeredNs[i] as number) - (sentNs[i] as number) < ns,
  ).length;
}

/** Part of the answers that differ from a limit on requests in work, as they are guessed, for which the guess is to blame. */
const guessesAmiss = 2 / 3;

/**
 * It has one parameter, and is charged as much as the plainest limiter. On a busy machine answers tell little, and
 * fewer parameters would decide alone.
 */
const fewestDegrees = Math.min(...kinds.map(({ degreesOfFreedom }) => degreesOfFreedom));

const concurrency: Outsider = {
  id: 'concurrency',
  name: 'limit on concurrent requests',
  explain: ({ bounded, queue, refusal, views }) => {
    if (refusal === undefined) return undefined;
    // A queue limits what is in work at once, too; but that does not say why requests wait.
    if (queue !== undefined && bounded !== undefined) return { because: waitedInTurn(queue), evidence: [] };
    const fit = fitConcurrency(views);
    if (fit === undefined || fit.most < 1)
      return {
        because: 'A request was rejected when no other was in progress.',
        evidence: fit === undefined ? [] : seqOf(views, fit.setBy),
      };
    // If round trips are long compared with the gaps between requests, concurrent requests excuse almost every answer:
    // then the guess has to fit, too.
    const guessed = Math.round((1 - guessesAmiss) * fit.guessedMismatches);
    return {
      limit: fit.limit,
      limitBounds: { min: 1, max: fit.most },
      mismatches: Math.max(fit.mismatches, guessed),
      degreesOfFreedom: fewestDegrees,
    };
  },
};

/** Explanations other than a limiter of requests per time on one counter, in the order in which they are tried. */
const outsiders: readonly Outsider[] = [none, queueing, concurrency, twoLimits, severalNodes];

/** The name of a limiter of any kind, for sentences. */
export function nameOfKind(algorithm: string): string {
  return [...kinds, ...outsiders].find(({ id }) => id === algorithm)?.name ?? algorithm;
}

/** A limit on how many requests are in work at a time, as far as traces show one. */
interface ConcurrencyFit {
  /**
   * The largest limit that explains every rejection: none came with fewer other requests possibly in progress.
   */
  readonly most: number;
  /** Index of the rejection that sets it. */
  readonly setBy: number;
  /** The limit that comes nearest, and the answers that differ from it however a usual round trip was spent. */
  readonly limit: number;
  readonly mismatches: number;
  /** The answers that differ from it as requests are guessed to have been in work. */
  readonly guessedMismatches: number;
}

/** Holds the traces against a limit of requests in work at once, over all keys together. */
export function fitConcurrency(views: readonly View[]): ConcurrencyFit | undefined {
  const sent = merged(views, (view) => view.openers.sentNs);
  const answered = merged(views, (view) => view.openers.answeredNs);
  const tripNs = usualTripOfRefusals(views);
  let most = Number.POSITIVE_INFINITY;
  let setBy = -1;
  const whenRefused: InWork = { likely: [], extreme: [] };
  const whenAdmitted: InWork = { likely: [], extreme: [] };
  for (const { trace, base } of views) {
    for (let i = 0; i < trace.length; i++) {
      const outcome = trace.outcome[i];
      if (!isDecided(outcome)) continue;
      const sentNs = trace.sentNs[i] as number;
      const answeredNs = trace.answeredNs[i] as number;
      const isRefused = outcome === limited;
      const possible = countUpTo(sent, answeredNs) - countBelow(answered, sentNs) - (isRefused ? 0 : 1);
      if (isRefused && possible < most) {
        most = possible;
        setBy = base + i;
      }
      const { extreme, likely } = isRefused ? whenRefused : whenAdmitted;
      likely.push(Math.max(0, countBelow(sent, sentNs) - countBelow(answered, sentNs + tripNs)));
      // The most that a rejected request can have met, and the least that an admitted one can, within a usual round
      // trip.
      extreme.push(
        isRefused
          ? countUpTo(sent, sentNs + tripNs) - countBelow(answered, sentNs)
          : Math.max(0, countBelow(sent, sentNs - tripNs) - countBelow(answered, sentNs + 2 * tripNs)),
      );
    }
  }
  if (setBy < 0) return undefined;
  const limit = bestThreshold(whenRefused.likely, whenAdmitted.likely, most);
  return {
    most,
    setBy,
    limit,
    mismatches: errorsOf(limit, whenRefused.extreme, whenAdmitted.extreme),
    guessedMismatches: errorsOf(limit, whenRefused.likely, whenAdmitted.likely),
  };
}

/** How many others were in work when each of some requests arrived. */
interface InWork {
  readonly likely: number[];
  readonly extreme: number[];
}

/** The threshold C (1 … most) for which "rejected when C or more are in progress" errs least. */
function bestThreshold(
  whenRefused: readonly number[],
  whenAdmitted: readonly number[],
  most: number,
): number {
  let best = 1;
  let fewest = Number.POSITIVE_INFINITY;
  const refused = Float64Array.from(whenRefused).sort();
  const passed = Float64Array.from(whenAdmitted).sort();
  for (let c = 1; c <= most; c++) {
    const errors = countBelow(refused, c) + (passed.length - countBelow(passed, c));
    if (errors < fewest) [best, fewest] = [c, errors];
  }
  return best;
}

function errorsOf(limit: number, whenRefused: readonly number[], whenAdmitted: readonly number[]): number {
  const refused = whenRefused.filter((inWork) => inWork < limit).length;
  return refused + whenAdmitted.filter((inWork) => inWork >= limit).length;
}

function merged(views: readonly View[], select: (view: View) => Float64Array): Float64Array {
  return Float64Array.from(views.flatMap((view) => Array.from(select(view)))).sort();
}

/** A rejection takes no work, so its round trip is the network's. */
function usualTripOfRefusals(views: readonly View[]): number {
  const trips = Float64Array.from(
    views.flatMap(({ refused }) =>
      Array.from(refused.answeredNs, (ns, at) => ns - (refused.sentNs[at] as number)),
    ),
  ).sort();
  return trips[trips.length >> 1] ?? 0;
}
