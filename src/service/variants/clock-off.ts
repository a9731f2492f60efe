import type { Variant } from './variant.ts';

const offMs = 400;

/** The wall clock of the service is not that of the machine. */
function clockOff(name: string, title: string, byMs: number): Variant {
  return {
    name,
    title,
    alterations: {
      options: (options) => ({
        ...options,
        clock: { ...options.clock, wallMs: () => options.clock.wallMs() + byMs },
      }),
    },
  };
}

export const clockAhead = clockOff('clock-ahead', `The clock is ${offMs} ms ahead`, offMs);
export const clockBehind = clockOff('clock-behind', `The clock is ${offMs} ms behind`, -offMs);
