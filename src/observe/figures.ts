import type { RequestRecord } from '../history/record.ts';
import {
  type Credential,
  credentials,
  type Endpoint,
  endpoints,
  type LossReason,
  lossReasons,
  type NotSentReason,
  notSentReasons,
} from '../vocabulary/requests.ts';
import { bucketCount, bucketOf } from './boundaries.ts';

/*
 * The figures of one sender, in memory that the exporting thread reads: a sender only adds to numbers. Requests with the
 * same endpoint, credential and outcome share a cell. Durations are nanoseconds.
 */

/** Words of a cell. The code is 0 while the cell is free. */
const word = { code: 0, requests: 1, least: 2, most: 3 } as const;
/** A duration's words: its sum, then its buckets. */
const durationWords = 1 + bucketCount;
const durationAt = { service: 4, response: 4 + durationWords, lag: 4 + 2 * durationWords } as const;
const cellWords = 4 + 3 * durationWords;

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
    const serviceNs = answeredNs - sentNs;
    this.#duration(cell + durationAt.service, serviceNs);
    const words = this.#words;
    const least = words[cell + word.least] ?? 0;
    if (least === 0 || serviceNs < least) words[cell + word.least] = serviceNs;
    if (serviceNs > (words[cell + word.most] ?? 0)) words[cell + word.most] = serviceNs;
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

/** Sum and fine buckets (`boundaries.ts`) of a duration. */
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
  leastNs: number;
  mostNs: number;
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
  const leastNs = words[at + word.least] ?? 0;
  if (leastNs > 0) cell.leastNs = Math.min(cell.leastNs, leastNs);
  cell.mostNs = Math.max(cell.mostNs, words[at + word.most] ?? 0);
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
    leastNs: Number.POSITIVE_INFINITY,
    mostNs: 0,
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
