import type { RequestRecord } from '../../history/record.ts';
import type { Credential } from '../../vocabulary/requests.ts';

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
