/** Reasons of the capacity checks. */
export const capacityReasons = {} as const;
