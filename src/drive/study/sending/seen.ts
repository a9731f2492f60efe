import type { RequestRecord } from '../../../history/record.ts';
import { columnsOf, type SentRecord, type SentRequests } from '../../../limits/sent/columns.ts';
import { type Charging, clockOffsetIn, refusalStatusIn, tracesOf } from '../../../limits/sent/traces.ts';
import type { Span } from '../../../limits/span.ts';
import type { Trace } from '../../../limits/trace.ts';
import { eachRole, type Role, roles } from '../../../vocabulary/roles.ts';
import type { RecordSink } from '../../record/recorder.ts';

/** Requests remembered per key; older ones have left every window. */
const mostRemembered = 60_000;

/** What a study has seen so far, to choose its next step. Verdicts come from the history and not from this. */
export class Seen implements RecordSink {
  readonly #sink: RecordSink;
  readonly #requests = eachRole((): SentRecord[] => []);
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
    const { seq, credential, endpoint, probe = null, sentNs, firstSentNs } = record;
    const seen = { seq, credential, chargedTo: role, endpoint, probe };
    const unanswered = { status: null, serverDateMs: null };
    if (firstSentNs !== undefined)
      own.push({ ...seen, ...unanswered, sentNs: firstSentNs, answeredNs: sentNs });
    own.push({
      ...seen,
      sentNs,
      answeredNs: record.answeredNs ?? sentNs,
      status: record.status ?? null,
      serverDateMs: record.serverDateMs ?? null,
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

  /** The traces that the limit left, as a check would make them of the history. */
  traces(charging: Charging): Trace[] {
    const sent = this.#sent();
    const options = { windowNs: this.#windowNs, refusalStatus: refusalStatusIn(sent), unknownNs: 0 };
    return tracesOf(sent, charging, options);
  }

  /** Whether the key was ever rejected. */
  wasRefused(role: Role): boolean {
    const refusal = refusalStatusIn(this.#sent());
    return this.#requests[role].some(
      ({ endpoint, status }) => endpoint === 'list-shades' && status === refusal,
    );
  }

  #sent(): SentRequests {
    return columnsOf(roles.flatMap((role) => this.#requests[role]));
  }

  /** When the key was last used; 0 where it was not. */
  lastSentNs(role: Role): number {
    return this.#requests[role].reduce((last, { sentNs }) => Math.max(last, sentNs), 0);
  }

  /** How many requests the key has sent since an instant, run nanoseconds. */
  countSince(role: Role, ns: number): number {
    return this.#requests[role].filter(({ sentNs }) => sentNs >= ns).length;
  }

  /** What the target's clock showed at zero of the run's. */
  clockOffset(): Span | undefined {
    return clockOffsetIn(this.#sent());
  }
}
