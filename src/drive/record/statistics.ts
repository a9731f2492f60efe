import type { RequestRecord } from '../../history/record.ts';
import type { Figures } from '../../observe/figures.ts';
import { Durations, type DurationsShare } from '../clock/durations.ts';
import { LiveTallies, type TalliesShare } from './live-tallies.ts';

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
