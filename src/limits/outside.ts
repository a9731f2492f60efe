import { countBelow, countUpTo } from './sorted.ts';
import type { SubsetOfRequests } from './subset.ts';
import { ambiguous, limited } from './trace.ts';
import type { View } from './view.ts';

/** A limit on how many requests are in work at a time, as far as traces show one. */
export interface ConcurrencyFit {
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
      if (outcome === ambiguous) continue;
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

/** A queue in front of the target that delays instead of rejecting. */
export interface QueueFit {
  readonly perS: number;
  /** The longest wait. Milliseconds. */
  readonly longestMs: number;
}

/** Waits that count as queueing: this many times the common round trip, and at least this long. */
const queueWait = { times: 20, leastNs: 250e6 };
/** Of those that waited the longer part, the last has waited for the others: for at least this part of the longest wait. */
const answeredInTurn = 1 / 4;

/** The queue that the round trips betray; undefined where none do. */
export function fitQueue(views: readonly View[]): QueueFit | undefined {
  for (const { admitted: passed, judged } of views) {
    const trips = tripsOf(passed);
    const sorted = trips.toSorted();
    // If all admitted requests had to wait, rejections show the length of a round trip.
    const common = tripsOf(judged).sort()[Math.floor(judged.length / 200)] ?? 0;
    const longest = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    if (longest < Math.max(queueWait.leastNs, queueWait.times * common)) continue;
    const waited = Uint8Array.from(trips, (ns) => (ns > longest / 4 ? 1 : 0));
    // By answers: who was sent at the same moment may have come in any order.
    const inTurn = Int32Array.from(trips, (_, i) => i).sort(
      (a, b) => (passed.answeredNs[a] as number) - (passed.answeredNs[b] as number),
    );
    const waiting = inTurn.filter((i) => waited[i] === 1);
    // In a queue a request waits about as long as the one before it; slow requests here and there are no queue.
    const neighbours = inTurn.filter((i, at) => waited[i] === 1 && waited[inTurn[at + 1] ?? -1] === 1).length;
    if (neighbours < 0.8 * waiting.length - 2) continue;
    const { answers, busyNs } = busyTime(passed, waiting);
    // The last in a queue waits while those before it are answered one by one. Where all answers came together, they
    // waited for this program to read them.
    if (busyNs < longest * answeredInTurn) continue;
    return { perS: (answers * 1e9) / busyNs, longestMs: longest / 1e6 };
  }
  return undefined;
}

/** How long a queue was busy, and with how many answers: from one to the next where that one had been sent by then. */
function busyTime(
  { answeredNs, sentNs }: SubsetOfRequests,
  waiting: Int32Array,
): { readonly answers: number; readonly busyNs: number } {
  let answers = 0;
  let busyNs = 0;
  for (let at = 1; at < waiting.length; at++) {
    const beforeNs = answeredNs[waiting[at - 1] as number] as number;
    const i = waiting[at] as number;
    if ((sentNs[i] as number) >= beforeNs) continue;
    answers++;
    busyNs += (answeredNs[i] as number) - beforeNs;
  }
  return { answers, busyNs };
}

function tripsOf({ sentNs, answeredNs }: SubsetOfRequests): Float64Array {
  return answeredNs.map((ns, i) => ns - (sentNs[i] as number));
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
