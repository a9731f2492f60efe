import { countBelow, countUpTo, nearBelow, nearUpTo, valuesAt } from '../../../limits/arrays.ts';
import { type Claims, type HeaderContext, lagNs, readingAt } from './claims.ts';
import { compare, type Envelope, faultAt, isSystematic, type Quantity, upTo } from './comparison.ts';
import { anyLimiter } from './limiter.ts';

/** A count may differ by this part of the limit, or by two requests. */
function slackOf({ limit }: Claims): number {
  return Math.max(2, limit / 20);
}

/** Another user may have spent what remained, but hardly within this part of a window and repeatedly. */
const freshPart = 1 / 10;

/** How many requests remain. */
export const remaining: Quantity = {
  values: ({ remaining: left }) => ({ least: left, most: left }),
  rules: [
    {
      wrong: 'remaining-above-limit',
      envelope: (claims) => (i) => {
        const { limit } = readingAt(claims, i);
        return limit === undefined ? undefined : upTo(limit);
      },
    },
    {
      wrong: 'used-and-remaining',
      envelope: (claims) => (i) => {
        const { limit, used } = readingAt(claims, i);
        if (limit === undefined || used === undefined) return undefined;
        const rest = Math.max(0, limit - used);
        return { least: rest - 1, most: rest + 1 };
      },
    },
    {
      // By another policy nothing may remain.
      wrong: 'rejected-with-remaining',
      envelope: (claims) => (i) =>
        claims.limited[i] === 1 && (claims.statements[i]?.leastRemaining ?? 0) > slackOf(claims)
          ? upTo(slackOf(claims))
          : undefined,
    },
    { wrong: 'rejected-next', envelope: beforeRejections },
  ],
  patterns(claims, context, known) {
    const { limit, sent, spending, windowNs } = claims;
    if (known !== undefined || windowNs === undefined) return [];
    const slack = slackOf(claims);
    let fewest: readonly number[] | undefined;
    for (const after of anyLimiter(sent, spending, { requests: limit, windowNs }, lagNs(context))) {
      const { above } = compare(claims, (i) => {
        const state = after(claims.rows[i] as number);
        return state === undefined ? undefined : upTo(state.left.most + slack);
      });
      if (!isSystematic(above)) return [];
      if (fewest === undefined || above.at.length < fewest.length) fewest = above.at;
    }
    const at = fewest ?? [];
    const isConstant = new Set(at.map((i) => claims.remaining[i])).size === 1;
    return faultAt(isConstant ? 'remaining-constant' : 'remaining-rises', claims, at);
  },
  // Parts of a request may be rounded either way.
  inState:
    () =>
    ({ left: { least, most } }) =>
      Number.isFinite(least) && Number.isFinite(most)
        ? { least: Math.max(0, Math.floor(least)), most: Math.max(0, Math.ceil(most)) }
        : undefined,
  // More than there is, is wrong. Less may be due to other users of the key, unless there can be none.
  differs: ({ known }) => ({
    above: 'remaining-too-high',
    below: known?.seesAll === true ? 'remaining-too-low' : undefined,
  }),
  odd: ({ statements }) =>
    statements.some(({ reading }) => (reading.remaining ?? 0) < 0) ? ['remaining-negative'] : [],
};

/** What the very next request, which was rejected, and whatever else can have come between may have used up. */
function beforeRejections(claims: Claims, context: HeaderContext): Envelope {
  const { byAnswer, possible, rejected, sent, sentNs, statements } = claims;
  const inOrderNs = valuesAt(claims.answeredNs, byAnswer);
  const most = new Map<number, number>();
  for (const row of rejected) {
    const rejectedSentNs = sent.sentNs[row] as number;
    const place = countBelow(inOrderNs, rejectedSentNs) - 1;
    const before = byAnswer[place];
    if (before === undefined) continue;
    if (rejectedSentNs - (inOrderNs[place] as number) > context.promised.windowNs * freshPart) continue;
    const arrived = countUpTo(possible.sentNs, sent.answeredNs[row] as number);
    const counted = countBelow(possible.answeredNs, (sentNs[before] as number) - lagNs(context));
    // Neither of the two took a place from the other.
    const between = (arrived - counted) * context.mostCounted - 2 + slackOf(claims);
    if ((statements[before]?.leastRemaining ?? 0) > between) most.set(before, between);
  }
  return (i) => {
    const bound = most.get(i);
    return bound === undefined ? undefined : upTo(bound);
  };
}
/** Counts are rounded either way, at both ends. */
const rounding = 2;

/**
 * How many places were surely taken beyond what was sent, by another user or by requests that count more than once: by how much
 * more, all in all, `remaining` falls from one answer to a later request, without two falls that share an instant.
 */
export function takenBeside(claims: Claims, context: HeaderContext): number {
  const { answeredNs, byAnswer, length, possible, remaining: left, sentNs } = claims;
  const answeredBelow = nearBelow(possible.answeredNs);
  const sentUpTo = nearUpTo(possible.sentNs);
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
