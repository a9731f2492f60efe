/** Reasons of the rate-limit checks. */
export const rateLimitReasons = {} as const;
