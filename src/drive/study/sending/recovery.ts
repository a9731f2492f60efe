import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Prober, StudyRequest } from './prober.ts';

/** How often it is asked, and how far apart in parts of a window: once would be a chance. */
const asks = 3;
const apartPart = 0.05;

/** Windows that a look takes, after the rest. */
export const recoveryWindows = asks * apartPart;

/**
 * Whether rejected keys are admitted again after a full rest: a few requests on each. A counter that lost its expiry
 * rejects for ever, and a study that ends at its limit would not see it.
 */
export async function tryRecovery(
  prober: Prober,
  requests: readonly StudyRequest[],
  fromNs: number,
  windowNs: number,
): Promise<void> {
  const sends = Array.from({ length: asks }, (_, n) =>
    requests.map((request) => ({
      atNs: fromNs + n * apartPart * windowNs,
      request: { ...request, phase: studyPhases.recovery },
    })),
  );
  await prober.play(sends.flat());
}
