import { mostSlotsWithin } from '../../plan/lanes.ts';
import type { PlacedPhase, Plan } from '../../plan/plan.ts';
import { randomStream } from '../../random.ts';
import * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Key } from '../../target/keys.ts';
import { companionPhases } from '../../vocabulary/phases.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import type { AnalyticsQuery } from '../../wire.ts';
import { unknownKey } from '../ask/ask.ts';
import type { Clock } from '../clock/clock.ts';
import type { Asked, Recorder } from '../record/recorder.ts';
import { until } from './pace.ts';

/** The most times: a target may count requests without a good key, and block the address. */
export const mostLoadProbes = 40;
/** How many fall into a window of the limit, where that is neither too short nor too long for it. */
const perWindow = 20;
const shortestGapMs = 250;
const longestGapMs = 3_000;

/** Whether a phase sends more than the limit in some window. */
export function goesPast({ phase }: PlacedPhase, { requests, windowMs }: RateLimit): boolean {
  return phase.unit === 'requests' && mostSlotsWithin(phase.segments, windowMs) > requests;
}

/** When to ask, in ns since the start of the load: now and then while a plan goes past the promised rate. */
export function loadProbeInstants(plan: Pick<Plan, 'phases'>, limit: RateLimit): number[] {
  const spans = plan.phases.filter((placed) => goesPast(placed, limit));
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

/** Questions at the limit: enough that some come right between two rejections. */
const atTheLimit = 30;

/** When to ask at the limit, in ns since the start of the load: in the phase of the load key that goes furthest past it. */
export function limitProbeInstants(plan: Pick<Plan, 'phases'>, limit: RateLimit): number[] {
  let most = limit.requests;
  let span: { readonly startNs: number; readonly endNs: number } | undefined;
  for (const placed of plan.phases) {
    if (placed.phase.unit !== 'requests' || placed.phase.role !== 'load') continue;
    const lengthMs = (placed.endNs - placed.startNs) / 1e6;
    const windowMs = Math.min(limit.windowMs, lengthMs);
    const perWindow = (mostSlotsWithin(placed.phase.segments, windowMs) * limit.windowMs) / windowMs;
    if (perWindow <= most) continue;
    most = perWindow;
    span = placed;
  }
  if (span === undefined) return [];
  const { endNs, startNs } = span;
  const gapNs = (endNs - startNs) / atTheLimit;
  // At even instants, each might come as the same part of an even load leaves the window.
  const random = randomStream(0, 'at the limit');
  return Array.from({ length: atTheLimit }, (_, n) => Math.round(startNs + (n + random()) * gapNs));
}

/** When to act during the load. */
export interface BesideLoad {
  /** Ns since the start of the load, in order. */
  readonly instants: readonly number[];
  /** The start of the load, run nanoseconds. */
  readonly startNs: number;
  readonly clock: Clock;
  readonly client: TargetClient;
  readonly recorder: Recorder;
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
    await until(dueNs, { clock, isStopped: () => !mayGoOn() });
    if (!mayGoOn()) return;
    await probe();
  }
}

/** A request that goes out now and then during the load. */
export interface LoadedQuestion {
  readonly call: () => calls.Call;
  readonly authorization: string;
  readonly asked: Pick<Asked, 'phase' | 'credential' | 'probe' | 'catalogId'>;
}

/** With an unknown key, a request that would succeed with a good one. */
export function askedWithBadKey(catalogId: string): LoadedQuestion {
  return {
    call: () => calls.listShades(catalogId),
    authorization: `Bearer ${unknownKey}`,
    asked: { phase: companionPhases.badKey, credential: 'bad', probe: 'loaded:bad-key', catalogId },
  };
}

/** Analytics with the load key: no shopper asks for them, so that the limit might not reach them. */
export function askedAtTheLimit(key: Key, query: () => AnalyticsQuery): LoadedQuestion {
  return {
    call: () => calls.analytics(query()),
    authorization: `Bearer ${key.value}`,
    asked: { phase: companionPhases.analytics, credential: 'load', probe: 'loaded:analytics' },
  };
}

/** Sends one now, and waits for what becomes of it. */
export async function sendBeside(
  { client, clock, recorder }: Pick<BesideLoad, 'client' | 'clock' | 'recorder'>,
  call: calls.Call,
  authorization: string,
  asked: Omit<Asked, 'seq' | 'stage' | 'intendedNs' | 'readyNs'>,
): Promise<void> {
  const nowNs = clock.nowNs();
  const seq = recorder.nextSeq();
  const exchange = await new Promise<Exchange<undefined>>((done) => {
    client.send(recorder.traced(call, seq), authorization, undefined, { done });
  });
  recorder.exchanged({ ...asked, seq, stage: 'companion', intendedNs: nowNs, readyNs: nowNs }, exchange);
}

interface LoadProbeOptions extends BesideLoad {
  readonly question: LoadedQuestion;
  /** Takes room for one more request, if the caps leave any. */
  readonly spend: () => boolean;
}

/** Asks the question at each instant. */
export async function probeLoaded(options: LoadProbeOptions): Promise<void> {
  const { asked, authorization, call } = options.question;
  await atInstants(options, async () => {
    if (options.spend()) await sendBeside(options, call(), authorization, asked);
  });
}
