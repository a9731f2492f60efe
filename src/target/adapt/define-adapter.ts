import type {
  Interaction,
  SessionAnalytics,
  SessionGrant,
  SessionRequest,
  Shade,
  ShadeBatch,
} from '../../wire.ts';

/** The credentials of a request. A probe without a key, or with one in another form, has none. */
export interface AdapterCredentials {
  readonly key: string | undefined;
  /** The shopper's token: of an interaction whose `channel.auth` is `session-token`. */
  readonly token: string | undefined;
}

/** A request as it goes out. */
export interface AdapterRequest {
  /** `POST` with a body and `GET` without one, unless given. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below the base URL. */
  readonly path: string;
  /** Nothing is added to these but `Accept`, `Content-Type` and `User-Agent`; what is undefined is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Goes out as JSON. */
  readonly body?: object;
}

/** An answer as it came. An adapter says what form it expects: `({ body }: AdapterAnswer<{ id: string }>) => …`. */
export interface AdapterAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON; undefined where it is not JSON. */
  readonly body: Body;
}

/** One endpoint. What is left out is as the profile's `map` says, or as in the interface. */
interface EndpointAdapter<Fields, Body> {
  readonly request?: (fields: Fields, credentials: AdapterCredentials) => AdapterRequest;
  /** Reads a 2xx answer. */
  readonly answer?: (answer: AdapterAnswer<never>) => Body;
}

/** A session as its reader shows it. */
interface AdapterSession {
  readonly session_id?: string;
  readonly product_id?: string;
  readonly catalog_id?: string;
  readonly locale?: string;
  readonly interactions?: readonly Partial<Interaction>[];
}

/** A list of shades, or a page of one. `next`: what the request for the next page gets as its `page`. */
export interface AdapterShades {
  readonly shades: readonly Shade[];
  readonly next?: string | undefined;
}

interface Endpoints {
  readonly create_session?: EndpointAdapter<SessionRequest, SessionGrant>;
  readonly read_session?: EndpointAdapter<{ readonly session_id: string }, AdapterSession>;
  readonly list_shades?: EndpointAdapter<
    { readonly catalog_id: string; readonly page?: string },
    AdapterShades
  >;
  readonly import_shades?: EndpointAdapter<ShadeBatch, unknown>;
  readonly analytics?: EndpointAdapter<
    { readonly start_date: string; readonly end_date: string; readonly product_id?: string },
    SessionAnalytics
  >;
  readonly interact?: EndpointAdapter<
    { readonly session_id: string; readonly interactions: readonly Interaction[] },
    { readonly accepted?: number }
  >;
}

/** An answer of the target, and what it has to be read as. `tryon adapter check` compares them. */
export interface AdapterExample {
  readonly endpoint: keyof Endpoints;
  readonly answer: Partial<AdapterAnswer>;
  /** The status that checks see; 200 by default. */
  readonly status?: number;
  /** What checks read of a 2xx answer; not compared if it is left out. */
  readonly body?: unknown;
}

export interface Adapter extends Endpoints {
  /** The status that the interface has for an answer, where the target says it otherwise: an error in a body with 200. */
  readonly status?: (answer: AdapterAnswer<never>) => number;
  readonly examples?: readonly AdapterExample[];
}

const adapters = new WeakSet<object>();
const names: ReadonlySet<string> = new Set([
  ...['create_session', 'read_session', 'list_shades', 'import_shades', 'analytics', 'interact'],
  ...['status', 'examples'],
]);

/** Declares an adapter; the default export of the file that the profile names. Throws for a field that there is not. */
export function defineAdapter(adapter: Adapter): Adapter {
  const unknown = Object.keys(adapter).find((name) => !names.has(name));
  if (unknown !== undefined)
    throw new Error(`defineAdapter: ${unknown}: no such field; there are ${[...names].join(', ')}`);
  adapters.add(adapter);
  return adapter;
}

/** Whether a value came from `defineAdapter`. */
export function isAdapter(value: unknown): value is Adapter {
  return typeof value === 'object' && value !== null && adapters.has(value);
}
