import { countUpTo } from '../../../limits/arrays.ts';
import { type CandidateFit, fitLimiters } from '../../../limits/fit.ts';
import { admitted, ambiguous, limited, type Trace, traceWhere } from '../../../limits/trace.ts';
import { shown } from '../../causes/cause.ts';
import { reason } from '../../reasons/reason.ts';
import { isTight, type JudgedStream, judgeStream, subjectOf, wrongfulSeqs } from '../traces/judged.ts';
import {
  type Assumption,
  type Circumstances,
  type Excuse,
  limiterAsPromised,
  type RequestsOfLimit,
  type SecondLimit,
  traceOf,
} from './explanation.ts';

/** Windows of a second limit, milliseconds: from the shortest, since a longer one may hold several of it. */
const windowsMs = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000];
/** From this many rejections on, their likeness is no chance. */
const fewestRejections = 10;
/** A rejection with fewer requests than this part of the promised limit before it is not the promised limit's. */
const fullPart = 0.95;
/** A second limit of fewer requests than this cannot be told from requests that follow too closely. */
const leastLimit = 5;
/** One of less than this many times the promised rate may be the promised limit itself, in smaller parts or with a small burst. */
const leastRate = 1.05;

/**
 * A limit over a shorter time that explains every rejection which came too early for the promised one, where a limiter as
 * promised explains all others. The fit judges the answers twice: for each limit without the rejections of the other. It counts
 * the requests of `counter`; those that the promised limit rejects as well, if they come to it first.
 */
function secondLimit(
  judged: JudgedStream,
  { rows, trace }: RequestsOfLimit,
): Omit<SecondLimit, 'isOfAllKeys'> | undefined {
  const { meantToExceed, promised, stream } = judged;
  const { outcome } = trace;
  const within = countBefore(judged.trace, (i) => judged.trace.outcome[i] !== limited);
  const below = new Set(
    Array.from(stream.rows).filter(
      (_, i) =>
        judged.trace.outcome[i] === limited && within(i, promised.windowNs) < fullPart * promised.requests,
    ),
  );
  if (below.size === 0) return undefined;
  const isOwn = (i: number): boolean => below.has(rows[i] as number);
  const rejections = Array.from(outcome.keys()).filter((i) => outcome[i] === limited);
  const counts = [countBefore(trace, (i) => outcome[i] !== limited), countBefore(trace, () => true)];
  for (const windowMs of windowsMs)
    for (const before of counts) {
      const windowNs = windowMs * 1e6;
      if (2 * windowNs > promised.windowNs) return undefined;
      const most = rejections
        .filter(isOwn)
        .reduce((least, i) => Math.min(least, before(i, windowNs)), promised.requests);
      const isFaster = most / windowNs >= (leastRate * promised.requests) / promised.windowNs;
      if (most < leastLimit || !isFaster) continue;
      const rejected = new Set(
        rejections.flatMap((i) => (before(i, windowNs) >= most ? [rows[i] as number] : [])),
      );
      const rest = stream.rows.filter((row) => !rejected.has(row));
      const left = rest.filter((row) => stream.sent.status[row] === 429).length;
      // Where the load went beyond the promised limit, that has to show, too.
      if (meantToExceed && left < fewestRejections) continue;
      // Only of those is it certain whose rejections they are; and not whether one limit counts what the other rejects.
      const size = { requests: most, windowNs };
      const own =
        limitOf(
          traceWhere(trace, (i) => outcome[i] !== limited || isOwn(i)),
          size,
        ) ??
        limitOf(
          withOpen(trace, (i) => !isOwn(i)),
          size,
        );
      if (own === undefined) continue;
      if (meantToExceed && limiterAsPromised(traceOf(judged, rest), judged) === undefined) continue;
      return { requests: own, windowMs, rejected, below: below.size };
    }
  return undefined;
}

/** Of the requests of a trace that a limit counts: how many came within some time before one of them, at the most. */
function countBefore(
  { answeredNs, sentNs }: Trace,
  isCounted: (index: number) => boolean,
): (index: number, ns: number) => number {
  const counted = sentNs.filter((_, i) => isCounted(i)).sort();
  return (i, ns) =>
    countUpTo(counted, answeredNs[i] as number) - countUpTo(counted, (sentNs[i] as number) - ns);
}

/**
 * The limit of the kind that explains the answers best; undefined if none does, or vaguely. Rejected with this number of requests
 * before it, it is no more than that.
 */
function limitOf(
  trace: Trace,
  size: { readonly requests: number; readonly windowNs: number },
): number | undefined {
  const known = fitLimiters(trace, size)
    .candidates.map((each) => atMost(each, size.requests))
    .filter((each) => isTight(each, size) && isAbout(each, size.requests))
    .toSorted((a, b) => (a.mismatches ?? 0) - (b.mismatches ?? 0));
  const { min = 0, max = 0 } = known[0]?.limits ?? {};
  return known.length === 0 ? undefined : Math.round((min + max) / 2);
}

function atMost(each: CandidateFit, most: number): CandidateFit {
  const { max = most, min = 0 } = each.limits ?? {};
  return max <= most || min > most ? each : { ...each, limits: { min, max: most } };
}

function isAbout({ limits }: CandidateFit, requests: number): boolean {
  return limits !== undefined && limits.min <= requests + 1 && (limits.max ?? 0) >= fullPart * requests - 1;
}

/** The same trace in which some rejections may or may not be counted. */
function withOpen(trace: Trace, isOpen: (index: number) => boolean): Trace {
  const outcome = trace.outcome.map((each, i) => (each === limited && isOpen(i) ? ambiguous : each));
  return { ...trace, outcome };
}

/** Of all keys only where this is no breach of a promise, and where the key is not rejected outright while others are busy. */
function secondOfKeyOrAll(
  judged: JudgedStream,
  { allKeys, profile }: Pick<Circumstances, 'allKeys' | 'profile'>,
): SecondLimit | undefined {
  const ofKey = secondLimit(judged, { rows: judged.stream.rows, trace: judged.trace });
  if (ofKey !== undefined) return { ...ofKey, isOfAllKeys: false };
  const { outcome } = judged.trace;
  const meanwhile = outcome.subarray(outcome.indexOf(limited), outcome.lastIndexOf(limited));
  const isOpen = meanwhile.filter((each) => each === admitted).length >= leastLimit;
  const all = isOpen && profile.limit_scope !== 'per-key' ? allKeys() : undefined;
  const ofAll = all === undefined ? undefined : secondLimit(judged, all);
  return ofAll === undefined ? undefined : { ...ofAll, isOfAllKeys: true };
}

/** A fault where the kind of limiter is promised; else neither promised nor ruled out. */
export const anotherLimitBeside: Assumption = {
  what: 'another limit stands beside it',
  price: 2,
  isForStudy: true,
  isLikely: true,
  explains(judged, around) {
    const second = judged.fit.limited === 0 ? undefined : secondOfKeyOrAll(judged, around);
    if (second === undefined) return undefined;
    const { algorithm, promised } = judged;
    const { below, isOfAllKeys, requests, windowMs } = second;
    const pace = { requests, windowMs };
    if (algorithm === undefined) return excusedBy(second, judged, around);
    if (below < fewestRejections) return undefined;
    const promise = { promised: promised.requests, promisedMs: promised.windowNs / 1e6 };
    const params = { limit: requests, windowMs, ...promise, isOfAllKeys };
    return {
      reasons: [reason('enforced-second-limit', { ...subjectOf(judged), second: pace, isOfAllKeys })],
      causes: [shown('second-limit', params, wrongfulSeqs(judged))],
    };
  },
};

/** A stream among whose rejections are those of a second limit, which is neither promised nor ruled out. */
export function excusedBy(
  second: SecondLimit,
  judged: JudgedStream,
  history: Pick<Circumstances, 'profile' | 'run'>,
): Excuse {
  const { below, isOfAllKeys, rejected, requests, windowMs } = second;
  const rows = judged.stream.rows.filter((row) => !rejected.has(row));
  const under = judgeStream({ ...judged.stream, rows, trace: traceOf(judged, rows) }, history);
  const params = { second: { requests, windowMs }, rejected: rejected.size, below, isOfAllKeys };
  return { under, second, reasons: [reason('found-second-limit', params)] };
}
