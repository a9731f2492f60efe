import type autocannon from 'autocannon';
import type { HistoryWriter } from '../../history/writer.ts';
import type { ClosedPhase } from '../../scenario/load.ts';
import type { Clock } from '../clock/clock.ts';
import { type CannonOptions, type CannonTarget, cannonade } from './cannon.ts';

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
  const statuses: Record<string, number> = {};
  if (typeof detailed === 'object' && detailed !== null) {
    for (const [status, stats] of Object.entries(detailed)) {
      statuses[status] =
        typeof stats === 'object' && stats !== null && 'count' in stats ? Number(stats.count) : 0;
    }
  }
  return statuses;
}
