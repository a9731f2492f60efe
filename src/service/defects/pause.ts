import { setTimeout } from 'node:timers/promises';

/** Waits. Passed in, so that what waits can be tested without waiting. */
export type Pause = (ms: number) => Promise<void>;

/** Does not hold up the end of the process. */
export const timerPause: Pause = (ms) => setTimeout(ms, undefined, { ref: false });
