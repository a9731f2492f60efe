import type { History } from '../../../history/history.ts';
import { shown } from '../../causes/cause.ts';
import type { ProbeRow } from '../../core/probes.ts';
import { reason } from '../../reasons/reason.ts';
import { wholeList } from '../probes/pages.ts';
import { isComparableList } from './agree.ts';
import { changedFields, type ImportedShade, type ListFault, shadesSent } from './compare-list.ts';

/** Imports of values that may be refused, or kept in another form. */
const ofUnusualValues = ['corners:import', 'names:import', 'malformed:import'];

/** A list with a value that was never sent for its shade, and what is wrong with it. */
export interface AlteredList extends ListFault {
  readonly seq: number;
}

/**
 * Every list, also one after further imports into its catalog: each field of a shade has a value that some import sent for it. What
 * other shades were imported with may not change it.
 */
export async function alteredLists(
  history: History,
  probes: readonly ProbeRow[],
): Promise<readonly AlteredList[]> {
  const unusual = new Set(
    probes.flatMap(({ catalog_id, probe }) => (ofUnusualValues.includes(probe) ? (catalog_id ?? []) : [])),
  );
  const lists = probes.filter((row) => isComparableList(row) && !unusual.has(row.catalog_id ?? ''));
  const found: AlteredList[] = [];
  for (const [catalog, rows] of Map.groupBy(lists, ({ catalog_id }) => catalog_id ?? '')) {
    const versions = Map.groupBy(await shadesSent(history, catalog), ({ sku }) => sku);
    if (versions.size > 0) found.push(...rows.flatMap((row) => alteredIn(row, versions) ?? []));
  }
  return found;
}

function alteredIn(
  row: ProbeRow,
  versions: ReadonlyMap<string, readonly ImportedShade[]>,
): AlteredList | undefined {
  for (const shade of wholeList(row) ?? []) {
    const [first = [], ...others] = (versions.get(shade.sku) ?? []).map((sent) => changedFields(shade, sent));
    const changed = first.find(({ field }) =>
      others.every((each) => each.some((one) => one.field === field)),
    );
    if (changed === undefined) continue;
    const { field, got, sent } = changed;
    return {
      seq: row.seq,
      why: reason('list-field-changed', { catalog: row.catalog_id ?? '', ...changed }),
      suspect: shown('shade-field-changed', { field, sent, got }, [row.seq]),
    };
  }
  return undefined;
}
