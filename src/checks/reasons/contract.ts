/** Reasons of the contract checks. */
export const contractReasons = {} as const;
