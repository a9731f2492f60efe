import { countBelow, countUpTo } from '../../../limits/arrays.ts';
import { admitted, limited, type Trace } from '../../../limits/trace.ts';
import { isSuccess, type Rows, rowsWhere, type SentRequests } from '../../../sent/columns.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { shown } from '../../causes/cause.ts';
import { type CheckFinding, withReasons } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import {
  type JudgedStream,
  otherwise,
  subjectOf,
  survivors,
  unprovenBy,
  wrongfulSeqs,
} from '../traces/judged.ts';

/** Windows of a second limit, milliseconds: from the shortest, since a longer one may hold several of it. */
const windowsMs = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000];
/** From this many rejections on, their likeness is no chance. */
const fewestRejections = 10;
/** This part of them came when as many requests had just passed, within the part of that number that arrivals leave open. */
const alike = { part: 0.9, within: 0.05 };
/** A second limit of fewer requests than this cannot be told from requests that follow too closely. */
const leastLimit = 5;
/** Of windows by the clock, these phases are tried; the limit rejects at least one in `mostExcess` of what is beyond it in the best. */
const phases = 20;
const mostExcess = 2;
/** One of less than this many times the promised rate may be the promised limit itself, in smaller parts or with a small burst. */
const leastRate = 1.05;

/**
 * Where rejections come below the promised limit: whether they come when a certain number of requests has passed within some
 * shorter time, and more never pass in it, though more were sent; and the promised limit rejects, too. Then there are two
 * limits. The result itself if not.
 */
export function withSecondLimit(result: CheckFinding, streams: readonly JudgedStream[]): CheckFinding {
  for (const judged of streams) {
    const { fit, promised, trace } = judged;
    const seqs = wrongfulSeqs(judged);
    if (survivors(fit).length > 0 || seqs.length === 0 || unprovenBy(judged) !== undefined) continue;
    const promisedMs = promised.windowNs / 1e6;
    const second = secondLimit(trace, promised.requests, promisedMs);
    if (second === undefined) continue;
    return {
      ...result,
      verdict: 'fail',
      reasons: [reason('enforced-second-limit', { ...subjectOf(judged), second })],
      causes: [
        shown(
          'second-limit',
          { limit: second.requests, windowMs: second.windowMs, promised: promised.requests, promisedMs },
          seqs,
        ),
      ],
    };
  }
  return result;
}

interface SecondLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** A second limit that is neither promised nor ruled out, and what it explains. */
export interface SecondBeside {
  readonly second: SecondLimit;
  /** The rejections that it explains, and those of them that the promised limit cannot have given. */
  readonly rejected: ReadonlySet<number>;
  readonly below: number;
}

/**
 * A second limit by which every rejection came that the promised one cannot have given: each time, at least as many requests
 * had passed within some shorter time, and nowhere did more than twice as many pass within it, as windows by the clock let
 * them. Whether it is there only the other rejections tell. `rejected`: rows of the streams' requests.
 */
export function besideSecondLimit(streams: readonly JudgedStream[]): SecondBeside | undefined {
  const [first] = streams;
  // One limit of another size is the simpler explanation.
  if (first === undefined || streams.some(({ fit }) => fit.limited > 0 && otherwise(fit).length > 0))
    return undefined;
  const { requests: most, windowNs } = first.promised;
  const seen = streams.map(({ stream: { rows, sent } }) => ({
    sent,
    /** What surely passed both, and what may have passed this one: with an answer, and no 429. */
    passed: instantsOf(
      sent,
      rowsWhere(sent, (row) => isSuccess(sent, row), rows),
    ),
    counted: instantsOf(
      sent,
      rowsWhere(sent, (row) => sent.status[row] !== 429, rows),
    ),
    rejected: rowsWhere(sent, (row) => sent.status[row] === 429, rows),
  }));
  type Seen = (typeof seen)[number];
  const within = (instants: Float64Array, { sent }: Seen, row: number, ns: number): number =>
    countUpTo(instants, sent.answeredNs[row] as number) -
    countUpTo(instants, (sent.sentNs[row] as number) - ns);
  const before = (each: Seen, row: number, ns: number): number => within(each.counted, each, row, ns);
  const rejections = seen.flatMap((each) => Array.from(each.rejected, (row) => [each, row] as const));
  const below = rejections.filter(
    ([each, row]) => within(each.passed, each, row, windowNs) < (1 - alike.within) * most,
  );
  if (below.length === 0) return undefined;
  for (const windowMs of windowsMs) {
    const ns = windowMs * 1e6;
    if (2 * ns > windowNs) return undefined;
    const requests = below.reduce((least, [each, row]) => Math.min(least, before(each, row, ns)), most);
    const peak = seen.reduce(
      (highest, { passed }) =>
        passed.reduce((more, at, place) => Math.max(more, place + 1 - countUpTo(passed, at - ns)), highest),
      0,
    );
    const isFaster = requests / ns >= (leastRate * most) / windowNs;
    if (requests < leastLimit || !isFaster || peak > 2 * (1 + alike.within) * requests) continue;
    const rejected = rejections.flatMap(([each, row]) => (before(each, row, ns) >= requests ? row : []));
    // Where the load went beyond the promised limit, that has to show, too.
    const others = rejections.length - rejected.length;
    if (others < fewestRejections && streams.some(({ meantToExceed }) => meantToExceed)) continue;
    return { second: { requests, windowMs }, rejected: new Set(rejected), below: below.length };
  }
  return undefined;
}

function instantsOf({ sentNs }: SentRequests, rows: Rows): Float64Array {
  return Float64Array.from(rows, (row) => sentNs[row] as number);
}

/** The checks that a second limit leaves in doubt, or fails. */
const ofTheLimit: ReadonlySet<CheckId> = new Set([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.recovery',
]);
/** What headers say may be about either limit. */
const ofEither: ReadonlySet<CheckId> = new Set([
  'rate-limit.retry-after',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
]);

export function mayBeOfTwoLimits(results: readonly CheckFinding[]): boolean {
  return results.some(({ id, verdict }) => verdict !== 'pass' && ofTheLimit.has(id));
}

/**
 * The checks of the promised limit without the rejections of the other (`apart`), and all others with them (`all`). Undefined
 * where the promised limit is broken all the same.
 */
export function ofTwoLimits(
  all: readonly CheckFinding[],
  apart: readonly CheckFinding[],
  { below, rejected, second }: SecondBeside,
): CheckFinding[] | undefined {
  if (apart.some(({ id, verdict }) => verdict === 'fail' && ofTheLimit.has(id))) return undefined;
  const isShown = below >= fewestRejections;
  const found = reason('found-second-limit', { second, rejected: rejected.size, below, isShown });
  return all.map((told) => {
    const own = apart.find(({ id }) => id === told.id) ?? told;
    if (ofTheLimit.has(told.id)) {
      const isOpen = !isShown && own.id === 'rate-limit.wrongful' && own.verdict === 'pass';
      return withReasons(isOpen ? { ...own, verdict: 'inconclusive' } : own, found);
    }
    if (!ofEither.has(told.id) || told.verdict !== 'fail' || own.verdict === 'fail') return told;
    const { causes: _ofOneLimit, ...doubted } = told;
    return withReasons({ ...doubted, verdict: 'inconclusive' }, found);
  });
}

function secondLimit(
  { outcome, sentNs }: Trace,
  promised: number,
  promisedMs: number,
): SecondLimit | undefined {
  const passed = sentNs.filter((_, place) => outcome[place] === admitted).sort();
  const before = (ns: number, windowMs: number): number =>
    countBelow(passed, ns) - countUpTo(passed, ns - windowMs * 1e6);
  const full = (1 - alike.within) * promised;
  const all = sentNs.filter((_, place) => outcome[place] === limited);
  const rejected = all.filter((ns) => before(ns, promisedMs) < full);
  // Without rejections by the promised limit, nothing shows that it is there.
  if (Math.min(rejected.length, all.length - rejected.length) < fewestRejections) return undefined;
  for (const windowMs of windowsMs) {
    if (windowMs * 2 > promisedMs) return undefined;
    const counts = rejected.map((ns) => before(ns, windowMs)).sort();
    const requests = counts[Math.floor(counts.length / 2)] ?? 0;
    const tolerance = Math.max(1, Math.ceil(alike.within * requests));
    const near = counts.filter((count) => Math.abs(count - requests) <= tolerance).length;
    const peak = passed.reduce((most, ns) => Math.max(most, before(ns, windowMs) + 1), 0);
    const isFaster = requests / windowMs >= (leastRate * promised) / promisedMs;
    const isSharp = near >= alike.part * counts.length && peak <= requests + tolerance;
    const isEnough = requests >= leastLimit && isFaster && isSharp;
    // What chance rejects at a steady load comes after as many as what passes: such a limit would reject far more.
    if (isEnough && leastBeyond([...passed, ...rejected], requests, windowMs) <= mostExcess * rejected.length)
      return { requests, windowMs };
  }
  return undefined;
}

/** How many of some instants are beyond a number in each window by the clock, of the phase in which these are fewest. */
function leastBeyond(instants: readonly number[], most: number, windowMs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let phase = 0; phase < phases; phase++) {
    const counts = new Map<number, number>();
    let beyond = 0;
    for (const ns of instants) {
      const window = Math.floor(ns / (windowMs * 1e6) + phase / phases);
      const count = (counts.get(window) ?? 0) + 1;
      counts.set(window, count);
      if (count > most) beyond++;
    }
    least = Math.min(least, beyond);
  }
  return least;
}
