import { probeFurtherImports } from './corner-probes.ts';
import { probeFurtherSessions } from './corner-sessions.ts';
import { eventTargetOf, probeMalformed } from './malformed-probes.ts';
import type { Discovered } from './setup.ts';
import type { SetupOptions } from './setup-options.ts';

/**
 * Unusual values and malformed requests that are too many for set-up: what that sends counts in the first window of the load, which comes close to the
 * limit. So these come after the load.
 */
export async function probeFurther(
  setup: SetupOptions,
  { channel, corners, eventSession }: Pick<Discovered, 'channel' | 'corners' | 'eventSession'>,
): Promise<void> {
  if (setup.corners === undefined || setup.corners === 'single' || corners === undefined) return;
  const options = { ...setup, isAfterLoad: true };
  await probeFurtherImports(options, corners.groups);
  if (setup.probeSessions) await probeFurtherSessions(options, corners, channel);
  await probeMalformed(options, eventTargetOf(channel, eventSession));
}
