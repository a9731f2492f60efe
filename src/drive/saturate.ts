import type autocannon from 'autocannon';
import type { HistoryWriter } from '../history/writer.ts';
import type { ClosedPhase } from '../scenario/load.ts';
import * as calls from '../target/calls.ts';
import type { Clock } from './clock.ts';

export interface SaturateOptions {
  readonly baseUrl: URL;
  readonly phase: ClosedPhase;
  readonly clock: Clock;
  readonly writer: HistoryWriter;
  /** Keys to take turns with, so that no key's limit is in the way. Secrets. */
  readonly keys: readonly string[];
  readonly catalogId: string;
  readonly productId: string;
  readonly timeoutMs: number;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string };
  /** Requests that all steps together may make. */
  readonly most: number;
  readonly isStopped: () => boolean;
  /** Told when `most` leaves no room for the next step. */
  readonly onCapped: () => void;
  readonly onStep: (connections: number) => void;
}

/**
 * Closed-loop saturation with autocannon: each connection sends its next request when the last is answered, with more
 * connections at each step. Only totals are remembered. Its latencies are service times: a closed loop has no intended
 * instants, and autocannon's correction for their absence invents its numbers, so it is left off.
 *
 * @returns how many requests it made.
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

/** How often a step looks whether the run was stopped. */
const glanceMs = 100;

async function step(options: SaturateOptions, connections: number, most: number): Promise<number> {
  const { clock, phase, writer } = options;
  const startNs = clock.nowNs();
  // Loaded here and not above: few runs have a closed loop, and all would wait for it.
  const { default: cannon } = await import('autocannon');
  let next = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = cannon(
      {
        url: options.baseUrl.origin,
        connections,
        duration: phase.stepMs / 1e3,
        maxOverallRequests: most,
        tlsOptions: options.tls,
        timeout: Math.ceil(options.timeoutMs / 1e3),
        setupClient: (client: autocannon.Client) =>
          client.setRequests(requestsFor(options, next++, connections)),
      },
      (error: Error | null, done: autocannon.Result) => {
        clearInterval(glance);
        if (error === null) resolve(done);
        else reject(error);
      },
    );
    const glance = setInterval(() => {
      if (options.isStopped()) (instance as unknown as { stop(): void }).stop();
    }, glanceMs);
  });
  writer.event({
    kind: 'saturation',
    phase: phase.name,
    startNs,
    connections,
    durationMs: Math.round((clock.nowNs() - startNs) / 1e6),
    statuses: statusesOf(result),
    errors: result.errors,
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

/**
 * One request for each key, three sessions for each list of shades. Dealt out, with every key to two connections: each
 * connection then has few of them to prepare, and all keys share the load about evenly.
 */
function requestsFor(
  options: SaturateOptions,
  connection: number,
  connections: number,
): autocannon.Request[] {
  const { baseUrl, catalogId, keys, phase, productId } = options;
  const session = calls.createSession({ product_id: productId, catalog_id: catalogId, locale: 'en-GB' });
  const list = calls.listShades(catalogId);
  const share = Math.min(keys.length, Math.ceil((2 * keys.length) / connections));
  const first = Math.floor((connection * keys.length) / connections);
  return Array.from({ length: share }, (_, place) => {
    const index = (first + place) % keys.length;
    const call = phase.traffic === 'reads' || index % 4 === 3 ? list : session;
    return {
      method: call.method,
      path: baseUrl.pathname + call.path,
      headers: {
        authorization: `Bearer ${keys[index]}`,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
  });
}

function statusesOf(result: autocannon.Result): Record<string, number> {
  const detailed: unknown = 'statusCodeStats' in result ? result.statusCodeStats : undefined;
  const statuses: Record<string, number> = {};
  if (typeof detailed === 'object' && detailed !== null) {
    for (const [status, stats] of Object.entries(detailed)) {
      statuses[status] =
        typeof stats === 'object' && stats !== null && 'count' in stats ? Number(stats.count) : 0;
    }
  }
  return statuses;
}
