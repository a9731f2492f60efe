import { counted, verb } from '../../amounts.ts';
import { averageReasons } from './audit/averages.ts';
import { dateReasons } from './audit/dates.ts';
import { periodReasons } from './audit/periods.ts';
import { sessionReasons } from './audit/session.ts';
import { shadeReasons } from './audit/shades.ts';
import { steadinessReasons } from './audit/steadiness.ts';

/** Reasons of the analytics audit. */
export const auditReasons = {
  ...averageReasons,
  ...dateReasons,
  ...periodReasons,
  ...sessionReasons,
  ...shadeReasons,
  ...steadinessReasons,
  'audit-more-findings': ({ findings }: { findings: number }) =>
    `There ${verb(findings, 'is', 'are')} ${counted(findings, 'more such finding')}.`,
  'audit-not-compared': ({ comparisons }: { comparisons: number }) =>
    `An answer is missing, or others used the account meanwhile, so ${counted(comparisons, 'comparison')} could not be made.`,
} as const;
