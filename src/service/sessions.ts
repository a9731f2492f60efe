import type { InteractionType } from '../wire.ts';
import type { TakeSession } from './accounts.ts';
import type { Database } from './database.ts';
import type { ServiceOptions } from './options.ts';
import type { Sessions } from './parts.ts';
import { newSessionId, newSessionToken, tokenHash } from './session-token.ts';

interface SessionRow {
  readonly id: number;
  readonly product_id: string;
  readonly catalog_id: string;
  readonly locale: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly shade_count: number;
}

interface InteractionRow {
  readonly id: string;
  readonly type: InteractionType;
  readonly sku: string | null;
  readonly at: string;
}

/** Sessions, and their histories to read. */
export function storedSessions(
  database: Database,
  takeSession: TakeSession,
  { clock, sessionLifetimeMs }: Pick<ServiceOptions, 'clock' | 'sessionLifetimeMs'>,
): Sessions {
  const findCatalog = database.query<{ id: number; shade_count: number }>(
    'SELECT id, shade_count FROM catalogs WHERE account = ? AND name = ?',
  );
  const addSession = database.query(`
    INSERT INTO sessions
      (public_id, account, catalog, product_id, locale, token_hash, created_at_ms, expires_at_ms, shade_count)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  `);
  const findSession = database.query<SessionRow>(`
    SELECT sessions.id, product_id, catalogs.name AS catalog_id, locale, created_at_ms, expires_at_ms,
           sessions.shade_count
    FROM sessions JOIN catalogs ON catalogs.id = sessions.catalog
    WHERE public_id = ? AND sessions.account = ?
  `);
  const listInteractions = database.query<InteractionRow>(
    'SELECT id, type, sku, at FROM interactions WHERE session = ? ORDER BY arrival',
  );

  return {
    open(caller, { product_id, catalog_id, locale }) {
      const catalog = findCatalog.get(caller.accountId, catalog_id);
      if (catalog === undefined) return { outcome: 'unknown-catalog' };
      const sessionId = newSessionId();
      const token = newSessionToken(sessionId);
      const createdAtMs = Math.floor(clock.wallMs());
      const expiresAtMs = createdAtMs + sessionLifetimeMs;
      return database.transaction(() => {
        if (!takeSession(caller)) return { outcome: 'quota-exceeded' };
        addSession.run(
          sessionId,
          caller.accountId,
          catalog.id,
          product_id,
          locale,
          tokenHash(token),
          createdAtMs,
          expiresAtMs,
          catalog.shade_count,
        );
        const expires_at = new Date(expiresAtMs).toISOString();
        return {
          outcome: 'opened',
          grant: { session_id: sessionId, token, expires_at, shade_count: catalog.shade_count },
        };
      });
    },

    read(caller, sessionId) {
      const row = findSession.get(sessionId, caller.accountId);
      if (row === undefined) return undefined;
      return {
        session_id: sessionId,
        product_id: row.product_id,
        catalog_id: row.catalog_id,
        locale: row.locale,
        created_at: new Date(row.created_at_ms).toISOString(),
        expires_at: new Date(row.expires_at_ms).toISOString(),
        shade_count: row.shade_count,
        interactions: listInteractions
          .all(row.id)
          .map(({ id, type, sku, at }) => (sku === null ? { id, type, at } : { id, type, sku, at })),
      };
    },
  };
}
