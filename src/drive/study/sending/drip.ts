import { AskingStopped } from '../../ask/ask.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Prober, StudyRequest } from './prober.ts';

/** How often a wait looks whether the drip is to end. */
const pollIntervalNs = 50e6;

/**
 * A little on a key, until it is stopped; resolves when the last was answered. `gapNs`: how long it waits after a request,
 * by the number of requests before that.
 */
export function drip(
  prober: Prober,
  clock: Clock,
  request: StudyRequest,
  gapNs: (before: number) => number,
): { stop(): Promise<void> } {
  let on = true;
  const dripping = (async () => {
    for (let sent = 0; on; sent++) {
      await prober.send(request);
      const nextNs = clock.nowNs() + gapNs(sent);
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
