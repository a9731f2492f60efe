import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { admitted, sqlText } from '../../core/found.ts';
import { isProbe } from '../../core/probe-names.ts';
import { is2xx, type ProbeRow } from '../../core/probes.ts';
import type { Imported } from '../imports/imported.ts';
import { wholeList } from '../probes/pages.ts';
import { isBetween, isComparableList, readImports } from './agree.ts';

const sessionRow = z.object({
  seq: z.number(),
  catalog_id: z.string(),
  count: z.number(),
  sent_ns: z.number(),
  answered_ns: z.number(),
});

/** A session whose `shade_count` was compared with a list of its catalog. */
interface ListedCount {
  readonly catalog: string;
  readonly said: number;
  readonly listed: number;
  readonly seqs: readonly number[];
}

/**
 * `shade_count` of sessions on catalogs that probes imported, and the length of a list of the same catalog that was read to its
 * end, where no import into it came between. Two probes have checks of their own.
 */
export async function listedCounts(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
): Promise<ListedCount[]> {
  const lists = probes.filter((row) => isComparableList(row) && is2xx(row));
  const catalogs = [...new Set(lists.flatMap(({ catalog_id }) => catalog_id ?? []))];
  if (catalogs.length === 0) return [];
  const sessions = await history.rows(
    sessionRow,
    `SELECT seq, catalog_id, count, sent_ns, answered_ns FROM requests
     WHERE endpoint = 'create-session' AND credential = 'load' AND ${admitted} AND count IS NOT NULL
       AND NOT coalesce(${isProbe('twice:create-session', 'update:create-session')}, false)
       AND catalog_id IN (${catalogs.map(sqlText).join()}) AND catalog_id NOT IN (SELECT catalog_id FROM ${imported})
     ORDER BY seq`,
  );
  if (sessions.length === 0) return [];
  const imports = await readImports(history);
  return sessions.flatMap((session) => {
    const list = lists.find(
      (row) =>
        row.catalog_id === session.catalog_id &&
        !imports.some((each) =>
          (row.sent_ns ?? 0) < session.sent_ns
            ? isBetween(each, row, session)
            : isBetween(each, session, row),
        ),
    );
    // A SKU that is listed twice is another check's question.
    const listed = list === undefined ? undefined : new Set(wholeList(list)?.map(({ sku }) => sku)).size;
    return list === undefined || listed === undefined
      ? []
      : [{ catalog: session.catalog_id, said: session.count, listed, seqs: [session.seq, list.seq] }];
  });
}
