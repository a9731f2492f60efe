import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Interaction, InteractionType, TopShade } from '../wire.ts';
import type { TakeSession } from './accounts.ts';
import type { Database } from './database.ts';
import type { AnalyticsConventions, ServiceOptions } from './options.ts';
import type { Analytics, Interactions, Sessions } from './parts.ts';

const secretBytes = 24;

/** A new session identifier: 128 random bits. */
export function newSessionId(): string {
  return `ts_${randomBytes(16).toString('base64url')}`;
}

/**
 * A new token for a session: its identifier and 192 random bits. The identifier saves an index over tokens, and lets
 * the channel tell an unknown token from another session's.
 */
export function newSessionToken(sessionId: string): string {
  return `${sessionId}.${randomBytes(secretBytes).toString('base64url')}`;
}

/** The session that a token claims to belong to; of a token of another form, nothing sensible. */
export function sessionIdOf(token: string): string {
  return token.slice(0, token.lastIndexOf('.'));
}

/** What is stored of a token. A plain hash suffices, since a token is too random to be guessed. */
export function tokenHash(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}

export function tokenMatches(token: string, storedHash: Uint8Array): boolean {
  return timingSafeEqual(tokenHash(token), storedHash);
}

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

interface ChannelRow {
  readonly id: number;
  readonly catalog: number;
  readonly token_hash: Uint8Array;
  readonly expires_at_ms: number;
}

/** The interaction channel: what shoppers do, sent by the SDK with the session's token. */
export function storedInteractions(
  database: Database,
  { clock }: Pick<ServiceOptions, 'clock'>,
): Interactions {
  const findSession = database.query<ChannelRow>(
    'SELECT id, catalog, token_hash, expires_at_ms FROM sessions WHERE public_id = ?',
  );
  const findShade = database.query('SELECT 1 FROM shades WHERE catalog = ? AND sku = ?');
  const addInteraction = database.query(`
    INSERT INTO interactions (session, id, arrival, type, sku, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (session, id) DO NOTHING
  `);
  const lastArrival = database.query<{ arrival: number }>(
    'SELECT coalesce(max(arrival), 0) AS arrival FROM interactions',
  );
  // Counted on in memory, since the next of a session could otherwise only be found by reading all of its interactions.
  let arrival = lastArrival.get()?.arrival ?? 0;

  return {
    authorise(sessionId, token) {
      const claimed = findSession.get(sessionIdOf(token));
      if (claimed === undefined || !tokenMatches(token, claimed.token_hash))
        return { outcome: 'unauthorised' };
      if (sessionIdOf(token) !== sessionId) {
        return { outcome: findSession.get(sessionId) === undefined ? 'unknown-session' : 'unauthorised' };
      }
      if (clock.wallMs() >= claimed.expires_at_ms) return { outcome: 'expired' };
      return { outcome: 'granted', session: { id: claimed.id, catalog: claimed.catalog } };
    },

    record(session, interactions) {
      const unknown = interactions.find(
        ({ sku }) => sku !== undefined && findShade.get(session.catalog, sku) === undefined,
      );
      if (unknown?.sku !== undefined) return { outcome: 'unknown-sku', sku: unknown.sku };
      if (interactions.length === 0) return { outcome: 'recorded', accepted: 0 };
      const store = ({ id, type, sku, at }: Interaction): number =>
        addInteraction.run(session.id, id, ++arrival, type, sku ?? null, at);
      const accepted = database.transaction(() =>
        interactions.reduce((count, interaction) => count + store(interaction), 0),
      );
      return { outcome: 'recorded', accepted };
    },
  };
}

interface TotalsRow {
  readonly total_sessions: number;
  readonly avg_shades_per_session: number;
  readonly cart_intent_rate: number;
}

/** What GET /analytics/sessions reports, computed by SQL from what is stored at that moment. */
export function sqlAnalytics(database: Database, conventions: AnalyticsConventions): Analytics {
  const chosenSessions = `
    chosen AS (
      SELECT id FROM sessions
      WHERE account = ? AND created_at_ms >= ? AND created_at_ms < ? AND (?4 IS NULL OR product_id = ?4)
    )`;
  const selectedSku = `CASE WHEN type = 'shade_selected' THEN sku END`;
  const shades = {
    distinct: `count(DISTINCT ${selectedSku})`,
    selections: `count(${selectedSku})`,
  }[conventions.shadesPerSession];
  // avg() passes over NULLs.
  const averaged = { all: 'shades', 'with-shades': 'nullif(shades, 0)' }[conventions.sessionsAveraged];
  const rounded = (average: string): string => `coalesce(round(${average}, ${conventions.decimals}), 0.0)`;

  const totals = database.query<TotalsRow>(`
    WITH ${chosenSessions},
    per_session AS (
      SELECT chosen.id, ${shades} AS shades, coalesce(max(type = 'cart_intent'), 0) AS cart_intent
      FROM chosen LEFT JOIN interactions ON interactions.session = chosen.id
      GROUP BY chosen.id
    )
    SELECT count(*) AS total_sessions,
           ${rounded(`avg(${averaged})`)} AS avg_shades_per_session,
           ${rounded('avg(cart_intent)')} AS cart_intent_rate
    FROM per_session
  `);

  const direction = { 'sku-ascending': 'ASC', 'sku-descending': 'DESC' }[conventions.ties];
  const topShades = database.query<TopShade>(`
    WITH ${chosenSessions}
    SELECT sku, count(*) AS selections
    FROM chosen JOIN interactions ON interactions.session = chosen.id
    WHERE type = 'shade_selected'
    GROUP BY sku
    ORDER BY selections DESC, utf16_code_units(sku) ${direction}
    LIMIT ${conventions.topShades}
  `);

  return {
    report(caller, { startDate, endDate, fromMs, untilMs }, productId) {
      const scope = [caller.accountId, fromMs, untilMs, productId ?? null] as const;
      const row = totals.get(...scope);
      if (row === undefined) throw new Error('an aggregate without GROUP BY gave no row');
      return { period: `${startDate} / ${endDate}`, ...row, top_shades: topShades.all(...scope) };
    },
  };
}
