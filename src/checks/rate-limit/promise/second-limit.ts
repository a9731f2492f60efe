import { countUpTo, valuesAt } from '../../../limits/arrays.ts';
import { type CandidateFit, fitLimiters } from '../../../limits/fit.ts';
import { ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { shown } from '../../causes/cause.ts';
import { type CheckFinding, withReasons } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { isTight, type JudgedStream, subjectOf, wrongfulSeqs } from '../traces/judged.ts';
import { type Assumption, limiterAsPromised, type SecondLimit } from './explanation.ts';

/** Windows of a second limit, milliseconds: from the shortest, since a longer one may hold several of it. */
const windowsMs = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000];
/** From this many rejections on, their likeness is no chance. */
export const fewestRejections = 10;
/** A rejection with fewer requests than this part of the promised limit before it is not the promised limit's. */
const fullPart = 0.95;
/** A second limit of fewer requests than this cannot be told from requests that follow too closely. */
const leastLimit = 5;
/** One of less than this many times the promised rate may be the promised limit itself, in smaller parts or with a small burst. */
const leastRate = 1.05;

/**
 * A limit over a shorter time that explains every rejection which came too early for the promised one, where a limiter as
 * promised explains all others. The fit judges the answers twice: for each limit without the rejections of the other.
 */
export function secondLimit(judged: JudgedStream): SecondLimit | undefined {
  const { meantToExceed, promised, trace } = judged;
  const { outcome, sentNs, answeredNs } = trace;
  const counted = sentNs.filter((_, i) => outcome[i] !== limited).sort();
  const before = (i: number, ns: number): number =>
    countUpTo(counted, answeredNs[i] as number) - countUpTo(counted, (sentNs[i] as number) - ns);
  const rejections = Array.from(outcome.keys()).filter((i) => outcome[i] === limited);
  const below = rejections.filter((i) => before(i, promised.windowNs) < fullPart * promised.requests);
  if (below.length === 0) return undefined;
  const early = new Set(below);
  for (const windowMs of windowsMs) {
    const windowNs = windowMs * 1e6;
    if (2 * windowNs > promised.windowNs) return undefined;
    const most = below.reduce((least, i) => Math.min(least, before(i, windowNs)), promised.requests);
    const isFaster = most / windowNs >= (leastRate * promised.requests) / promised.windowNs;
    if (most < leastLimit || !isFaster) continue;
    const rejected = new Set(rejections.filter((i) => before(i, windowNs) >= most));
    // Where the load went beyond the promised limit, that has to show, too.
    if (meantToExceed && rejections.length - rejected.size < fewestRejections) continue;
    // Only of those is it certain whose rejections they are; and not whether one limit counts what the other rejects.
    const size = { requests: most, windowNs };
    const isOwn = (i: number): boolean => early.has(i);
    const own =
      limitOf(
        remaining(trace, (i) => outcome[i] !== limited || isOwn(i)),
        size,
      ) ??
      limitOf(
        withOpen(trace, (i) => !isOwn(i)),
        size,
      );
    if (own === undefined) continue;
    const rest = remaining(trace, (i) => !rejected.has(i));
    if (meantToExceed && limiterAsPromised(rest, judged) === undefined) continue;
    return { requests: own, windowMs, rejected, below: below.length };
  }
  return undefined;
}

/** The limit of the kind that explains the answers best; undefined if none does, or vaguely. */
function limitOf(
  trace: Trace,
  size: { readonly requests: number; readonly windowNs: number },
): number | undefined {
  const known = fitLimiters(trace, size)
    .candidates.filter((each) => isTight(each, size) && isAbout(each, size.requests))
    .toSorted((a, b) => (a.mismatches ?? 0) - (b.mismatches ?? 0));
  const { min = 0, max = 0 } = known[0]?.limits ?? {};
  return known.length === 0 ? undefined : Math.round((min + max) / 2);
}

function isAbout({ limits }: CandidateFit, requests: number): boolean {
  return limits !== undefined && limits.min <= requests + 1 && (limits.max ?? 0) >= fullPart * requests - 1;
}

/** The same trace in which some rejections may or may not be counted. */
function withOpen(trace: Trace, isOpen: (index: number) => boolean): Trace {
  const outcome = trace.outcome.map((each, i) => (each === limited && isOpen(i) ? ambiguous : each));
  return { ...trace, outcome };
}

function remaining(trace: Trace, isKept: (index: number) => boolean): Trace {
  const kept = Int32Array.from(trace.outcome.keys()).filter(isKept);
  return {
    length: kept.length,
    sentNs: valuesAt(trace.sentNs, kept),
    answeredNs: valuesAt(trace.answeredNs, kept),
    outcome: Uint8Array.from(kept, (i) => trace.outcome[i] as number),
    seq: valuesAt(trace.seq, kept),
  };
}

/** A fault where the kind of limiter is promised; else the checks judge without what it rejected. */
export const anotherLimitBeside: Assumption = {
  what: 'another limit stands beside it',
  price: 2,
  isForStudy: true,
  isLikely: true,
  explains(judged) {
    const second = judged.fit.limited === 0 ? undefined : secondLimit(judged);
    if (second === undefined) return undefined;
    const { algorithm, promised } = judged;
    if (algorithm === undefined)
      return { price: 2, verdict: 'inconclusive', reasons: [], causes: [], second };
    if (second.below < fewestRejections) return undefined;
    const pace = { requests: second.requests, windowMs: second.windowMs };
    const promise = { promised: promised.requests, promisedMs: promised.windowNs / 1e6 };
    const params = { limit: second.requests, windowMs: second.windowMs, ...promise };
    return {
      price: 2,
      verdict: 'fail',
      reasons: [reason('enforced-second-limit', { ...subjectOf(judged), second: pace })],
      causes: [shown('second-limit', params, wrongfulSeqs(judged))],
    };
  },
};

/** The checks that a second limit leaves in doubt, or fails. */
const ofTheLimit: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
]);
/** What headers say may be about either limit. */
const ofEither: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.retry-after',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
]);

/**
 * The checks of the promised limit without the rejections of the other (`apart`), and all others with them (`all`). Undefined
 * where the promised limit is broken all the same.
 */
export function besideSecondLimit(
  all: readonly CheckFinding[],
  apart: readonly CheckFinding[],
  { below, rejected, requests, windowMs }: SecondLimit,
): CheckFinding[] | undefined {
  if (apart.some(({ id, verdict }) => verdict === 'fail' && ofTheLimit.has(id))) return undefined;
  const isShown = below >= fewestRejections;
  const second = { requests, windowMs };
  const found = reason('found-second-limit', { second, rejected: rejected.size, below, isShown });
  return all.map((stated) => {
    const own = apart.find(({ id }) => id === stated.id) ?? stated;
    if (ofTheLimit.has(stated.id)) {
      const isOpen = !isShown && own.id === 'rate-limit.wrongful' && own.verdict === 'pass';
      return isOpen
        ? { ...own, verdict: 'inconclusive', reasons: [found, ...own.reasons] }
        : withReasons(own, found);
    }
    if (!ofEither.has(stated.id) || stated.verdict !== 'fail' || own.verdict === 'fail') return stated;
    const { causes: _ofOneLimit, ...doubted } = stated;
    return withReasons({ ...doubted, verdict: 'inconclusive' }, found);
  });
}
