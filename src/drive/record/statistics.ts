import type { RequestRecord } from '../../history/record.ts';
import type { Credential } from '../../vocabulary/requests.ts';
import type { Figures } from '../observe/figures.ts';
import { bucketCount, bucketOf, quantileOf } from '../observe/figures.ts';

/** A kind of failure: how often it came, and when its first request was sent, in run nanoseconds. */
interface FailureTally {
  readonly count: number;
  readonly firstNs: number;
}

/** How often durations came, in buckets: quantiles for the display, within a few percent. */
interface Durations {
  readonly counts: Float64Array;
  leastNs: number;
  mostNs: number;
}

/** What one thread has counted. A worker's counts go to the main thread as they are, and are added there. */
export interface LiveCounts {
  sent: number;
  notSent: number;
  lost: number;
  readonly statuses: Map<number, number>;
  /** 2xx answers to requests with a key, and those of them that created a session. */
  readonly admitted: Map<Credential, number>;
  readonly created: Map<Credential, number>;
  /** Sessions granted on the product whose analytics are polled. */
  granted: number;
  /** By endpoint and status, or reason of the loss: `create-session 500`. */
  readonly failures: Map<string, FailureTally>;
  /** The rate-limit headers of the load key's latest answer. */
  limitHeaders: string | undefined;
  /** Since the last `second()`. */
  response: Durations;
  sendLag: Durations;
}

function newCounts(): LiveCounts {
  return {
    sent: 0,
    notSent: 0,
    lost: 0,
    statuses: new Map(),
    admitted: new Map(),
    created: new Map(),
    granted: 0,
    failures: new Map(),
    limitHeaders: undefined,
    response: newDurations(),
    sendLag: newDurations(),
  };
}

function newDurations(): Durations {
  return { counts: new Float64Array(bucketCount), leastNs: Number.POSITIVE_INFINITY, mostNs: 0 };
}

/** Counts for the live display. What is judged comes from the history, never from here. */
export class LiveStatistics {
  counts = newCounts();
  /** Requests of closed loops: apart, since they are in no record, and caps know of them from elsewhere. */
  readonly closed = { sent: 0, lost: 0, statuses: new Map<number, number>() };
  #sendLagMaxNs = 0;
  readonly #figures: Figures | undefined;
  readonly #polledProductId: string | undefined;

  /** `figures`: where the run's metrics are counted, if it is observed. */
  constructor(figures?: Figures, polledProductId?: string) {
    this.#figures = figures;
    this.#polledProductId = polledProductId;
  }

  record(record: RequestRecord): void {
    this.#figures?.record(record);
    const { counts } = this;
    const { answeredNs, credential, intendedNs, limitHeaders, readyNs, sentNs, status } = record;
    if (sentNs === undefined) {
      counts.notSent++;
      return;
    }
    counts.sent++;
    const lagNs = Math.max(0, (record.firstSentNs ?? sentNs) - readyNs);
    note(counts.sendLag, lagNs);
    if (lagNs > this.#sendLagMaxNs) this.#sendLagMaxNs = lagNs;
    if (status === undefined) counts.lost++;
    else increase(counts.statuses, status, 1);
    if (answeredNs !== undefined) note(counts.response, answeredNs - intendedNs);
    if (credential === 'load' && limitHeaders !== undefined) counts.limitHeaders = limitHeaders;
    if (status !== undefined && status >= 200 && status < 300) {
      increase(counts.admitted, credential, 1);
      if (record.endpoint === 'create-session') {
        increase(counts.created, credential, 1);
        if (record.productId === this.#polledProductId && record.sessionId !== undefined) counts.granted++;
      }
    } else if (isFailure(record))
      addFailure(counts, `${record.endpoint} ${status ?? record.lost}`, { count: 1, firstNs: sentNs });
  }

  /** Counts a request of a closed loop once it is over: its status, if it was answered, and after what time. */
  noteClosed(status: number | undefined, tookMs: number): void {
    this.#figures?.closed(status);
    const { closed } = this;
    closed.sent++;
    if (status === undefined) closed.lost++;
    else {
      increase(closed.statuses, status, 1);
      note(this.counts.response, tookMs * 1e6);
    }
  }

  /** All that was counted since the last call, and forgets it: it is another's from now on. */
  handOver(): LiveCounts {
    const taken = this.counts;
    this.counts = newCounts();
    return taken;
  }

  /** Adds another thread's counts. */
  add(of: LiveCounts): void {
    const { counts } = this;
    for (const name of ['sent', 'notSent', 'lost', 'granted'] as const) counts[name] += of[name];
    for (const [status, n] of of.statuses) increase(counts.statuses, status, n);
    for (const [credential, n] of of.admitted) increase(counts.admitted, credential, n);
    for (const [credential, n] of of.created) increase(counts.created, credential, n);
    for (const [kind, tally] of of.failures) addFailure(counts, kind, tally);
    counts.limitHeaders = of.limitHeaders ?? counts.limitHeaders;
    for (const name of ['response', 'sendLag'] as const) {
      const [own, other] = [counts[name], of[name]];
      for (const [at, n] of other.counts.entries()) own.counts[at] = (own.counts[at] ?? 0) + n;
      own.leastNs = Math.min(own.leastNs, other.leastNs);
      own.mostNs = Math.max(own.mostNs, other.mostNs);
    }
  }

  /** Latencies and send lag since the last call, in milliseconds; undefined when nothing was answered. */
  second(): { readonly p50Ms: number; readonly p99Ms: number; readonly sendLagP99Ms: number } | undefined {
    const { response, sendLag } = this.counts;
    if (response.leastNs === Number.POSITIVE_INFINITY) return undefined;
    this.counts.response = newDurations();
    this.counts.sendLag = newDurations();
    return {
      p50Ms: quantileMs(response, 0.5),
      p99Ms: quantileMs(response, 0.99),
      sendLagP99Ms: sendLag.leastNs === Number.POSITIVE_INFINITY ? 0 : quantileMs(sendLag, 0.99),
    };
  }

  /** The largest send lag since the last call, in milliseconds. */
  takeSendLagMaxMs(): number {
    const max = this.#sendLagMaxNs / 1e6;
    this.#sendLagMaxNs = 0;
    return max;
  }
}

/** A probe may expect a 4xx. A 402 or 429 may be what the target promises; they are counted elsewhere. */
function isFailure({ lost, probe, status }: RequestRecord): boolean {
  if (status === undefined) return lost !== undefined && lost !== 'stopped';
  return status >= 500 || (probe === undefined && status !== 402 && status !== 429);
}

function addFailure({ failures }: LiveCounts, kind: string, { count, firstNs }: FailureTally): void {
  const known = failures.get(kind);
  failures.set(kind, {
    count: count + (known?.count ?? 0),
    firstNs: Math.min(firstNs, known?.firstNs ?? firstNs),
  });
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Less than nothing counts as nothing. */
function note(durations: Durations, ns: number): void {
  const bucket = bucketOf(ns);
  durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  if (ns < durations.leastNs) durations.leastNs = Math.max(0, ns);
  if (ns > durations.mostNs) durations.mostNs = ns;
}

function quantileMs({ counts, leastNs, mostNs }: Durations, share: number): number {
  return 1e3 * quantileOf(counts, share, { least: leastNs / 1e9, most: mostNs / 1e9 });
}
