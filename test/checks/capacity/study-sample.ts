import type { CapacityStep } from '../../../src/history/record.ts';
import { rateLattice } from '../../../src/limits/capacity/search.ts';
import { studyPhases } from '../../../src/vocabulary/phases.ts';
import type { SampleHistory, SampleRequest } from '../../history/sample.ts';

/** Eight to a doubling: 100, 109.1, 118.9, … */
export const rates = rateLattice(100, 400, 2);
export const connections = [1, 2, 4, 8, 16];

export interface Step {
  readonly rate: number;
  readonly purpose: CapacityStep['purpose'];
  /** Of a hundred requests. */
  readonly over?: number;
  readonly late?: number;
  readonly ended?: CapacityStep['ended'];
  readonly status?: number;
  /** Further requests, stopped with the run. */
  readonly stopped?: number;
}

const perStep = 100;
const s = 1e9;

/** A history of these steps: p90 under 50 ms, each step with a hundred requests that count and one, slow, that does not. */
export function historyOf(
  steps: readonly Step[],
  closed: readonly CapacityStep[] = [],
  more: SampleHistory = {},
): SampleHistory {
  const requests: SampleRequest[] = [];
  const events = steps.map((each, index): CapacityStep => {
    const step = index + 1;
    const startNs = step * 10 * s;
    const request = (atNs: number, tookMs: number, extra: Partial<SampleRequest> = {}): void => {
      requests.push({
        ...{ endpoint: 'list-shades', stage: 'study', phase: studyPhases.capacityOpen, credential: 'pool' },
        ...{
          probe: `capacity:${step}`,
          intendedNs: atNs,
          readyNs: atNs,
          sentNs: atNs,
          answeredNs: atNs + tookMs * 1e6,
        },
        ...extra,
      });
    };
    request(startNs, 900);
    for (let k = 0; k < perStep; k++)
      request(
        startNs + s + k * 1e7,
        k < (each.over ?? 0) ? 80 : 5,
        each.status ? { status: each.status } : {},
      );
    for (let k = 0; k < (each.stopped ?? 0); k++)
      request(startNs + s, 90, { lost: 'stopped', status: undefined });
    return {
      ...{ kind: 'capacity', model: 'open', step, purpose: each.purpose, ratePerSecond: each.rate, startNs },
      ...{
        countedFromNs: startNs + s,
        endNs: startNs + 3 * s,
        ended: each.ended ?? 'whole',
        planned: perStep,
      },
      ...{ late: each.late ?? 0, lagMs: { p99: 1, max: 2 }, self: { loopDelayMaxMs: 1, cpuShare: 0.2 } },
    };
  });
  return {
    ...more,
    run: {
      studies: [
        {
          kind: 'capacity',
          budget_ms: 1_000,
          capacity: { percentile: 90, max_ms: 50, error_share: 0.01, rates, connections, keys: 5 },
        },
      ],
    },
    requests,
    events: [...events, ...closed],
  };
}

export function closedStep(
  step: number,
  n: number,
  perSecond: number,
  more: Partial<CapacityStep> = {},
): CapacityStep {
  return {
    ...{ kind: 'capacity', model: 'closed', step, purpose: 'climb', connections: n, startNs: step * s },
    ...{ countedFromNs: step * s, endNs: step * s + s, ended: 'whole', statuses: { 200: 100 }, counted: 100 },
    ...{ over: 0, failed: 0, errors: 0, perSecond, latencyMs: { p50: 1, p99: 2, max: 3, promised: 2 } },
    ...{ busyShare: 0.2, self: { loopDelayMaxMs: 1, cpuShare: 0.2 } },
    ...more,
  } as CapacityStep;
}
