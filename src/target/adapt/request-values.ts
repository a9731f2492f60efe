import type { Call } from '../calls.ts';
import { isObject, parsedJson } from '../json.ts';

/** What a request says, in the interface's names. */
export interface RequestValues {
  /** Parameters of path and query, as they are encoded there; several where one is repeated. */
  readonly encoded: Readonly<Record<string, readonly string[]>>;
  /** The same decoded, and the fields of the body. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the body can be put into another form: it is an object, or there is none. */
  readonly isPlain: boolean;
}

const readSessionPath = '/sessions/';

/** Reads a request in the interface's form. A malformed probe is read as far as it can be. */
export function valuesOf({ about, body, endpoint, path }: Call): RequestValues {
  const encoded: Record<string, string[]> = {};
  if (endpoint === 'read-session') encoded.session_id = [path.slice(readSessionPath.length)];
  else if (endpoint === 'interact') encoded.session_id = [encodeURIComponent(about.sessionId ?? '')];
  else if (path.includes('?')) {
    for (const pair of path.slice(path.indexOf('?') + 1).split('&')) {
      const [name = '', ...value] = pair.split('=');
      if (name === '') continue;
      encoded[name] ??= [];
      encoded[name].push(value.join('='));
    }
  }
  const values: Record<string, unknown> = {};
  for (const name in encoded) values[name] = decoded(encoded[name]?.[0] ?? '');
  if (body === undefined) return { encoded, values, isPlain: true };
  const parsed = parsedJson(body);
  return { encoded, values: isObject(parsed) ? { ...values, ...parsed } : values, isPlain: isObject(parsed) };
}

/** Without percent-encoding. It may be broken: some probes are for that. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
