import { readShades } from '../../target/wire-schemas.ts';
import type { Shade } from '../../wire.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import { circleOf, cutShort, pageRows } from './pages.ts';

/** The shades of a list that was read to its end; undefined where it was not, or is in another form. */
export function wholeList(row: ProbeRow): readonly Shade[] | undefined {
  if (!is2xx(row) || row.body === null || cutShort(row) !== undefined || circleOf(row) !== undefined)
    return undefined;
  const pages = pageRows(row).map(({ body }) => readShades(JSON.parse(body ?? 'null')));
  return pages.every((page) => page.ok) ? pages.flatMap((page) => page.value) : undefined;
}
