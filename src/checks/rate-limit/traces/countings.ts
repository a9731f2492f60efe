import { readLimitHeaders } from '../../../history/limit-headers.ts';
import {
  isSuccess,
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
  seqsOf,
} from '../../../limits/sent/columns.ts';
import type { TraceOptions } from '../../../limits/sent/traces.ts';
import type { Profile } from '../../../target/profile.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { TriedProbe } from './scope.ts';

/** Another way in which a limiter of the promised kind and size may count: it is judged by the same fit. */
export interface OtherCounting {
  readonly counters: Required<TraceOptions>['counters'];
  /** Of the explanation, where it is not the usual one. */
  readonly price?: number;
  /** It explains so much that a study has to find the limiter as promised by it. */
  readonly isVague?: true;
  /** Nearly right is not enough: some endpoint gets fewer answers wrong than the others by chance. */
  readonly isExact?: true;
  readonly reason: Reason;
  readonly cause: Suspect;
}

/** Requests with a shorter pause than this between them are one burst: tried one after the other, in windows. */
const pauseParts = [0.02, 0.05, 0.1, 1 / 6, 0.25, 0.5];
/** How long a repeated request may be free, seconds. */
const repeatsS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30];
/** How many other keys may make a limiter forget one. */
const mostOthers = 4;
/** Places that one request may take. */
const mostPlaces = 3;
/** Losses of a count that an accident explains, and the most that are tried: a count that is cleared once in a while. */
const losses = [
  { most: 4, price: 2.1 },
  { most: 40, price: 3.45 },
] as const;

/** All of these, the simplest first. `tried`: what a study tried at the limit. */
export function* otherCountings(
  sent: SentRequests,
  { rate_limit: limit, redeliveries }: Pick<Profile, 'rate_limit' | 'redeliveries'>,
  tried: readonly TriedProbe[],
): Generator<OtherCounting> {
  const lists = tried.filter(({ probe, sharing }) => probe === 'scope:analytics' && sharing === 'separate');
  if (lists.length > 0) yield byUrl(sent);
  if (redeliveries === 0 && !statesOtherLimit(sent, limit)) yield* byEndpoint(sent);
  for (let others = 1; others <= mostOthers; others++) {
    const counting = forgottenAfter(sent, limit, others);
    if (counting !== undefined) yield counting;
  }
  for (const seconds of repeatsS)
    for (const isRenewed of [false, true]) yield* freeRepeats(sent, seconds, isRenewed);
  for (const part of pauseParts) {
    const counting = butForTheFirst(sent, limit, part * limit.windowMs * 1e6);
    if (counting !== undefined) yield counting;
  }
  for (const each of losses) yield startsAnew(sent, limit, each);
}

/** Whether headers state another limit, at times: then that is what changed. */
export function statesOtherLimit(
  { limitHeaders: { words } }: SentRequests,
  { requests }: RateLimit,
): boolean {
  return words.flatMap(readLimitHeaders).some(({ limit = requests }) => limit !== requests);
}

/** Each list by itself, where other endpoints pass: those of the catalog that was read most share their counter with no other. */
function byUrl(sent: SentRequests): OtherCounting {
  const { catalog, chargedTo, endpoint } = sent;
  const isList = isWord(endpoint, 'list-shades');
  const read = Map.groupBy(
    rowsWhere(sent, (row) => isList(row) && catalog.code[row] !== 0),
    (row) => chargedTo.code[row],
  );
  const most = new Map(
    [...read].map(([key, rows]) => {
      const [first] = [...Map.groupBy(rows, (row) => catalog.code[row])].toSorted(
        ([, a], [, b]) => b.length - a.length,
      );
      return [key, first?.[0]];
    }),
  );
  const isCounted = (row: number): boolean =>
    !isList(row) || catalog.code[row] === 0 || catalog.code[row] === most.get(chargedTo.code[row]);
  return {
    counters: (rows) => [rows.filter(isCounted)],
    reason: reason('scope-urls-separate'),
    cause: fits('limit-per-url', {}),
  };
}

/** Requests to one endpoint take several places, or none although they are rejected at the limit. */
function* byEndpoint(sent: SentRequests): Generator<OtherCounting> {
  const { code, words } = sent.endpoint;
  const present = new Set(code);
  for (const own of present.size > 1 ? present : [])
    for (let places = mostPlaces; places >= 0; places--) {
      // What is never rejected is tried at the limit, too: that tells.
      const isRejected = code.some((each, row) => each === own && sent.status[row] === 429);
      if (places === 1 || (places === 0 && !isRejected)) continue;
      const endpoint = words[own] ?? '';
      const seqs = seqsOf(
        sent,
        rowsWhere(sent, (row) => code[row] === own),
      ).slice(0, 4);
      /** With a place or two left, one that takes several is rejected before others are: that bounds the limit only for them. */
      const times = (row: number): readonly number[] => {
        if (code[row] !== own) return [row];
        if (places === 0) return isSuccess(sent, row) ? [] : [row];
        return sent.status[row] === 429 ? [] : new Array<number>(places).fill(row);
      };
      yield {
        isExact: true,
        counters: (rows) => [Int32Array.from(Array.from(rows).flatMap(times))],
        reason: reason('scope-endpoint-counts', { endpoint, places }),
        cause:
          places === 0
            ? fits('endpoint-not-limited', { endpoint }, seqs)
            : fits('requests-count-more', { endpoints: [endpoint], places }, seqs),
      };
    }
}

/** A list that is asked for again within some time is not counted: since it was counted last, or since it was asked for last. */
function* freeRepeats(sent: SentRequests, seconds: number, isRenewed: boolean): Generator<OtherCounting> {
  const { catalog, chargedTo, sentNs } = sent;
  const isList = isWord(sent.endpoint, 'list-shades');
  const lastNs = new Map<string, number>();
  const free = new Set<number>();
  for (let row = 0; row < sent.length; row++) {
    if (!isList(row) || catalog.code[row] === 0) continue;
    const call = `${chargedTo.code[row]} ${catalog.code[row]}`;
    const ns = sentNs[row] as number;
    const isFree = ns - (lastNs.get(call) ?? Number.NEGATIVE_INFINITY) < seconds * 1e9;
    if (isFree) free.add(row);
    if (!isFree || isRenewed) lastNs.set(call, ns);
  }
  if (free.size === 0) return;
  yield {
    counters: (rows) => [rows.filter((row) => !free.has(row))],
    reason: reason('scope-repeats-free', { withinMs: seconds * 1e3 }),
    cause: fits('repeats-not-counted', { withinMs: seconds * 1e3 }),
  };
}

/**
 * The count of a key is lost after a number of others were used: where that is certain, and where it may be and an answer needs
 * it. Undefined where no key can have been forgotten.
 */
function forgottenAfter(sent: SentRequests, limit: RateLimit, others: number): OtherCounting | undefined {
  const { answeredNs, credential, chargedTo, sentNs } = sent;
  const isKey = chargedTo.words.map((word) => roles.some((role) => role === word));
  const [none, session] = [credential.words.indexOf('none'), credential.words.indexOf('session')];
  /** Of each user of the limiter, the latest request. A token may be taken for a key. */
  const last = new Map<number, { sentNs: number; answeredNs: number }>();
  const [surely, maybe] = [new Set<number>(), new Set<number>()];
  for (let row = 0; row < sent.length; row++) {
    const code = credential.code[row] as number;
    if (code === none) continue;
    const user = code === session ? -1 : (chargedTo.code[row] as number);
    const now = { sentNs: sentNs[row] as number, answeredNs: answeredNs[row] as number };
    const before = last.get(user);
    if (before !== undefined && user !== -1) {
      let [least, most] = [0, 0];
      for (const [other, use] of last) {
        if (other === user) continue;
        if (use.answeredNs >= before.sentNs) most++;
        const isBetween = use.sentNs > before.answeredNs && use.answeredNs < now.sentNs;
        if (isBetween && isKey[other] === true) least++;
      }
      if (least >= others) surely.add(row);
      else if (most >= others) maybe.add(row);
    }
    last.set(user, { ...now, answeredNs: Math.max(now.answeredNs, before?.answeredNs ?? 0) });
  }
  if (surely.size === 0) return undefined;
  const seqs = seqsOf(sent, Int32Array.from([...surely].slice(0, 4)));
  return {
    counters: (rows) =>
      startingAt(
        sent,
        rows,
        limit,
        (row) => surely.has(row),
        (row) => maybe.has(row),
      ),
    reason: reason('scope-keys-forgotten', { others }),
    cause: fits('forgets-keys', { others }, seqs),
  };
}

/** The count is lost at times, whenever more is admitted than it allows: since the last rejection. */
function startsAnew(
  sent: SentRequests,
  limit: RateLimit,
  { most, price }: (typeof losses)[number],
): OtherCounting {
  return {
    counters(rows) {
      let isRejected = false;
      const counters = startingAt(
        sent,
        rows,
        limit,
        () => false,
        (row) => {
          const mayBe = isRejected;
          isRejected = sent.status[row] === 429;
          return mayBe && !isRejected;
        },
      );
      return counters.length - 1 > most ? [rows] : counters;
    },
    price,
    ...(most > losses[0].most ? { isVague: true } : {}),
    reason: reason('scope-counts-forgotten', limit),
    cause: fits('counts-forgotten', { limit: limit.requests }),
  };
}

/** Counters one after the other: each begins where it has to, or, if an admission needs it, where it last may have. */
function startingAt(
  sent: SentRequests,
  rows: Rows,
  { requests, windowMs }: RateLimit,
  hasTo: (row: number) => boolean,
  mayHave: (row: number) => boolean,
): Rows[] {
  const { answeredNs, sentNs } = sent;
  const starts: number[] = [0];
  let [mayStart, counted]: [number, number[]] = [-1, []];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    if (hasTo(row)) {
      starts.push(at);
      counted = [];
    } else if (mayHave(row)) mayStart = at;
    if (!isSuccess(sent, row)) continue;
    const fromNs = (answeredNs[row] as number) - windowMs * 1e6;
    const inWindow = (each: number): boolean =>
      (sentNs[each] as number) > fromNs && (answeredNs[each] as number) < (sentNs[row] as number);
    if (mayStart > (starts.at(-1) ?? 0) && counted.filter(inWindow).length >= requests) {
      starts.push(mayStart);
      counted = counted.filter((each) => each >= (rows[mayStart] as number));
    }
    counted.push(row);
    if (counted.length > 4 * requests) counted = counted.filter((each) => (sentNs[each] as number) > fromNs);
  }
  return starts.map((start, k) => rows.slice(start, starts[k + 1])).filter(({ length }) => length > 0);
}

/** As many more than the limit passed before the first rejection of a burst, where that came within a window. Undefined where none were. */
function butForTheFirst(
  sent: SentRequests,
  { requests, windowMs }: RateLimit,
  pauseNs: number,
): OtherCounting | undefined {
  const { chargedTo, sentNs, status } = sent;
  const keys = [...new Set(chargedTo.code)].map((key) =>
    burstsOf(
      sent,
      rowsWhere(sent, (row) => chargedTo.code[row] === key),
      pauseNs,
    ),
  );
  const passed = keys.flat().flatMap((burst) => {
    const first = burst.findIndex((row) => status[row] === 429);
    const tookNs = (sentNs[burst[first] ?? -1] ?? Number.NaN) - (sentNs[burst[0] ?? -1] ?? 0);
    return tookNs < windowMs * 1e6 ? [first] : [];
  });
  const free = Math.max(0, ...passed) - requests;
  // As many as the limit may as well be those of a second node.
  if (free < leastFree || free >= mostPart * requests) return undefined;
  const params = { free, pauseMs: Math.round(pauseNs / 1e6) };
  return {
    counters: (rows) => [
      Int32Array.from(burstsOf(sent, rows, pauseNs).flatMap((burst) => burst.slice(free))),
    ],
    reason: reason('scope-bursts-free', params),
    cause: fits('bursts-not-counted', params),
  };
}

/** Fewer may come of requests that overtook each other. */
const leastFree = 3;
const mostPart = 0.9;

function burstsOf({ sentNs }: SentRequests, rows: Rows, pauseNs: number): number[][] {
  const bursts: number[][] = [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined || (sentNs[row] as number) - (sentNs[before] as number) >= pauseNs)
      bursts.push([]);
    bursts.at(-1)?.push(row);
  }
  return bursts;
}
