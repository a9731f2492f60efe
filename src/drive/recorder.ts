import type { AnswerRecord, Credential, RequestRecord, Stage } from '../history/record.ts';
import { redact, redactText } from '../history/redact.ts';
import type { HistoryWriter } from '../history/writer.ts';
import type { Call } from '../target/calls.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Profile } from '../target/profile.ts';
import {
  type Parsed,
  readAccepted,
  readAnalytics,
  readGrant,
  readImport,
  readSession,
  readShades,
} from '../target/wire-schemas.ts';
import type { InteractionBatch, SessionGrant } from '../wire.ts';
import type { LiveStatistics } from './statistics.ts';

/** Where records go. */
export type RecordSink = Pick<HistoryWriter, 'request' | 'interaction' | 'answer'>;

/** A body that is larger is no answer that a check could use. */
const largestKeptBytes = 4 * 2 ** 20;

/** What is known of a request before it is sent. Becomes the left half of its record. */
export interface Asked {
  readonly seq: number;
  readonly stage: Stage;
  readonly phase: string;
  readonly credential: Credential;
  readonly intendedNs: number;
  readonly readyNs: number;
  readonly planned?: number;
  readonly probe?: string;
  readonly shopper?: number;
  readonly sessionId?: string;
  readonly productId?: string;
  readonly catalogId?: string;
  readonly locale?: string;
  readonly items?: number;
  /** The acts that the request carries. */
  readonly batch?: InteractionBatch;
  /** What the answer may repeat and no record may hold, besides the keys: the session's token. */
  readonly secrets?: readonly string[];
  /** Set when a check will want the answer's body: what was asked, in words of the interface. */
  readonly keepAnswer?: Readonly<Record<string, string>>;
}

/** What a 2xx answer was read as. */
export interface Reading {
  readonly grant?: SessionGrant;
  readonly count?: number;
  readonly problem?: string;
}

/** Turns what happened into history, the moment it has happened, and counts it for the live display. */
export class Recorder {
  readonly #writer: RecordSink;
  readonly #profile: Profile;
  readonly #secrets: readonly string[];
  readonly #statistics: LiveStatistics;
  #seq = 0;

  constructor(writer: RecordSink, profile: Profile, secrets: readonly string[], statistics: LiveStatistics) {
    this.#writer = writer;
    this.#profile = profile;
    this.#secrets = secrets;
    this.#statistics = statistics;
  }

  nextSeq(): number {
    return ++this.#seq;
  }

  /** Remembers an exchange that is over. */
  exchanged(asked: Asked, exchange: Exchange<unknown>): Reading {
    const ok = exchange.status !== undefined && exchange.status >= 200 && exchange.status < 300;
    const body = ok || asked.keepAnswer !== undefined ? exchange.json() : undefined;
    const reading = ok ? this.#read(exchange.call, asked, body, exchange.bytes) : {};
    const secrets = [
      ...this.#secrets,
      ...(asked.secrets ?? []),
      ...(reading.grant === undefined ? [] : [reading.grant.token]),
    ];
    if (asked.keepAnswer !== undefined && exchange.status !== undefined)
      this.#keepAnswer(asked, exchange, body, secrets);
    this.#write({
      ...this.#base(asked, exchange.call),
      ...(exchange.sentNs === undefined ? {} : { sentNs: exchange.sentNs }),
      ...(exchange.answeredNs === undefined ? {} : { answeredNs: exchange.answeredNs }),
      ...(exchange.status === undefined ? {} : { status: exchange.status, bytes: exchange.bytes }),
      ...(exchange.lost === undefined ? {} : { lost: exchange.lost }),
      ...(exchange.notSent === undefined ? {} : { notSent: exchange.notSent }),
      ...(reading.grant === undefined
        ? {}
        : { sessionId: reading.grant.session_id, expiresAt: reading.grant.expires_at }),
      ...(reading.count === undefined ? {} : { count: reading.count }),
      ...(reading.problem === undefined ? {} : { problem: redactText(reading.problem, secrets) }),
      ...limitHeaders(exchange, secrets),
    });
    if (asked.batch !== undefined && asked.sessionId !== undefined && exchange.sentNs !== undefined) {
      for (const act of asked.batch.interactions) {
        this.#writer.interaction({
          seq: asked.seq,
          sessionId: asked.sessionId,
          id: act.id,
          type: act.type,
          sku: act.sku ?? '',
          at: act.at,
        });
      }
    }
    return reading;
  }

  /** Remembers a request that was due and not sent. */
  notSent(asked: Asked, endpoint: Call['endpoint'], reason: NonNullable<RequestRecord['notSent']>): void {
    this.#write({ ...this.#base(asked, { endpoint }), notSent: reason });
  }

  #write(record: RequestRecord): void {
    this.#writer.request(record);
    this.#statistics.record(record);
  }

  #base(asked: Asked, call: Pick<Call, 'endpoint'>): RequestRecord {
    const { batch: _batch, keepAnswer: _keepAnswer, secrets: _secrets, ...known } = asked;
    return { ...known, endpoint: call.endpoint };
  }

  #read(call: Call, asked: Asked, body: unknown, bytes: number): Reading {
    if (body === undefined) {
      // Nothing is promised about the body of an import or of an act, so an empty one is fine there.
      const promised = call.endpoint !== 'import-shades' && call.endpoint !== 'interact';
      return promised || bytes > 0
        ? { problem: `body: expected JSON, got ${bytes === 0 ? 'an empty body' : 'something else'}` }
        : {};
    }
    switch (call.endpoint) {
      case 'create-session':
        return reading(readGrant(body), (grant) => ({ grant, count: grant.shade_count }));
      case 'list-shades':
        return reading(readShades(body), (shades) => ({ count: shades.length }));
      case 'interact':
        return reading(readAccepted(body), ({ accepted }) =>
          accepted === undefined ? {} : { count: accepted },
        );
      case 'read-session':
        return reading(readSession(body, this.#profile.session_history, asked.sessionId ?? ''), () => ({}));
      case 'analytics':
        return reading(readAnalytics(body), () => ({}));
      case 'import-shades':
        return reading(readImport(body), () => ({}));
    }
  }

  #keepAnswer(asked: Asked, exchange: Exchange<unknown>, body: unknown, secrets: readonly string[]): void {
    const kept: AnswerRecord = {
      seq: asked.seq,
      endpoint: exchange.call.endpoint,
      query: asked.keepAnswer ?? {},
      ...(body === undefined || exchange.bytes > largestKeptBytes ? {} : { body: redact(body, secrets) }),
    };
    this.#writer.answer(kept);
  }
}

function limitHeaders(
  { headers }: Exchange<unknown>,
  secrets: readonly string[],
): Pick<RequestRecord, 'serverDateMs' | 'retryAfter' | 'limitHeaders'> {
  let limits: string | undefined;
  for (const name in headers) {
    if (name.startsWith('ratelimit') || name.startsWith('x-ratelimit') || name.startsWith('x-rate-limit')) {
      const header = `${name}: ${String(headers[name])}`;
      limits = limits === undefined ? header : `${limits} | ${header}`;
    }
  }
  const dateMs = headers.date === undefined ? Number.NaN : Date.parse(headers.date);
  const retryAfter = headers['retry-after'];
  return {
    ...(Number.isNaN(dateMs) ? {} : { serverDateMs: dateMs }),
    ...(retryAfter === undefined ? {} : { retryAfter: redactText(String(retryAfter), secrets) }),
    ...(limits === undefined ? {} : { limitHeaders: redactText(limits, secrets) }),
  };
}

function reading<T>(parsed: Parsed<T>, use: (value: T) => Reading): Reading {
  return parsed.ok ? use(parsed.value) : { problem: parsed.problem };
}
