import { guessesOf, loadBounds, standIn } from './arrivals.ts';
import { loadsOf } from './counting.ts';
import { countsOf, leastInTrailingWindow, mostInTrailingWindow } from './counts.ts';
import { type LimiterKind, type LoadBounds, loadAt, type PromisedLimit } from './kinds/kind.ts';
import { admittedTogether } from './kinds/log.ts';
import { admitted, isDecided, limited, type Trace } from './trace.ts';
import { type View, viewOf, viewsOf } from './view.ts';

/** Limiters that do not stay the same: what one limit does not explain, one that drifts or counts in part may. */

/** A limit that shrinks or grows: two answers that no constant limit gives. */
export interface Drift {
  readonly isShrinking: boolean;
  /** Requests that had been counted when one was admitted: the limit is higher then. */
  readonly admittedAt: number;
  /** Requests that had been counted when one was rejected: the limit is not higher then. */
  readonly rejectedAt: number;
  readonly seqs: readonly number[];
}

/** What an answer tells of the limit at its time. */
interface ToldLoad {
  readonly ns: number;
  readonly seq: number;
  readonly isAdmitted: boolean;
  /** What the limiter had counted: at least, at an admission, and at most, at a rejection. */
  readonly load: number;
}

/** Smaller differences, in requests and as a part of the limit, may come of arrivals that are not known exactly. */
const leastGap = { requests: 2, part: 0.015 } as const;
/** Fewer answers may come of other users of the key. */
const fewestAnswers = 3;
/** The limit is known this closely, as a part of the promised one, where it is higher and where it is lower. */
const nearPart = 0.05;

/**
 * Whether a limit that only shrinks, or only grows, explains the answers that no constant one does: whatever contradicts
 * it is an admission and a later rejection, or a rejection and a later admission, and never both.
 */
export function driftOf(
  traces: readonly Trace[],
  promised: PromisedLimit,
  kinds: readonly LimiterKind[],
): Drift | undefined {
  const views = viewsOf(traces);
  const guesses = guessesOf(traces);
  const enough = Math.max(leastGap.requests, leastGap.part * promised.requests);
  const gap = ({ admittedAt, rejectedAt }: Drift): number => admittedAt - rejectedAt;
  for (const kind of kinds) {
    const { settled } = standIn(guesses, kind, { limit: promised.requests, windowNs: promised.windowNs });
    const told = views
      .flatMap((view) => toldBy(view, loadBounds(view, settled)))
      .toSorted((a, b) => a.ns - b.ns);
    const [shrinking = [], growing = []] = [true, false].map((isShrinking) =>
      contradictions(told, isShrinking).filter((each) => gap(each) >= enough / 2),
    );
    const [one, other] = shrinking.length > 0 ? [shrinking, growing] : [growing, shrinking];
    const clear = one.filter((each) => gap(each) >= enough);
    if (other.length > 0 || clear.length < fewestAnswers) continue;
    const widest = clear.reduce((a, b) => (gap(b) > gap(a) ? b : a));
    if (isReached(told, widest, Math.max(3, nearPart * promised.requests))) return widest;
  }
  return undefined;
}

function toldBy({ trace }: View, bounds: LoadBounds): ToldLoad[] {
  const told: ToldLoad[] = [];
  for (let i = 0; i < trace.length; i++) {
    if (!isDecided(trace.outcome[i])) continue;
    const isAdmitted = trace.outcome[i] === admitted;
    const load = (isAdmitted ? bounds.least : bounds.most)[i] as number;
    told.push({ ns: trace.sentNs[i] as number, seq: trace.seq[i] as number, isAdmitted, load });
  }
  return told;
}

/** Whether the limit is reached on both sides: else it may be anything on one of them, and rejections of another kind show none. */
function isReached(
  told: readonly ToldLoad[],
  { admittedAt, rejectedAt, seqs }: Drift,
  near: number,
): boolean {
  const rejectedWithin = (load: number): boolean =>
    told.some((each) => !each.isAdmitted && Math.abs(each.load - load) <= near);
  return (
    rejectedWithin(admittedAt) &&
    told.some(
      (each) => each.isAdmitted && Math.abs(each.load - rejectedAt) <= near && !seqs.includes(each.seq),
    )
  );
}

/** Each rejection with the admission before it at the highest count; or each admission with the rejection at the lowest. */
function contradictions(told: readonly ToldLoad[], isShrinking: boolean): Drift[] {
  const found: Drift[] = [];
  let before: ToldLoad | undefined;
  for (const each of told) {
    if (each.isAdmitted !== isShrinking) {
      if (before === undefined) continue;
      const [one, other] = isShrinking ? [before, each] : [each, before];
      found.push({ isShrinking, admittedAt: one.load, rejectedAt: other.load, seqs: [before.seq, each.seq] });
    } else if (before === undefined || each.load > before.load === isShrinking) before = each;
  }
  return found;
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

/** The first rejections after an admission, each of which shows by how much the count is ahead of what was admitted. */
const leastEdges = 3;
/** Counts are known this closely there. */
const exactTo = 2;
const leastShare = 0.03;
/** A share by chance differs from window to window as much as chance lets it: neither hardly at all nor by far more. */
const mostDispersion = 4;
const leastDispersion = 0.05;
/** Of the many answers, some are this many standard deviations off. */
const farDeviations = 4;

/** A part of something, between two bounds: by chance, or each so many-th. */
interface Share {
  readonly least: number;
  readonly most: number;
  readonly every?: number;
}

/** What a limiter of the promised limit counts twice of the admitted requests, if that explains every answer. */
export function countedTwice(trace: Trace, promised: PromisedLimit): Share | undefined {
  for (const [loads] of loadsOf([trace], promised)) {
    const share = shareAhead(trace, loads as LoadBounds, promised.requests);
    if (share !== undefined) return share;
  }
  return undefined;
}

/** Each so many-th counts twice: a window has one of them more or less than another, by where it begins, and by other keys. */
const mostOff = 2;
const mostEvery = 20;

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
  if (dispersion > mostDispersion) return undefined;
  const every = Math.round(1 / share);
  const isRegular = dispersion < leastDispersion && every > 1 && every <= mostEvery;
  if (dispersion < leastDispersion && !isRegular) return undefined;
  const part = isRegular ? 1 / every : share;
  for (let i = 0; i < trace.length; i++) {
    const { least, most } = loadAt(loads, i);
    const far = isRegular ? mostOff : farDeviations * Math.sqrt(most * spread);
    if (trace.outcome[i] === limited && most * (1 + part) + far < requests) return undefined;
    if (trace.outcome[i] === admitted && least * (1 + part) - far > requests) return undefined;
  }
  if (isRegular) return { least: part, most: part, every };
  const doubt = deviations * Math.sqrt(spread / admissions);
  return { least: share - doubt, most: share + doubt };
}

/** More admissions than the limit, where each of them by itself may have met fewer. */
interface CountedLate {
  /** Admissions in one window beyond the limit, at the most. */
  readonly over: number;
  /** Index in the trace of the admission that completes them. */
  readonly index: number;
  /** How long after its admission a request may not be counted yet; 0: only those in flight at the same time do not see each other. */
  readonly lateNs: number;
}

/** Delays of a count that are tried, nanoseconds, and the part of a window that they may be at the most. */
const delaysNs = [0, 0.1e9, 0.25e9, 0.5e9, 1e9, 2e9];
const mostLate = 0.2;
/** The part of the limit that has to pass beyond it, if the delay is longer than requests are in flight. */
const clearlyOver = 0.2;

/** Whether a limiter of the promised limit explains every answer if it decides by its count, and counts later; and only then. */
export function countedLate(trace: Trace, promised: PromisedLimit): CountedLate | undefined {
  const { windowNs } = promised;
  const view = viewOf(trace);
  let most = { over: 0, index: -1 };
  for (let i = 0; i < trace.length; i++) {
    const over = trace.outcome[i] === admitted ? admittedTogether(view, windowNs, i) - promised.requests : 0;
    if (over > most.over) most = { over, index: i };
  }
  const lateNs = delaysNs.find((ns) => {
    if (ns > mostLate * windowNs || most.over <= (ns > 0 ? clearlyOver * promised.requests : 0)) return false;
    const counts = ns > 0 ? countsOf(seenLate(trace, ns), 'admitted') : view.admittedCounts;
    return trace.outcome.every((outcome, i) =>
      outcome === admitted
        ? leastInTrailingWindow(trace, counts, windowNs, i) < promised.requests
        : outcome !== limited ||
          mostInTrailingWindow(trace, view.admittedCounts, windowNs, i) >= promised.requests,
    );
  });
  return lateNs === undefined ? undefined : { ...most, lateNs };
}

/** The same trace, in which what was admitted may be counted so much later. */
function seenLate(trace: Trace, ns: number): Trace {
  const { answeredNs, outcome } = trace;
  return { ...trace, answeredNs: answeredNs.map((at, i) => (outcome[i] === admitted ? at + ns : at)) };
}
