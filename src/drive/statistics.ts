import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';
import type { RequestRecord } from '../history/record.ts';
import type { Figures } from '../observe/figures.ts';
import { LiveTallies, type TalliesShare } from './live-tallies.ts';

/** A worker's counts since its last message. */
export interface StatisticsShare {
  readonly planned: number;
  readonly sent: number;
  readonly notSent: number;
  readonly lost: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly tallies: TalliesShare;
  /** Histograms as their library encodes them: to the last count. */
  readonly response: string;
  readonly sendLag: string;
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
  /** Since the last `second()`, in microseconds. */
  readonly #response: Histogram = build({ numberOfSignificantValueDigits: 2 });
  readonly #sendLag: Histogram = build({ numberOfSignificantValueDigits: 2 });
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
    this.#sendLag.recordValue(Math.round(lagNs / 1e3));
    if (lagNs > this.#sendLagMaxNs) this.#sendLagMaxNs = lagNs;
    if (record.status === undefined) this.lost++;
    else this.statuses.set(record.status, (this.statuses.get(record.status) ?? 0) + 1);
    if (record.answeredNs !== undefined) {
      this.#response.recordValue(Math.max(0, Math.round((record.answeredNs - record.intendedNs) / 1e3)));
    }
  }

  /** Counts a request of a closed loop once it is over: its status, if it was answered, and after what time. */
  noteClosed(status: number | undefined, tookMs: number): void {
    this.#figures?.closed(status);
    const { closed } = this;
    closed.sent++;
    if (status === undefined) closed.lost++;
    else {
      closed.statuses.set(status, (closed.statuses.get(status) ?? 0) + 1);
      this.#response.recordValue(Math.max(0, Math.round(tookMs * 1e3)));
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
      response: encodeIntoCompressedBase64(this.#response),
      sendLag: encodeIntoCompressedBase64(this.#sendLag),
    };
    this.planned = this.sent = this.notSent = this.lost = 0;
    this.statuses.clear();
    this.#response.reset();
    this.#sendLag.reset();
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
    this.#response.add(decodeFromCompressedBase64(share.response));
    this.#sendLag.add(decodeFromCompressedBase64(share.sendLag));
  }

  /** Latencies and send lag since the last call, in milliseconds; undefined when nothing was answered. */
  second(): { readonly p50Ms: number; readonly p99Ms: number; readonly sendLagP99Ms: number } | undefined {
    if (this.#response.totalCount === 0) return undefined;
    const taken = {
      p50Ms: this.#response.getValueAtPercentile(50) / 1e3,
      p99Ms: this.#response.getValueAtPercentile(99) / 1e3,
      sendLagP99Ms: this.#sendLag.getValueAtPercentile(99) / 1e3,
    };
    this.#response.reset();
    this.#sendLag.reset();
    return taken;
  }

  /** The largest send lag since the last call, in milliseconds. */
  takeSendLagMaxMs(): number {
    const max = this.#sendLagMaxNs / 1e6;
    this.#sendLagMaxNs = 0;
    return max;
  }
}
