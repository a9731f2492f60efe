import type { Interaction } from '../wire.ts';
import type { Database } from './database.ts';
import type { ServiceOptions } from './options.ts';
import type { Interactions } from './parts.ts';
import { sessionIdOf, tokenMatches } from './session-token.ts';

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
