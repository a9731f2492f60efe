import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Suspect } from '../diagnosis/cause.ts';
import type { Reason } from '../reasons/reason.ts';
import { differenceCauses } from './difference-causes.ts';
import { type Difference, differencesSql } from './differences.ts';
import { anyOrder, historyOrder, type OrderFound } from './history-order.ts';
import { type NamesShown, namesMissing } from './read-back.ts';
import { differenceKinds } from './vocabulary.ts';

/** What was read back, and each way in which it differs from what the run did. */
export interface Reconciliation {
  readonly certainSessions: number;
  readonly readBack: number;
  /** Of those, with a readable history list. */
  readonly withHistory: number;
  readonly actsExpected: number;
  readonly actsFound: number;
  /** Neither found nor lost: they may have come to show after the read. */
  readonly actsUnsettled: number;
  /** In which order histories list what happened. */
  readonly order: OrderFound;
  readonly differences: readonly Difference[];
  /** What may lie behind the differences. */
  readonly causes: readonly Suspect[];
  /** Why not every comparison could be made; none when all were. */
  readonly illegible: readonly Reason[];
  /** Entries carry ids of events, so that their order shows. */
  readonly orderShown: boolean;
}

const differenceRow = z.object({ kind: z.enum(differenceKinds), n: z.number(), seqs: z.array(z.number()) });

const totalsRow = z.object({
  certain: z.number(),
  read: z.number(),
  with_history: z.number(),
  due: z.number(),
  found: z.number(),
});

/**
 * Compares session by session, and makes `analytics_difference(kind, seq)`; after `narrowByHistories`. `acts` false: there was no channel, so histories are only
 * compared in their session fields.
 */
export async function reconcile(history: History, names: NamesShown, acts: boolean): Promise<Reconciliation> {
  await history.execute(`
    -- In a separate table, so that DuckDB sees how few they are.
    CREATE OR REPLACE TEMP TABLE analytics_missing AS
    SELECT seq, sent_ns, credential, hash(session_id) AS key FROM requests WHERE endpoint = 'read-session' AND status = 404;
  `);
  const [some] = await history.rows(
    z.object({ same_ids: z.boolean(), missing: z.boolean() }),
    'SELECT EXISTS (FROM analytics_same_id) AS same_ids, EXISTS (FROM analytics_missing) AS missing',
  );
  const compared = { acts, sameIds: some?.same_ids === true, missing: some?.missing === true };
  await history.execute(
    `CREATE OR REPLACE TEMP TABLE analytics_difference AS ${differencesSql(history, names, compared)}`,
  );
  const found = await history.rows(
    differenceRow,
    `SELECT kind, count(*) AS n, list_slice(list(DISTINCT CAST(seq AS DOUBLE) ORDER BY CAST(seq AS DOUBLE)), 1, 10) AS seqs
     FROM analytics_difference GROUP BY kind ORDER BY kind`,
  );
  const [totals] = await history.rows(
    totalsRow,
    `SELECT (SELECT count(*) FROM analytics_created WHERE certain) AS certain,
       (SELECT count(*) FROM analytics_read) AS read,
       (SELECT count(*) FROM analytics_read WHERE has_history) AS with_history,
       (SELECT count(*) FROM analytics_due WHERE state = 2) AS due,
       (SELECT count(DISTINCT (e.session, e.act_id)) FROM analytics_entry e
          JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id WHERE a.state = 2) AS found`,
  );
  const differences = found.map((row) => ({ kind: row.kind, count: row.n, seqs: row.seqs }));
  const order = acts ? await historyOrder(history) : anyOrder;
  return {
    certainSessions: totals?.certain ?? 0,
    readBack: totals?.read ?? 0,
    withHistory: totals?.with_history ?? 0,
    actsExpected: totals?.due ?? 0,
    actsFound: totals?.found ?? 0,
    actsUnsettled:
      (totals?.due ?? 0) - (totals?.found ?? 0) - (found.find(({ kind }) => kind === 'lost')?.n ?? 0),
    order,
    differences,
    causes: await differenceCauses(history, differences, order),
    illegible: acts ? namesMissing(names, history.profile) : [],
    orderShown: names.ownIds,
  };
}
