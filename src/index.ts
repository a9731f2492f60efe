/** What a scenario script imports. */
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
