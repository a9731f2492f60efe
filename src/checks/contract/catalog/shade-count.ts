import { z } from 'zod';
import { range } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/sql-text.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { caused, fits, type Suspect } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import type { ProbeRow } from '../../core/probes.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import type { Imported } from '../imports/imported.ts';
import { listedCounts } from './listed-counts.ts';

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

/**
 * Counts of shades in the answers of an endpoint, with those imported. `firstPages`: lists that came in pages, whose
 * number of shades is right as well.
 */
export function countsByCatalog(
  history: History,
  imported: Imported,
  endpoint: 'create-session' | 'list-shades',
  firstPages: readonly Pick<ProbeRow, 'catalog_id' | 'count'>[] = [],
): Promise<CountsRow[]> {
  const isWrong = `NOT (count BETWEEN least AND most OR list_contains(
    CAST(CAST($firstPages AS JSON) AS STRUCT(catalog_id VARCHAR, count BIGINT)[]), {'catalog_id': catalog_id, 'count': count}))`;
  return history.rows(
    countsRow,
    `SELECT catalog_id, least, most, count(*) AS seen, min(count) AS smallest, max(count) AS largest,
            count(*) FILTER (${isWrong}) AS wrong, count(*) FILTER (count > most) AS over,
            ${firstSeqs} FILTER (${isWrong}) AS seqs
     FROM requests JOIN ${imported} USING (catalog_id)
     WHERE endpoint = ${sqlText(endpoint)} AND ${admitted} AND count IS NOT NULL AND sent_ns >= settled_ns
       AND probe IS DISTINCT FROM 'next-page'
     GROUP BY ALL ORDER BY catalog_id`,
    { firstPages: JSON.stringify(firstPages.map(({ catalog_id, count }) => ({ catalog_id, count }))) },
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

/** `shade_count` of every session is the number of shades in its catalog: of those imported, or, for catalogs of probes, listed. */
export async function checkShadeCount(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
): Promise<CheckFinding> {
  const listed = await listedCounts(history, imported, probes, 'create-session');
  const unlike = listed.filter((each) => each.said !== each.listed);
  const counts = await countsByCatalog(history, imported, 'create-session');
  const wrong = counts.filter((row) => row.wrong > 0);
  const unclear = counts.filter((row) => row.least !== row.most);
  const verdict =
    wrong.length + unlike.length > 0
      ? 'fail'
      : counts.length === 0 || unclear.length > 0
        ? 'inconclusive'
        : 'pass';
  return {
    id: 'contract.shade-count',
    verdict,
    expected: Object.fromEntries(counts.map((row) => [row.catalog_id, { min: row.least, max: row.most }])),
    observed: Object.fromEntries(
      counts.map((row) => [row.catalog_id, { min: row.smallest, max: row.largest }]),
    ),
    reasons:
      verdict === 'fail'
        ? firstReasons(
            wrong
              .map((row): Reason => reason('shade-count-wrong', { ...countsOf(row), sessions: row.wrong }))
              .concat(
                unlike.map(({ catalog, said, listed: shades }) =>
                  reason('shade-count-unlike-list', { catalog, said, listed: shades }),
                ),
              ),
          )
        : counts.length === 0
          ? [reason('shade-count-no-session')]
          : unclear.length > 0
            ? firstReasons(
                unclear.map((row) => {
                  const { catalog, imported } = countsOf(row);
                  return reason('shade-count-import-unclear', { catalog, imported });
                }),
              )
            : [
                reason('shade-count-right', {
                  sessions: [
                    ...counts.map(({ seen }) => seen),
                    ...listed.map(({ answers }) => answers),
                  ].reduce((total, each) => total + each, 0),
                }),
              ],
    evidence: [
      ...wrong.map((row) => ({
        what: `shade_count in ${row.catalog_id} is not ${range({ min: row.least, max: row.most })}`,
        seqs: row.seqs,
        total: row.wrong,
      })),
      ...(unlike.length === 0
        ? []
        : [
            evidence(
              'sessions and lists of a catalog that differ',
              unlike.flatMap(({ seqs }) => seqs),
            ),
          ]),
    ],
    ...(verdict === 'fail' &&
      caused([
        ...wrong.slice(0, 1).map(countCause),
        ...(wrong.length > 0 ? [] : unlike.slice(0, 1)).map(({ listed: expected, said, seqs }) =>
          fits('shade-count-wrong', { said, expected }, seqs),
        ),
      ])),
  };
}

function countCause({ least, most, smallest, largest, seqs }: CountsRow): Suspect {
  return largest > most
    ? fits('shade-count-wrong', { said: largest, expected: most }, seqs)
    : fits('shade-count-wrong', { said: smallest, expected: least }, seqs);
}
