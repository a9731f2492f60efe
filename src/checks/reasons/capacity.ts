import { climbReasons } from './capacity/climb.ts';
import { kneeReasons } from './capacity/knee.ts';
import { scalabilityReasons } from './capacity/scalability.ts';
import { stepReasons } from './capacity/steps.ts';

/** Reasons of the capacity checks. */
export const capacityReasons = {
  ...stepReasons,
  ...kneeReasons,
  ...scalabilityReasons,
  ...climbReasons,
} as const;
