import type { AnswerRecord, RequestRecord } from '../../history/record.ts';
import { redact, redactText } from '../../history/redact.ts';
import type { HistoryWriter } from '../../history/writer.ts';
import type { CallRequest } from '../../model/call.ts';
import { isTranslated } from '../../target/adapt/map.ts';
import { type Call, readAnswer } from '../../target/calls.ts';
import type { Exchange } from '../../target/exchange.ts';
import { badCharacter } from '../../target/http/request.ts';
import { problemText } from '../../target/problems.ts';
import { type Profile, possibleChannels } from '../../target/profile.ts';
import { pageHeadersOf } from '../../target/shade-list.ts';
import type { Endpoint, NotSentReason } from '../../vocabulary/requests.ts';
import { Traceparents } from '../../vocabulary/trace-id.ts';
import type { InteractionBatch, SessionGrant } from '../../wire.ts';
import {
  DateReader,
  Described,
  limitHeadersOf,
  limitProblemOf,
  MediaTypes,
  serverTimingOf,
} from './headers.ts';
import { Ledger } from './ledger.ts';
import { RecentTokens } from './recent-tokens.ts';
import type { LiveStatistics } from './statistics.ts';

/** Where records go. */
export type RecordSink = Pick<HistoryWriter, 'request' | 'interaction' | 'answer'>;

/** A body that is larger is no answer that a check could use. */
const largestKeptBytes = 4 * 2 ** 20;

type KnownField =
  | ('seq' | 'stage' | 'phase' | 'credential' | 'intendedNs' | 'readyNs' | 'planned' | 'probe' | 'shopper')
  | ('sessionId' | 'productId' | 'catalogId' | 'locale' | 'items' | 'repeats');

/** The fields of a request known before it is sent: the left half of its record. */
export interface Asked extends Pick<RequestRecord, KnownField> {
  /** The events that the request carries. */
  readonly batch?: InteractionBatch | undefined;
  /**
   * A secret that the answer may repeat and no record may hold, in addition to the keys: the session's token.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Set if a check needs the answer's body: the parameters, in the interface's words. */
  readonly keepAnswer?: Readonly<Record<string, string>> | undefined;
  /** What was sent, if the model judges the answer. */
  readonly call?: CallRequest | undefined;
  /** The request for the first page of the list that this one is a further page of. */
  readonly pageOf?: number | undefined;
}

/** The parsed form of a 2xx answer. */
export interface Reading {
  readonly grant?: SessionGrant | undefined;
  readonly count?: number;
  readonly problem?: string | undefined;
  /** What the problem document of a rejection says of limits. */
  readonly limitProblem?: string | undefined;
}

/** What an exchange tells its record; of one that never began, hardly anything. */
type ToldExchange = Pick<Exchange<unknown>, 'headers' | 'wireHeaders' | 'wireRoute'> &
  Partial<Pick<Exchange<unknown>, 'sentNs' | 'firstSentNs' | 'answeredNs' | 'status' | 'wireStatus'>> &
  Partial<Pick<Exchange<unknown>, 'notSent' | 'lost' | 'bytes' | 'carrier'>> & {
    readonly call: Pick<Call, 'endpoint'>;
  };

const neverSent = { headers: {}, wireHeaders: {}, wireRoute: undefined } as const;
const nothingRead: Reading = {};
const noSecrets: readonly string[] = [];

interface RecorderOptions {
  readonly writer: RecordSink;
  readonly profile: Profile;
  /** Cut out of every record. */
  readonly secrets: readonly string[];
  readonly statistics: LiveStatistics;
  /** Numbers the requests. */
  readonly ledger?: Pick<Ledger, 'nextSeq'>;
  /** The headers that a description of the target names; undefined where the run has none. */
  readonly described?: readonly string[] | undefined;
  /** The run's part of trace ids, if requests carry a `traceparent`. */
  readonly traceRun?: string | undefined;
}

/** Turns what happened into history, the moment it has happened, and counts it for the live display. */
export class Recorder {
  readonly #writer: RecordSink;
  readonly #profile: Profile;
  readonly #secrets: readonly string[];
  readonly #statistics: LiveStatistics;
  readonly #dates = new DateReader();
  readonly #mediaTypes = new MediaTypes();
  readonly #ledger: Pick<Ledger, 'nextSeq'>;
  readonly #described: Described | undefined;
  /** Another interface, of whose errors nothing is promised. */
  readonly #isTranslated: boolean;
  readonly #tokens: RecentTokens;
  readonly #sendsTokens: boolean;
  readonly #traceparents: Traceparents | undefined;

  constructor(options: RecorderOptions) {
    const { described, ledger = new Ledger(), profile, secrets, statistics, traceRun, writer } = options;
    this.#writer = writer;
    this.#profile = profile;
    this.#secrets = secrets;
    this.#statistics = statistics;
    this.#ledger = ledger;
    this.#described = described === undefined ? undefined : new Described(described, profile);
    this.#isTranslated = isTranslated(profile);
    const { channel } = profile;
    const isOneEach = typeof channel === 'object' && channel.other_token === 'refused';
    this.#tokens = new RecentTokens(isOneEach);
    this.#sendsTokens =
      !this.#isTranslated && possibleChannels(channel).some(({ auth }) => auth === 'session-token');
    this.#traceparents = traceRun === undefined ? undefined : new Traceparents(traceRun);
  }

  nextSeq(): number {
    return this.#ledger.nextSeq();
  }

  /** The call as it is to be sent under a number: with the `traceparent` of that number, where traces are on. */
  traced(call: Call, seq: number): Call {
    if (this.#traceparents === undefined) return call;
    const traceparent = this.#traceparents.of(seq);
    // Its next request may have another.
    if (call.shared?.hasOneBody === true) return { ...call, traceparent };
    call.traceparent = traceparent;
    return call;
  }

  /** Remembers an exchange that is over. */
  exchanged(asked: Asked, exchange: Exchange<unknown>): Reading {
    const { status } = exchange;
    const ok = status !== undefined && status >= 200 && status < 300;
    const keeps = asked.keepAnswer !== undefined || this.#described?.wants(exchange) === true;
    const body = ok || keeps ? exchange.json() : undefined;
    const reading = ok
      ? this.#read(exchange.call, asked, body, exchange.bytes)
      : { limitProblem: limitProblemOf(exchange) };
    const problem = exchange.problem ?? reading.problem ?? this.#headersProblem(exchange, ok);
    if ((keeps && status !== undefined) || (asked.call !== undefined && exchange.sentNs !== undefined))
      this.#keepAnswer(asked, exchange, keeps ? body : undefined, this.#secretsOf(asked, reading));
    this.#write(this.#record(asked, exchange, reading, problem));
    const { batch, seq, sessionId } = asked;
    if (batch !== undefined && sessionId !== undefined && exchange.sentNs !== undefined)
      for (const { id, type, sku = '', at } of batch.interactions)
        this.#writer.interaction({ seq, sessionId, id, type, sku, at });
    return reading;
  }

  /** Remembers a request that was due and not sent. */
  notSent(asked: Asked, endpoint: Endpoint, notSent: NotSentReason): void {
    this.#write(this.#record(asked, { ...neverSent, call: { endpoint }, notSent }, nothingRead));
  }

  #headersProblem(exchange: Exchange<unknown>, ok: boolean): string | undefined {
    if (ok) return this.#mediaTypes.problem(exchange) ?? this.#dates.problem(exchange.headers.date);
    return this.#isTranslated ? undefined : this.#mediaTypes.errorProblem(exchange);
  }

  #write(record: RequestRecord): void {
    this.#writer.request(record);
    this.#statistics.record(record);
  }

  /** Every field is given, so that all records are of one shape: the engine reads those several times faster. */
  #record(
    asked: Asked,
    told: ToldExchange,
    { count, grant, limitProblem }: Reading,
    problem?: string,
  ): RequestRecord {
    const limits = limitHeadersOf(told.headers, limitProblem);
    const retryAfter = told.headers['retry-after'];
    const described = told.status === undefined ? undefined : this.#described;
    const timing = serverTimingOf(told.headers['server-timing']);
    const isQuoting = (described ?? problem ?? retryAfter ?? limits ?? timing) !== undefined;
    const { localPort, opened, remoteAddress } = told.carrier ?? {};
    const waitedNs = inNs(opened?.waitedMs) ?? 0;
    // It could not be sent before its connection was open. If it was sent twice, the first connection was open already.
    const openNs = asked.readyNs + (told.firstSentNs === undefined ? waitedNs : 0);
    const secrets = isQuoting ? this.#secretsOf(asked, { grant }) : noSecrets;
    return {
      seq: asked.seq,
      stage: asked.stage,
      phase: asked.phase,
      planned: asked.planned,
      credential: asked.credential,
      endpoint: told.call.endpoint,
      probe: asked.probe,
      shopper: asked.shopper,
      intendedNs: asked.intendedNs,
      readyNs: told.sentNs === undefined ? asked.readyNs : Math.min(openNs, told.sentNs),
      sentNs: told.sentNs,
      answeredNs: told.answeredNs,
      status: told.status,
      notSent: told.notSent,
      lost: told.lost,
      sessionId: grant === undefined ? asked.sessionId : grant.session_id,
      productId: asked.productId,
      catalogId: asked.catalogId,
      locale: asked.locale,
      items: asked.items,
      count,
      expiresAt: grant?.expires_at,
      bytes: told.status === undefined ? undefined : told.bytes,
      serverDateMs: this.#dates.read(told.headers.date),
      retryAfter: retryAfter === undefined ? undefined : redactText(String(retryAfter), secrets),
      limitHeaders: limits === undefined ? undefined : redactText(limits, secrets),
      problem: problem === undefined ? undefined : redactText(problem, secrets),
      firstSentNs: told.firstSentNs,
      wireStatus: told.wireStatus,
      describedHeaders: described?.headersOf(told, secrets),
      serverTiming: timing === undefined ? undefined : redactText(timing, secrets),
      localPort,
      remoteAddress,
      resolveNs: inNs(opened?.resolveMs),
      connectNs: inNs(opened?.connectMs),
      handshakeNs: inNs(opened?.handshakeMs),
      openingNs: opened === undefined ? undefined : waitedNs,
      repeats: asked.repeats,
    };
  }

  /** What no record of the exchange may hold. */
  #secretsOf({ secrets = noSecrets }: Asked, { grant }: Reading): readonly string[] {
    return [...this.#secrets, ...secrets, ...(grant === undefined ? [] : [grant.token])];
  }

  #read(call: Call, asked: Asked, body: unknown, bytes: number): Reading {
    if (body === undefined) {
      // The interface promises nothing about the body of an import or interaction answer, so an empty one is fine.
      const promised = call.endpoint !== 'import-shades' && call.endpoint !== 'interact';
      return promised || bytes > 0
        ? { problem: `body: expected JSON, got ${bytes === 0 ? 'an empty body' : 'other text'}` }
        : {};
    }
    const names = this.#profile.session_history;
    const parsed = readAnswer(call.endpoint, body, names, asked.sessionId ?? '');
    if (!parsed.ok) return { problem: parsed.problem };
    const { grant } = parsed.value;
    if (grant === undefined) return parsed.value;
    return {
      ...parsed.value,
      problem: this.#tokenProblem(grant) ?? this.#tokens.problem(grant, asked.seq),
    };
  }

  /** Only of a token that events carry in a header. It is a secret, so of its text one character is told at most. */
  #tokenProblem({ token }: SessionGrant): string | undefined {
    const bad = this.#sendsTokens ? badCharacter(token) : undefined;
    if (bad === undefined) return undefined;
    const code = (bad.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return problemText({ field: 'token', expected: 'characters that a header can carry', got: `U+${code}` });
  }

  #keepAnswer(asked: Asked, exchange: Exchange<unknown>, body: unknown, secrets: readonly string[]): void {
    const { link, pagedBy } = pageHeadersOf(exchange.headers);
    const { call, keepAnswer, pageOf } = asked;
    const texts = Object.entries(keepAnswer ?? {}).map(([name, text]) => [name, redactText(text, secrets)]);
    const isSmall = exchange.bytes <= largestKeptBytes;
    const kept: AnswerRecord = {
      seq: asked.seq,
      endpoint: exchange.call.endpoint,
      query: Object.fromEntries(texts),
      ...(keepAnswer === undefined && call === undefined ? { sample: true } : {}),
      ...(call === undefined ? {} : { call }),
      ...(isSmall ? this.#described?.bodyOf(exchange, secrets) : {}),
      ...(pagedBy === undefined ? {} : { pagedBy }),
      ...(link === undefined ? {} : { link: redactText(link, secrets) }),
      ...(pageOf === undefined ? {} : { pageOf }),
      ...(body === undefined || !isSmall ? {} : { body: redact(body, secrets) }),
    };
    this.#writer.answer(kept);
  }
}

function inNs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 1e6);
}
