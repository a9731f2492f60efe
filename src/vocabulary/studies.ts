/** What a study can be of. */
export const studyKinds = ['limits', 'quota', 'audit', 'capacity'] as const;
