import { isIP } from 'node:net';
import type autocannon from 'autocannon';
import type { HistoryWriter } from '../../history/writer.ts';
import type { ClosedPhase } from '../../scenario/load.ts';
import * as calls from '../../target/calls.ts';
import { tlsOf, userAgent } from '../../target/client.ts';
import type { Addresses } from '../../target/http/connect.ts';
import { isOwnLimit } from '../../target/http/errors.ts';
import type { Translation } from '../../target/translation.ts';
import type { Clock } from '../clock/clock.ts';
import type { DriveOptions } from './load.ts';

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
    const stop = (): void => (instance as unknown as { stop(): void }).stop();
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

interface SaturateOptions extends CannonTarget, Pick<CannonOptions, 'onAnswer' | 'onError'> {
  readonly phase: ClosedPhase;
  readonly clock: Clock;
  readonly writer: HistoryWriter;
  /** Requests that all steps together may make. */
  readonly most: number;
  /** Told when `most` leaves no room for the next step. */
  readonly onCapped: () => void;
  readonly onStep: (connections: number) => void;
}

/**
 * Closed-loop saturation with autocannon: each connection sends its next request after an answer; each step adds
 * connections. Only totals are kept, as service times: autocannon's correction would invent numbers for intended
 * instants that do not exist. @returns how many requests it made.
 */
export async function saturate(options: SaturateOptions): Promise<number> {
  let made = 0;
  for (const connections of options.phase.connections) {
    if (options.isStopped()) break;
    const left = options.most - made;
    // Each connection makes at least one request.
    if (left < connections) {
      options.onCapped();
      break;
    }
    options.onStep(connections);
    made += await step(options, connections, Math.min(left, Math.max(connections, options.phase.capPerStep)));
  }
  return made;
}

async function step(options: SaturateOptions, connections: number, most: number): Promise<number> {
  const { clock, phase, writer } = options;
  let noSocket = 0;
  const startNs = clock.nowNs();
  const result = await cannonade({
    ...options,
    traffic: phase.traffic,
    connections,
    durationMs: phase.stepMs,
    most,
    onNoSocket: () => {
      noSocket++;
    },
  });
  writer.event({
    kind: 'saturation',
    phase: phase.name,
    startNs,
    connections,
    durationMs: Math.round((clock.nowNs() - startNs) / 1e6),
    statuses: statusesOf(result),
    errors: result.errors - noSocket,
    ...(noSocket === 0 ? {} : { noSocket }),
    timeouts: result.timeouts,
    requestsPerSecond: result.requests.average,
    latencyMs: {
      p50: result.latency.p50,
      p90: result.latency.p90,
      p99: result.latency.p99,
      max: result.latency.max,
    },
  });
  return result.requests.sent;
}

function statusesOf(result: autocannon.Result): Record<string, number> {
  const detailed: unknown = 'statusCodeStats' in result ? result.statusCodeStats : undefined;
  const countOf = (stats: unknown): number =>
    typeof stats === 'object' && stats !== null && 'count' in stats ? Number(stats.count) : 0;
  return Object.fromEntries(
    Object.entries(detailed ?? {}).map(([status, stats]) => [status, countOf(stats)]),
  );
}

/** What the run allows closed loops, and what they report. */
interface ClosedLoopHooks extends Pick<CannonTarget, 'addresses'> {
  /** Requests that the next phase may make. */
  readonly most: () => number;
  readonly isStopped: () => boolean;
  readonly onCapped: () => void;
  readonly onStep: (connections: number) => void;
  /** How many requests a phase made. */
  readonly onRequests: (n: number) => void;
  /** Each of them, once it is over. */
  readonly onClosed: (status: number | undefined, tookMs: number) => void;
}

/** Plays the plan's closed-loop phases, each when its time has come. `startNs`: of the load, run nanoseconds. */
export async function saturateInTurn(
  { baseUrl, catalogs, clock, keys, plan, pool, profile, translation, writer }: DriveOptions,
  startNs: number,
  { addresses, isStopped, most, onCapped, onClosed, onRequests, onStep }: ClosedLoopHooks,
): Promise<void> {
  for (const placed of plan.phases) {
    if (placed.kind !== 'closed') continue;
    await clock.until(startNs + placed.startNs);
    const made = await saturate({
      baseUrl,
      phase: placed.phase,
      clock,
      writer,
      keys: pool.length > 0 || keys.load === undefined ? pool : [keys.load.value],
      catalogId: catalogs.load.id,
      productId: catalogs.load.products[0]?.id ?? '',
      locale: catalogs.load.locale,
      timeoutMs: profile.timeouts.headers,
      addresses,
      tls: tlsOf(profile),
      translation,
      most: most(),
      isStopped,
      onCapped,
      onStep,
      onAnswer: onClosed,
      onError: () => onClosed(undefined, 0),
    });
    onRequests(made);
  }
}
