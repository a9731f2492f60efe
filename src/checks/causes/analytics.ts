import { countCauses, countSymptoms } from './analytics-counts.ts';
import { valueCauses } from './analytics-values.ts';

/** Causes in what analytics report. Before each cause stand those that say more; symptoms come last. */
export const analyticsCauses = { ...countCauses, ...valueCauses, ...countSymptoms } as const;
