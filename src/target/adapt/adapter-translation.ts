import { usageError } from '../../exit.ts';
import { importDefault } from '../../program-files.ts';
import type { Endpoint } from '../../vocabulary/requests.ts';
import type { Answer, Call, Translation } from '../calls.ts';
import * as calls from '../calls.ts';
import type { MappedEndpoint, WireRequest } from '../endpoint-map.ts';
import type { Channel, Profile } from '../profile.ts';
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterCredentials,
  type AdapterRequest,
  type AdapterShades,
  isAdapter,
} from './define-adapter.ts';
import { inHistoryNames, mapOf, valuesOf } from './map.ts';

/** The part of an adapter for an endpoint, for any: fields are checked where a request is made, and answers by the readers. */
interface AnyEndpoint {
  readonly request?: (fields: object, credentials: AdapterCredentials) => AdapterRequest;
  readonly answer?: (answer: AdapterAnswer<never>) => unknown;
}

const bearer = 'Bearer ';

/** An adapter over a map, or over the interface itself. */
export class AdapterTranslation implements Translation {
  readonly #adapter: Adapter;
  readonly #file: string;
  readonly #base: Translation | undefined;
  readonly #profile: Profile;

  constructor(adapter: Adapter, file: string, profile: Profile, base: Translation | undefined) {
    this.#adapter = adapter;
    this.#file = file;
    this.#base = base;
    this.#profile = profile;
  }

  request(call: Call, authorization: string | undefined): WireRequest {
    const { request } = this.#endpoint(call.endpoint);
    if (request === undefined)
      return this.#base?.request(call, authorization) ?? interfaceRequest(call, authorization);
    const credentials = this.#credentials(call.endpoint, authorization);
    const { isPlain, values } = valuesOf(call);
    const { fields } = samples[endpointName(call.endpoint)];
    let made: AdapterRequest | undefined;
    try {
      if (isPlain) made = request(values, credentials);
    } catch (error) {
      // Only a probe lacks a field, or has one of another type: an adapter need not expect that.
      if (isLike(values, fields)) throw this.#failure(call.endpoint, 'request', error);
    }
    if (made === undefined) {
      const form = this.#wire(request(fields, credentials), authorization, credentials);
      return { ...form, body: call.body ?? form.body };
    }
    return this.#wire(made, authorization, credentials);
  }

  #wire(
    { body, headers = {}, method, path }: AdapterRequest,
    authorization: string | undefined,
    { key, token }: AdapterCredentials,
  ): WireRequest {
    const isBearer = key !== undefined || token !== undefined;
    const own = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), value]],
    );
    return {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      headers: {
        ...(Object.fromEntries(own) as Record<string, string>),
        // What is no bearer credential is a probe of that header.
        ...(isBearer || authorization === undefined ? {} : { authorization }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }

  answer(call: Call, answer: Answer): Answer {
    // Its functions say what form they expect; one that is wrong about that throws.
    const asked = answer as AdapterAnswer<never>;
    const status = this.#adapter.status?.(asked) ?? answer.status;
    const { answer: read } = this.#endpoint(call.endpoint);
    const own = { ...answer, status };
    if (status < 200 || status > 299) return own;
    if (read === undefined) return this.#base?.answer(call, own) ?? own;
    const body = read({ ...asked, status });
    if (call.endpoint === 'list-shades') return { ...own, body: pageBody(call, body as AdapterShades) };
    if (call.endpoint !== 'read-session') return { ...own, body };
    return { ...own, body: inHistoryNames(body, this.#profile.session_history) };
  }

  #endpoint(endpoint: Endpoint): AnyEndpoint {
    return (this.#adapter[endpointName(endpoint)] ?? {}) as AnyEndpoint;
  }

  #credentials(endpoint: Endpoint, authorization: string | undefined): AdapterCredentials {
    const { channel } = this.#profile;
    const given = authorization?.startsWith(bearer) === true ? authorization.slice(bearer.length) : undefined;
    const isByKey = typeof channel === 'object' && channel.auth === 'api-key';
    const isToken = endpoint === 'interact' && !isByKey;
    return { key: isToken ? undefined : given, token: isToken ? given : undefined };
  }

  #failure(endpoint: Endpoint, part: string, error: unknown): Error {
    const why = error instanceof Error ? error.message : String(error);
    return usageError(`adapter ${this.#file}: ${endpointName(endpoint)}.${part}: ${why}`, error);
  }
}

export function endpointName(endpoint: Endpoint): MappedEndpoint {
  return endpoint.replaceAll('-', '_') as MappedEndpoint;
}

/** The request as the interface has it. */
function interfaceRequest(call: Call, authorization: string | undefined): WireRequest {
  const { body, method, path } = call;
  return { method, path, body, headers: authorization === undefined ? {} : { authorization } };
}

/** The next page, as the readers of pages follow it. */
function pageBody(call: Call, { next, shades }: AdapterShades): object {
  const catalog = valuesOf(call).encoded.catalog_id?.[0] ?? '';
  return next === undefined
    ? { shades }
    : { shades, next: `?catalog_id=${catalog}&page=${encodeURIComponent(next)}` };
}

/** Whether all fields of the sample are there, each with the type that it has in the sample. */
function isLike(values: unknown, sample: unknown): boolean {
  if (Array.isArray(sample))
    return Array.isArray(values) && values.every((each: unknown) => isLike(each, sample[0]));
  if (typeof sample !== 'object' || sample === null) return typeof values === typeof sample;
  if (typeof values !== 'object' || values === null) return false;
  const given = new Map(Object.entries(values));
  return Object.entries(sample).every(([name, each]) => isLike(given.get(name), each));
}

/** Loads the adapter in a file. Throws a usage error that names the file and what is wrong with it. */
export async function loadAdapter(file: string): Promise<Adapter> {
  let adapter: unknown;
  try {
    adapter = await importDefault(file);
  } catch (error) {
    throw usageError(`adapter ${file}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (isAdapter(adapter)) return adapter;
  throw usageError(
    `adapter ${file}: expected \`export default defineAdapter({ … })\` with defineAdapter from 'tryon'`,
  );
}

/** A valid request to an endpoint: the fields that it always has, and the call with some of them changed. */
interface EndpointSample {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly call: (channel: Channel, changed?: Readonly<Record<string, unknown>>) => Call;
}

function sample<const Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
  call: (fields: Fields, channel: Channel) => Call,
): EndpointSample {
  return { fields, call: (channel, changed) => call({ ...fields, ...changed }, channel) };
}

export const samples: Readonly<Record<MappedEndpoint, EndpointSample>> = {
  create_session: sample(
    { product_id: 'sample-product', catalog_id: 'sample-catalog', locale: 'en-GB' },
    calls.createSession,
  ),
  read_session: sample({ session_id: 'sample-session' }, ({ session_id }) => calls.readSession(session_id)),
  list_shades: sample({ catalog_id: 'sample-catalog' }, ({ catalog_id }) => calls.listShades(catalog_id)),
  import_shades: sample(
    {
      catalog_id: 'sample-catalog',
      shades: [{ sku: 'SAMPLE-1', name: 'Sample Rose', hex: '#A1B2C3', finish: 'matte' }],
    },
    ({ catalog_id, shades }) => calls.importShades({ catalog_id, shades: [...shades] }),
  ),
  analytics: sample({ start_date: '2026-01-01', end_date: '2026-01-31' }, calls.analytics),
  interact: sample(
    {
      session_id: 'sample-session',
      interactions: [
        {
          id: '00000000-0000-4000-8000-000000000001',
          type: 'shade_selected',
          at: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
    ({ interactions, session_id }, channel) =>
      calls.interact(channel, session_id, { interactions: [...interactions] }),
  ),
};

/**
 * What stands between the interface and the target, by the profile; undefined where it speaks the interface. Throws a
 * usage error for an adapter that cannot be used.
 */
export async function openTranslation(profile: Profile, baseUrl: URL): Promise<Translation | undefined> {
  const map = mapOf(profile, baseUrl);
  const { adapter: file } = profile;
  if (file === undefined) return map;
  return new AdapterTranslation(await loadAdapter(file), file, profile, map);
}
