/** Reasons of the checks of rate-limit headers. */
export const headerReasons = {} as const;
