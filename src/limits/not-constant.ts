import { leastInTrailingWindow, mostInTrailingWindow } from './counts.ts';
import { fixedWindow, fixedWindowFirstRequest } from './kinds/fixed-window.ts';
import { LimitRange, type LoadBounds, loadAt, type PromisedLimit } from './kinds/kind.ts';
import { admittedTogether, slidingLog } from './kinds/log.ts';
import { exactly } from './span.ts';
import { admitted, limited, type Trace } from './trace.ts';
import { viewOf } from './view.ts';

/** Sliding windows that do not stay the same: what one limit does not explain, several in turn or a share of the rejections may. */

/** A limit that explains the answers for a while. */
export interface Stretch {
  readonly min: number;
  readonly max: number;
  /** Indexes in the trace of the admission and the rejection that bound it. */
  readonly admission: number;
  readonly rejection: number;
}

const mostStretches = 4;
/** The least answers that bound the limit of a stretch, and the part of the promise to which it is known. */
const leastBounds = 50;
const tightPart = 0.04;
const exactTo = 2;
/** Limits in turn differ by this part of the promise: a pause of the limiter's machine moves a few requests past an end of its window. */
const leastChange = 0.01;

/** Begins anew at each answer that the limit of those before does not explain. */
class Stretches extends LimitRange {
  readonly past: (Stretch & { readonly bounds: number })[] = [];
  #bounds = 0;

  override atLeast(least: number, index: number): void {
    if (least > this.max) this.end();
    this.#bounds++;
    super.atLeast(least, index);
  }

  override atMost(most: number, index: number): void {
    if (most < this.min) this.end();
    this.#bounds++;
    super.atMost(most, index);
  }

  end(): void {
    const { min, max, minSetBy: admission, maxSetBy: rejection } = this;
    this.past.push({ min, max, admission, rejection, bounds: this.#bounds });
    Object.assign(this, { min: 0, max: Number.POSITIVE_INFINITY, minSetBy: -1, maxSetBy: -1 });
    this.#bounds = 0;
  }
}

/** The limits of a sliding window in turn, if few of them explain the trace, and each is known closely. */
export function limitsInTurn(trace: Trace, { requests, windowNs }: PromisedLimit): Stretch[] | undefined {
  const range = new Stretches();
  slidingLog.narrow(viewOf(trace), { scale: exactly(windowNs), boundary: undefined }, range, 'every');
  range.end();
  const { past } = range;
  const isKnown = past.every(
    ({ bounds, max, min }) => bounds >= leastBounds && min > 0 && max - min <= tightPart * requests,
  );
  // Requests that count otherwise than is thought leave no limit exact, and none as promised.
  const isExact = past.every(({ max, min }) => max - min <= exactTo);
  const isPromised = past.some(({ max, min }) => min <= requests && requests <= max);
  const areApart = past.every((one, place) => {
    const next = past[place + 1];
    const gap =
      next === undefined ? Number.POSITIVE_INFINITY : Math.max(next.min - one.max, one.min - next.max);
    return gap >= leastChange * requests;
  });
  const isFew = past.length > 1 && past.length <= mostStretches;
  return isFew && isKnown && areApart && (isExact || isPromised) ? past : undefined;
}

/** Rejections in a window below which they show nothing, and how much more the largest number of them has to be. */
const leastRejections = 100;
const growth = 1.5;
/** Chance: that many standard deviations of a count at the most. */
const deviations = 2;
/** Counted by chance, and not by rule: neither nearly none nor nearly all. */
const clearly = 0.1;
const vague = 0.25;

/**
 * The share of rejections that a sliding window of the promised limit counts, if some share explains every answer. Under
 * loads of different size the same share is no accident.
 */
export function shareOfRejectionsCounted(
  trace: Trace,
  { requests, windowNs }: PromisedLimit,
): Share | undefined {
  const { admittedCounts, allCounts } = viewOf(trace);
  let [least, most] = [0, 1];
  let [fewest, largest] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < trace.length; i++) {
    const isRejected = trace.outcome[i] === limited;
    if (!isRejected && trace.outcome[i] !== admitted) continue;
    const inWindow = isRejected ? mostInTrailingWindow : leastInTrailingWindow;
    const passed = inWindow(trace, admittedCounts, windowNs, i);
    const rejected = inWindow(trace, allCounts, windowNs, i) - passed;
    if (rejected < leastRejections) {
      // Without rejections to count, the limit alone decides.
      const isOther = isRejected ? passed + rejected < requests : passed >= requests;
      if (isOther) return undefined;
      continue;
    }
    const chance = deviations * Math.sqrt(rejected);
    if (isRejected) {
      least = Math.max(least, (requests - passed - chance) / rejected);
      fewest = Math.min(fewest, rejected);
      largest = Math.max(largest, rejected);
    } else most = Math.min(most, (requests - passed + chance) / rejected);
  }
  const isClear = least >= clearly && most <= 1 - clearly && least <= most && most - least <= vague;
  return isClear && largest >= growth * fewest ? { least, most } : undefined;
}

/** Places where windows may begin that are tried, in a window. */
const phases = 60;
/** The first rejections after an admission, each of which shows by how much the count is ahead of what was admitted. */
const leastEdges = 3;
const leastShare = 0.03;
/** A share by chance differs from window to window as much as chance lets it: neither hardly at all nor by far more. */
const mostDispersion = 4;
const leastDispersion = 0.05;
/** Of the many answers, some are this many standard deviations off. */
const farDeviations = 4;

/** A part of something, between two bounds. */
export interface Share {
  readonly least: number;
  readonly most: number;
}

/** The share of the admitted requests that a limiter of the promised limit counts twice, if some share explains every answer. */
export function shareCountedTwice(trace: Trace, { requests, windowNs }: PromisedLimit): Share | undefined {
  const view = viewOf(trace);
  const stepNs = windowNs / phases;
  const scale = exactly(windowNs);
  const grid = Array.from({ length: phases }, (_, k) => ({ loNs: k * stepNs, hiNs: (k + 1) * stepNs }));
  for (const [kind, boundaries] of [
    [slidingLog, [undefined]],
    [fixedWindowFirstRequest, [undefined]],
    [fixedWindow, grid],
  ] as const)
    for (const boundary of boundaries) {
      const share = shareAhead(trace, kind.loads(view, { scale, boundary }), requests);
      if (share !== undefined) return share;
    }
  return undefined;
}

function shareAhead(trace: Trace, loads: LoadBounds, requests: number): Share | undefined {
  const counts: number[] = [];
  let [before, admissions]: [number | undefined, number] = [undefined, 0];
  for (let i = 0; i < trace.length; i++) {
    const outcome = trace.outcome[i];
    if (outcome !== admitted && outcome !== limited) continue;
    const { least, most } = loadAt(loads, i);
    if (outcome === limited && before === admitted && most - least <= exactTo)
      counts.push((least + most) / 2);
    if (outcome === admitted) admissions++;
    before = outcome;
  }
  const mean = (of: (count: number) => number): number =>
    counts.reduce((sum, count) => sum + of(count), 0) / counts.length;
  const share = mean((count) => requests / count - 1);
  if (counts.length < leastEdges || !(share >= leastShare && share <= 1 - leastShare)) return undefined;
  const spread = share * (1 - share);
  const dispersion = mean((count) => (requests - count * (1 + share)) ** 2 / (count * spread));
  if (dispersion < leastDispersion || dispersion > mostDispersion) return undefined;
  for (let i = 0; i < trace.length; i++) {
    const { least, most } = loadAt(loads, i);
    const far = farDeviations * Math.sqrt(most * spread);
    if (trace.outcome[i] === limited && most * (1 + share) + far < requests) return undefined;
    if (trace.outcome[i] === admitted && least * (1 + share) - far > requests) return undefined;
  }
  const doubt = deviations * Math.sqrt(spread / admissions);
  return { least: share - doubt, most: share + doubt };
}

/** More admissions than the limit, where each of them by itself may have met fewer. */
interface PassedTogether {
  /** Admissions in one window beyond the limit, at the most. */
  readonly over: number;
  /** Index in the trace of the admission that completes them. */
  readonly index: number;
}

/**
 * Whether a sliding window of the promised limit explains every answer if requests in flight at the same time do not see
 * each other, and only then: it decides by its count, and counts later.
 */
export function passedTogether(
  trace: Trace,
  { requests, windowNs }: PromisedLimit,
): PassedTogether | undefined {
  const view = viewOf(trace);
  let most = { over: 0, index: -1 };
  for (let i = 0; i < trace.length; i++) {
    if (trace.outcome[i] === admitted) {
      if (leastInTrailingWindow(trace, view.admittedCounts, windowNs, i) >= requests) return undefined;
      const over = admittedTogether(view, windowNs, i) - requests;
      if (over > most.over) most = { over, index: i };
    } else if (trace.outcome[i] === limited) {
      if (mostInTrailingWindow(trace, view.admittedCounts, windowNs, i) < requests) return undefined;
    }
  }
  return most.over > 0 ? most : undefined;
}
