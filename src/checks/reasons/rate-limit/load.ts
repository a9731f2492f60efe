/** Reasons of the checks of a load past the limit. */
export const loadReasons = {} as const;
