import type { RequestRecord } from '../../history/record.ts';
import {
  type Credential,
  credentials,
  type Endpoint,
  endpoints,
  type LossReason,
  lossReasons,
  type NotSentReason,
  notSentReasons,
} from '../../vocabulary/requests.ts';

/**
 * Upper bounds of the buckets that durations are counted in, seconds. Twelve to a factor of ten, so that a quantile read
 * from them is within a few percent; every bound that a metric shows is one of them.
 */
const perDecade = [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7.5];
const decades = [1e-4, 1e-3, 1e-2, 1e-1, 1];

export const boundaries: readonly number[] = [
  ...decades.flatMap((decade) => perDecade.map((bound) => Number((bound * decade).toPrecision(3)))),
  10,
];

const boundsNs = Float64Array.from(boundaries, (seconds) => Math.round(seconds * 1e9));

/** Buckets of a duration: one for each bound, and one for what is longer than all. */
export const bucketCount = boundsNs.length + 1;

/** The bucket of a duration: the first whose bound is not below it. */
export function bucketOf(ns: number): number {
  let low = 0;
  let high = boundsNs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boundsNs[middle] as number) < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bounds that the semantic conventions of OpenTelemetry prescribe for HTTP durations, seconds. */
export const conventionBounds: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Finer below 5 ms, where a service close by answers. */
export const responseBounds: readonly number[] = [0.0005, 0.001, 0.0025, ...conventionBounds];

/** A generator that keeps its pace is late by less than a millisecond. */
export const lagBounds: readonly number[] = [0.0001, 0.00025, ...responseBounds];

/** The counts of the fine buckets, added up between coarser bounds. `bounds` are among `boundaries`. */
export function coarsened(counts: ArrayLike<number>, bounds: readonly number[]): number[] {
  const coarse = new Array<number>(bounds.length + 1).fill(0);
  let at = 0;
  for (let fine = 0; fine < counts.length; fine++) {
    while (at < bounds.length && (boundaries[fine] ?? Number.POSITIVE_INFINITY) > (bounds[at] as number))
      at++;
    coarse[at] = (coarse[at] as number) + (counts[fine] as number);
  }
  return coarse;
}

/** A quantile, seconds, by linear interpolation within its bucket; `least` and `most`: the extremes of the values. */
export function quantileOf(
  counts: ArrayLike<number>,
  share: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  let all = 0;
  for (let at = 0; at < counts.length; at++) all += counts[at] as number;
  const rank = share * all;
  let below = 0;
  for (let at = 0; at < counts.length; at++) {
    const inside = counts[at] as number;
    if (inside > 0 && below + inside >= rank) {
      const from = Math.max(least, at === 0 ? 0 : (boundaries[at - 1] as number));
      const to = Math.min(most, boundaries[at] ?? most);
      return Math.max(least, from + (to - from) * Math.max(0, (rank - below) / inside));
    }
    below += inside;
  }
  return most;
}

/*
 * The figures of one sender, in memory that the exporting thread reads: a sender only adds to numbers. Requests with the
 * same endpoint, credential and outcome share a cell. Durations are nanoseconds.
 */

/** Words of a cell. The code is 0 while the cell is free. */
const word = { code: 0, requests: 1 } as const;
/** A duration's words: its sum, then its buckets. */
const durationWords = 1 + bucketCount;
const durationAt = { service: 2, response: 2 + durationWords, lag: 2 + 2 * durationWords } as const;
const cellWords = 2 + 3 * durationWords;

/** The last one takes what has no other: a target may answer with any status. */
const cellCount = 256;
const overflowCode = 1;
const firstCode = 2;

/** Statuses have three digits, so smaller numbers are free for what is none. */
const outcomes = 1_000;
const firstLoss = 1;
const firstNotSent = 50;
/** The number of an endpoint that requests of closed loops are counted under. */
const closedLoop = endpoints.length;

const numbered = (names: readonly string[], first = 0): ReadonlyMap<string, number> =>
  new Map(names.map((name, n) => [name, first + n]));
const endpointNumbers = numbered(endpoints);
const credentialNumbers = numbered(credentials);
const lossNumbers = numbered(lossReasons, firstLoss);
const notSentNumbers = numbered(notSentReasons, firstNotSent);

/** Memory for the figures of one sender. */
export function figuresMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * cellWords * Float64Array.BYTES_PER_ELEMENT);
}

/** Counts requests for the metrics of a run under way. What is judged comes from the history, never from here. */
export class Figures {
  readonly #words: Float64Array;
  /** Where the cell of a code begins. */
  readonly #places = new Map<number, number>();

  constructor(memory: SharedArrayBuffer = figuresMemory()) {
    this.#words = new Float64Array(memory);
  }

  record({
    answeredNs,
    credential,
    endpoint,
    firstSentNs,
    intendedNs,
    lost,
    notSent,
    readyNs,
    sentNs,
    status,
  }: RequestRecord): void {
    const outcome =
      status ?? (lost === undefined ? notSentNumbers.get(notSent ?? '') : lossNumbers.get(lost));
    const cell = this.#cell(endpointNumbers.get(endpoint), credentialNumbers.get(credential), outcome);
    this.#add(cell + word.requests, 1);
    if (sentNs === undefined) return;
    this.#duration(cell + durationAt.lag, (firstSentNs ?? sentNs) - readyNs);
    if (answeredNs === undefined) return;
    this.#duration(cell + durationAt.response, answeredNs - intendedNs);
    this.#duration(cell + durationAt.service, answeredNs - sentNs);
  }

  /** A request of a closed loop, which has no record; `status` if it was answered. */
  closed(status = 0): void {
    this.#add(this.#cell(closedLoop, 0, status) + word.requests, 1);
  }

  #duration(at: number, ns: number): void {
    const spentNs = ns > 0 ? ns : 0;
    this.#add(at, spentNs);
    this.#add(at + 1 + bucketOf(spentNs), 1);
  }

  #add(at: number, by: number): void {
    this.#words[at] = (this.#words[at] ?? 0) + by;
  }

  #cell(endpoint = 0, credential = 0, outcome = 0): number {
    const code = firstCode + (endpoint * credentials.length + credential) * outcomes + outcome;
    return this.#places.get(code) ?? this.#place(code);
  }

  #place(code: number): number {
    const isLast = this.#places.size >= cellCount - 1;
    const place = Math.min(this.#places.size, cellCount - 1) * cellWords;
    if (!isLast) this.#places.set(code, place);
    this.#words[place + word.code] = isLast ? overflowCode : code;
    return place;
  }
}

/** Sum and fine buckets of a duration. */
export interface DurationFigures {
  sumNs: number;
  readonly buckets: Float64Array;
}

/** What became of the requests of a cell. */
export type MetricOutcome =
  | { readonly status: number }
  | { readonly lost: LossReason }
  | { readonly notSent: NotSentReason }
  | { readonly other: true };

/** Requests with the same endpoint, credential and outcome, of all senders together. */
export interface RequestFigures {
  /** `closed-loop`: of autocannon, of which only the status is known. Undefined for the cell of all others. */
  readonly endpoint: Endpoint | 'closed-loop' | undefined;
  readonly credential: Credential | undefined;
  readonly outcome: MetricOutcome;
  requests: number;
  readonly service: DurationFigures;
  readonly response: DurationFigures;
  readonly lag: DurationFigures;
}

/** The cells of all senders as they stand, each sender's memory read once. */
export function readCells(memories: readonly SharedArrayBuffer[]): RequestFigures[] {
  const cells = new Map<number, RequestFigures>();
  for (const memory of memories) {
    const words = new Float64Array(memory);
    for (let at = 0; at < words.length; at += cellWords) {
      const code = words[at + word.code] ?? 0;
      if (code === 0) continue;
      const cell = cells.get(code) ?? emptyCell(code);
      cells.set(code, cell);
      addTo(cell, words, at);
    }
  }
  return [...cells.values()];
}

function addTo(cell: RequestFigures, words: Float64Array, at: number): void {
  cell.requests += words[at + word.requests] ?? 0;
  for (const name of ['service', 'response', 'lag'] as const) {
    const from = at + durationAt[name];
    cell[name].sumNs += words[from] ?? 0;
    for (let bucket = 0; bucket < bucketCount; bucket++)
      cell[name].buckets[bucket] = (cell[name].buckets[bucket] ?? 0) + (words[from + 1 + bucket] ?? 0);
  }
}

function emptyCell(code: number): RequestFigures {
  const subject = Math.floor((code - firstCode) / outcomes);
  const endpoint = Math.floor(subject / credentials.length);
  const isOther = code === overflowCode;
  return {
    endpoint: isOther ? undefined : (endpoints[endpoint] ?? 'closed-loop'),
    credential: isOther || endpoint === closedLoop ? undefined : credentials[subject % credentials.length],
    outcome: isOther ? { other: true } : outcomeOf((code - firstCode) % outcomes),
    requests: 0,
    service: { sumNs: 0, buckets: new Float64Array(bucketCount) },
    response: { sumNs: 0, buckets: new Float64Array(bucketCount) },
    lag: { sumNs: 0, buckets: new Float64Array(bucketCount) },
  };
}

function outcomeOf(number: number): MetricOutcome {
  const lost = lossReasons[number - firstLoss];
  if (lost !== undefined) return { lost };
  const notSent = notSentReasons[number - firstNotSent];
  return notSent === undefined ? (number === 0 ? { other: true } : { status: number }) : { notSent };
}
