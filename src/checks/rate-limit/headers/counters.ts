import { nearBelow, nearUpTo } from '../../../limits/arrays.ts';
import { type Claims, type HeaderContext, lagNs } from './claims.ts';

/** Counts are rounded either way, at both ends. */
const rounding = 2;

/**
 * How many places were surely taken beyond what was sent, by another user or by requests that count more than once: by how much
 * more, all in all, `remaining` falls from one answer to a later request, without two falls that share an instant.
 */
export function takenBeside(claims: Claims, context: HeaderContext): number {
  const { answeredNs, byAnswer, competing, length, remaining: left, sentNs } = claims;
  const answeredBelow = nearBelow(competing.answeredNs);
  const sentUpTo = nearUpTo(competing.sentNs);
  // What remains and what was counted until then: at most before the one request, and at least after the other.
  const most = left.map((value, i) => value + answeredBelow((sentNs[i] as number) - lagNs(context)));
  const least = left.map((value, i) => value + sentUpTo(answeredNs[i] as number));
  let [sum, answered, endNs] = [0, 0, Number.NEGATIVE_INFINITY];
  let highest = Number.NaN;
  for (let i = 0; i < length; i++) {
    for (; answered < length; answered++) {
      const earlier = byAnswer[answered] as number;
      if ((answeredNs[earlier] as number) >= (sentNs[i] as number)) break;
      const value = most[earlier] as number;
      if ((sentNs[earlier] as number) > endNs && !(value <= highest))
        highest = Number.isNaN(value) ? highest : value;
    }
    const by = highest - (least[i] as number);
    // Also if there is no value.
    if (!(by > rounding)) continue;
    sum += by;
    endNs = answeredNs[i] as number;
    highest = Number.NaN;
  }
  return Math.ceil(sum);
}

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
  for (const own of Map.groupBy(all, ({ rows, sent }) => sent.chargedTo.code[rows[0] as number]).values()) {
    const [most] = own.toSorted((a, b) => b.length - a.length);
    const busiest = new Set(most?.rows);
    const said = own
      .flatMap(({ rows, statements }) =>
        statements.flatMap(({ remaining: left }, i) =>
          left === undefined ? [] : [{ row: rows[i] as number, left }],
        ),
      )
      .toSorted((a, b) => a.row - b.row);
    const nodes = interleaved(
      said.map(({ left }) => left),
      said.map(({ row }) => busiest.has(row)),
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
