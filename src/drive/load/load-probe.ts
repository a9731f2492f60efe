import type { Plan } from '../../plan/plan.ts';
import { mostSlotsWithin } from '../../plan/slots.ts';
import * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import { companionPhases } from '../../vocabulary/phases.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import { unknownKey } from '../ask/ask.ts';
import type { Clock } from '../clock/clock.ts';
import type { Asked, Recorder } from '../record/recorder.ts';

/** The most requests without a good key: a target may count them and block the address. */
export const mostLoadProbes = 40;
/** How many fall into a window of the limit, where that is neither too short nor too long for it. */
const perWindow = 20;
const shortestGapMs = 250;
const longestGapMs = 3_000;

/** How often the wait for the next looks whether the run was stopped. */
const pollIntervalNs = 100e6;

/** When to ask, in ns since the start of the load: now and then while a plan goes past the promised rate. */
export function loadProbeInstants(plan: Pick<Plan, 'phases'>, limit: RateLimit): number[] {
  const spans = plan.phases.flatMap((placed) =>
    placed.kind === 'open' &&
    placed.phase.unit === 'requests' &&
    mostSlotsWithin(placed.phase.segments, limit.windowMs) > limit.requests
      ? [placed]
      : [],
  );
  const totalNs = spans.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  const gapMs = Math.min(longestGapMs, Math.max(shortestGapMs, limit.windowMs / perWindow));
  const gapNs = Math.max(gapMs * 1e6, totalNs / mostLoadProbes);
  return spans
    .flatMap(({ startNs, endNs }) =>
      Array.from({ length: Math.floor((endNs - startNs) / gapNs) }, (_, n) =>
        Math.round(startNs + (n + 0.5) * gapNs),
      ),
    )
    .toSorted((a, b) => a - b);
}

/** When to act during the load. */
export interface BesideLoad {
  /** Ns since the start of the load, in order. */
  readonly instants: readonly number[];
  /** The start of the load, run nanoseconds. */
  readonly startNs: number;
  readonly clock: Clock;
  readonly mayGoOn: () => boolean;
}

/**
 * Calls `probe` at each instant, one at a time. An instant that has passed by the time the one before is done is
 * skipped, so that the load hardly grows.
 */
export async function atInstants(
  { clock, instants, mayGoOn, startNs }: BesideLoad,
  probe: () => Promise<void>,
): Promise<void> {
  for (const [n, instant] of instants.entries()) {
    const dueNs = startNs + instant;
    const nextNs = startNs + (instants[n + 1] ?? Number.POSITIVE_INFINITY);
    if (clock.nowNs() >= nextNs) continue;
    for (let nowNs = clock.nowNs(); nowNs < dueNs && mayGoOn(); nowNs = clock.nowNs())
      await clock.until(Math.min(dueNs, nowNs + pollIntervalNs));
    if (!mayGoOn()) return;
    await probe();
  }
}

interface LoadProbeOptions extends BesideLoad {
  readonly client: TargetClient;
  readonly recorder: Recorder;
  /** An existing catalog to ask for. */
  readonly catalogId: string;
  /** Takes room for one more request, if the caps leave any. */
  readonly spend: () => boolean;
}

/** During the load, repeats a request with an unknown key that would succeed with a good key. */
export async function probeBadKeys(options: LoadProbeOptions): Promise<void> {
  const { client, clock, recorder } = options;
  const call = calls.listShades(options.catalogId);
  await atInstants(options, async () => {
    if (!options.spend()) return;
    const nowNs = clock.nowNs();
    const asked: Asked = {
      seq: recorder.nextSeq(),
      stage: 'companion',
      phase: companionPhases.badKey,
      credential: 'bad',
      probe: 'loaded:bad-key',
      catalogId: options.catalogId,
      intendedNs: nowNs,
      readyNs: nowNs,
    };
    const exchange = await new Promise<Exchange<undefined>>((resolve) => {
      const traced = recorder.traced(call, asked.seq);
      client.send(traced, `Bearer ${unknownKey}`, undefined, { done: resolve });
    });
    recorder.exchanged(asked, exchange);
  });
}
