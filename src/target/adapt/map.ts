import { type Endpoint, endpoints } from '../../vocabulary/requests.ts';
import type { Answer, Call, Translation } from '../calls.ts';
import {
  type EndpointMap,
  type EndpointPlan,
  type MappedEndpoint,
  planOf,
  type WireRequest,
} from '../endpoint-map.ts';
import { isObject, parsedJson } from '../json.ts';
import type { HistoryNames, Profile } from '../profile.ts';
import { nextReference, ownPath, type Paging, readBody, readHeaders } from '../reading.ts';
import { withoutPageHeaders } from '../shade-list.ts';
import { type RequestValues, renderBody, renderPath, renderText } from '../template.ts';

/** The map of a profile; undefined where it has none. */
export function mapOf(profile: Profile, baseUrl: URL): Translation | undefined {
  return isMapped(profile) ? new MapTranslation(profile, baseUrl) : undefined;
}

function isMapped({ channel, map }: Profile): boolean {
  if (map !== undefined) return true;
  if (typeof channel !== 'object') return false;
  const { answer, body, headers, method, types } = channel;
  return [answer, body, headers, method, types].some((part) => part !== undefined);
}

/** Whether a target speaks otherwise than the interface. */
export function isTranslated(profile: Profile): boolean {
  return profile.adapter !== undefined || isMapped(profile);
}

/** A profile's map, compiled: what it does not name goes out and is read as the interface has it. */
class MapTranslation implements Translation {
  readonly #plans: Readonly<Record<Endpoint, EndpointPlan>>;
  readonly #baseUrl: URL;
  readonly #history: Profile['session_history'];
  readonly #hasOneEvent: boolean;
  readonly #typeNames: Readonly<Record<string, string | undefined>> | undefined;
  /** What the credentials of an interaction are. */
  readonly #eventCredentials: 'key' | 'token';

  constructor({ channel, map = {}, session_history: history }: Profile, baseUrl: URL) {
    const { headers = {}, ...maps } = map;
    const told = typeof channel === 'object' ? channel : undefined;
    // The channel's path has been filled in already.
    const interact: EndpointMap = { ...told, path: undefined };
    const all = { ...maps, interact };
    this.#plans = Object.fromEntries(
      endpoints.map((endpoint) => {
        const name = endpoint.replaceAll('-', '_') as MappedEndpoint;
        return [endpoint, planOf(name, all[name] ?? {}, headers)];
      }),
    ) as Record<Endpoint, EndpointPlan>;
    this.#baseUrl = baseUrl;
    this.#history = history;
    this.#hasOneEvent = told?.most_events === 1;
    this.#typeNames = told?.types;
    this.#eventCredentials = told?.auth === 'api-key' ? 'key' : 'token';
  }

  request(call: Call, authorization: string | undefined): WireRequest {
    return this.#request(call, valuesOf(call), authorization);
  }

  #request(call: Call, asked: RequestValues, authorization: string | undefined): WireRequest {
    const plan = this.#plans[call.endpoint];
    const named = call.endpoint === 'interact' ? this.#eventCredentials : 'key';
    // What is no bearer credential is a probe of that header.
    const isPlaced = plan.credentials.includes(named) && authorization?.startsWith(bearer) === true;
    const values = {
      ...asked.values,
      ...(call.endpoint === 'interact' ? this.#events(asked.values.interactions) : {}),
      ...(isPlaced ? { [named]: authorization.slice(bearer.length) } : {}),
    };
    const headers: Record<string, string> = {};
    if (authorization !== undefined && !isPlaced) headers.authorization = authorization;
    for (const [name, text] of plan.headers) {
      const value = renderText(text, values);
      if (value !== undefined) headers[name] = value;
    }
    const hasBody = plan.body !== undefined && plan.method !== 'GET';
    return {
      method: plan.method ?? (hasBody ? 'POST' : call.method),
      path: pathOf(call, plan, asked),
      headers,
      body: hasBody && asked.isPlain ? JSON.stringify(renderBody(plan.body, values)) : call.body,
    };
  }

  /** Events with the target's names of types. Of one event alone, the fields as well. */
  #events(events: unknown): Readonly<Record<string, unknown>> {
    if (!Array.isArray(events)) return {};
    const names = this.#typeNames;
    const interactions = events.map((event: unknown) =>
      names !== undefined && isObject(event) && typeof event.type === 'string'
        ? { ...event, type: names[event.type] ?? event.type }
        : event,
    );
    const [only] = this.#hasOneEvent ? interactions : [];
    return { interactions, ...(isObject(only) ? only : {}) };
  }

  answer(call: Call, answer: Answer): Answer {
    const { headerReaders, paging, reader } = this.#plans[call.endpoint];
    if (answer.status < 200 || answer.status > 299 || (reader === undefined && headerReaders.length === 0))
      return answer;
    const read =
      reader !== undefined ? readBody(reader, answer.body) : isObject(answer.body) ? { ...answer.body } : {};
    readHeaders(headerReaders, answer.headers, read);
    if (call.endpoint === 'read-session') return { ...answer, body: this.#session(read) };
    if (paging === undefined || reader?.list === undefined) return { ...answer, body: read };
    return this.#page(call, answer, read, paging);
  }

  #page(call: Call, answer: Answer, read: Record<string, unknown>, paging: Paging): Answer {
    const { shades } = read;
    const asked = valuesOf(call);
    const next = nextReference(
      {
        asked,
        read,
        entries: Array.isArray(shades) ? shades.length : 0,
        link: answer.headers.link === undefined ? undefined : String(answer.headers.link),
        url: () =>
          new URL(`${this.#baseUrl.href.replace(/\/$/, '')}${this.#request(call, asked, undefined).path}`),
      },
      paging,
      this.#baseUrl,
    );
    const body = next === undefined ? { shades } : { shades, next };
    return { ...answer, headers: withoutPageHeaders(answer.headers), body };
  }

  /** Its events have the target's types. */
  #session(read: Record<string, unknown>): unknown {
    const types = Object.entries(this.#typeNames ?? {});
    const { interactions } = read;
    if (types.length === 0 || !Array.isArray(interactions)) return inHistoryNames(read, this.#history);
    const events = interactions.map((event: unknown) => {
      const [type] = types.find(([, theirs]) => isObject(event) && theirs === event.type) ?? [];
      return isObject(event) && type !== undefined ? { ...event, type } : event;
    });
    return inHistoryNames({ ...read, interactions: events }, this.#history);
  }
}

const bearer = 'Bearer ';

function pathOf({ endpoint, path }: Call, plan: EndpointPlan, asked: RequestValues): string {
  const own = endpoint === 'list-shades' ? asked.values[ownPath] : undefined;
  if (typeof own === 'string') return own;
  return plan.path === undefined ? path : renderPath(plan.path, asked);
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

/** A session read back, with its history under the names that the profile has for it: its readers go by them. */
export function inHistoryNames(session: unknown, { at, id, list, sku, type }: HistoryNames): unknown {
  if (!isObject(session)) return session;
  const { interactions, ...fields } = session;
  if (!Array.isArray(interactions)) return fields;
  const names: Readonly<Record<string, string>> = { at, id, sku, type };
  const entries = interactions.map((entry: unknown) =>
    isObject(entry)
      ? Object.fromEntries(Object.entries(entry).map(([name, value]) => [names[name] ?? name, value]))
      : entry,
  );
  return { ...fields, [list]: entries };
}
