import type { RequestRecord } from '../../history/record.ts';
import type { Credential } from '../../vocabulary/requests.ts';
import type { Figures } from '../observe/figures.ts';
import { bucketCount, bucketOf, quantileOf } from '../observe/figures.ts';

/** A worker's counts since its last message. */
export interface StatisticsShare {
  readonly planned: number;
  readonly sent: number;
  readonly notSent: number;
  readonly lost: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly tallies: TalliesShare;
  readonly response: DurationsShare;
  readonly sendLag: DurationsShare;
}

/** Counts for the live display. What is judged comes from the history, never from here. */
export class LiveStatistics {
  planned = 0;
  sent = 0;
  notSent = 0;
  lost = 0;
  readonly statuses = new Map<number, number>();
  readonly tallies = new LiveTallies();
  /** Requests of closed loops: apart, since they are in no record, and caps know of them from elsewhere. */
  readonly closed = { sent: 0, lost: 0, statuses: new Map<number, number>() };
  /** Since the last `second()`. */
  readonly #response = new Durations();
  readonly #sendLag = new Durations();
  #sendLagMaxNs = 0;
  readonly #figures: Figures | undefined;

  /** `figures`: where the run's metrics are counted, if it is observed. */
  constructor(figures?: Figures) {
    this.#figures = figures;
  }

  record(record: RequestRecord): void {
    this.#figures?.record(record);
    if (record.planned !== undefined) this.planned++;
    if (record.sentNs === undefined) {
      this.notSent++;
      return;
    }
    this.sent++;
    this.tallies.record(record);
    const lagNs = Math.max(0, (record.firstSentNs ?? record.sentNs) - record.readyNs);
    this.#sendLag.record(lagNs);
    if (lagNs > this.#sendLagMaxNs) this.#sendLagMaxNs = lagNs;
    if (record.status === undefined) this.lost++;
    else this.statuses.set(record.status, (this.statuses.get(record.status) ?? 0) + 1);
    if (record.answeredNs !== undefined) this.#response.record(record.answeredNs - record.intendedNs);
  }

  /** Counts a request of a closed loop once it is over: its status, if it was answered, and after what time. */
  noteClosed(status: number | undefined, tookMs: number): void {
    this.#figures?.closed(status);
    const { closed } = this;
    closed.sent++;
    if (status === undefined) closed.lost++;
    else {
      closed.statuses.set(status, (closed.statuses.get(status) ?? 0) + 1);
      this.#response.record(tookMs * 1e6);
    }
  }

  /** All that was counted since the last call, and forgets it: it is another's from now on. */
  handOver(): StatisticsShare {
    const share = {
      planned: this.planned,
      sent: this.sent,
      notSent: this.notSent,
      lost: this.lost,
      statuses: new Map(this.statuses),
      tallies: this.tallies.handOver(),
      response: this.#response.handOver(),
      sendLag: this.#sendLag.handOver(),
    };
    this.planned = this.sent = this.notSent = this.lost = 0;
    this.statuses.clear();
    return share;
  }

  /** Adds another worker's counts. */
  add(share: StatisticsShare): void {
    this.planned += share.planned;
    this.sent += share.sent;
    this.notSent += share.notSent;
    this.lost += share.lost;
    for (const [status, n] of share.statuses) this.statuses.set(status, (this.statuses.get(status) ?? 0) + n);
    this.tallies.add(share.tallies);
    this.#response.add(share.response);
    this.#sendLag.add(share.sendLag);
  }

  /** Latencies and send lag since the last call, in milliseconds; undefined when nothing was answered. */
  second(): { readonly p50Ms: number; readonly p99Ms: number; readonly sendLagP99Ms: number } | undefined {
    if (this.#response.isEmpty) return undefined;
    const taken = {
      p50Ms: this.#response.quantileMs(0.5),
      p99Ms: this.#response.quantileMs(0.99),
      sendLagP99Ms: this.#sendLag.isEmpty ? 0 : this.#sendLag.quantileMs(0.99),
    };
    this.#response.handOver();
    this.#sendLag.handOver();
    return taken;
  }

  /** The largest send lag since the last call, in milliseconds. */
  takeSendLagMaxMs(): number {
    const max = this.#sendLagMaxNs / 1e6;
    this.#sendLagMaxNs = 0;
    return max;
  }
}

/** A kind of failure: how often it came, and when its first request was sent, in run nanoseconds. */
interface FailureTally {
  readonly count: number;
  readonly firstNs: number;
}

/** Counts of one thread for the gauges and the failures of the live display. */
export interface TalliesShare {
  readonly admitted: ReadonlyMap<Credential, number>;
  readonly created: ReadonlyMap<Credential, number>;
  readonly failures: ReadonlyMap<string, FailureTally>;
  readonly limitHeaders: string | undefined;
}

/** What each key has spent, and each kind of failure. */
export class LiveTallies implements TalliesShare {
  /** 2xx answers to requests with a key. */
  readonly admitted = new Map<Credential, number>();
  /** Those of them that created a session. */
  readonly created = new Map<Credential, number>();
  /** By endpoint and status, or reason of the loss: `create-session 500`. */
  readonly failures = new Map<string, FailureTally>();
  /** The rate-limit headers of the load key's latest answer. */
  limitHeaders: string | undefined;

  record({ credential, endpoint, limitHeaders, lost, probe, sentNs = 0, status }: RequestRecord): void {
    if (credential === 'load' && limitHeaders !== undefined) this.limitHeaders = limitHeaders;
    if (status !== undefined && status >= 200 && status < 300) {
      increase(this.admitted, credential, 1);
      if (endpoint === 'create-session') increase(this.created, credential, 1);
    } else if (isFailure(status, lost, probe)) {
      this.#note(`${endpoint} ${status ?? lost}`, { count: 1, firstNs: sentNs });
    }
  }

  #note(kind: string, { count, firstNs }: FailureTally): void {
    const known = this.failures.get(kind);
    this.failures.set(kind, {
      count: count + (known?.count ?? 0),
      firstNs: Math.min(firstNs, known?.firstNs ?? firstNs),
    });
  }

  /** Adds another thread's counts. */
  add({ admitted, created, failures, limitHeaders }: TalliesShare): void {
    for (const [credential, n] of admitted) increase(this.admitted, credential, n);
    for (const [credential, n] of created) increase(this.created, credential, n);
    for (const [kind, tally] of failures) this.#note(kind, tally);
    this.limitHeaders = limitHeaders ?? this.limitHeaders;
  }

  /** All counts since the last call, and forgets them. */
  handOver(): TalliesShare {
    const share = {
      admitted: new Map(this.admitted),
      created: new Map(this.created),
      failures: new Map(this.failures),
      limitHeaders: this.limitHeaders,
    };
    this.admitted.clear();
    this.created.clear();
    this.failures.clear();
    return share;
  }
}

/** A probe may expect a 4xx. A 402 or 429 may be what the target promises; they are counted elsewhere. */
function isFailure(
  status: number | undefined,
  lost: RequestRecord['lost'],
  probe: string | undefined,
): boolean {
  if (status === undefined) return lost !== undefined && lost !== 'stopped';
  return status >= 500 || (probe === undefined && status !== 402 && status !== 429);
}

function increase(counts: Map<Credential, number>, credential: Credential, by: number): void {
  counts.set(credential, (counts.get(credential) ?? 0) + by);
}

/** What a sender counted, for another to add. */
export interface DurationsShare {
  readonly counts: Float64Array;
  readonly leastNs: number;
  readonly mostNs: number;
}

/** How often durations came, in buckets: quantiles for the display, within a few percent. */
export class Durations implements DurationsShare {
  readonly counts = new Float64Array(bucketCount);
  leastNs = Number.POSITIVE_INFINITY;
  mostNs = 0;

  /** Less than nothing counts as nothing. */
  record(ns: number): void {
    const bucket = bucketOf(ns);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    if (ns < this.leastNs) this.leastNs = Math.max(0, ns);
    if (ns > this.mostNs) this.mostNs = ns;
  }

  add({ counts, leastNs, mostNs }: DurationsShare): void {
    for (let at = 0; at < counts.length; at++) this.counts[at] = (this.counts[at] ?? 0) + (counts[at] ?? 0);
    this.leastNs = Math.min(this.leastNs, leastNs);
    this.mostNs = Math.max(this.mostNs, mostNs);
  }

  get isEmpty(): boolean {
    return this.leastNs === Number.POSITIVE_INFINITY;
  }

  quantileMs(share: number): number {
    return 1e3 * quantileOf(this.counts, share, { least: this.leastNs / 1e9, most: this.mostNs / 1e9 });
  }

  /** All since the last call, and forgets it. */
  handOver(): DurationsShare {
    const { leastNs, mostNs } = this;
    const counts = this.counts.slice();
    this.counts.fill(0);
    this.leastNs = Number.POSITIVE_INFINITY;
    this.mostNs = 0;
    return { counts, leastNs, mostNs };
  }
}
