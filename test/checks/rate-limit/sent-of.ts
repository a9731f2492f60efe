import type { SentRequests, Words } from '../../../src/checks/rate-limit/sent.ts';

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
  const rows = requests.toSorted((a, b) => a.sent_ns - b.sent_ns || a.seq - b.seq);
  const numbers = (of: (each: SeenRequest) => number): Float64Array => Float64Array.from(rows, of);
  return {
    length: rows.length,
    seq: numbers((each) => each.seq),
    sentNs: numbers((each) => each.sent_ns),
    answeredNs: numbers((each) => each.answered_ns),
    status: Uint16Array.from(rows, (each) => each.status ?? 0),
    serverDateMs: numbers((each) => each.server_date_ms ?? Number.NaN),
    credential: wordsOf(rows.map((each) => each.credential)),
    chargedTo: wordsOf(rows.map((each) => each.charged_to)),
    endpoint: wordsOf(rows.map((each) => each.endpoint)),
    probe: wordsOf(rows.map((each) => each.probe)),
    retryAfter: wordsOf(rows.map((each) => each.retry_after)),
    limitHeaders: wordsOf(rows.map((each) => each.limit_headers)),
  };
}

function wordsOf(column: readonly (string | null)[]): Words {
  const codes = new Map<string | null, number>([[null, 0]]);
  for (const word of column) if (!codes.has(word)) codes.set(word, codes.size);
  return { words: [...codes.keys()], code: Uint32Array.from(column, (word) => codes.get(word) ?? 0) };
}
