import { studyPhases } from '../../history/phases.ts';
import type { LimiterInference } from '../../limits/inference.ts';
import type { Random } from '../../random.ts';
import type { RateLimit } from '../../scenario/quantities.ts';
import type { Prober, StudyRequest } from './prober.ts';

/** Kinds less likely than this are no reason for a trickle. */
const leastLikely = 0.02;
/** Windows that a trickle takes, and the rest after it: longer than a window. */
export const trickleWindows = 1.5;
export const restAfterTrickleWindows = 1.1;
/** Single requests of a trickle at most, and the part of the limit that they spend at most. */
const mostSingles = 10;
const singlesPart = 0.25;
/** Of the limit: with what the last look spends it is more than the limit. */
export const closingPart = 0.3;

/** A phase of its own among the probes. */
const phase = `${studyPhases.probe} T`;

/**
 * Whether a trickle on a key at its limit tells the survivors apart: a window that every refusal begins anew refuses all of
 * it, a limiter that only counts refusals admits again after a window.
 */
export function trickleTells({ survivors }: LimiterInference): boolean {
  return survivors.some(
    ({ confidence, settled }) =>
      confidence > leastLikely &&
      settled?.mechanism.kind === 'opened' &&
      settled.mechanism.lastsFrom === 'last-refusal',
  );
}

/** Single requests on a key at its limit, at random within even slots. */
export async function trickle(
  prober: Prober,
  request: StudyRequest,
  fromNs: number,
  { requests, windowMs }: RateLimit,
  random: Random,
): Promise<void> {
  const count = Math.max(1, Math.min(mostSingles, Math.floor(singlesPart * requests)));
  const slotNs = (trickleWindows * windowMs * 1e6) / count;
  await prober.play(
    Array.from({ length: count }, (_, k) => ({
      atNs: fromNs + (k + random()) * slotNs,
      request: { ...request, phase },
    })),
  );
}

/** More than the last look left of the limit, a window after it: what passes shows that its window was over. */
export async function closingBurst(
  prober: Prober,
  request: StudyRequest,
  { requests }: RateLimit,
): Promise<void> {
  await prober.volley(
    Array.from({ length: Math.ceil(closingPart * requests) }, () => ({ ...request, phase })),
  );
}
