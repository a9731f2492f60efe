import type { Divergence } from './judge.ts';
import type { Model } from './stages.ts';

/** Which stages of a model can change an answer: a row that replaces none of them cannot explain a divergence of that kind. */

type ModelStage = keyof Model;

const letIn: readonly ModelStage[] = ['instead', 'account', 'free', 'isCertain', 'after', 'span'];
const catalogs: readonly ModelStage[] = [...letIn, 'place', 'reads', 'skuSlot', 'imports'];
const channel: readonly ModelStage[] = ['holder', 'reaches', 'sees', 'endsMs', 'opens'];
const histories: readonly ModelStage[] = [...catalogs, ...channel, 'events', 'eventSlot', 'home', 'targets'];
const totals: readonly ModelStage[] = [...letIn, 'opens', 'numbers', 'counts', 'times'];
const analytics: readonly ModelStage[] = [...histories, ...totals, 'event', 'mean', 'tallies'];

function stagesOf({ kind, of, op }: Divergence): readonly ModelStage[] {
  switch (kind) {
    case 'status':
      return [...catalogs, ...channel, 'counts', 'admits'];
    case 'field':
    case 'id twice':
      return ['fields'];
    case 'number':
      if (op === 'analytics') return of === 'total_sessions' ? totals : analytics;
      if (of === 'expires_at') return ['fields', 'numbers'];
      return of === 'accepted' ? [...histories, 'numbers'] : [...catalogs, 'numbers'];
    case 'order':
      return [...histories, 'shows', 'order'];
    default:
      return op === 'list-shades'
        ? [...catalogs, 'shows', 'shade']
        : [...histories, 'shows', 'event', 'sees', 'admits'];
  }
}

/** Whether an alteration could explain all of some divergences, or any of them. */
export function mayExplain(
  alteration: Partial<Model>,
  divergences: readonly Divergence[],
  need: 'all' | 'any',
): boolean {
  const replaced = new Set(Object.keys(alteration) as ModelStage[]);
  const isMeant = (each: Divergence): boolean => stagesOf(each).some((stage) => replaced.has(stage));
  return need === 'all' ? divergences.every(isMeant) : divergences.some(isMeant);
}

/** One divergence of each kind: what rules a row out for one rules it out for all. */
export function kindsOf(divergences: readonly Divergence[]): readonly Divergence[] {
  return [...new Map(divergences.map((each) => [`${each.op} ${each.kind} ${each.of}`, each])).values()];
}
