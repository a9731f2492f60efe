import type { Defect } from '../alterations.ts';
import { authDefects, quotaDefects } from './access.ts';
import { countDefects, numberDefects } from './analytics.ts';
import { latencyDefects } from './latency.ts';
import { limitDefects, refusalDefects } from './rate-limit.ts';
import { interactionDefects, sessionDefects } from './sessions.ts';
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
