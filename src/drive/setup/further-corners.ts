import { sendsStep } from '../../vocabulary/probe-steps.ts';
import { probeFurtherImports } from './corner-probes.ts';
import { probeFurtherSessions } from './corner-sessions.ts';
import { isLive } from './event-probes.ts';
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
  if (setup.corners === undefined) return;
  const options = { ...setup, isAfterLoad: true, probeSessions: setup.probeSessionsAfterLoad };
  if (corners !== undefined) await probeFurtherImports(options, corners.groups);
  if (options.probeSessions && corners !== undefined) await probeFurtherSessions(options, corners, channel);
  const isOpen = eventSession !== undefined && isLive(options, eventSession);
  if (sendsStep('malformed', setup.onlyProbes))
    await probeMalformed(options, eventTargetOf(channel, isOpen ? eventSession : undefined));
}
