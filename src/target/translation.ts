import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from './calls.ts';
import type { WireRequest } from './endpoint-map.ts';

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
 * Method and path of a request below the base URL, without its query: `GET /looks/{session_id}`. Values of the request
 * that fill a segment are named and not told, so that requests of one operation have one route.
 */
export function routeOf(
  { method, path }: Pick<WireRequest, 'method' | 'path'>,
  { catalogId, locale, productId, sessionId }: Call['about'],
): string {
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
  return `${method} ${route.join('/')}`;
}

function encoded(value: string | undefined): string | undefined {
  // An id may hold half a character on purpose.
  return value?.isWellFormed() === true ? encodeURIComponent(value) : undefined;
}
