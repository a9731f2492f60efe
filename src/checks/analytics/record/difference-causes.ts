import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { DifferenceKind } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { failing, groupRow, isDivided, sameTime } from '../../core/by-connection.ts';
import { firstSeqs } from '../../core/found.ts';
import { type Difference, lostActsSql } from './differences.ts';
import { type OrderFound, orderedBy } from './history-order.ts';
import type { ReadBack } from './read-back.ts';

const fieldNames: Partial<Record<DifferenceKind, string>> = {
  'session-id': 'session_id',
  product: 'product_id',
  locale: 'locale',
  catalog: 'catalog_id',
  'shade-count': 'shade_count',
};

/** What may lie behind the differences between a run and the sessions that were read back; by kind. */
export async function differenceCauses(
  history: History,
  readBack: ReadBack,
  differences: readonly Difference[],
  order: OrderFound,
): Promise<Suspect[]> {
  const causes: Suspect[] = [];
  const fields = differences.filter(({ kind }) => fieldNames[kind] !== undefined);
  if (fields.length > 0)
    causes.push(
      shown(
        'session-changed',
        { fields: fields.flatMap(({ kind }) => fieldNames[kind] ?? []) },
        fields.flatMap(({ seqs }) => seqs),
      ),
    );
  for (const { count, kind, seqs } of differences) {
    switch (kind) {
      case 'not-found':
        causes.push(fits('session-disappears', { reads: count, status: 404 }, seqs));
        break;
      case 'same-id':
        causes.push(shown('session-id-reused', { sessions: count }, seqs));
        break;
      case 'lost':
        causes.push(...(await lostCauses(history, readBack, count, seqs)));
        break;
      case 'duplicate':
        causes.push(...(await duplicateCauses(history, readBack, count, seqs)));
        break;
      case 'foreign':
        causes.push(fits('foreign-interactions', { interactions: count }, seqs));
        break;
      case 'refused':
        causes.push(
          shown(
            'refused-interaction-stored',
            { interactions: count, statuses: await refusedWith(history, readBack) },
            seqs,
          ),
        );
        break;
      case 'altered':
        causes.push(shown('interaction-changed', { what: 'type or SKU', interactions: count }, seqs));
        break;
      case 'no-shade':
        causes.push(shown('history-without-shades', { interactions: count }, seqs));
        break;
      case 'moment':
        causes.push(shown('interaction-changed', { what: 'instant', interactions: count }, seqs));
        break;
    }
  }
  // A second copy stands where it came to be, which may be out of order.
  const isMixed = differences.some(({ kind }) => kind === 'duplicate' || kind === 'foreign');
  return [...causes, ...orderCauses(history, order, isMixed)];
}

/** A history that keeps one order, and not the promised one, is honest: the profile is wrong of it. */
function orderCauses(
  { profile }: Pick<History, 'profile'>,
  { broken, fitting }: OrderFound,
  isMixed: boolean,
): Suspect[] {
  if (broken === null) return [];
  const [order] = fitting;
  return [
    order === undefined
      ? (isMixed ? fits : shown)('history-order-wrong', { interactions: broken.count }, broken.seqs)
      : shown(
          'profile-false',
          { field: 'session_history.order', told: profile.session_history.order, found: orderedBy(order) },
          broken.seqs,
        ),
  ];
}

/** What the lost ones have in common: another selection of the same shade that is there, or another request at the same time. */
async function lostCauses(
  history: History,
  readBack: ReadBack,
  count: number,
  seqs: readonly number[],
): Promise<Suspect[]> {
  const { due, entries } = readBack;
  const kept = await keptAtMost(history, readBack);
  if (kept !== undefined) return [shown('history-cut', { kept, interactions: count }, seqs)];
  const byConnection = await lostByConnection(history, readBack);
  if (byConnection !== undefined) return [byConnection];
  const [row] = await history.rows(
    z.object({
      acts: z.number(),
      repeated: z.number(),
      concurrent: z.number(),
      either: z.number(),
      again: z.number(),
    }),
    `WITH lost AS (${lostActsSql(history, readBack)}),
     judged AS (
       SELECT type = 'shade_selected' AND EXISTS (
           FROM ${due} b JOIN ${entries} e ON e.session = b.session AND e.act_id = b.id
           WHERE b.session = lost.session AND b.id <> lost.id AND b.type = lost.type AND b.sku = lost.sku) AS repeated,
         EXISTS (
           FROM ${due} b WHERE b.session = lost.session AND b.first_sent_ns <> lost.first_sent_ns
             AND b.first_sent_ns < lost.arrived_ns AND lost.first_sent_ns < b.arrived_ns) AS concurrent
       FROM lost)
     SELECT count(*) AS acts, count(*) FILTER (repeated) AS repeated, count(*) FILTER (concurrent) AS concurrent,
       count(*) FILTER (repeated OR concurrent) AS either,
       (SELECT count(*) FROM (
          SELECT 1 FROM ${entries} e JOIN ${due} a ON a.session = e.session AND a.id = e.act_id
          WHERE a.type = 'shade_selected' GROUP BY a.session, a.sku HAVING count(DISTINCT a.id) > 1)) AS again
     FROM judged`,
  );
  const { acts = 0, again = 0, concurrent = 0, either = 0, repeated = 0 } = row ?? {};
  if (acts === 0 || either < acts) return [fits('interactions-lost', { interactions: count }, seqs)];
  // No history at all shows a shade that was selected again.
  const isRule = repeated > 1 && again === 0 && concurrent < acts;
  const merged = (isRule ? shown : fits)('repeated-selections-merged', { interactions: repeated }, seqs);
  const overwritten = fits('concurrent-interactions-lost', { interactions: concurrent }, seqs);
  // What explains them all needs no other cause beside it.
  if (repeated === acts) return concurrent === acts ? [merged, overwritten] : [merged];
  return concurrent === acts ? [overwritten] : [merged, overwritten];
}

/** Where the connections that carried an event and read it back decide whether it shows. */
async function lostByConnection(history: History, readBack: ReadBack): Promise<Suspect | undefined> {
  const { due, reads } = readBack;
  const groups = await history.rows(
    groupRow,
    `WITH lost AS (${lostActsSql(history, readBack)}),
     carried AS (
       SELECT q.seq, q.sent_ns, q.local_port AS sent_on, asked.local_port AS read_on,
         EXISTS (FROM lost WHERE lost.session = d.session AND lost.id = d.id) AS failed
       FROM ${due} d JOIN ${reads} r USING (session) JOIN requests asked ON asked.seq = r.seq
       JOIN interactions i ON i.session_id = r.session_id AND i.id = d.id
       JOIN requests q ON q.seq = i.seq AND q.endpoint = 'interact' AND q.status BETWEEN 200 AND 299
       WHERE d.state = 2 AND q.local_port IS NOT NULL AND asked.local_port IS NOT NULL)
     SELECT count(*) AS requests, count(*) FILTER (failed) AS failed, ${firstSeqs} FILTER (failed) AS seqs
     FROM (${sameTime('carried')}) GROUP BY sent_on, read_on`,
  );
  if (!isDivided(groups)) return undefined;
  const { seqs, ...params } = failing(groups);
  return shown('depends-on-connection', { what: 'event', ...params }, seqs);
}

/**
 * How many events a history holds at most, where events are lost in every longer session, in no other, and every such history
 * shows as many: its first ones or its last.
 */
async function keptAtMost(history: History, readBack: ReadBack): Promise<number | undefined> {
  const [row] = await history.rows(
    z.object({ kept: z.number().nullable() }),
    `WITH lost AS (${lostActsSql(history, readBack)}),
     placed AS (
       SELECT d.session, row_number() OVER (PARTITION BY d.session ORDER BY d.place) AS nth,
         EXISTS (FROM lost WHERE lost.session = d.session AND lost.id = d.id) AS is_lost
       FROM ${readBack.due} d WHERE d.state = 2),
     session AS (
       SELECT session, count(*) AS acts, count(*) FILTER (is_lost) AS lost, count(*) FILTER (NOT is_lost) AS kept,
         max(nth) FILTER (NOT is_lost) - min(nth) FILTER (NOT is_lost) + 1 AS stretch
       FROM placed GROUP BY session)
     SELECT CASE WHEN count(DISTINCT kept) FILTER (lost > 0) = 1 AND bool_and(stretch = kept) FILTER (lost > 0)
         AND coalesce(max(acts) FILTER (lost = 0), 0) <= max(kept) FILTER (lost > 0) AND max(kept) FILTER (lost > 0) >= 8
       THEN max(kept) FILTER (lost > 0) END AS kept
     FROM session`,
  );
  return row?.kept ?? undefined;
}

/** An event that stands in a history twice was sent again, or it was delivered twice on its way. */
async function duplicateCauses(
  history: History,
  { entries, reads }: ReadBack,
  count: number,
  seqs: readonly number[],
): Promise<Suspect[]> {
  const [row] = await history.rows(
    z.object({ once: z.number() }),
    `WITH doubled AS (
       SELECT session, act_id, any_value(r.session_id) AS session_id FROM ${entries} JOIN ${reads} r USING (session)
       WHERE act_id IS NOT NULL GROUP BY ALL HAVING count(*) > 1),
     sent AS (
       SELECT d.session, d.act_id, count(*) AS times FROM doubled d
       JOIN interactions i ON i.session_id = d.session_id AND i.id = d.act_id GROUP BY ALL)
     SELECT count(*) FILTER (times = 1) AS once FROM sent`,
  );
  const repeated = { repeated: count };
  return row === undefined || row.once === 0
    ? [shown('repeated-interaction-stored', repeated, seqs)]
    : [
        fits('repeated-interaction-stored', repeated, seqs),
        fits('delivered-twice', { requests: row.once }, seqs),
      ];
}

async function refusedWith(history: History, { due, entries, reads }: ReadBack): Promise<number[]> {
  const rows = await history.rows(
    z.object({ status: z.number() }),
    `SELECT DISTINCT q.status FROM ${entries} e JOIN ${reads} r USING (session)
     JOIN ${due} a ON a.session = e.session AND a.id = e.act_id AND a.state = 0
     JOIN interactions i ON i.session_id = r.session_id AND i.id = a.id
     JOIN requests q ON q.seq = i.seq AND q.endpoint = 'interact' WHERE q.status IS NOT NULL ORDER BY q.status`,
  );
  return rows.map(({ status }) => status);
}
