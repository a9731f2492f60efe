import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { ofParameter } from '../../../history/sql-text.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import { isProbe } from '../../core/probe-names.ts';
import { is2xx, type ProbeRow } from '../../core/probes.ts';
import type { Imported } from '../imports/imported.ts';
import { pageRows, wholeList } from '../probes/pages.ts';
import { isBetween, isComparableList, readImports } from './agree.ts';

/** Answers with one count for one catalog, between the same imports and lists: `sent_ns` and `answered_ns` of the first. */
const countRow = z.object({
  catalog_id: z.string(),
  count: z.number(),
  answers: z.number(),
  seqs: seqsColumn,
  sent_ns: z.number(),
  answered_ns: z.number(),
});

/** Answers that count the shades of a catalog, and a list of it that they were compared with. */
export interface ListedCount {
  readonly catalog: string;
  readonly said: number;
  readonly listed: number;
  readonly answers: number;
  /** The first of the answers, and the list. */
  readonly seqs: readonly number[];
}

/** Two probes have checks of their own. */
const isOpening = `endpoint = 'create-session' AND NOT ${isProbe('twice:create-session', 'update:create-session')}`;
/** Probes are compared with each other, by all that they list. */
const isList = "endpoint = 'list-shades' AND probe IS NULL";

/**
 * `shade_count` of sessions, or the length of the load's lists, of catalogs that probes imported, and the length of a list of the
 * same catalog that was read to its end, where no import into it came between.
 */
export async function listedCounts(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
  endpoint: 'create-session' | 'list-shades',
): Promise<ListedCount[]> {
  const lists = probes.filter(
    (row) =>
      isComparableList(row) && is2xx(row) && (endpoint === 'create-session' || pageRows(row).length === 1),
  );
  const catalogs = [...new Set(lists.flatMap(({ catalog_id }) => catalog_id ?? []))];
  if (catalogs.length === 0) return [];
  const imports = await readImports(history);
  // Answers between the same of these instants are alike: a load has many, and one row for all of them.
  const instants = [
    ...lists.map(({ sent_ns }) => sent_ns ?? 0),
    ...imports.flatMap(({ sent_ns, until_ns }) => (until_ns === null ? [sent_ns] : [sent_ns, until_ns])),
  ];
  const counts = await history.rows(
    countRow,
    `WITH instants(ns) AS (SELECT unnest([0, ${[...new Set(instants)].join()}])::DOUBLE)
     SELECT catalog_id, count, count(*) AS answers, ${firstSeqs} AS seqs, min_by(sent_ns, seq) AS sent_ns, min_by(answered_ns, seq) AS answered_ns
     FROM (SELECT seq, catalog_id, count, sent_ns::DOUBLE AS sent_ns, answered_ns::DOUBLE AS answered_ns FROM requests
           WHERE ${endpoint === 'create-session' ? isOpening : isList} AND credential = 'load' AND ${admitted} AND count IS NOT NULL
             AND catalog_id IN ${ofParameter('catalogs')} AND catalog_id NOT IN (SELECT catalog_id FROM ${imported})) r
       ASOF JOIN instants AS after ON r.sent_ns >= after.ns
       ASOF JOIN instants AS until ON r.answered_ns >= until.ns
     GROUP BY catalog_id, count, after.ns, until.ns ORDER BY min(seq)`,
    { catalogs: JSON.stringify(catalogs) },
  );
  return counts.flatMap(({ answers, count: said, seqs, ...span }) => {
    const list = lists.find(
      (row) =>
        row.catalog_id === span.catalog_id &&
        !imports.some((each) =>
          (row.sent_ns ?? 0) < span.sent_ns ? isBetween(each, row, span) : isBetween(each, span, row),
        ),
    );
    if (list === undefined) return [];
    const shades = wholeList(list) ?? [];
    // A SKU that is listed twice is another check's question.
    const listed = endpoint === 'list-shades' ? shades.length : new Set(shades.map(({ sku }) => sku)).size;
    return [{ catalog: span.catalog_id, said, listed, answers, seqs: [...seqs, list.seq] }];
  });
}
