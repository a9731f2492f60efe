/** What a scenario script imports. */
export { calendar } from './scenario/calendar.ts';
export { defineScenario, type Scenario, type ScenarioInput } from './scenario/define.ts';
export {
  dayCurve,
  exhaustQuota,
  idle,
  type Phase,
  type PhaseOptions,
  ramp,
  saturate,
  shoppers,
  spike,
  steady,
  steps,
  together,
} from './scenario/load.ts';
export {
  type AuditStudy,
  auditAnalytics,
  type CapacityStudy,
  type LimitsStudy,
  type QuotaStudy,
  type Study,
  studyCapacity,
  studyLimits,
  studyQuota,
} from './scenario/study.ts';
