import type { RequestRecord } from '../../history/record.ts';
import { clockOffsetFrom } from '../../limits/clock-offset.ts';
import { refusalStatusOf } from '../../limits/refusal-status.ts';
import type { Span } from '../../limits/span.ts';
import {
  admitted,
  ambiguous,
  limited,
  type RequestOutcome,
  type Trace,
  traceOf,
} from '../../limits/trace.ts';
import { eachRole, type Role, roles } from '../../vocabulary/roles.ts';
import type { RecordSink } from '../recorder.ts';

/** Requests remembered per key; older ones have left every window. */
const mostRemembered = 60_000;

interface SeenRequest {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly endpoint: string;
  readonly status: number | undefined;
  readonly dateMs: number | undefined;
}

/** What a study has seen so far, to choose its next step. Verdicts come from the history and not from this. */
export class Seen implements RecordSink {
  readonly #sink: RecordSink;
  readonly #requests = eachRole((): SeenRequest[] => []);
  /** Whose key opened a session. */
  readonly #openers = new Map<string, Role>();

  readonly #windowNs: number;

  constructor(sink: RecordSink, windowMs: number) {
    this.#sink = sink;
    this.#windowNs = windowMs * 1e6;
  }

  request(record: RequestRecord): void {
    this.#sink.request(record);
    const role = this.#payerOf(record);
    if (role === undefined || record.sentNs === undefined) return;
    const own = this.#requests[role];
    if (own.length >= mostRemembered) own.splice(0, mostRemembered / 2);
    if (record.firstSentNs !== undefined)
      own.push({
        seq: record.seq,
        sentNs: record.firstSentNs,
        answeredNs: record.sentNs,
        endpoint: record.endpoint,
        status: undefined,
        dateMs: undefined,
      });
    own.push({
      seq: record.seq,
      sentNs: record.sentNs,
      // A request given up on may still reach the limiter later, say out of a stalled server's backlog.
      answeredNs: (record.answeredNs ?? record.sentNs) + (record.status === undefined ? this.#windowNs : 0),
      endpoint: record.endpoint,
      status: record.status,
      dateMs: record.serverDateMs,
    });
  }

  /** Whose limit a request spends, if it spends one: of an interaction that of the key that opened its session. */
  #payerOf({ credential, endpoint, sessionId }: RequestRecord): Role | undefined {
    const role = roles.find((each) => each === credential);
    if (sessionId === undefined) return role;
    if (endpoint === 'create-session' && role !== undefined) {
      if (this.#openers.size >= mostRemembered) this.#openers.clear();
      this.#openers.set(sessionId, role);
    }
    return credential === 'session' ? this.#openers.get(sessionId) : role;
  }

  interaction(...given: Parameters<RecordSink['interaction']>): void {
    this.#sink.interaction(...given);
  }

  answer(...given: Parameters<RecordSink['answer']>): void {
    this.#sink.answer(...given);
  }

  /**
   * A trace for each key that was used; one for all of them together when they share a limit. Interactions are left out
   * unless they may count.
   */
  traces(scope: 'per-key' | 'shared', interactionsMayCount: boolean): Trace[] {
    const used = roles
      .map((role) =>
        this.#requests[role].filter(({ endpoint }) => interactionsMayCount || endpoint !== 'interact'),
      )
      .filter((own) => own.length > 0);
    const groups = scope === 'shared' ? [used.flat()] : used;
    const refusal = refusalStatusOf(used.flat());
    return groups.map((own) => traceOf(own.map((each) => ({ ...each, outcome: outcomeOf(each, refusal) }))));
  }

  /** Whether the key was ever rejected. */
  wasRefused(role: Role): boolean {
    const refusal = refusalStatusOf(roles.flatMap((each) => this.#requests[each]));
    return this.#requests[role].some((each) => outcomeOf(each, refusal) === limited);
  }

  /** When the key was last used; 0 where it was not. */
  lastSentNs(role: Role): number {
    return this.#requests[role].reduce((last, { sentNs }) => Math.max(last, sentNs), 0);
  }

  /** What the target's clock showed at zero of the run's. */
  clockOffset(): Span | undefined {
    return clockOffsetFrom(
      roles.flatMap((role) =>
        this.#requests[role].flatMap(({ sentNs, answeredNs, dateMs }) =>
          dateMs === undefined ? [] : [{ sentNs, answeredNs, dateEpochMs: dateMs }],
        ),
      ),
    );
  }
}

/** Reads are what probes are made of. Whether other endpoints share their limit is one of the things to be found out. */
function outcomeOf({ endpoint, status }: SeenRequest, refusal: number): RequestOutcome {
  if (endpoint !== 'list-shades' || status === undefined) return ambiguous;
  if (status === refusal) return limited;
  return status >= 200 && status < 300 ? admitted : ambiguous;
}
