import type { DuckDBConnection } from '@duckdb/node-api';

/** What only an answer says. */
const ofAnswer = ['status', 'wire_status', 'count', 'expires_at', 'bytes', 'server_date_ms'].concat([
  'retry_after',
  'limit_headers',
  'problem',
  'described_headers',
  'server_timing',
]);

/**
 * Reduces the tables of a history that was cut off to what is wholly known. Requests are numbered as they become due. The
 * first number that is missing belongs to a request that was in flight, or whose record was lost: its effects, from when
 * it was due, are unknown. So the tables become those of a run that was stopped at that instant: what was in flight is
 * `stopped`, and what came later is not there. Returns how many requests on disk came later.
 */
export async function keepKnownPart(connection: DuckDBConnection): Promise<number> {
  const one = async (sql: string): Promise<number> =>
    Number((await (await connection.run(sql)).getRows())[0]?.[0] ?? 0);
  const missing = await one(
    'SELECT min(seq) + 1 FROM (SELECT seq FROM requests UNION ALL SELECT 0) before ANTI JOIN requests next ON next.seq = before.seq + 1',
  );
  const later = await one(`SELECT count(*) FROM requests WHERE seq > ${missing}`);
  if (later === 0) return 0;
  const untilNs = await one(
    `SELECT max(coalesce(intended_ns, sent_ns, 0)) FROM requests WHERE seq < ${missing}`,
  );
  const isWaiting = `sent_ns > ${untilNs}`;
  const unlessWaiting = (value: string | number): string =>
    `CASE WHEN ${isWaiting} THEN NULL ELSE ${value} END`;
  await connection.run(`
    UPDATE requests SET ${ofAnswer.map((column) => `${column} = NULL`).join(', ')},
      session_id = CASE WHEN endpoint = 'create-session' THEN NULL ELSE session_id END,
      sent_ns = ${unlessWaiting('sent_ns')}, answered_ns = ${unlessWaiting(untilNs)}, lost = ${unlessWaiting("'stopped'")},
      not_sent = CASE WHEN ${isWaiting} THEN 'stopped' END
      WHERE seq < ${missing} AND answered_ns > ${untilNs};
    DELETE FROM requests WHERE seq > ${missing};
    DELETE FROM interactions_in_order WHERE seq NOT IN (SELECT seq FROM requests);
    DELETE FROM bodies WHERE seq NOT IN (SELECT seq FROM requests WHERE status IS NOT NULL);`);
  return later;
}
