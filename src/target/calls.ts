import type { Endpoint } from '../vocabulary/requests.ts';
import type { InteractionBatch, SessionRequest, ShadeBatch } from '../wire.ts';
import type { Channel } from './channel.ts';

/** A request as the client sends it, before credentials. `path` is below the base URL. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Header fields in addition to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function createSession(body: SessionRequest): Call {
  return { endpoint: 'create-session', method: 'POST', path: '/sessions', body: JSON.stringify(body) };
}

export function readSession(sessionId: string): Call {
  return { endpoint: 'read-session', method: 'GET', path: `/sessions/${encodeURIComponent(sessionId)}` };
}

export function listShades(catalogId: string): Call {
  return {
    endpoint: 'list-shades',
    method: 'GET',
    path: `/shades?catalog_id=${encodeURIComponent(catalogId)}`,
  };
}

/** A further page of a list. `path`: where the page before said that it is, below the base URL. */
export function nextShades(path: string): Call {
  return { endpoint: 'list-shades', method: 'GET', path };
}

export function importShades(body: ShadeBatch): Call {
  return { endpoint: 'import-shades', method: 'POST', path: '/shades', body: JSON.stringify(body) };
}

/** Dates as the target takes them, and the product to filter by, if any. */
export interface AnalyticsQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly product_id?: string;
}

/** Parameters may be left out, to test that. */
export function analytics(query: Partial<AnalyticsQuery>): Call {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { endpoint: 'analytics', method: 'GET', path: `/analytics/sessions?${parameters.join('&')}` };
}

export function interact(channel: Channel, sessionId: string, body: InteractionBatch): Call {
  const path = channel.path.replaceAll('{session_id}', encodeURIComponent(sessionId));
  return { endpoint: 'interact', method: 'POST', path, body: JSON.stringify(body) };
}
