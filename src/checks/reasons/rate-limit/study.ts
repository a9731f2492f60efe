/** Reasons of the limiter study. */
export const studyReasons = {} as const;
