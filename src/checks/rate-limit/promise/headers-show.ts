import { readingsOf } from '../headers/claims.ts';
import { type JudgedStream, seqsWhere } from '../traces/judged.ts';

/** From so much of the limit, or less, back to nearly all of it. */
const usedPart = 0.9;
const nearlyAll = 2;
/** A window begins anew once in its length; a second time may be seen where answers overtook each other. */
const leastTimes = 3;
/** Part of a window in which a sliding limiter frees little, unless a burst leaves it. */
const shortPart = 0.01;
const burstPart = 0.05;

/** How often, at the most within a window, headers say that nearly the whole limit remains again. */
interface LostCounts {
  readonly times: number;
  /** Each answer that says so, after the one before it. */
  readonly seqs: readonly number[];
  /** More often than windows begin. */
  readonly isOften: boolean;
}

interface Jump {
  readonly ns: number;
  /** Since the answer before it was asked for. */
  readonly tookNs: number;
  readonly seqs: readonly number[];
}

/**
 * Where `remaining` jumps back to nearly the whole limit more often than windows begin; or within a moment, and no burst left the
 * window just then: the count was lost, unless the limiter has windows that begin anew.
 */
export function losesCount(judged: JudgedStream): LostCounts | undefined {
  const { promised, trace } = judged;
  const { requests, windowNs } = promised;
  const jumps = jumpsOf(judged);
  const often = mostInWindow(judged, jumps);
  if (often.times >= leastTimes) return { ...often, isOften: true };
  const lost = jumps.filter(({ ns, tookNs }) => {
    if (tookNs > shortPart * windowNs) return false;
    const [fromNs, toNs] = [ns - (1 + shortPart) * windowNs, ns - (1 - shortPart) * windowNs];
    const left = seqsWhere(
      trace,
      (i) => (trace.answeredNs[i] as number) >= fromNs && (trace.sentNs[i] as number) <= toNs,
    );
    return left.length <= burstPart * requests;
  });
  return lost.length === 0 ? undefined : { ...mostInWindow(judged, lost), isOften: false };
}

function mostInWindow(judged: JudgedStream, jumps: readonly Jump[]): Omit<LostCounts, 'isOften'> {
  const spanNs = usedPart * judged.promised.windowNs;
  let most: readonly Jump[] = [];
  let from = 0;
  jumps.forEach(({ ns }, to) => {
    while ((jumps[from] as Jump).ns <= ns - spanNs) from++;
    if (to - from + 1 > most.length) most = jumps.slice(from, to + 1);
  });
  return { times: most.length, seqs: most.flatMap(({ seqs }) => seqs) };
}

function jumpsOf({ stream: { rows, sent } }: JudgedStream): Jump[] {
  const { code } = sent.limitHeaders;
  const stated = readingsOf(sent.limitHeaders).map((each) =>
    each.find(({ limit, remaining }) => limit !== undefined && remaining !== undefined),
  );
  const jumps: Jump[] = [];
  let last: { readonly row: number; readonly remaining: number } | undefined;
  for (const row of rows) {
    const { limit, remaining } = stated[code[row] as number] ?? {};
    if (limit === undefined || remaining === undefined) continue;
    const sentNs = sent.sentNs[row] as number;
    const isJump = last !== undefined && last.remaining <= usedPart * limit && remaining >= limit - nearlyAll;
    if (last !== undefined && isJump && (sent.answeredNs[last.row] as number) <= sentNs)
      jumps.push({
        ns: sentNs,
        tookNs: (sent.answeredNs[row] as number) - (sent.sentNs[last.row] as number),
        seqs: [sent.seq[last.row] as number, sent.seq[row] as number],
      });
    last = { row, remaining };
  }
  return jumps;
}
