import { isIP } from 'node:net';
import type autocannon from 'autocannon';
import type { Translation } from '../../target/calls.ts';
import * as calls from '../../target/calls.ts';
import { tlsOf, userAgent } from '../../target/client.ts';
import type { Addresses } from '../../target/http/connect.ts';
import { isOwnLimit } from '../../target/http/errors.ts';
import type { RunUnderWay } from './load.ts';

/** The settings of a closed loop. */
export interface CannonTarget {
  readonly baseUrl: URL;
  /** Keys to use in turn, so that no key's limit interferes. Secrets. */
  readonly keys: readonly string[];
  readonly catalogId: string;
  readonly productId: string;
  readonly locale: string;
  readonly timeoutMs: number;
  readonly addresses: Addresses;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string };
  readonly isStopped: () => boolean;
  /** Of a target that does not speak the interface. */
  readonly translation?: Translation | undefined;
}

export interface CannonOptions extends CannonTarget {
  readonly traffic: 'sessions' | 'reads';
  readonly connections: number;
  readonly durationMs: number;
  /** Requests at most. */
  readonly most: number;
  /** How exactly the duration is kept: autocannon checks the time this often. */
  readonly tickMs?: number;
  readonly onAnswer?: (status: number, tookMs: number) => void;
  /** A request without an answer. */
  readonly onError?: () => void;
  /** This machine had no socket left for a connection, which ends the loop. */
  readonly onNoSocket?: () => void;
}

/** How often it is looked whether the run was stopped. */
const glanceMs = 50;

/** A closed loop by autocannon: each connection sends its next request when the last is answered. */
export async function cannonade(options: CannonOptions): Promise<autocannon.Result> {
  // Loaded here and not above: few runs have a closed loop, and all would wait for it.
  const { default: cannon } = await import('autocannon');
  const { connections, onAnswer, onError, onNoSocket } = options;
  await options.addresses.next();
  const { inTurn } = options.addresses;
  let next = 0;
  return new Promise((resolve, reject) => {
    const instance = cannon(
      {
        url: options.baseUrl.origin,
        connections,
        duration: options.durationMs / 1e3,
        maxOverallRequests: options.most,
        tlsOptions: options.tls,
        timeout: Math.ceil(options.timeoutMs / 1e3),
        ...(options.tickMs === undefined ? {} : { sampleInt: options.tickMs }),
        setupClient: (client: autocannon.Client) => {
          if (!hasInside(client))
            throw new Error('not a client of the autocannon that tryon was written for');
          prepare(client, inTurn[next % inTurn.length], options.baseUrl);
          client.setRequests(requestsFor(options, next++, connections));
        },
      },
      (error: Error | null, done: autocannon.Result) => {
        clearInterval(glance);
        if (error === null) resolve(done);
        else reject(error);
      },
    );
    if (onAnswer !== undefined)
      instance.on('response', (_client, status, _bytes, tookMs) => onAnswer(Number(status), tookMs));
    const stop = (): void => instance.stop();
    instance.on('reqError', (error: Error) => {
      if (!isOwnLimit(error)) return onError?.();
      onNoSocket?.();
      stop();
    });
    const glance = setInterval(() => {
      if (options.isStopped()) stop();
    }, glanceMs);
  });
}

/** What the types of autocannon leave out of a client. */
interface CannonClient {
  readonly opts: object;
  readonly pipelinedRequests: { clear(): void };
  _connect(): void;
  _doRequest(): void;
  destroy(): void;
}

/**
 * Has a client's connections lead to an address, and no request go to a connection that the target is about to close. By itself
 * autocannon sends one there, and then times each answer from a request before its own.
 */
function prepare(
  client: CannonClient & NodeJS.EventEmitter,
  address: string | undefined,
  { hostname }: URL,
): void {
  const isName = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0;
  if (address !== undefined)
    Object.assign(client.opts, { hostname: address, ...(isName ? { servername: hostname } : {}) });
  let isClosing = false;
  const connect = client._connect;
  const send = client._doRequest;
  client.on('headers', ({ shouldKeepAlive }: { shouldKeepAlive: boolean }) => {
    isClosing = !shouldKeepAlive;
  });
  // Otherwise it would try again at once, and again.
  client.on('connError', (error: Error) => {
    if (isOwnLimit(error)) client.destroy();
  });
  client._doRequest = () => {
    if (!isClosing) send.call(client);
  };
  client._connect = () => {
    isClosing = false;
    client.pipelinedRequests.clear();
    connect.call(client);
  };
}

function hasInside(client: object): client is CannonClient & NodeJS.EventEmitter {
  return ['opts', 'pipelinedRequests', '_connect', '_doRequest', 'destroy', 'on'].every(
    (name) => name in client,
  );
}

/**
 * One request for each key, three sessions for each list of shades. Dealt out, with every key to two connections: each
 * connection then has few of them to prepare, and all keys share the load about evenly.
 */
function requestsFor(options: CannonOptions, connection: number, connections: number): autocannon.Request[] {
  const { baseUrl, keys, traffic } = options;
  const share = Math.min(keys.length, Math.ceil((2 * keys.length) / connections));
  const first = Math.floor((connection * keys.length) / connections);
  return Array.from({ length: share }, (_, place) => {
    const index = (first + place) % keys.length;
    const call = callOf(options, traffic, index);
    const authorization = `Bearer ${keys[index]}`;
    const { body, headers, method, path } = options.translation?.request(call, authorization) ?? {
      ...call,
      headers: { authorization },
    };
    return {
      method,
      path: baseUrl.pathname + path,
      headers: {
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    };
  });
}

/** The `index`-th request of a load that is to show capacity: three sessions for each list of shades, or lists alone. */
export function callOf(
  { catalogId, locale, productId }: Pick<CannonTarget, 'catalogId' | 'productId' | 'locale'>,
  traffic: 'sessions' | 'reads',
  index: number,
): calls.Call {
  return traffic === 'reads' || index % 4 === 3
    ? calls.listShades(catalogId)
    : calls.createSession({ product_id: productId, catalog_id: catalogId, locale });
}

/** What closed loops of a run are sent with: a pool of keys, or the load key alone. */
export function cannonTarget(
  run: Pick<RunUnderWay, 'baseUrl' | 'catalogs' | 'keys' | 'learned' | 'pool' | 'profile' | 'translation'>,
): Omit<CannonTarget, 'isStopped'> {
  const { baseUrl, catalogs, keys, learned, pool, profile, translation } = run;
  return {
    baseUrl,
    keys: pool.length > 0 || keys.load === undefined ? pool : [keys.load.value],
    catalogId: catalogs.load.id,
    productId: catalogs.load.products[0]?.id ?? '',
    locale: catalogs.load.locale,
    timeoutMs: profile.timeouts.headers,
    addresses: learned.addresses,
    tls: tlsOf(profile),
    translation,
  };
}
