import { columnsOf, type SentRequests } from '../../../src/limits/sent/columns.ts';

/** A request that went out, as tests write one down. Instants in nanoseconds since the run's zero. */
export interface SeenRequest {
  readonly seq: number;
  readonly credential: string;
  readonly charged_to: string | null;
  readonly endpoint: string;
  readonly probe: string | null;
  readonly sent_ns: number;
  readonly answered_ns: number;
  readonly status: number | null;
  readonly server_date_ms: number | null;
  readonly retry_after: string | null;
  readonly limit_headers: string | null;
}

/** Requests by columns and in order of sending, as checks get them from a history. */
export function sentOf(requests: readonly SeenRequest[]): SentRequests {
  return columnsOf(
    requests.map((each) => ({
      ...each,
      chargedTo: each.charged_to,
      sentNs: each.sent_ns,
      answeredNs: each.answered_ns,
      serverDateMs: each.server_date_ms,
      retryAfter: each.retry_after,
      limitHeaders: each.limit_headers,
    })),
  );
}
