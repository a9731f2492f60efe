import { z } from 'zod';
import { isNotExplored } from '../../../history/sessions.ts';
import type { Tables } from '../../../history/tables.ts';
import type { Suspect } from '../../causes/cause.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Instants } from './clock.ts';
import { differenceCauses } from './difference-causes.ts';
import { type Difference, differenceRow, differencesSql } from './differences.ts';
import { anyOrder, historyOrder, type OrderFound } from './history-order.ts';
import type { Known } from './known.ts';
import { namesMissing } from './read-back.ts';

/** What was read back, and each way in which it differs from what the run did. */
export interface Reconciliation {
  readonly certainSessions: number;
  readonly readBack: number;
  /** Of those, as many as show the run's own events, and no others. */
  readonly agree: number;
  /** With a readable history list. */
  readonly withHistory: number;
  readonly actsExpected: number;
  readonly actsFound: number;
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

const totalsRow = z.object({
  with_history: z.number(),
  due: z.number(),
  found: z.number(),
  differing: z.number(),
});

/** What a comparison goes by. */
interface Reconciling extends Known {
  readonly instants: Instants;
  /** False: there was no channel, so histories are only compared in their session fields. */
  readonly acts: boolean;
}

/** Compares session by session. */
export async function reconcile(
  tables: Tables,
  { acts, facts, instants, readBack }: Reconciling,
): Promise<Reconciliation> {
  const { history } = tables;
  const { created } = facts;
  const { due, entries, names, reads } = readBack;
  // In a separate table, so that DuckDB sees how few they are.
  const missing = await tables.make(
    'missing',
    'seq sent_ns credential key',
    `SELECT seq, sent_ns, credential, hash(session_id) AS key FROM requests WHERE endpoint = 'read-session' AND status = 404 AND ${isNotExplored}`,
  );
  const [made] = await history.rows(
    z.object({ certain: z.number(), same_ids: z.boolean() }),
    `SELECT count(*) FILTER (certain) AS certain, coalesce(bool_or(again), false) AS same_ids FROM ${created}`,
  );
  const difference = await tables.make(
    'difference',
    'kind seq',
    differencesSql({
      history,
      created,
      readBack,
      missing,
      instants,
      acts,
      someSameIds: made?.same_ids === true,
      someMissing: missing.rows !== 0,
    }),
  );
  const differences =
    difference.rows === 0
      ? []
      : await history.rows(
          differenceRow,
          `SELECT kind, count(*) AS count, list_slice(list(DISTINCT CAST(seq AS DOUBLE) ORDER BY CAST(seq AS DOUBLE)), 1, 10) AS seqs
     FROM ${difference} GROUP BY kind ORDER BY kind`,
        );
  const [totals] = await history.rows(
    totalsRow,
    `SELECT (SELECT count(*) FROM ${reads} WHERE has_history) AS with_history,
       (SELECT count(*) FROM ${due} WHERE state = 2) AS due,
       (SELECT count(DISTINCT (e.session, e.act_id)) FROM ${entries} e
          JOIN ${due} a ON a.session = e.session AND a.id = e.act_id WHERE a.state = 2) AS found,
       (SELECT count(DISTINCT session) FROM ${difference} JOIN ${reads} USING (seq)
          WHERE kind IN ('lost', 'duplicate', 'foreign', 'refused', 'altered')) AS differing`,
  );
  const order = acts ? await historyOrder(history, readBack) : anyOrder;
  return {
    certainSessions: made?.certain ?? 0,
    readBack: reads.rows ?? 0,
    agree: (reads.rows ?? 0) - (totals?.differing ?? 0),
    withHistory: totals?.with_history ?? 0,
    actsExpected: totals?.due ?? 0,
    actsFound: totals?.found ?? 0,
    order,
    differences,
    causes: await differenceCauses(tables, readBack, differences, order),
    illegible: acts ? namesMissing(names, history.profile) : [],
    orderShown: names.ownIds,
  };
}
