import type { expectedWordings } from '../../../src/checks/reasons/expected.ts';
import type { Examples } from './examples.ts';

export const expectedExamples: Examples<typeof expectedWordings> = {
  'rate-limit.enforced': { kind: 'sliding-log', limit: { requests: 100, windowMs: 6_000 } },
  'analytics.stable': { exclusive: true },
  'rate-limit.isolation': { scope: 'per-key' },
  'rate-limit.wrongful': { limit: { requests: 100, windowMs: 6000 } },
};
