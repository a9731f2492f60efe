import * as calls from '../../../target/calls.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { AskingStopped } from '../../ask/ask.ts';
import { aboutItsCall, type StudyRequest, type TimedRequest } from '../sending/prober.ts';
import type { LimitsStudyOptions } from './options.ts';

/** Requests are put on the clock for this long in advance. */
const stretchNs = 500e6;

/**
 * Requests with the keys of the pool, one key after another, until they are stopped. They keep a limiter busy that
 * remembers only some keys, so that it forgets others.
 */
export function useOtherKeys(
  { catalogs, clock, prober }: LimitsStudyOptions,
  { perSecond, pool }: { readonly perSecond: number; readonly pool: readonly string[] },
): { stop(): Promise<void> } {
  let on = true;
  let made = 0;
  const list = calls.listShades(catalogs.load.id);
  const next = (): StudyRequest =>
    aboutItsCall(list, {
      credential: { poolKey: pool[made++ % pool.length] ?? '' },
      phase: studyPhases.otherKeys,
    });
  const everyNs = 1e9 / perSecond;
  const using = (async () => {
    for (let atNs = clock.nowNs(); on; ) {
      const sends: TimedRequest[] = [];
      for (const endNs = atNs + stretchNs; atNs < endNs; atNs += everyNs)
        sends.push({ atNs, request: next() });
      await prober.play(sends);
      // What this program is late with is not made up for.
      atNs = Math.max(atNs, clock.nowNs());
    }
  })().catch((error: unknown) => {
    // The study stops for the same reason, and says so.
    if (!(error instanceof AskingStopped)) throw error;
  });
  return {
    stop: () => {
      on = false;
      return using;
    },
  };
}
