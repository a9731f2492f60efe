import { AskingStopped } from '../../ask/ask.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Prober, StudyRequest } from './prober.ts';

/** How often a wait looks whether the drip is to end. */
const pollIntervalNs = 50e6;

/** A little on a key, steadily, until it is stopped; resolves when the last was answered. */
export function drip(
  prober: Prober,
  clock: Clock,
  request: StudyRequest,
  everyNs: number,
): { stop(): Promise<void> } {
  let on = true;
  const dripping = (async () => {
    while (on) {
      await prober.send(request);
      const nextNs = clock.nowNs() + everyNs;
      while (on && clock.nowNs() < nextNs)
        await clock.until(Math.min(nextNs, clock.nowNs() + pollIntervalNs));
    }
  })().catch((error: unknown) => {
    // The study stops for the same reason, and says so.
    if (!(error instanceof AskingStopped)) throw error;
  });
  return {
    stop: () => {
      on = false;
      return dripping;
    },
  };
}
