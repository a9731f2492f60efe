import { type Alterations, beforeApiWork, type Pause, timerPause } from '../alterations.ts';
import { type Variant, vary } from './variant.ts';

const slowMs = 150;
const offMs = 400;

/** Limiter, speed and clock. */
export const conductVariants: readonly Variant[] = [
  vary('token-bucket', 'The rate limit is a token bucket of the same rate and burst', {
    options: (options) => ({ ...options, limiter: 'token-bucket' }),
  }),
  vary('slow', `Every answer takes ${slowMs} ms, within the latency promise`, evenlySlow(timerPause)),
  vary('clock-ahead', `The clock is ${offMs} ms ahead`, clockOff(offMs)),
  vary('clock-behind', `The clock is ${offMs} ms behind`, clockOff(-offMs)),
];

/** Every admitted request takes longer. */
export function evenlySlow(pause: Pause): Alterations {
  return { server: (app) => beforeApiWork(app, () => pause(slowMs)) };
}

/** The wall clock of the service is not that of the machine. */
function clockOff(byMs: number): Alterations {
  return {
    options: ({ clock, ...options }) => ({
      ...options,
      clock: { ...clock, wallMs: () => clock.wallMs() + byMs },
    }),
  };
}
