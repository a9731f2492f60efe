import { ownText, type Table, type Tables } from '../../../history/tables.ts';
import { admitted } from '../../core/found.ts';

/**
 * How many shades each catalog of the run holds after its imports, without those of probes. `least` and `most` differ
 * where an import got no clear answer. An import that got 202 may still be in progress: `due_ns` is when the profile wants it to show (null: at once). From
 * `settled_ns` on it has to show everywhere: from `due_ns`, or from the first list that showed it in full. Where imports
 * may be redelivered, a 429 is no clear answer.
 */
export type Imported = Table<'catalog_id least most due_ns settled_ns'>;

export function makeImported(tables: Tables): Promise<Imported> {
  const { history } = tables;
  const unclear = `lost IS NOT NULL OR status >= 500${history.profile.redeliveries > 0 ? ' OR status = 429' : ''}`;
  const named = history.run.catalogs.map(({ id, shades }) => `UNION ALL SELECT ${ownText(id)}, ${shades}`);
  return tables.make(
    'imported',
    'catalog_id least most due_ns settled_ns',
    `WITH listed AS (SELECT catalog_id, count(DISTINCT sku) AS shades FROM catalog WHERE product_id <> '' GROUP BY catalog_id),
    named AS (SELECT '' AS catalog_id, 0 AS shades WHERE false ${named.join(' ')}),
    meant AS (FROM listed UNION ALL (FROM named ANTI JOIN listed USING (catalog_id))),
    batches AS (
      SELECT catalog_id, coalesce(sum(items) FILTER (${admitted}), 0) AS accepted,
             coalesce(sum(items) FILTER (${unclear}), 0) AS unclear,
             coalesce(max(answered_ns), 0) AS answered_ns,
             max(answered_ns) FILTER (status = 202) + ${Math.round(history.profile.import_visible * 1e6)} AS due_ns
      FROM requests WHERE endpoint = 'import-shades' AND sent_ns IS NOT NULL
      GROUP BY catalog_id),
    whole AS (
      SELECT catalog_id, min(answered_ns) AS seen_ns FROM requests JOIN meant USING (catalog_id)
      WHERE endpoint = 'list-shades' AND ${admitted} AND count >= shades AND probe IS DISTINCT FROM 'next-page'
      GROUP BY catalog_id)
    SELECT catalog_id, coalesce(least(shades, accepted), shades)::BIGINT AS least,
           coalesce(least(shades, accepted + unclear), shades)::BIGINT AS most, due_ns,
           coalesce(if(due_ns IS NULL, answered_ns, greatest(answered_ns, least(due_ns, seen_ns))), 0) AS settled_ns
    FROM meant LEFT JOIN batches USING (catalog_id) LEFT JOIN whole USING (catalog_id)`,
  );
}
