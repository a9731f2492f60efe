import { countDefects } from './analytics-counts.ts';
import { numberDefects } from './analytics-numbers.ts';
import { authDefects } from './auth.ts';
import type { Defect } from './defect.ts';
import { interactionDefects } from './interactions.ts';
import { latencyDefects } from './latency.ts';
import { quotaDefects } from './quota.ts';
import { limitDefects } from './rate-limit.ts';
import { refusalDefects } from './rate-limit-answers.ts';
import { sessionDefects } from './sessions.ts';
import { shadeDefects } from './shades.ts';

/** The defects that can be planted, by what is defective. */
export const defectGroups: Readonly<Record<string, readonly Defect[]>> = {
  auth: authDefects,
  shades: shadeDefects,
  sessions: inOrder(sessionDefects, interactionDefects),
  'rate-limit': inOrder(limitDefects, refusalDefects),
  quota: quotaDefects,
  analytics: inOrder(countDefects, numberDefects),
  latency: latencyDefects,
};

/** All of them. */
export const defects: readonly Defect[] = Object.values(defectGroups).flat();

/** By the number in the id. */
function inOrder(...lists: readonly (readonly Defect[])[]): Defect[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return lists.flat().sort((a, b) => compare(a.id, b.id));
}
