import type { History } from '../../history/history.ts';
import { admitted, sqlText } from '../found.ts';

/**
 * Makes the table `contract_imported(catalog_id, least, most, settled_ns)`: how many shades each of the run's catalogs
 * holds once its imports were over. `least` and `most` differ where an import got no clear answer.
 */
export async function makeImported(history: History): Promise<void> {
  const named = history.run.catalogs.map(({ id, shades }) => `UNION ALL SELECT ${sqlText(id)}, ${shades}`);
  await history.execute(`
    CREATE OR REPLACE TEMP TABLE contract_imported AS
    WITH listed AS (SELECT catalog_id, count(DISTINCT sku) AS shades FROM catalog GROUP BY catalog_id),
    named AS (SELECT '' AS catalog_id, 0 AS shades WHERE false ${named.join(' ')}),
    meant AS (FROM listed UNION ALL (FROM named ANTI JOIN listed USING (catalog_id))),
    batches AS (
      SELECT catalog_id, coalesce(sum(items) FILTER (${admitted}), 0) AS accepted,
             coalesce(sum(items) FILTER (lost IS NOT NULL OR status >= 500), 0) AS unclear,
             coalesce(max(answered_ns), 0) AS settled_ns
      FROM requests WHERE endpoint = 'import-shades' AND sent_ns IS NOT NULL
      GROUP BY catalog_id)
    SELECT catalog_id, coalesce(least(shades, accepted), shades)::BIGINT AS least,
           coalesce(least(shades, accepted + unclear), shades)::BIGINT AS most, coalesce(settled_ns, 0) AS settled_ns
    FROM meant LEFT JOIN batches USING (catalog_id)`);
}
