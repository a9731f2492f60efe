import { studyPhases } from '../../../vocabulary/phases.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { drip } from '../sending/drip.ts';
import type { LimitsStudyOptions } from './options.ts';
import { listRequest } from './requests.ts';

/** Keys that a study of the limiter leaves alone otherwise. */
const resting = ['twin', 'quota'] as const satisfies readonly Role[];
/** In windows, one gap after the other: after the first both requests count, after the second neither does. */
const gapsInWindows = [0.9, 1.05] as const;

/**
 * Two requests within a window, again and again, on keys that rest otherwise. What the second is told to be left shows
 * whether the first is still counted, also by a limiter that is tidied up because many other keys are in use.
 */
export function useSeldom(options: LimitsStudyOptions): { stop(): Promise<unknown> } {
  const { clock, keys, prober, promised } = options;
  const isAlone = (role: Role): boolean =>
    roles.every((other) => other === role || keys[other]?.value !== keys[role]?.value);
  const used = resting.filter((role) => keys[role] !== undefined && isAlone(role));
  // The first key is between two requests that count while the second rests.
  const drips = used.map((role, n) =>
    drip(prober, clock, listRequest(options, role, studyPhases.otherKeys), (sent) => {
      const gap = gapsInWindows[(sent + n) % 2] as number;
      return gap * promised.windowMs * 1e6;
    }),
  );
  return { stop: () => Promise.all(drips.map((each) => each.stop())) };
}
