/** What a scenario or an adapter imports. */
export { calendar, midnights } from './scenario/calendar.ts';
export { defineScenario, type Scenario, type ScenarioInput } from './scenario/define.ts';
export {
  dayCurve,
  exhaustQuota,
  idle,
  type Phase,
  type PhaseOptions,
  ramp,
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
export {
  type Adapter,
  type AdapterAnswer,
  type AdapterCredentials,
  type AdapterRequest,
  defineAdapter,
} from './target/adapt/define-adapter.ts';
