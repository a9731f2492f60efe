import { number } from '../../amounts.ts';
import type { SubsetOfRequests } from '../counts.ts';
import type { Contender, Outsider, QueueFit } from '../inference.ts';
import { tokenBucket } from '../kinds/bucket.ts';
import { fittedTo } from '../settle.ts';
import type { Span } from '../span.ts';
import { admitted, ambiguous, type Trace } from '../trace.ts';
import { type View, viewsOf } from '../view.ts';

export const queueing: Outsider = {
  id: 'queueing',
  name: 'queue that delays what exceeds its rate',
  explain: ({ bounded, isTold, queue, refusal, views }) => {
    if (queue === undefined)
      return refusal === undefined
        ? { because: 'Answers came as promptly under load as without.', evidence: [] }
        : { because: 'Requests were rejected, not delayed.', evidence: [refusal] };
    const refillPerS = Number(queue.perS.toPrecision(4));
    if (refusal === undefined) return isTold ? { refillPerS, degreesOfFreedom: 1 } : undefined;
    // Without a bucket that fits, all rejections are unexplained.
    const mismatches = views.reduce((sum, { refused }) => sum + refused.length, 0);
    return bounded ?? { refillPerS, mismatches, degreesOfFreedom: 5 };
  },
};

export function waitedInTurn({ longestMs }: QueueFit): string {
  return `Answers waited in a queue for up to ${number(Math.round(longestMs))} ms under load.`;
}

/** Waits that count as queueing: this many times the common round trip, and at least this long. */
const queueWait = { times: 20, leastNs: 250e6 };
/** Of those that waited the longer part, the last has waited for the others: for at least this part of the longest wait. */
const answeredInTurn = 1 / 4;

/** The queue that the round trips betray; undefined where none do. */
export function fitQueue(views: readonly View[]): QueueFit | undefined {
  for (const { admitted: passed, judged, trace } of views) {
    const trips = tripsOf(passed);
    const sorted = trips.toSorted();
    // If all admitted requests had to wait, rejections show the length of a round trip.
    const common = tripsOf(judged).sort()[Math.floor(judged.length / 200)] ?? 0;
    const longest = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    const leastNs = Math.max(queueWait.leastNs, queueWait.times * common);
    if (longest < leastNs) continue;
    // By answers: who was sent at the same moment may have come in any order.
    const inTurn = Int32Array.from(trips, (_, i) => i).sort(
      (a, b) => (passed.answeredNs[a] as number) - (passed.answeredNs[b] as number),
    );
    const shortNs = Math.min(leastNs, longest / 4);
    const isLong = (i: number): boolean => (trips[i] as number) > longest / 4;
    const waiting = inTurn.filter(isLong);
    // In a queue the next one waits too, maybe not as long if all wait for one instant. Slow requests here and there
    // are no queue.
    const neighbours = inTurn.filter(
      (i, at) => isLong(i) && (trips[inTurn[at + 1] ?? -1] ?? 0) > shortNs,
    ).length;
    if (neighbours < 0.8 * waiting.length - 2) continue;
    const answered = Array.from(waiting, (i): QueueWait => {
      const [sentNs, endsNs] = [passed.sentNs[i] as number, passed.answeredNs[i] as number];
      return { sentNs, endsNs, isAnswered: true };
    });
    const { answers, busyNs } = busyTime([...answered, ...givenUp(trace, longest)]);
    // The last in a queue waits while those before it are answered one by one. Where all answers came together, they
    // waited for this program to read them.
    if (busyNs < longest * answeredInTurn) continue;
    return { perS: (answers * 1e9) / busyNs, longestMs: longest / 1e6 };
  }
  return undefined;
}

/** A request that waited, from when to when, and whether it was answered then. */
interface QueueWait {
  readonly sentNs: number;
  readonly endsNs: number;
  readonly isAnswered: boolean;
}

/** More requests than this part are not given up by chance: they waited in the queue, too. */
const mostLost = 0.05;

/** Those waited at least as long as the longest answered one: a given-up request's latest arrival is later still. */
function givenUp({ answeredNs, length, outcome, sentNs }: Trace, longestNs: number): QueueWait[] {
  const waits = Array.from(sentNs, (ns) => ({
    sentNs: ns,
    endsNs: ns + longestNs,
    isAnswered: false,
  })).filter(({ endsNs }, i) => outcome[i] === ambiguous && (answeredNs[i] as number) >= endsNs);
  return waits.length > mostLost * length ? waits : [];
}

/** How long a queue was busy, and with how many answers: from one to the next where that one had been sent by then. */
function busyTime(unordered: readonly QueueWait[]): { readonly answers: number; readonly busyNs: number } {
  const waits = unordered.toSorted((a, b) => a.endsNs - b.endsNs);
  let answers = 0;
  let busyNs = 0;
  for (const [at, { endsNs, isAnswered, sentNs }] of waits.entries()) {
    const beforeNs = waits[at - 1]?.endsNs;
    if (beforeNs === undefined || sentNs >= beforeNs) continue;
    if (isAnswered) answers++;
    busyNs += endsNs - beforeNs;
  }
  return { answers, busyNs };
}

function tripsOf({ sentNs, answeredNs }: SubsetOfRequests): Float64Array {
  return answeredNs.map((ns, i) => ns - (sentNs[i] as number));
}

/**
 * A rejection that took longer than this part of the longest wait waited too: then the cause is a slow network, not a
 * queue that rejects.
 */
const promptPart = 4;
/** Requests are assumed to have arrived within this many times the slowest rejection's time. */
const promptness = [1, 2, 4, 8];

/** A queue that rejects when full, and the traces as they would be without waits. */
interface BoundedQueue {
  readonly contender: Contender;
  readonly prompt: readonly Trace[];
}

/**
 * A queue that rejects when it is full (nginx's `limit_req` without `nodelay`): a bucket whose admissions are
 * answered late. An admission's answer says nothing about its time, so every request is assumed to have arrived about
 * as promptly as rejected ones, which did not wait. Undefined if no such bucket explains the rejections. `intervals`:
 * between two requests that leave the queue.
 */
export function boundedQueue(views: readonly View[], intervals: Span): BoundedQueue | undefined {
  const refusalNs = longestRefusalNs(views);
  const queue = fitQueue(views);
  if (queue === undefined || refusalNs === 0 || refusalNs > (queue.longestMs * 1e6) / promptPart)
    return undefined;
  for (const times of promptness) {
    const prompt = views.map(({ trace }) => asIfPrompt(trace, times * refusalNs));
    const contender = asBucket(viewsOf(prompt), intervals);
    if (contender === undefined) continue;
    if (!keepsWaiting(queue, contender) || overtakes(views, contender)) return undefined;
    return { contender: { ...contender, ...boundsOf(views, refusalNs, queue) }, prompt };
  }
  return undefined;
}

/**
 * What the bucket may be if every request arrived within the longest time that is assumed, and one leaves about as often as
 * answers came: two assumptions, no proof.
 */
function boundsOf(
  views: readonly View[],
  refusalNs: number,
  { perS }: QueueFit,
): Pick<Contender, 'limitBounds' | 'windowMsBounds'> {
  const latestNs = Math.max(...promptness) * refusalNs;
  const widest = asBucket(viewsOf(views.map(({ trace }) => asIfPrompt(trace, latestNs))), {
    loNs: 1e9 / (perS * apart.rate),
    hiNs: (1e9 * apart.rate) / perS,
  });
  return { limitBounds: widest?.limitBounds ?? null, windowMsBounds: widest?.windowMsBounds ?? null };
}

/** A queue's waits and its bucket describe the same thing, so they may differ by at most these factors. */
const apart = { rate: 1.5, wait: 2 };

/**
 * Whether requests waited as the bucket predicts: one leaves per token, and a request that met a nearly full queue
 * waited for nearly all of it. A bucket before a service that is slow at times shows neither.
 */
function keepsWaiting({ perS, longestMs }: QueueFit, { limit, refillPerS }: Contender): boolean {
  if (limit === null || refillPerS === null) return false;
  const isAsFast = perS <= refillPerS * apart.rate && perS >= refillPerS / apart.rate;
  return isAsFast && longestMs * apart.wait >= ((limit - 1) * 1e3) / refillPerS;
}

/** Whether requests left faster than one per token, where most should have waited for their own. */
function overtakes(views: readonly View[], { limit, refillPerS }: Contender): boolean {
  if (limit === null || refillPerS === null) return false;
  return views.some(({ admitted }) => leftTogether(admitted, { limit, perS: refillPerS }));
}

function asBucket(views: readonly View[], intervals: Span): Contender | undefined {
  let fitted: Contender | undefined;
  for (const each of [tokenBucket, ...(tokenBucket.coarser ?? [])])
    fitted ??= fittedTo(views, each, intervals);
  if (fitted === undefined) return undefined;
  const { settled: _settled, ...rest } = fitted;
  return { ...rest, algorithm: 'queueing', name: 'queue that rejects when full' };
}

function longestRefusalNs(views: readonly View[]): number {
  let longestNs = 0;
  for (const { refused } of views) {
    for (let i = 0; i < refused.length; i++) {
      longestNs = Math.max(longestNs, (refused.answeredNs[i] as number) - (refused.sentNs[i] as number));
    }
  }
  return longestNs;
}

function asIfPrompt(trace: Trace, promptNs: number): Trace {
  const answeredNs = trace.answeredNs.map((ns, i) =>
    trace.outcome[i] === admitted ? Math.min(ns, (trace.sentNs[i] as number) + promptNs) : ns,
  );
  return { ...trace, answeredNs };
}

/** Of as many requests as have room at once, this part is looked at together. */
const row = 0.9;
/** A queue lets half of them leave in half the time that all take in turn; the others must have passed at once. */
const faster = 2;

/**
 * Whether requests left faster than a queue lets them that has room for `limit` and lets `perS` leave: nearly all that have room
 * were sent and answered within half the time that they take in turn. A queue that lets up to 45 % of `limit` pass at once and
 * delays the others (nginx's `delay`) is not that fast. An answer that this program reads late makes the time longer: it proves
 * nothing wrong.
 */
export function leftTogether(
  { answeredNs, sentNs }: SubsetOfRequests,
  { limit, perS }: { readonly limit: number; readonly perS: number },
): boolean {
  const bySending = Int32Array.from(sentNs, (_, i) => i).sort(
    (a, b) => (sentNs[a] as number) - (sentNs[b] as number),
  );
  const length = Math.ceil(row * limit) + 1;
  const shortestNs = (row * limit * 1e9) / (perS * faster);
  for (let first = 0; first + length <= bySending.length; first++) {
    const latestNs = (sentNs[bySending[first] as number] as number) + shortestNs;
    const together = bySending.subarray(first, first + length);
    if (together.every((i) => (answeredNs[i] as number) < latestNs)) return true;
  }
  return false;
}
