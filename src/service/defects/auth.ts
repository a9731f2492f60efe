import { noKeyAccepted } from './auth/a1-no-key-accepted.ts';
import { badKeyCrashes } from './auth/a2-bad-key-crashes.ts';
import { unguardedEndpoint } from './auth/a4-unguarded-endpoint.ts';
import { foreignSessionReadable } from './auth/a5-foreign-session-readable.ts';
import { failsOpen } from './auth/a7-fails-open.ts';
import type { Defect } from './defect.ts';

export const authDefects: readonly Defect[] = [
  noKeyAccepted,
  badKeyCrashes,
  unguardedEndpoint,
  foreignSessionReadable,
  failsOpen,
];
