import { build, type Histogram } from 'hdr-histogram-js';
import type { RequestRecord } from '../history/record.ts';

/** Counts for the live display. What is judged comes from the history, never from here. */
export class LiveStatistics {
  planned = 0;
  sent = 0;
  notSent = 0;
  lost = 0;
  readonly statuses = new Map<number, number>();
  /** Since the last `second()`, in microseconds. */
  readonly #response: Histogram = build({ numberOfSignificantValueDigits: 2 });
  readonly #sendLag: Histogram = build({ numberOfSignificantValueDigits: 2 });
  #sendLagMaxNs = 0;

  record(record: RequestRecord): void {
    if (record.planned !== undefined) this.planned++;
    if (record.sentNs === undefined) {
      this.notSent++;
      return;
    }
    this.sent++;
    const lagNs = Math.max(0, record.sentNs - record.readyNs);
    this.#sendLag.recordValue(Math.round(lagNs / 1e3));
    if (lagNs > this.#sendLagMaxNs) this.#sendLagMaxNs = lagNs;
    if (record.status === undefined) this.lost++;
    else this.statuses.set(record.status, (this.statuses.get(record.status) ?? 0) + 1);
    if (record.answeredNs !== undefined) {
      this.#response.recordValue(Math.max(0, Math.round((record.answeredNs - record.intendedNs) / 1e3)));
    }
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
