import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../calls.ts';
import type { Profile } from '../profile.ts';
import { mapOf } from './map.ts';

/** A request as it goes out, below the base URL. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body: string | undefined;
  /** In addition to the usual ones; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
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

/**
 * What stands between the interface and the target, by the profile; undefined where it speaks the interface. Throws a
 * usage error for an adapter that cannot be used.
 */
export async function openTranslation(profile: Profile, baseUrl: URL): Promise<Translation | undefined> {
  const map = mapOf(profile, baseUrl);
  const { adapter: file } = profile;
  if (file === undefined) return map;
  // Few profiles name one.
  const { AdapterTranslation, loadAdapter } = await import('./adapter-translation.ts');
  return new AdapterTranslation(await loadAdapter(file), file, profile, map);
}
