import type { Channel } from '../target/channel.ts';
import { type Corners, probeFurtherImports } from './corner-probes.ts';
import { probeFurtherSessions } from './corner-sessions.ts';
import type { SetupOptions } from './setup-options.ts';

/**
 * Unusual values that are too many for set-up: what that sends counts in the first window of the load, which comes close to the
 * limit. So these come after the load.
 */
export async function probeFurther(
  setup: SetupOptions,
  corners: Corners | undefined,
  channel: Channel | undefined,
): Promise<void> {
  if (setup.corners === undefined || setup.corners === 'single' || corners === undefined) return;
  const options = { ...setup, isAfterLoad: true };
  await probeFurtherImports(options, corners.groups);
  if (setup.probeSessions) await probeFurtherSessions(options, corners, channel);
}
