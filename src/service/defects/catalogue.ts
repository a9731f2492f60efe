import { analyticsDefects } from './analytics.ts';
import { authDefects } from './auth.ts';
import type { Defect } from './defect.ts';
import { latencyDefects } from './latency.ts';
import { quotaDefects } from './quota.ts';
import { rateLimitDefects } from './rate-limit.ts';
import { sessionDefects } from './sessions.ts';
import { shadeDefects } from './shades.ts';

/** The defects that can be planted, by what is defective. */
export const defectGroups: Readonly<Record<string, readonly Defect[]>> = {
  auth: authDefects,
  shades: shadeDefects,
  sessions: sessionDefects,
  'rate-limit': rateLimitDefects,
  quota: quotaDefects,
  analytics: analyticsDefects,
  latency: latencyDefects,
};

/** All of them. */
export const defects: readonly Defect[] = Object.values(defectGroups).flat();
