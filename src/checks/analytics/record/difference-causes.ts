import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { Tables } from '../../../history/tables.ts';
import type { DifferenceKind } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { Difference } from './differences.ts';
import { type OrderFound, orderedBy } from './history-order.ts';
import { lostCauses } from './lost-events.ts';
import type { ReadBack } from './read-back.ts';

const fieldNames: Partial<Record<DifferenceKind, string>> = {
  'session-id': 'session_id',
  product: 'product_id',
  locale: 'locale',
  catalog: 'catalog_id',
  'shade-count': 'shade_count',
};

/** What each kind of difference comes of, but for fields of the session, which have one cause. */
const causesOfKind: Partial<
  Record<
    DifferenceKind,
    (found: Difference, tables: Tables, read: ReadBack) => Suspect[] | Promise<Suspect[]>
  >
> = {
  'not-found': ({ count, seqs }) => [fits('session-disappears', { reads: count, status: 404 }, seqs)],
  'same-id': ({ count, seqs }) => [shown('session-id-reused', { sessions: count }, seqs)],
  lost: (found, tables, read) => lostCauses(tables, read, found),
  duplicate: duplicateCauses,
  foreign: foreignCauses,
  refused: refusedCauses,
  altered: ({ count, seqs }) => [
    shown('interaction-changed', { what: 'type or SKU', interactions: count }, seqs),
  ],
  'no-shade': ({ count, seqs }) => [shown('history-without-shades', { interactions: count }, seqs)],
  moment: ({ count, seqs }) => [shown('interaction-changed', { what: 'instant', interactions: count }, seqs)],
};

/** What may lie behind the differences between a run and the sessions that were read back; by kind. */
export async function differenceCauses(
  tables: Tables,
  readBack: ReadBack,
  differences: readonly Difference[],
  order: OrderFound,
): Promise<Suspect[]> {
  const changed = differences.filter(({ kind }) => fieldNames[kind] !== undefined);
  const fields = changed.flatMap(({ kind }) => fieldNames[kind] ?? []);
  const seqs = changed.flatMap((each) => each.seqs);
  const causes = fields.length === 0 ? [] : [shown('session-changed', { fields }, seqs)];
  for (const found of differences)
    causes.push(...((await causesOfKind[found.kind]?.(found, tables, readBack)) ?? []));
  // A second copy stands where it came to be, which may be out of order.
  const isMixed = differences.some(({ kind }) => kind === 'duplicate' || kind === 'foreign');
  return [...causes, ...orderCauses(tables.history, order, isMixed)];
}

/** Histories that keep one order, and not the promised one, are honest: the profile is wrong of them. Fewer than 3 may do so by chance. */
function orderCauses(
  { profile }: Pick<History, 'profile'>,
  { broken, fitting: [order] }: OrderFound,
  isMixed: boolean,
): Suspect[] {
  if (broken === null) return [];
  if (order === undefined)
    return [(isMixed ? fits : shown)('history-order-wrong', { interactions: broken.count }, broken.seqs)];
  const told = profile.session_history.order;
  const params = { field: 'session_history.order', told, found: orderedBy(order) };
  if (broken.seqs.length >= 3) return [shown('profile-false', params, broken.seqs)];
  return [
    fits('history-order-wrong', { interactions: broken.count }, broken.seqs),
    fits('profile-false', params, broken.seqs),
  ];
}

/** Events that a history shows and its session never got: those that another session was sent, or others. */
async function foreignCauses(
  { count, seqs }: Difference,
  { history }: Tables,
  { due, entries, reads }: ReadBack,
): Promise<Suspect[]> {
  const [row] = await history.rows(
    z.object({ moved: z.number() }),
    `SELECT count(*) AS moved FROM ${entries} e JOIN ${reads} r USING (session)
     WHERE NOT EXISTS (FROM ${due} d WHERE d.session = e.session AND d.id = e.act_id)
       AND EXISTS (FROM interactions i WHERE i.id = e.id AND i.session_id <> r.session_id)`,
  );
  const moved = row?.moved ?? 0;
  return moved > 0
    ? [shown('event-in-other-session', { interactions: moved }, seqs)]
    : [fits('foreign-interactions', { interactions: count }, seqs)];
}

/** An event that stands in a history twice was sent again, or it was delivered twice on its way. */
async function duplicateCauses(
  { count, seqs }: Difference,
  { history }: Tables,
  { entries, reads }: ReadBack,
): Promise<Suspect[]> {
  const [row] = await history.rows(
    z.object({ once: z.number(), again: z.number() }),
    `WITH doubled AS (
       SELECT session, act_id, any_value(r.session_id) AS session_id FROM ${entries} JOIN ${reads} r USING (session)
       WHERE act_id IS NOT NULL GROUP BY ALL HAVING count(*) > 1),
     sent AS (
       SELECT d.session, d.act_id, count(*) AS times FROM doubled d
       JOIN interactions i ON i.session_id = d.session_id AND i.id = d.act_id GROUP BY ALL)
     SELECT count(*) FILTER (times = 1) AS once, count(*) FILTER (times > 1) AS again FROM sent`,
  );
  const { again = count, once = 0 } = row ?? {};
  // What was sent once and stands there twice was not sent again.
  const strength = once === 0 ? shown : fits;
  return [
    ...(once > 0 && again === 0 ? [] : [strength('repeated-interaction-stored', { repeated: count }, seqs)]),
    ...(once > 0 ? [fits('delivered-twice', { requests: once }, seqs)] : []),
  ];
}

async function refusedCauses(
  { count, seqs }: Difference,
  { history }: Tables,
  { due, entries, reads }: ReadBack,
): Promise<Suspect[]> {
  const rows = await history.rows(
    z.object({ status: z.number() }),
    `SELECT DISTINCT q.status FROM ${entries} e JOIN ${reads} r USING (session)
     JOIN ${due} a ON a.session = e.session AND a.id = e.act_id AND a.state = 0
     JOIN interactions i ON i.session_id = r.session_id AND i.id = a.id
     JOIN requests q ON q.seq = i.seq AND q.endpoint = 'interact' WHERE q.status IS NOT NULL ORDER BY q.status`,
  );
  const statuses = rows.map(({ status }) => status);
  return [shown('refused-interaction-stored', { interactions: count, statuses }, seqs)];
}
