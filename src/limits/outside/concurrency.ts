import { kinds } from '../kinds/table.ts';
import { seqOf } from '../refutation.ts';
import { countBelow, countUpTo } from '../sorted.ts';
import { isDecided, limited } from '../trace.ts';
import type { View } from '../view.ts';
import type { Outsider } from './outsider.ts';
import { waitedInTurn } from './queueing.ts';

/** Part of the answers that differ from a limit on requests in work, as they are guessed, for which the guess is to blame. */
const guessesAmiss = 2 / 3;

/**
 * It has one parameter, and is charged as much as the plainest limiter. On a busy machine answers tell little, and
 * fewer parameters would decide alone.
 */
const fewestDegrees = Math.min(...kinds.map(({ degreesOfFreedom }) => degreesOfFreedom));

export const concurrency: Outsider = {
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
