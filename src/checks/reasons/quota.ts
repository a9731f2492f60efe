/** Reasons of the quota checks. */
export const quotaReasons = {} as const;
