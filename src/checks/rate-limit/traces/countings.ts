import { isWord, type Rows, rowsWhere, type SentRequests } from '../../../limits/sent/columns.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { TriedProbe } from './scope.ts';

/** Another way in which a limiter of the promised kind and size may count: it is judged by the same fit. */
export interface OtherCounting {
  /** Whether the counter that rejects has counted a row. */
  readonly isCounted: (row: number) => boolean;
  readonly reason: Reason;
  readonly cause: Suspect;
}

/** Requests with a shorter pause than this between them are one burst: tried one after the other, in windows. */
const pauseParts = [0.02, 0.05, 0.1, 0.25, 0.5];

/** All of these, the simplest first. `tried`: what a study tried at the limit. */
export function* otherCountings(
  sent: SentRequests,
  limit: RateLimit,
  tried: readonly TriedProbe[],
): Generator<OtherCounting> {
  const lists = tried.filter(({ probe, sharing }) => probe === 'scope:analytics' && sharing === 'separate');
  if (lists.length > 0) yield byUrl(sent);
  for (const part of pauseParts) {
    const counting = butForTheFirst(sent, limit, part * limit.windowMs * 1e6);
    if (counting !== undefined) yield counting;
  }
}

/** The URL of the most lists with each key: most of the others were asked for a few times only. */
function byUrl(sent: SentRequests): OtherCounting {
  const { catalog, chargedTo } = sent;
  const isList = isWord(sent.endpoint, 'list-shades');
  const most = new Map(
    [...Map.groupBy(rowsWhere(sent, isList), (row) => chargedTo.code[row])].map(([key, own]) => {
      const asked = own.filter((row) => catalog.code[row] !== 0);
      const [commonest] = [...Map.groupBy(asked, (row) => catalog.code[row])].toSorted(
        ([, a], [, b]) => b.length - a.length,
      );
      return [key, commonest?.[0]];
    }),
  );
  const isCounted = (row: number): boolean =>
    !isList(row) || catalog.code[row] === 0 || catalog.code[row] === most.get(chargedTo.code[row]);
  return { isCounted, reason: reason('scope-urls-separate'), cause: fits('limit-per-url', {}) };
}

/** As many more than the limit passed before the first rejection of a burst, where that came within a window. Undefined where none were. */
function butForTheFirst(
  sent: SentRequests,
  { requests, windowMs }: RateLimit,
  pauseNs: number,
): OtherCounting | undefined {
  const { chargedTo, sentNs, status } = sent;
  const bursts = [...new Set(chargedTo.code)].flatMap((key) =>
    burstsOf(
      sent,
      rowsWhere(sent, (row) => chargedTo.code[row] === key),
      pauseNs,
    ),
  );
  const passed = bursts.flatMap((burst) => {
    const first = burst.findIndex((row) => status[row] === 429);
    const tookNs = (sentNs[burst[first] ?? -1] ?? Number.NaN) - (sentNs[burst[0] ?? -1] ?? 0);
    return tookNs < windowMs * 1e6 ? [first] : [];
  });
  const free = Math.max(0, ...passed) - requests;
  // As many as the limit may as well be those of a second node.
  if (free < leastFree || free >= mostPart * requests) return undefined;
  const uncounted = new Set(bursts.flatMap((burst) => burst.slice(0, free)));
  const params = { free, pauseMs: pauseNs / 1e6 };
  return {
    isCounted: (row) => !uncounted.has(row),
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
