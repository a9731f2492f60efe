import type { IncomingHttpHeaders } from 'node:http';
import type { Spelling } from '../vocabulary/probes.ts';
import type { Endpoint } from '../vocabulary/requests.ts';
import type { AnalyticsQuery, InteractionBatch, SessionGrant, SessionRequest, ShadeBatch } from '../wire.ts';
import type { WireRequest } from './endpoint-map.ts';
import type { SharedText } from './http/request.ts';
import type { HistoryNames } from './profile.ts';
import {
  type Parsed,
  readAccepted,
  readAnalytics,
  readGrant,
  readSession as readSessionBody,
  readShades,
} from './wire-schemas.ts';

/** What a request is about, for its record. */
interface Subject {
  readonly sessionId?: string;
  readonly productId?: string;
  readonly catalogId?: string;
  readonly locale?: string;
  /** Shades or interactions in the body. */
  readonly items?: number;
  /** The events that it carries. */
  readonly batch?: InteractionBatch;
}

/** A request as the client sends it, before credentials. `path` is below the base URL. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** How the path is spelled, where it is not as usual. */
  readonly spelling?: Spelling;
  /** Header fields in addition to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header of this name, where traces are on; set when it is sent. */
  traceparent?: string | undefined;
  readonly about: Subject;
  /** The parameters in the interface's words, for a check that reads the answer. */
  readonly query?: Readonly<Record<string, string>>;
  /** Of calls with one path that are sent with one authorization. */
  readonly shared?: SharedText | undefined;
}

export function createSession(body: SessionRequest): Call {
  const { product_id: productId, catalog_id: catalogId, locale } = body;
  const about = { productId, catalogId, locale };
  return { endpoint: 'create-session', method: 'POST', path: '/sessions', body: JSON.stringify(body), about };
}

/** More sessions than this are rarely alike. */
const mostKept = 1_000;

/** Calls that open sessions with one authorization: few differ, so each is made and written once. */
export class Openings {
  /** By catalog, product and locale. */
  readonly #known = new Map<string, Map<string, Map<string, Call>>>();
  #count = 0;

  /** Must not be changed. */
  of(productId: string, catalogId: string, locale: string): Call {
    let products = this.#known.get(catalogId);
    if (products === undefined) {
      products = new Map();
      this.#known.set(catalogId, products);
    }
    let calls = products.get(productId);
    if (calls === undefined) {
      calls = new Map();
      products.set(productId, calls);
    }
    const known = calls.get(locale);
    if (known !== undefined) return known;
    const call = createSession({ product_id: productId, catalog_id: catalogId, locale });
    if (this.#count++ >= mostKept) return call;
    const kept = { ...call, shared: { hasOneBody: true } };
    calls.set(locale, kept);
    return kept;
  }
}

export function readSession(sessionId: string): Call {
  const path = `/sessions/${encodeURIComponent(sessionId)}`;
  const query = { session_id: sessionId };
  return { endpoint: 'read-session', method: 'GET', path, about: { sessionId }, query };
}

export function listShades(catalogId: string): Call {
  const path = `/shades?catalog_id=${encodeURIComponent(catalogId)}`;
  const query = { catalog_id: catalogId };
  return { endpoint: 'list-shades', method: 'GET', path, about: { catalogId }, query };
}

/** A further page of a list. `path`: where the page before said that it is, below the base URL. */
export function nextShades(catalogId: string, path: string): Call {
  return { ...listShades(catalogId), path, query: { catalog_id: catalogId, path } };
}

export function importShades(body: ShadeBatch): Call {
  const about = { catalogId: body.catalog_id, items: body.shades.length };
  return { endpoint: 'import-shades', method: 'POST', path: '/shades', body: JSON.stringify(body), about };
}

/** Parameters may be left out, to test that. */
export function analytics(query: Partial<AnalyticsQuery>): Call {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const path = `/analytics/sessions?${parameters.join('&')}`;
  const about = query.product_id === undefined ? {} : { productId: query.product_id };
  return { endpoint: 'analytics', method: 'GET', path, about, query: { ...query } };
}

/** What the record of a request holds of a 2xx answer. */
interface AnswerReading {
  readonly grant?: SessionGrant;
  /** `shade_count` of a session, the number of shades listed, `accepted` of events. */
  readonly count?: number;
}

/** Reads the body of a 2xx answer. `sessionId`: the session that was asked for. */
export function readAnswer(
  endpoint: Endpoint,
  body: unknown,
  names: HistoryNames,
  sessionId: string,
): Parsed<AnswerReading> {
  switch (endpoint) {
    case 'create-session':
      return read(readGrant(body), (grant) => ({ grant, count: grant.shade_count }));
    case 'list-shades':
      return read(readShades(body), ({ length }) => ({ count: length }));
    case 'interact':
      return read(readAccepted(body), ({ accepted: count }) => (count === undefined ? {} : { count }));
    case 'read-session':
      return read(readSessionBody(body, names, sessionId), () => ({}));
    case 'analytics':
      return read(readAnalytics(body), () => ({}));
    // The interface shows no answer.
    case 'import-shades':
      return { ok: true, value: {} };
  }
}

function read<T>(parsed: Parsed<T>, reading: (value: T) => AnswerReading): Parsed<AnswerReading> {
  return parsed.ok ? { ok: true, value: reading(parsed.value) } : parsed;
}

/** Where a session's events go, for calls with one authorization. */
export interface EventsPath {
  readonly path: string;
  readonly shared?: SharedText | undefined;
}

export function eventsPath(channel: { readonly path: string }, sessionId: string): Required<EventsPath> {
  const path = channel.path.replaceAll('{session_id}', encodeURIComponent(sessionId));
  return { path, shared: { hasOneBody: false } };
}

export function interact(
  channel: { readonly path: string },
  sessionId: string,
  body: InteractionBatch,
  to: EventsPath = { path: eventsPath(channel, sessionId).path },
): Call {
  const { path, shared } = to;
  const about = { sessionId, items: body.interactions.length, batch: body };
  return { endpoint: 'interact', method: 'POST', path, body: JSON.stringify(body), about, shared };
}

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Parsed JSON; undefined where it is not JSON. */
  readonly body: unknown;
}

/**
 * Stands between the interface and a target that speaks otherwise: a map or an adapter. The driver, the recorder and the
 * checks see only the interface's form.
 */
export interface Translation {
  request(call: Call, authorization: string | undefined): WireRequest;
  answer(call: Call, answer: Answer): Answer;
}

/**
 * The path of a request below the base URL, without its query: `/looks/{session_id}`. Values of the request that fill a segment
 * are named and not told, so that requests of one operation have one route.
 */
export function routeOf(path: string, { catalogId, locale, productId, sessionId }: Call['about']): string {
  const named = [
    ['session_id', sessionId],
    ['catalog_id', catalogId],
    ['product_id', productId],
    ['locale', locale],
  ] as const;
  const segments = path.split('?', 1)[0]?.split('/') ?? [];
  const route = segments.map((segment) => {
    const name = named.find(([, value]) => value === segment || encoded(value) === segment)?.[0];
    return segment === '' || name === undefined ? segment : `{${name}}`;
  });
  return route.join('/');
}

function encoded(value: string | undefined): string | undefined {
  // An id may hold half a character on purpose.
  return value?.isWellFormed() === true ? encodeURIComponent(value) : undefined;
}
