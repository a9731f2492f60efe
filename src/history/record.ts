import type { CallRequest } from '../model/call.ts';
import type { Credential, Endpoint, LossReason, NotSentReason, Stage } from '../vocabulary/requests.ts';
import type { InteractionType } from '../wire.ts';
import { always, maybe, type RowOf } from './columns.ts';

/**
 * The record of a run. `history/requests.csv` has one row for each request that was planned or made, sent or not;
 * `history/interactions.csv` has one row for each shopper event. Instants are nanoseconds of the monotonic clock
 * since the run's zero (its wall-clock time is in `run.json`), kept in a JavaScript number: exact up to 104 days.
 */

/** One request. Exactly one of `status`, `notSent` and `lost` is given. */
export const requestColumns = {
  /** 1, 2, 3 … in the order in which requests became due. Unique within a run; what evidence refers to. */
  seq: always<number>('BIGINT'),
  stage: always<Stage>('VARCHAR'),
  /** Name of the load phase, or of the setup or settle step. */
  phase: always<string>('VARCHAR'),
  /** Its number in the plan, by lane and place there; only for stage `load`. */
  planned: maybe<number>('BIGINT'),
  credential: always<Credential>('VARCHAR'),
  endpoint: always<Endpoint>('VARCHAR'),
  /** Name of the contract probe that this request is, if it is one: `batch-501`, `bad-key` … */
  probe: maybe<string>('VARCHAR'),
  /** Number of the shopper in the plan. */
  shopper: maybe<number>('BIGINT'),
  /** When the plan wanted it sent. */
  intendedNs: always<number>('BIGINT'),
  /** When it could be sent at the earliest: `intendedNs`, or later when it needed an earlier answer or a connection first. */
  readyNs: always<number>('BIGINT'),
  /** When it went to the socket, for the second time if it was sent twice. Absent if it never did. */
  sentNs: maybe<number>('BIGINT'),
  /** When its answer was complete, or when it was given up on. Absent if it was never sent. */
  answeredNs: maybe<number>('BIGINT'),
  status: maybe<number>('SMALLINT'),
  notSent: maybe<NotSentReason>('VARCHAR'),
  lost: maybe<LossReason>('VARCHAR'),
  /** The session created, read, or used by events. */
  sessionId: maybe<string>('VARCHAR'),
  productId: maybe<string>('VARCHAR'),
  catalogId: maybe<string>('VARCHAR'),
  locale: maybe<string>('VARCHAR'),
  /** Shades or interactions in the request body. */
  items: maybe<number>('INTEGER'),
  /** In the answer: `shade_count` of a session, `accepted` of interactions, the number of shades listed. */
  count: maybe<number>('BIGINT'),
  /** `expires_at` of a new session, as received. */
  expiresAt: maybe<string>('VARCHAR'),
  /** Size of the answer's body. */
  bytes: maybe<number>('BIGINT'),
  /** The `Date` header, in epoch milliseconds. */
  serverDateMs: maybe<number>('BIGINT'),
  /** The `Retry-After` header as received. */
  retryAfter: maybe<string>('VARCHAR'),
  /**
   * Every `RateLimit*` and `X-RateLimit*` header as received: `name: value`, joined by ` | `; and, as the last one, what a
   * problem document says of limits (`problemField`).
   */
  limitHeaders: maybe<string>('VARCHAR'),
  /** What is wrong with a 2xx answer's body or media type against the interface, in words: `token: expected string, got number`. */
  problem: maybe<string>('VARCHAR'),
  /**
   * When it was first sent, if it was sent twice: the target had closed the idle connection, and a GET may be
   * repeated. Most likely the first was never read. Absent otherwise.
   */
  firstSentNs: maybe<number>('BIGINT'),
  /** The HTTP status of the answer, where an adapter reads another one from it. */
  wireStatus: maybe<number>('SMALLINT'),
  /**
   * Only in a run with a description of the target: `content-type` and the headers that the description names, as they
   * came, as a JSON object without those that are missing. `:route` is method and path of the request, where a map or an
   * adapter decides them.
   */
  describedHeaders: maybe<string>('VARCHAR'),
  /** Durations of the answer's `Server-Timing` header: `name=milliseconds`, joined by spaces. */
  serverTiming: maybe<string>('VARCHAR'),
  /** The TCP port of this machine that its connection comes from, which tells connections apart. Absent if it never got one. */
  localPort: maybe<number>('INTEGER'),
  /** The address of the target that its connection leads to. */
  remoteAddress: maybe<string>('VARCHAR'),
  /**
   * With the first request of a connection: how long its opening took, namely to find the target's address, to connect,
   * and to shake hands for TLS; and how much of that the request waited.
   */
  resolveNs: maybe<number>('BIGINT'),
  connectNs: maybe<number>('BIGINT'),
  handshakeNs: maybe<number>('BIGINT'),
  openingNs: maybe<number>('BIGINT'),
  /** The `seq` of the request that this one repeats, since that got no answer to what it asked: 429, 5xx or none. */
  repeats: maybe<number>('BIGINT'),
};
export type RequestRecord = RowOf<typeof requestColumns>;

/** In `limitHeaders`: type, status and violated policies of the problem document (RFC 9457) in the body of a rejection. */
export const problemField = 'ratelimit-problem';

/** In `describedHeaders`; no header has such a name. */
export const routeField = ':route';

/** One event of a shopper, with the request that carried it. */
export const interactionColumns = {
  /** `seq` of the request. */
  seq: always<number>('BIGINT'),
  sessionId: always<string>('VARCHAR'),
  id: always<string>('VARCHAR'),
  type: always<InteractionType>('VARCHAR'),
  sku: always<string>('VARCHAR'),
  /** Wall-clock time put into the body, ISO 8601 UTC. */
  at: always<string>('VARCHAR'),
};
export type InteractionRecord = RowOf<typeof interactionColumns>;

/** One line of `history/answers.ndjson`: a body that a check reads, parsed, with tokens taken out. */
export const answerColumns = {
  seq: always<number>('BIGINT'),
  endpoint: always<Endpoint>('VARCHAR'),
  /**
   * The parameters, unless the path has them: the query of analytics, the catalog of a shades list, the `path` of a
   * further page.
   */
  query: always<Readonly<Record<string, string>>>('JSON'),
  /** The parsed JSON body; absent when it was not JSON. */
  body: maybe<unknown>('JSON'),
  /** The header that says that the body is one page of several, if one does. */
  pagedBy: maybe<string>('VARCHAR'),
  /** The `Link` header, where it leads to the next page. */
  link: maybe<string>('VARCHAR'),
  /** Of a further page: the `seq` of the request for the first. */
  pageOf: maybe<number>('BIGINT'),
  /** Kept only to be held against a description of the target. */
  sample: maybe<boolean>('BOOLEAN'),
  /** The body as it came, where a map or an adapter reads another one; only in a run with a description. */
  wire: maybe<unknown>('JSON'),
  /** What was sent, where the model of the interface judges the answer; the calls that it refers to are `seq`s. */
  call: maybe<CallRequest>('JSON'),
};
export type AnswerRecord = RowOf<typeof answerColumns>;

/** One line of `history/catalog.ndjson`: a shade that the run imported (or meant to), with the product it belongs to, empty where a probe brought it. */
export const catalogColumns = {
  catalogId: always<string>('VARCHAR'),
  productId: always<string>('VARCHAR'),
  productName: always<string>('VARCHAR'),
  sku: always<string>('VARCHAR'),
  name: always<string>('VARCHAR'),
  hex: always<string>('VARCHAR'),
  finish: always<string>('VARCHAR'),
};
export type CatalogRecord = RowOf<typeof catalogColumns>;

/** One line of `history/events.ndjson`. */
export type EventRecord =
  /** A phase of the load, as it was really driven. */
  | { readonly kind: 'phase'; readonly name: string; readonly startNs: number; readonly endNs: number }
  /**
   * The run set the target's wall clock to `epochMs` at some instant from `askedNs` to `setNs`; it goes on at its own pace
   * from there. Only the embedded service lets it.
   */
  | {
      readonly kind: 'clock';
      readonly askedNs: number;
      readonly setNs: number;
      readonly epochMs: number;
    }
  /**
   * The generator about itself, each second: event-loop delay, garbage collection, CPU, sockets, send lag. Of one of several
   * workers: that thread alone; else the main thread, and the CPU of the whole process.
   */
  | {
      readonly kind: 'self';
      /** The number of the worker, from 1. */
      readonly worker?: number;
      readonly atNs: number;
      readonly loopDelayMaxMs: number;
      readonly gcMs: number;
      readonly cpuMs: number;
      readonly inFlight: number;
      readonly sendLagMaxMs: number;
      /** Absent in a history of an older version. */
      readonly waits?: Waits;
    }
  /** The run ended early, and why. */
  | {
      readonly kind: 'stopped';
      readonly atNs: number;
      readonly reason: 'interrupted' | 'kill-switch' | 'cap' | 'error';
      readonly detail: string;
    }
  /** One step of a study of capacity. */
  | CapacityStep
  /** Something learnt about the target that the interface does not show, with the request that showed it. */
  | { readonly kind: 'discovered'; readonly what: string; readonly value: string; readonly seq?: number };

/** How many of the generator's waits for an instant ended how: by looking at the clock, by its timer thread, by a timer of Node's. */
export interface Waits {
  /** Absent in a history of an older version. */
  readonly spun?: number;
  readonly thread: number;
  readonly timer: number;
}

/** What the generator saw of itself during a step. */
export interface StepSelf {
  readonly loopDelayMaxMs: number;
  /** Of one core, by this process. */
  readonly cpuShare: number;
}

/** The fields of a step in both models. Instants are run nanoseconds. */
interface CapacityStepCommon {
  readonly kind: 'capacity';
  /** 1, 2, 3 … within the study. */
  readonly step: number;
  readonly purpose: 'climb' | 'bisect' | 'repeat';
  readonly startNs: number;
  /** Requests meant to be sent, or answered, from here on count; earlier ones are warm-up. */
  readonly countedFromNs: number;
  readonly endNs: number;
  readonly ended: 'whole' | 'hopeless' | 'refused' | 'stopped';
  readonly self: StepSelf;
}

/** One step of a study of capacity. */
export type CapacityStep =
  /**
   * Random arrivals at a rate. Its requests have separate records, with the probe `capacity:` and the number of the
   * step.
   */
  | (CapacityStepCommon & {
      readonly model: 'open';
      readonly ratePerSecond: number;
      /** Requests that were meant to count. */
      readonly planned: number;
      /**
       * How many of those this program sent late by more than a tenth of the latency bound, or held back at the
       * profile's bound in flight.
       */
      readonly late: number;
      readonly lagMs: { readonly p99: number; readonly max: number };
    })
  /** Connections that send again when answered (autocannon), which keep totals and no single requests. */
  | (CapacityStepCommon & {
      readonly model: 'closed';
      readonly connections: number;
      readonly statuses: Readonly<Record<string, number>>;
      /** Answers that count, those over the bound on latency, and requests without an answer. */
      readonly counted: number;
      readonly over: number;
      readonly failed: number;
      readonly errors: number;
      /** Connections for which this machine had no socket, which are not among the errors; absent where there was none. */
      readonly noSocket?: number;
      readonly perSecond: number;
      readonly latencyMs: {
        readonly p50: number;
        readonly p99: number;
        readonly max: number;
        /** At the percentile that is promised. */
        readonly promised: number;
      };
      /** The share of the time in which the event loop was busy. */
      readonly busyShare: number;
    });
