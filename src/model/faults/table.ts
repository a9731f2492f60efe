import { afterFaults } from './after.ts';
import { partFaults } from './by-part.ts';
import { cacheFaults } from './caches.ts';
import { countFaults } from './counts.ts';
import { delayFaults } from './delays.ts';
import { eventFaults } from './events.ts';
import type { ModelFault } from './fault.ts';
import { genericFaults } from './generic.ts';
import { historyFaults } from './histories.ts';
import { importFaults } from './imports.ts';
import { keyFaults } from './keys.ts';
import { listFaults } from './lists.ts';
import { repeatFaults } from './repeats.ts';
import { sessionIdFaults } from './session-ids.ts';
import { sessionFaults } from './sessions.ts';
import { shadeFaults } from './shades.ts';
import { tallyFaults } from './tallies.ts';

/** Every row, those that name a mechanism first. */
export const modelFaults = [
  ...keyFaults,
  ...shadeFaults,
  ...importFaults,
  ...listFaults,
  ...sessionFaults,
  ...sessionIdFaults,
  ...countFaults,
  ...eventFaults,
  ...repeatFaults,
  ...historyFaults,
  ...tallyFaults,
  ...partFaults,
  ...delayFaults,
  ...cacheFaults,
  ...afterFaults,
  ...genericFaults,
] as const satisfies readonly ModelFault[];

/** The causes that rows have: published ids. */
export type ModelCause = (typeof modelFaults)[number]['cause'];
/** A row of the table. */
export type ModelRow = ModelFault<ModelCause>;
