import type { NearId } from '../../vocabulary/probes.ts';
import { flipped, lastChanged } from './near-keys.ts';

/**
 * Ids that resemble a session's and name none. Where an id has letters of one case alone, such as the digits of a UUID, either
 * case may name it: then the other case is left out.
 */
export function nearSessionIds(id: string): ReadonlyMap<NearId, string> {
  const altered = new Map<NearId, string>([
    ['last-changed', lastChanged(id)],
    ['longer', `${id}0`],
  ]);
  if (id.length > 1) altered.set('cut-by-1', id.slice(0, -1));
  if (/[a-z]/.test(id) && /[A-Z]/.test(id)) altered.set('case', flipped(id));
  return altered;
}
