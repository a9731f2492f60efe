/** Reasons of the analytics audit. */
export const auditReasons = {} as const;
