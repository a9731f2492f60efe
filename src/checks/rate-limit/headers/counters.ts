import type { Claims } from './claims.ts';

/** Answers in flight at the same time come in another order: a number may be off by this. */
const near = 3;
const mostCounters = 4;
/** Numbers that do not continue any before: at least this part if several counters are taken for one, and how much fewer if not. */
const brokenPart = 0.03;
const timesFewer = 3;
/** Each counter counts at least this part of the requests, at the endpoint that got most of them, too. */
const leastPart = 0.1;
const fewest = 100;

/** By how many counters together the `remaining` of one key can be explained, where one does not explain it. */
export function countersIn(all: readonly Claims[]): number | undefined {
  const keys = Map.groupBy(all, ({ rows, sent }) => sent.chargedTo.code[rows[0] as number]);
  for (const own of keys.values()) {
    const said = own
      .flatMap(({ rows, statements }) =>
        Array.from(rows, (row, i) => ({ row, left: statements[i]?.reading.remaining })),
      )
      .toSorted((a, b) => a.row - b.row)
      .flatMap(({ left, row }) => (left === undefined ? [] : [{ row, left }]));
    const [most] = own.toSorted((a, b) => b.length - a.length);
    const rows = new Set(most?.rows);
    const nodes = interleaved(
      said.map(({ left }) => left),
      said.map(({ row }) => rows.has(row)),
    );
    if (nodes !== undefined) return nodes;
  }
  return undefined;
}

/** The least number of sequences that fall by one each time, and of which `numbers` is a mixture. `isOfOne`: those of one endpoint. */
export function interleaved(numbers: readonly number[], isOfOne: readonly boolean[]): number | undefined {
  let fewer = taken(numbers, 1).breaks;
  if (numbers.length < fewest || fewer < brokenPart * numbers.length) return undefined;
  let found: number | undefined;
  for (let counters = 2; counters <= mostCounters; counters++) {
    const { breaks, by } = taken(numbers, counters);
    const parts = [by, by.filter((_, i) => isOfOne[i])];
    const areAll = Array.from({ length: counters }).every((_, each) =>
      parts.every((part) => part.filter((one) => one === each).length >= leastPart * part.length),
    );
    if (breaks * timesFewer > fewer || !areAll) break;
    [fewer, found] = [breaks, counters];
  }
  return found;
}

/** Gives each number to the sequence that it continues best. */
function taken(numbers: readonly number[], counters: number): { breaks: number; by: number[] } {
  const last: number[] = [];
  let breaks = 0;
  const by = numbers.map((number) => {
    const off = last.map((before) => Math.abs(before - 1 - number));
    const least = Math.min(...off);
    const isNext = least <= near;
    if (!isNext) breaks++;
    const place = !isNext && last.length < counters ? last.length : off.indexOf(least);
    last[place] = number;
    return place;
  });
  return { breaks, by };
}
