import type { LimiterInference } from '../../../limits/inference.ts';
import type { Random } from '../../../random.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import type { Prober, StudyRequest } from './prober.ts';

/** Kinds less likely than this are no reason for a trickle. */
const leastLikely = 0.02;
/** Windows that a trickle takes, and the rest after it: longer than a window. */
export const trickleWindows = 1.75;
export const restAfterTrickleWindows = 1.1;
/** Single requests of a trickle at most, and the part of the limit that they spend at most. */
const mostSingles = 10;
const singlesPart = 0.25;
/** The part of the limit on the other key: none is rejected unless the window is longer than promised. */
const returningPart = 0.9;
const returnWindows = 1.05;
/** Of the limit: with what the last look spends it is more than the limit. */
const closingPart = 0.3;

/** A separate phase among the probes. */
const phase = `${studyPhases.probe} T`;

/**
 * Whether a trickle on a key at its limit separates the survivors. Single requests show when a limiter that counts
 * rejections admits again; a window extended by rejections rejects them all.
 */
export function trickleTells({ survivors }: LimiterInference): boolean {
  const likely = survivors.filter(({ confidence }) => confidence > leastLikely);
  return (
    likely.length > 1 &&
    likely.some(({ rejectsCount, settled }) => rejectsCount === true && settled !== undefined)
  );
}

interface TrickleOptions {
  readonly prober: Prober;
  /** On the key that the last probe left at its limit. */
  readonly request: StudyRequest;
  /** On another key, which rests. */
  readonly resting: StudyRequest;
  readonly fromNs: number;
  /** The last request before on the key that rests. */
  readonly lastSentNs: number;
  readonly promised: RateLimit;
  readonly random: Random;
}

/**
 * Single requests on a key at its limit, at random within even slots. Slightly less than the limit on a rested key,
 * just more than a window after its last rejection: longer windows still reject it.
 */
export async function trickle(options: TrickleOptions): Promise<void> {
  const { prober, request, resting, fromNs, lastSentNs, random } = options;
  const { requests, windowMs } = options.promised;
  const count = Math.max(1, Math.min(mostSingles, Math.floor(singlesPart * requests)));
  const slotNs = (trickleWindows * windowMs * 1e6) / count;
  const returning = Math.max(1, Math.floor(returningPart * requests));
  const returnNs = Math.max(fromNs, lastSentNs + returnWindows * windowMs * 1e6);
  await prober.play(
    [
      ...Array.from({ length: count }, (_, k) => ({
        atNs: fromNs + (k + random()) * slotNs,
        request: { ...request, phase },
      })),
      ...Array.from({ length: returning }, () => ({ atNs: returnNs, request: { ...resting, phase } })),
    ].toSorted((a, b) => a.atNs - b.atNs),
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
