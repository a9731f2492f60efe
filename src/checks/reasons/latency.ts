/** Reasons of the latency checks. */
export const latencyReasons = {} as const;
