/** Reasons of the analytics checks. */
export const analyticsReasons = {} as const;
