import { z } from 'zod';
import { all, counted, countedRange, listed, range, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits, type Suspect } from '../diagnosis/cause.ts';
import { admitted, firstSeqs, seqsColumn, sqlText } from '../found.ts';
import type { ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';

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
/** The counts that answers gave for a catalog, beside what was imported. */
export type CountsRow = z.output<typeof countsRow>;

/**
 * Counts of shades that answers of an endpoint gave, beside those imported. `firstPages`: lists that came in pages, whose
 * number of shades is as good as all. Needs the table `contract_imported`.
 */
export function countsByCatalog(
  history: History,
  endpoint: 'create-session' | 'list-shades',
  firstPages: readonly Pick<ProbeRow, 'catalog_id' | 'count'>[] = [],
): Promise<CountsRow[]> {
  const alsoRight = firstPages.map(
    ({ catalog_id, count }) => ` OR (catalog_id = ${sqlText(catalog_id ?? '')} AND count = ${count ?? -1})`,
  );
  const isWrong = `NOT (count BETWEEN least AND most${[...new Set(alsoRight)].join('')})`;
  return history.rows(
    countsRow,
    `SELECT catalog_id, least, most, count(*) AS seen, min(count) AS smallest, max(count) AS largest,
            count(*) FILTER (${isWrong}) AS wrong, count(*) FILTER (count > most) AS over,
            ${firstSeqs} FILTER (${isWrong}) AS seqs
     FROM requests JOIN contract_imported USING (catalog_id)
     WHERE endpoint = '${endpoint}' AND ${admitted} AND count IS NOT NULL AND sent_ns >= settled_ns
       AND probe IS DISTINCT FROM 'next-page'
     GROUP BY ALL ORDER BY catalog_id`,
  );
}

/** `40`, or `20 to 40` where an import got no clear answer. */
export function shownCount({ least, most }: Pick<CountsRow, 'least' | 'most'>): string {
  return range({ min: least, max: most });
}

/** `36 shades`, or `36 to 40 shades`: what was seen. */
export function shownShades({ smallest, largest }: Pick<CountsRow, 'smallest' | 'largest'>): string {
  return countedRange({ min: smallest, max: largest }, 'shade');
}

/** `shade_count` of every session is the number of shades in its catalog. Needs the table `contract_imported`. */
export async function checkShadeCount(history: History): Promise<CheckResult> {
  const counts = await countsByCatalog(history, 'create-session');
  const wrong = counts.filter((row) => row.wrong > 0);
  const unclear = counts.filter((row) => row.least !== row.most);
  const verdict =
    wrong.length > 0 ? 'fail' : counts.length === 0 || unclear.length > 0 ? 'inconclusive' : 'pass';
  return {
    id: 'contract.shade-count',
    title: 'shade_count of a session equals the number of shades in its catalog',
    verdict,
    expected: Object.fromEntries(counts.map((row) => [row.catalog_id, { min: row.least, max: row.most }])),
    observed: Object.fromEntries(
      counts.map((row) => [row.catalog_id, { min: row.smallest, max: row.largest }]),
    ),
    explanation:
      verdict === 'fail'
        ? listed(
            wrong.map(
              (row) =>
                `${counted(row.wrong, 'session')} of catalog ${row.catalog_id} showed ${shownShades(row)} where ${shownCount(row)} ${verb(row.most, 'was', 'were')} imported`,
            ),
          )
        : counts.length === 0
          ? 'No session was opened on a catalog that the run imported.'
          : unclear.length > 0
            ? `An import got no clear answer, so ${listed(unclear.map((row) => `catalog ${row.catalog_id} holds ${countedRange({ min: row.least, max: row.most }, 'shade')}`))}.`
            : `${all(
                counts.reduce((total, row) => total + row.seen, 0),
                'session',
              )} showed the number of shades imported.`,
    evidence: wrong.map((row) => ({
      what: `another shade_count in ${row.catalog_id}`,
      seqs: row.seqs,
      total: row.wrong,
    })),
    ...(verdict === 'fail' && caused(wrong.slice(0, 1).map(countCause))),
  };
}

function countCause({ least, most, smallest, largest, seqs }: CountsRow): Suspect {
  return largest > most
    ? fits('shade-count-wrong', { said: largest, expected: most }, seqs)
    : fits('shade-count-wrong', { said: smallest, expected: least }, seqs);
}
