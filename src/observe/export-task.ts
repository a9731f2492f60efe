import type { RunDetails } from './metrics.ts';

/** What the exporting thread is given. */
export interface ExportTask {
  readonly facts: RunDetails;
  /** When the run began, epoch milliseconds. */
  readonly startMs: number;
  /** The figures of every sender, of the main thread first. */
  readonly memories: readonly SharedArrayBuffer[];
  /** One word: the requests in flight. */
  readonly inFlight: SharedArrayBuffer;
  /** Whether metrics have k6's names, too. */
  readonly k6Names: boolean;
  /** Sent to a collector; `url`: where it takes metrics, if the environment does not say. */
  readonly otlp?: { readonly url: string | undefined; readonly everyMs: number };
  /** Where Prometheus reads them. */
  readonly prometheus?: { readonly host: string; readonly port: number };
}

export type FromExporter =
  /** It exports from now on. `port`: where Prometheus finds it. */
  | { readonly kind: 'ready'; readonly port: number | undefined }
  /** It cannot begin. */
  | { readonly kind: 'failed'; readonly why: string }
  /** The last metrics are sent. `failed` exports of `exports`; `why` the last of them. */
  | { readonly kind: 'flushed'; readonly exports: number; readonly failed: number; readonly why: string };

/** `flush`: send what there is now, then no more. `close`: end. */
export type ToExporter = 'flush' | 'close';
