import type { JudgedStream } from '../judged.ts';
import { readLimitHeaders } from './dialects.ts';

/** From so much of the limit, or less, back to nearly all of it. */
const usedPart = 0.9;
const nearlyAll = 2;
/** A window begins anew once in its length; a second time may be seen where answers overtook each other. */
const leastTimes = 3;

/** How often, at the most within a window, headers say that nearly the whole limit remains again. */
export interface StartsAnew {
  readonly times: number;
  /** Each answer that says so, after the one before it. */
  readonly seqs: readonly number[];
}

interface Jump {
  readonly ns: number;
  readonly seqs: readonly number[];
}

/** Where `remaining` jumps back to nearly the whole limit more often than windows begin: the count was lost. */
export function startsAnew(judged: JudgedStream): StartsAnew | undefined {
  const jumps = jumpsOf(judged);
  const spanNs = usedPart * judged.promised.windowNs;
  let most: readonly Jump[] = [];
  let from = 0;
  jumps.forEach(({ ns }, to) => {
    while ((jumps[from] as Jump).ns <= ns - spanNs) from++;
    if (to - from + 1 > most.length) most = jumps.slice(from, to + 1);
  });
  return most.length < leastTimes
    ? undefined
    : { times: most.length, seqs: most.flatMap(({ seqs }) => seqs) };
}

function jumpsOf({ stream: { rows, sent } }: JudgedStream): Jump[] {
  const { code, words } = sent.limitHeaders;
  // A header is repeated by many answers; it is read once.
  const sayings = words.map((word) =>
    readLimitHeaders(word).find(({ limit, remaining }) => limit !== undefined && remaining !== undefined),
  );
  const jumps: Jump[] = [];
  let last: { readonly row: number; readonly remaining: number } | undefined;
  for (const row of rows) {
    const { limit, remaining } = sayings[code[row] as number] ?? {};
    if (limit === undefined || remaining === undefined) continue;
    const sentNs = sent.sentNs[row] as number;
    const isJump = last !== undefined && last.remaining <= usedPart * limit && remaining >= limit - nearlyAll;
    if (last !== undefined && isJump && (sent.answeredNs[last.row] as number) <= sentNs)
      jumps.push({ ns: sentNs, seqs: [sent.seq[last.row] as number, sent.seq[row] as number] });
    last = { row, remaining };
  }
  return jumps;
}
