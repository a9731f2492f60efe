import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { usageError } from '../exit.ts';
import { programVersion } from '../program-files.ts';
import type { Spelling } from '../vocabulary/probes.ts';
import { type Call, routeOf, type Translation } from './calls.ts';
import { type BodyRoom, Exchange, type ExchangeListener, Stopped } from './exchange.ts';
import { Addresses } from './http/connect.ts';
import { RestLimit } from './http/errors.ts';
import { HttpPool } from './http/pool.ts';
import type { AnswerHandler, HttpRequest } from './http/request.ts';
import type { Profile } from './profile.ts';

/** By this the target's operator tells the load from others'. */
export const userAgent = `tryon/${programVersion()}`;

const usualFields = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent };
const usualFieldsOfBody = { ...usualFields, 'content-type': 'application/json' };

/** Speaks HTTP to one target, whose connections `dispatcher` holds. */
export class TargetClient {
  readonly baseUrl: URL;
  readonly #dispatcher: Connections;
  readonly #nowNs: () => number;
  /** Undefined for a target that speaks the interface. It has to be given, so that no client is left without it by mistake. */
  readonly translation: Translation | undefined;
  readonly #room: BodyRoom | undefined;

  constructor(
    baseUrl: URL,
    dispatcher: Connections,
    nowNs: () => number,
    translation: Translation | undefined,
    room?: BodyRoom,
  ) {
    this.#room = room;
    this.baseUrl = baseUrl;
    this.#dispatcher = dispatcher;
    this.#nowNs = nowNs;
    this.translation = translation;
  }

  /** Sends a request now; `listener.done` is called once, later, for every outcome. */
  send<Context>(
    call: Call,
    authorization: string | undefined,
    context: Context,
    listener: ExchangeListener<Context>,
  ): void {
    const exchange = this.#exchange(call, context, listener);
    this.#dispatcher.dispatch(this.#request(call, authorization, exchange), exchange);
  }

  /** Makes a request and does not send it, so that the next finds all of that in the processor's caches. */
  prepare<Context>(
    call: Call,
    authorization: string | undefined,
    context: Context,
    listener: ExchangeListener<Context>,
  ): void {
    const exchange = this.#exchange(call, context, listener);
    this.#dispatcher.prepare?.(this.#request(call, authorization, exchange));
  }

  /** Opens a connection, if there is none, so that the first request need not wait for it. */
  open(): void {
    this.#dispatcher.open?.();
  }

  #exchange<Context>(call: Call, context: Context, listener: ExchangeListener<Context>): Exchange<Context> {
    return new Exchange(call, context, this.#nowNs, listener, this.#room, this.translation);
  }

  #request(call: Call, authorization: string | undefined, exchange: Exchange<unknown>): HttpRequest {
    const { headers, spelling, traceparent } = call;
    const translated = this.translation?.request(call, authorization);
    if (translated !== undefined)
      exchange.wireRoute = `${translated.method} ${routeOf(translated.path, call.about)}`;
    const { body, method, path } = translated ?? call;
    const usual = body === undefined ? usualFields : usualFieldsOfBody;
    const isUsual = translated === undefined && headers === undefined;
    return {
      method: spelling === 'head' && method === 'GET' ? 'HEAD' : method,
      path: this.baseUrl.pathname + (spelling === undefined ? path : spelled(path, spelling)),
      headers: isUsual ? usual : { ...usual, ...translated?.headers, ...headers },
      authorization: translated === undefined ? authorization : undefined,
      traceparent,
      body: body ?? null,
      shared: translated === undefined ? call.shared : undefined,
    };
  }

  /** Gives up on everything in flight. */
  async destroy(): Promise<void> {
    await this.#dispatcher.destroy(new Stopped('the run was stopped'));
  }
}

/** What carries requests. */
export interface Connections {
  /** Sends a request as soon as there is a connection for it. */
  dispatch(request: HttpRequest, handler: AnswerHandler): void;
  /** Writes a request that goes nowhere. */
  prepare?(request: HttpRequest): void;
  /** Opens a connection if there is none. */
  open?(): void;
  destroy(reason: Error): Promise<void>;
}

/** Connections that a load uses in turn. */
export const loadSpread = 8;

/** What a run learns of connections to its target, and all of its pools use. */
export interface Learned {
  /** How long connections may rest. */
  readonly rest: RestLimit;
  readonly addresses: Addresses;
}

/** Further settings of a pool of connections. */
export interface PoolSettings extends Partial<Learned> {
  /** The address of this machine that they are opened from. */
  readonly localAddress?: string;
  /** Connections that requests use in turn, as far as the rate keeps them from resting too long. */
  readonly spread?: number;
  /** `in-turn` by default. See `HttpPool`. */
  readonly order?: 'in-turn' | 'last-used';
}

/** The addresses of a target, of which the profile may name the one to use. */
export function addressesOf({ hostname }: URL, { address }: Pick<Profile, 'address'>): Addresses {
  return new Addresses(hostname, { only: address });
}

/** A pool of connections as the profile wants them. Throws a usage error when a CA file cannot be read. */
export function openPool(baseUrl: URL, profile: Profile, settings: PoolSettings = {}): Connections {
  const { addresses = addressesOf(baseUrl, profile), localAddress, order = 'in-turn' } = settings;
  const { rest = new RestLimit(), spread = 1 } = settings;
  const { body, headers } = profile.timeouts;
  return new HttpPool(baseUrl, {
    connections: profile.connections,
    spread: Math.min(spread, profile.connections),
    order,
    connect: {
      timeoutMs: profile.timeouts.connect,
      tls: tlsOf(profile),
      addresses,
      ...(localAddress === undefined ? {} : { localAddress }),
    },
    limits: { headersMs: headers, bodyMs: body },
    rest,
  });
}

/** The pool for requests one after the other, beside the load: the last used connection is the next to be used. */
export function openQuestions(baseUrl: URL, profile: Profile, settings: PoolSettings = {}): Connections {
  return openPool(baseUrl, profile, { ...settings, order: 'last-used' });
}

/** How a target's certificate is checked. Throws a usage error when a CA file cannot be read. */
export function tlsOf({ tls }: Profile): { readonly rejectUnauthorized: boolean; readonly ca?: string } {
  return {
    rejectUnauthorized: tls.reject_unauthorized,
    ...(tls.ca_file === undefined ? {} : { ca: readCa(tls.ca_file) }),
  };
}

/** The certificates in a CA file, PEM. Throws a usage error that names the file. */
export function readCa(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`profile: tls.ca_file: cannot read ${file}`, error);
  }
  try {
    new X509Certificate(text);
  } catch (error) {
    throw usageError(`profile: tls.ca_file: expected certificates in PEM in ${file}`, error);
  }
  return text;
}

/** The same path to a server that normalises it (RFC 3986, 6.2.2), or is tolerant. */
export function spelled(path: string, spelling: Spelling): string {
  const end = path.includes('?') ? path.indexOf('?') : path.length;
  const [whole, query] = [path.slice(0, end), path.slice(end)];
  switch (spelling) {
    case 'double-slash':
      return `/${path}`;
    case 'trailing-slash':
      return `${whole}/${query}`;
    case 'capital':
      return path.replace(/[a-z]/, (letter) => letter.toUpperCase());
    case 'head':
      return path;
    case 'percent':
      return path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  }
}
