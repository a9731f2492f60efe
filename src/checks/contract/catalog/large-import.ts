import { shown } from '../../causes/cause.ts';
import { is2xx, type ProbeRow } from '../../core/probes.ts';
import { reason } from '../../reasons/reason.ts';
import { askedEarly, dueOf } from '../imports/imported.ts';
import { isAnswered, lastOf } from '../probes/asked.ts';
import { wholeList } from '../probes/pages.ts';
import type { ListFault } from './compare-list.ts';

/**
 * Whether an import replaces a catalog is not specified. That it depends on the number of shades is wrong. `old`: the shades
 * that were imported first.
 */
export function largeFaults(
  probes: readonly ProbeRow[],
  old: ReadonlyMap<string, unknown>,
  visibleMs: number,
): ListFault[] {
  const large = lastOf(probes, 'update:large');
  const [before, after] = [lastOf(probes, 'together:list'), lastOf(probes, 'update:large-list')];
  if (!isAnswered(large) || !is2xx(large) || before === undefined || after === undefined) return [];
  const [was, is] = [before, after].map((row) => new Set(wholeList(row)?.map(({ sku }) => sku)));
  const kept = [...old.keys()].filter((sku) => was?.has(sku));
  const removed = kept.filter((sku) => !is?.has(sku));
  // The small imports came after those of the old shades, and have kept them.
  if (removed.length === 0 || removed.length < kept.length || is?.size === 0) return [];
  if (askedEarly(after, dueOf(large, visibleMs))) return [];
  const params = { shades: large.items ?? 0, removed: removed.length };
  return [
    {
      why: reason('large-import-removes', params),
      suspect: shown('large-import-replaces', params, [large.seq, after.seq]),
    },
  ];
}
