import { z } from 'zod';
import { range } from '../../../amounts.ts';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { sqlText, type Table, type Tables } from '../../../history/tables.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import { isProbe, isProbeOf } from '../../core/probes.ts';
import { type CheckFinding, counted } from '../../core/verdict.ts';
import { firstReasons, reason } from '../../reasons/reason.ts';

const countsRow = z.object({
  catalog_id: z.string(),
  least: z.number(),
  most: z.number(),
  seen: z.number(),
  smallest: z.number(),
  largest: z.number(),
  wrong: z.number(),
  /** Of those wrong, the ones with more than can be. */
  over: z.number(),
  seqs: seqsColumn,
});
/** The counts that answers gave for a catalog, with what was imported. */
export type CountsRow = z.output<typeof countsRow>;

/** Counts of shades in the answers of an endpoint to ordinary requests and those of a capacity study, with those imported. Lists in pages count their first page. */
function countsByCatalog(
  history: History,
  imported: Imported,
  endpoint: 'create-session' | 'list-shades',
): Promise<CountsRow[]> {
  // A list in pages has a count that the list of set-up, read to its end, does not have: what most say is their page.
  const paged = `(SELECT catalog_id, mode(count) AS page FROM requests
    WHERE ${isProbe('import:list')} AND seq IN (SELECT page_of FROM bodies) GROUP BY catalog_id)`;
  const isWrong = 'NOT coalesce(count BETWEEN least AND most OR count = page, false)';
  return history.rows(
    countsRow,
    `SELECT catalog_id, least, most, count(*) AS seen, min(count) AS smallest, max(count) AS largest,
            count(*) FILTER (${isWrong}) AS wrong, count(*) FILTER (count > most) AS over,
            ${firstSeqs} FILTER (${isWrong}) AS seqs
     FROM requests JOIN ${imported} USING (catalog_id) LEFT JOIN ${paged} USING (catalog_id)
     WHERE endpoint = ${sqlText(endpoint)} AND ${admitted} AND count IS NOT NULL AND sent_ns >= settled_ns AND (probe IS NULL OR ${isProbeOf('capacity')})
     GROUP BY ALL ORDER BY catalog_id`,
  );
}

interface ShadeCounts {
  readonly catalog: string;
  readonly seen: Bounds;
  /** The ends differ where an import got no clear answer. */
  readonly imported: Bounds;
}

/** Parameters of reasons: what was seen, and what was imported. */
export function countsOf({ catalog_id, largest, least, most, smallest }: CountsRow): ShadeCounts {
  return {
    catalog: catalog_id,
    seen: { min: smallest, max: largest },
    imported: { min: least, max: most },
  };
}

/** `shade_count` of every session is the number of shades that were imported into its catalog. */
export async function checkShadeCount(history: History, imported: Imported): Promise<CheckFinding> {
  const counts = await countsByCatalog(history, imported, 'create-session');
  return judgeCounts('contract.shade-count', counts, 'sessions');
}

/** Every list of the load has as many shades as were imported. Nothing where the load asked for none. */
export async function checkListsUnderLoad(history: History, imported: Imported): Promise<CheckFinding[]> {
  const counts = await countsByCatalog(history, imported, 'list-shades');
  return counts.length === 0 ? [] : [judgeCounts('contract.lists-agree', counts, 'lists')];
}

function judgeCounts(
  id: 'contract.shade-count' | 'contract.lists-agree',
  counts: readonly CountsRow[],
  of: 'sessions' | 'lists',
): CheckFinding {
  const unclear = counts.filter((row) => row.least !== row.most);
  const byCatalog = (bounds: (row: CountsRow) => Bounds): Record<string, Bounds> =>
    Object.fromEntries(counts.map((row) => [row.catalog_id, bounds(row)]));
  const causeOf = of === 'sessions' ? countCause : listCause;
  return counted({
    id,
    judged: unclear.length > 0 ? 0 : counts.length,
    expected: byCatalog(({ least, most }) => ({ min: least, max: most })),
    observed: byCatalog(({ largest, smallest }) => ({ min: smallest, max: largest })),
    wrong: counts
      .filter((row) => row.wrong > 0)
      .map((row, place) => ({
        what: `shade_count in ${row.catalog_id} is not ${range({ min: row.least, max: row.most })}`,
        seqs: row.seqs,
        total: row.wrong,
        reason: reason('count-wrong', { ...countsOf(row), of, answers: row.wrong }),
        ...(place === 0 && { cause: causeOf(row) }),
      })),
    passed: () => reason('count-right', { of, answers: counts.reduce((sum, { seen }) => sum + seen, 0) }),
    nothing: () =>
      counts.length === 0
        ? reason('shade-count-no-session')
        : firstReasons(unclear.map((row) => reason('shade-count-import-unclear', countsOf(row)))),
  });
}

function listCause({ largest, least, seqs, smallest }: CountsRow): Suspect {
  return fits('lists-differ', { lists: smallest < least ? smallest : largest }, seqs);
}

function countCause({ least, most, smallest, largest, seqs }: CountsRow): Suspect {
  return largest > most
    ? fits('shade-count-wrong', { said: largest, expected: most }, seqs)
    : fits('shade-count-wrong', { said: smallest, expected: least }, seqs);
}

/**
 * How many shades each catalog of the run holds after its imports, without those of probes. `least` and `most` differ
 * where an import got no clear answer. An import that got 202 may still be in progress: `due_ns` is when the profile wants it to show (null: at once). From
 * `settled_ns` on it has to show everywhere: from `due_ns`, or from the first list, all its pages together, that showed it in full. Where imports
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
    lists AS (
      SELECT any_value(catalog_id) AS catalog_id, sum(count) AS shades, max(answered_ns) AS seen_ns
      FROM requests LEFT JOIN (SELECT seq, page_of FROM bodies) USING (seq) WHERE endpoint = 'list-shades' AND ${admitted} GROUP BY coalesce(page_of, seq)),
    whole AS (
      SELECT catalog_id, min(seen_ns) AS seen_ns FROM lists JOIN meant USING (catalog_id)
      WHERE lists.shades >= meant.shades GROUP BY catalog_id)
    SELECT catalog_id, coalesce(least(shades, accepted), shades)::BIGINT AS least,
           coalesce(least(shades, accepted + unclear), shades)::BIGINT AS most, due_ns,
           coalesce(if(due_ns IS NULL, answered_ns, greatest(answered_ns, least(due_ns, seen_ns))), 0) AS settled_ns
    FROM meant LEFT JOIN batches USING (catalog_id) LEFT JOIN whole USING (catalog_id)`,
  );
}
