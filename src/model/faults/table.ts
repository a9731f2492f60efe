import { delayFaults } from './delays.ts';
import { eventFaults } from './events.ts';
import type { ModelFault } from './fault.ts';
import { genericFaults } from './generic.ts';
import { keyFaults, tokenFaults } from './keys.ts';
import { sessionFaults } from './sessions.ts';
import { shadeFaults } from './shades.ts';

/** Every row, those that name a mechanism first. */
export const modelFaults: readonly ModelFault[] = [
  ...keyFaults,
  ...tokenFaults,
  ...shadeFaults,
  ...sessionFaults,
  ...eventFaults,
  ...delayFaults,
  ...genericFaults,
];
