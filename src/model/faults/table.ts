import { delayFaults } from './delays.ts';
import { eventFaults } from './events.ts';
import type { ModelFault } from './fault.ts';
import { genericFaults } from './generic.ts';
import { keyFaults, tokenFaults } from './keys.ts';
import { sessionFaults } from './sessions.ts';
import { shadeFaults } from './shades.ts';

/** Every row, those that name a mechanism first. */
export const modelFaults = [
  ...keyFaults,
  ...tokenFaults,
  ...shadeFaults,
  ...sessionFaults,
  ...eventFaults,
  ...delayFaults,
  ...genericFaults,
] as const satisfies readonly ModelFault[];

/** The causes that rows have: published ids. */
export type ModelCause = (typeof modelFaults)[number]['cause'];
/** A row of the table. */
export type ModelRow = ModelFault<ModelCause>;
