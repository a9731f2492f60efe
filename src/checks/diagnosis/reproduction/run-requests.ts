import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { usualPath } from '../../../target/profile.ts';
import { credentials, endpoints } from '../../../vocabulary/requests.ts';
import { probeColumn } from '../../core/probe-names.ts';
import type { NeededSession, Sendable } from './curl.ts';

const text = z.string().nullable();
const requestRow = z.object({
  seq: z.coerce.number(),
  endpoint: z.enum(endpoints),
  credential: z.enum(credentials),
  probe: probeColumn.nullable(),
  session_id: text,
  product_id: text,
  catalog_id: text,
  locale: text,
  items: z.number().nullable(),
  count: z.number().nullable(),
  status: z.number().nullable(),
  lost: text,
  took_ms: z.number(),
  query: text,
  body: text,
});
export type RequestRow = z.infer<typeof requestRow>;
const interactionRow = z.object({
  seq: z.coerce.number(),
  id: z.string(),
  type: z.string(),
  sku: text,
  at: z.string(),
});
const shadeRow = z.object({ sku: z.string(), name: z.string(), hex: z.string(), finish: z.string() });
const openingRow = z.object({
  session_id: text,
  credential: z.enum(credentials),
  product_id: z.string(),
  catalog_id: z.string(),
  locale: z.string(),
});
const parsed = z.record(z.string(), z.string());

/** Shades that are imported into a catalog for a reproduction; those of events come first. */
const mostShades = 5;

export function queryOf(query: string | null): Readonly<Record<string, string>> {
  const read = parsed.safeParse(query === null ? {} : JSON.parse(query));
  return read.success ? read.data : {};
}

export function rowsOf(history: History, seqs: readonly number[]): Promise<RequestRow[]> {
  if (seqs.length === 0) return Promise.resolve([]);
  return history.rows(
    requestRow,
    `SELECT r.seq, r.endpoint, r.credential, r.probe, r.session_id, r.product_id, r.catalog_id, r.locale, r.items, r.count, r.status,
       r.lost, coalesce(r.answered_ns - r.sent_ns, 0) / 1e6 AS took_ms, a.query::VARCHAR AS query, a.body::VARCHAR AS body
     FROM requests r LEFT JOIN answers a USING (seq)
     WHERE r.seq IN (${seqs.join(', ')}) AND r.not_sent IS NULL ORDER BY r.seq`,
  );
}

export async function sendable(history: History, row: RequestRow): Promise<Sendable> {
  const interactions =
    row.endpoint === 'interact'
      ? await history.rows(
          interactionRow,
          `SELECT seq, id, type, sku, "at" FROM interactions WHERE seq = ${row.seq}`,
        )
      : [];
  return {
    ...row,
    channelPath: channelPathOf(history),
    query: queryOf(row.query),
    interactions: interactions.map(({ at, id, sku, type }) => ({
      id,
      type,
      ...(sku === null ? {} : { sku }),
      at,
    })),
  };
}

/** Where interactions go; the usual path where the profile leaves it open. */
export function channelPathOf({ profile: { channel } }: History): string {
  return typeof channel === 'string' || channel.path === 'discover' ? usualPath : channel.path;
}

const openings = `SELECT session_id, credential, product_id, catalog_id, locale FROM requests
  WHERE endpoint = 'create-session' AND product_id IS NOT NULL AND catalog_id IS NOT NULL AND locale IS NOT NULL`;

export async function openingFor(history: History, sessionId: string): Promise<NeededSession | undefined> {
  const sql = `${openings} AND session_id = $sessionId LIMIT 1`;
  return (await history.rows(openingRow, sql, { sessionId }))[0];
}

/** A session that can be opened again: one that the target granted, and no probe if possible. */
export async function anyOpening(
  history: History,
  credential: 'load' | 'quota' | 'twin',
): Promise<NeededSession | undefined> {
  return (
    await history.rows(
      openingRow,
      `${openings} AND credential = ${sqlText(credential)} ORDER BY session_id IS NULL, probe IS NOT NULL, seq LIMIT 1`,
    )
  )[0];
}

/** The first shades of a catalog, as the run imported them. */
export function shadesFor(history: History, catalog: string, rows: readonly RequestRow[]): Promise<object[]> {
  const ofEvents = `sku IN (SELECT sku FROM interactions WHERE seq IN (${rows.map(({ seq }) => seq).join(', ')}))`;
  return history.rows(
    shadeRow,
    `SELECT sku, name, hex, finish FROM catalog WHERE catalog_id = $catalog
     ORDER BY ${ofEvents} DESC, rowid LIMIT ${mostShades}`,
    { catalog },
  );
}
