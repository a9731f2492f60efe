import type { JudgedStream } from '../judged.ts';
import { wordAt } from '../sent.ts';
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

/** Where `remaining` jumps back to nearly the whole limit more often than windows begin: the count was lost. */
export function startsAnew({ promised, stream: { rows, sent } }: JudgedStream): StartsAnew | undefined {
  const jumps: { readonly ns: number; readonly seqs: readonly number[] }[] = [];
  let last: { readonly row: number; readonly remaining: number } | undefined;
  for (const row of rows) {
    const said = readLimitHeaders(wordAt(sent.limitHeaders, row)).find(
      ({ limit, remaining }) => limit !== undefined && remaining !== undefined,
    );
    if (said?.limit === undefined || said.remaining === undefined) continue;
    const sentNs = sent.sentNs[row] as number;
    const isAfter = last !== undefined && (sent.answeredNs[last.row] as number) <= sentNs;
    if (
      last !== undefined &&
      isAfter &&
      last.remaining <= usedPart * said.limit &&
      said.remaining >= said.limit - nearlyAll
    )
      jumps.push({ ns: sentNs, seqs: [sent.seq[last.row] as number, sent.seq[row] as number] });
    last = { row, remaining: said.remaining };
  }
  const within = jumps.map(({ ns }) =>
    jumps.filter((each) => each.ns >= ns && each.ns < ns + usedPart * promised.windowNs),
  );
  const most = within.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return most.length < leastTimes
    ? undefined
    : { times: most.length, seqs: most.flatMap(({ seqs }) => seqs) };
}
