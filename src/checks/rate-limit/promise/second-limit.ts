import { countBelow, countUpTo } from '../../../limits/sorted.ts';
import { admitted, limited, type Trace } from '../../../limits/trace.ts';
import { shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { type JudgedStream, subjectOf, survivors, unprovenBy, wrongfulSeqs } from '../traces/judged.ts';

/** Windows of a second limit, milliseconds: from the shortest, since a longer one may hold several of it. */
const windowsMs = [1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000];
/** From this many rejections on, their likeness is no chance. */
const fewestRejections = 10;
/** This part of them came when as many requests had just passed, within the part of that number that arrivals leave open. */
const alike = { part: 0.9, within: 0.05 };
/** A second limit of fewer requests than this cannot be told from requests that follow too closely. */
const leastLimit = 5;
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
    if (requests >= leastLimit && isFaster && isSharp) return { requests, windowMs };
  }
  return undefined;
}
