import type { Interaction } from '../../wire.ts';
import { type Changes, type Context, type Defect, endpointOf, plant, processOf } from '../alterations.ts';
import { refuse } from '../gate.ts';

/** N11: the service's place is east of Greenwich. */
const localOffsetHours = 2;

export const sessionDefects: readonly Defect[] = [
  // Reading a session that does not exist gives a new, empty one instead.
  plant('N1', 1, 'An unknown session id is answered with 200', {
    sessions: ({ read }, { clock, sessionLifetimeMs }) => ({
      async read(caller, sessionId) {
        const nowMs = Math.floor(clock.wallMs());
        const empty = {
          session_id: sessionId,
          product_id: '',
          catalog_id: '',
          locale: '',
          created_at: new Date(nowMs).toISOString(),
          expires_at: new Date(nowMs + sessionLifetimeMs).toISOString(),
          shade_count: 0,
          interactions: [],
        };
        return (await read(caller, sessionId)) ?? empty;
      },
    }),
  }),

  // Reads go to two replicas in turn, one of which no longer gets what is written.
  plant('N9', 4, 'Every other read of sessions gets 404', {
    sessions({ read }) {
      let reads = 0;
      return { read: (caller, sessionId) => (++reads % 2 === 0 ? undefined : read(caller, sessionId)) };
    },
  }),

  // Instants are in the time of the place, with its offset.
  plant('N11', 2, 'Timestamps of sessions are in local time rather than UTC', {
    sessions: sessionFields(() => (fields) => ({
      ...fields,
      expires_at: localTime(fields.expires_at),
      ...(fields.created_at !== undefined && { created_at: localTime(fields.created_at) }),
    })),
  }),

  // The number of shades is the index of the last one.
  plant('N12', 2, 'shade_count of a session is one too low', {
    sessions: sessionFields(() => (fields) => ({ ...fields, shade_count: fields.shade_count - 1 })),
  }),

  // The lifetime of a session is subtracted from the time of its creation instead of being added.
  plant('N13', 2, 'expires_at of a new session is in the past', {
    sessions: sessionFields(({ sessionLifetimeMs }) => (fields) => {
      const expiresMs = Date.parse(fields.expires_at) - 2 * sessionLifetimeMs;
      return { ...fields, expires_at: new Date(expiresMs).toISOString() };
    }),
  }),

  // The lifetime is added to the instant at which the process started.
  plant('N14', 3, 'expires_at counts from the start of the service', {
    sessions: sessionFields(({ clock, sessionLifetimeMs }) => {
      const expires_at = new Date(Math.floor(clock.wallMs()) + sessionLifetimeMs).toISOString();
      return (fields) => ({ ...fields, expires_at });
    }),
  }),

  // A connection has a snapshot of the database, which it never renews.
  plant('N15', 4, 'A session that is read again over a connection is as it was at first', {
    payload() {
      const seen = new WeakMap<object, Map<string, unknown>>();
      return (payload, request, { statusCode }) => {
        if (endpointOf(request) !== 'GET /v1/sessions/:id' || statusCode !== 200) return payload;
        const { socket } = request.raw;
        const own = seen.get(socket) ?? new Map<string, unknown>();
        seen.set(socket, own);
        if (!own.has(request.url)) own.set(request.url, payload);
        return own.get(request.url);
      };
    },
  }),

  // Each process keeps its sessions in its own memory.
  plant(
    'N16',
    4,
    'A session exists for the process alone that opened it, and each connection has one of two',
    {
      server(app) {
        const process = processOf();
        const openedBy = new Map<string, number>();
        app.addHook('onSend', async (request, { statusCode }, payload) => {
          if (endpointOf(request) === 'POST /v1/sessions' && statusCode === 200)
            openedBy.set(JSON.parse(String(payload)).session_id, process(request));
          return payload;
        });
        app.addHook<{ Params: { id?: string } }>('preHandler', async (request, reply) => {
          const opener = openedBy.get(request.params.id ?? '');
          const isOfSession = request.routeOptions.url?.startsWith('/v1/sessions/:id') === true;
          if (!isOfSession || opener === undefined || opener === process(request)) return;
          return refuse(reply, 404, 'not_found', 'no such session');
        });
      },
    },
  ),

  // The framework's page for errors, which was left as it is.
  plant('N17', 2, 'GET /sessions/{id} of an unknown session gets an HTML page', {
    payload: () => (payload, request, reply) => {
      if (request.routeOptions.url !== '/v1/sessions/:id' || reply.statusCode !== 404) return payload;
      reply.type('text/html').removeHeader('content-length');
      return '<!doctype html><title>Not found</title>';
    },
  }),
];

/** The fields in the answers of POST /sessions and of GET /sessions/{id}. */
interface SessionFields {
  readonly created_at?: string;
  readonly expires_at: string;
  readonly shade_count: number;
}

/** Changes the fields of a session, both when it is opened and when it is read. */
function sessionFields(
  changeFor: (context: Context) => <Answer extends SessionFields>(fields: Answer) => Answer,
): NonNullable<Changes['sessions']> {
  return ({ open, read }, context) => {
    const change = changeFor(context);
    return {
      async open(caller, request) {
        const opened = await open(caller, request);
        return opened.outcome === 'opened' ? { ...opened, grant: change(opened.grant) } : opened;
      },
      async read(caller, sessionId) {
        const session = await read(caller, sessionId);
        return session && change(session);
      },
    };
  };
}

function localTime(utc: string): string {
  const local = new Date(Date.parse(utc) + localOffsetHours * 3_600_000).toISOString();
  return local.replace('Z', `+0${localOffsetHours}:00`);
}

/** N6: stands between an id and what tells its copies apart. */
const separator = '\u001f';
/** N10: from reading a session's history until it is written back. */
const roundTripMs = 20;

export const interactionDefects: readonly Defect[] = [
  // The service does not test whether the session's catalog has the shade.
  plant('N2', 2, 'An event with an unknown SKU is accepted', {
    interactions({ record }, { database }) {
      const nameSku = database.query(
        'UPDATE interactions SET sku = ? WHERE session = ? AND id = ? AND sku IS NULL',
      );
      return {
        async record(session, interactions) {
          // Stored without their SKUs, so that no lookup happens, and named afterwards.
          const unknown: Interaction[] = [];
          let batch = interactions;
          let recorded = await record(session, batch);
          while (recorded.outcome === 'unknown-sku') {
            const { sku: unknownSku } = recorded;
            unknown.push(...batch.filter(({ sku }) => sku === unknownSku));
            batch = batch.map(({ sku, ...rest }) =>
              sku === undefined || sku === unknownSku ? rest : { ...rest, sku },
            );
            recorded = await record(session, batch);
          }
          for (const { id, sku } of unknown) nameSku.run(sku ?? null, session.id, id);
          return recorded;
        },
      };
    },
  }),

  // The history comes in the order of another index, by shade.
  plant('N3', 2, "A session's history is not in the order of its events", {
    sessions: historiesShow((interactions) =>
      interactions.toSorted(({ sku: one = '' }, { sku: other = '' }) =>
        one < other ? -1 : one > other ? 1 : 0,
      ),
    ),
  }),

  // A session keeps the set of the shades that were selected in it rather than the selections.
  plant('N5', 2, 'Repeated selections of a shade in a session are stored once', {
    interactions({ record }, { database }) {
      const findSelection = database.query(
        `SELECT 1 FROM interactions WHERE session = ? AND type = 'shade_selected' AND sku = ?`,
      );
      return {
        async record(session, interactions) {
          const seen = new Set<string>();
          const isNew = ({ type, sku }: Interaction): boolean => {
            if (type !== 'shade_selected' || sku === undefined) return true;
            if (seen.has(sku) || findSelection.get(session.id, sku) !== undefined) return false;
            seen.add(sku);
            return true;
          };
          const kept = interactions.filter(isNew);
          const recorded = await record(session, kept);
          if (recorded.outcome !== 'recorded') return recorded;
          return { ...recorded, accepted: recorded.accepted + interactions.length - kept.length };
        },
      };
    },
  }),

  // The ids of interactions are kept but never compared.
  plant('N6', 3, 'An event that is sent again with the same id is counted again', {
    interactions({ record }, { database }) {
      // The old row is kept under another key, so that the place of the new one is free.
      const setAside = database.query(
        `UPDATE interactions SET id = id || '${separator}' || arrival WHERE session = ? AND id = ?`,
      );
      return {
        record(session, interactions) {
          for (const { id } of interactions) setAside.run(session.id, id);
          return record(session, interactions);
        },
      };
    },
    sessions: historiesShow((interactions) =>
      interactions.map((each) => ({ ...each, id: each.id.split(separator, 1)[0] ?? '' })),
    ),
  }),

  // A session's history is one document: it is read, added to, and written back over what another batch has written.
  plant('N10', 4, 'Of two concurrent interaction requests in a session, one is lost', {
    interactions({ record }, { clock, database }) {
      const lastArrival = database.query<{ arrival: number }>(
        'SELECT coalesce(max(arrival), 0) AS arrival FROM interactions WHERE session = ?',
      );
      const dropAfter = database.query('DELETE FROM interactions WHERE session = ? AND arrival > ?');
      return {
        async record(session, interactions) {
          const read = lastArrival.get(session.id);
          await clock.pause(roundTripMs);
          if (read !== undefined) dropAfter.run(session.id, read.arrival);
          return record(session, interactions);
        },
      };
    },
  }),
];

/** Changes the interactions that the history of a session shows. */
export function historiesShow(
  change: (interactions: readonly Interaction[]) => readonly Interaction[],
): NonNullable<Changes['sessions']> {
  return ({ read }) => ({
    async read(caller, sessionId) {
      const session = await read(caller, sessionId);
      return session && { ...session, interactions: change(session.interactions) };
    },
  });
}
