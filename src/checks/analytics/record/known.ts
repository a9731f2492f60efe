import { z } from 'zod';
import type { Table, Tables } from '../../../history/tables.ts';
import { type Instants, lateArrivalMs, momentOf, shownWithinNs } from './clock.ts';
import { actColumns, createdColumns, type Facts } from './facts.ts';
import { actTypes, dueColumns, type ReadBack } from './read-back.ts';

/** What was done, and what was read of it. */
export interface Known {
  readonly facts: Facts;
  readonly readBack: ReadBack;
}

/**
 * Narrows ambiguous events by the histories read: shown → it happened; not shown, in a legible history read long enough
 * after the request was given up on → it did not.
 */
export async function narrowByHistories(tables: Tables, { facts, readBack }: Known): Promise<Known> {
  const { history } = tables;
  const { due, entries, illegible, reads } = readBack;
  // Mostly no event is ambiguous.
  if (facts.unsure.rows === 0) return { facts, readBack };
  const readAfterNs = lateArrivalMs(history.profile) * 1e6 + shownWithinNs(history.profile);
  const narrowed = await tables.make(
    'narrowed',
    'place state',
    `SELECT a.place, CAST(if(max(e.pos) IS NULL, 0, 2) AS UTINYINT) AS state
     FROM ${due} a
     JOIN ${reads} r ON r.session = a.session
     LEFT JOIN ${entries} e ON e.session = a.session AND e.act_id = a.id
     WHERE a.state = 1
     GROUP BY a.place, a.session, a.given_up_ns, r.sent_ns
     HAVING max(e.pos) IS NOT NULL
       OR (r.sent_ns >= a.given_up_ns + ${readAfterNs} AND a.session NOT IN (FROM ${illegible}))`,
  );
  if (narrowed.rows === 0) return { facts, readBack };
  const withStates = (table: Table<'place state'>): string =>
    `SELECT a.* REPLACE (coalesce(n.state, a.state) AS state) FROM ${table} a LEFT JOIN ${narrowed} n ON n.place = a.place`;
  return {
    facts: { ...facts, acts: await tables.make('act', actColumns, withStates(facts.acts)) },
    readBack: { ...readBack, due: await tables.make('due', dueColumns, withStates(due)) },
  };
}

/**
 * Without a channel of the harness's own, whatever the histories show is what happened: takes their entries as events.
 * `complete`: every session that counts was read, so that the events are known in full.
 */
export async function adoptHistories(
  tables: Tables,
  known: Known,
  instants: Instants,
): Promise<{ readonly facts: Facts; readonly complete: boolean }> {
  const { reads } = known.readBack;
  const read = await tables.make(
    'adopted_session',
    'session',
    `SELECT session FROM ${reads} WHERE has_history`,
  );
  const [row] = await tables.history.rows(
    z.object({ unread: z.number() }),
    `SELECT count(*) AS unread FROM ${known.facts.created} c WHERE certain AND c.seq NOT IN (FROM ${read})`,
  );
  return { facts: await adoptEntries(tables, known, read, instants), complete: row?.unread === 0 };
}

/**
 * Facts by which what the histories of `sessions` show is what happened in them, instead of what was recorded. When it
 * did is known only to lie between the session's creation and the read.
 */
export async function adoptEntries(
  tables: Tables,
  { facts, readBack }: Known,
  sessions: Table<'session'>,
  { latest }: Instants,
): Promise<Facts> {
  const adopted = await tables.make(
    'adopted',
    actColumns,
    `SELECT e.session, -row_number() OVER (ORDER BY e.session, e.pos) AS place, e.type = 'shade_selected' AS shade,
       CASE WHEN e.type = 'shade_selected' THEN e.sku END AS sku, 2 AS state, 1 AS copies,
       c.from_ms, ${latest(momentOf('r.sent_ns'))} AS to_ms
     FROM ${readBack.entries} e JOIN ${facts.created} c ON c.seq = e.session JOIN ${readBack.reads} r USING (session)
     WHERE e.session IN (FROM ${sessions}) AND e.type IN ${actTypes}`,
  );
  return {
    ...facts,
    acts: await tables.make(
      'act',
      actColumns,
      `FROM ${facts.acts} WHERE session NOT IN (FROM ${sessions}) UNION ALL FROM ${adopted}`,
    ),
    exact: await tables.make(
      'exact',
      'key',
      `FROM ${facts.exact} UNION SELECT key FROM ${facts.created} WHERE seq IN (FROM ${sessions})`,
    ),
    created: await tables.view(
      'created',
      createdColumns,
      `SELECT * REPLACE (exact OR seq IN (FROM ${sessions}) AS exact) FROM ${facts.created}`,
    ),
    skus: await tables.make(
      'sku',
      'sku number',
      `FROM ${facts.skus} UNION ALL
       SELECT sku, (SELECT coalesce(max(number), -1) FROM ${facts.skus}) + row_number() OVER (ORDER BY sku)
       FROM (SELECT DISTINCT sku FROM ${adopted} WHERE sku IS NOT NULL AND sku NOT IN (SELECT sku FROM ${facts.skus}))`,
    ),
  };
}
