import { type Changes, type Context, processOf } from '../alterations.ts';
import { refuse } from '../gate.ts';
import { type Defect, plant } from './defect.ts';

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
    server(app) {
      const seen = new WeakMap<object, Map<string, unknown>>();
      app.addHook(
        'onSend',
        async ({ method, raw: { socket }, routeOptions, url }, { statusCode }, payload) => {
          if (method !== 'GET' || routeOptions.url !== '/v1/sessions/:id' || statusCode !== 200)
            return payload;
          const own = seen.get(socket) ?? new Map<string, unknown>();
          seen.set(socket, own);
          if (!own.has(url)) own.set(url, payload);
          return own.get(url);
        },
      );
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
        app.addHook('onSend', async ({ method, raw, routeOptions }, { statusCode }, payload) => {
          if (method === 'POST' && routeOptions.url === '/v1/sessions' && statusCode === 200)
            openedBy.set(JSON.parse(String(payload)).session_id, process(raw.socket));
          return payload;
        });
        app.addHook<{ Params: { id?: string } }>(
          'preHandler',
          async ({ params, raw, routeOptions }, reply) => {
            const opener = openedBy.get(params.id ?? '');
            const isOfSession = routeOptions.url?.startsWith('/v1/sessions/:id') === true;
            if (!isOfSession || opener === undefined || opener === process(raw.socket)) return;
            return refuse(reply, 404, 'not_found', 'no such session');
          },
        );
      },
    },
  ),

  // The framework's page for errors, which was left as it is.
  plant('N17', 2, 'GET /sessions/{id} of an unknown session gets an HTML page', {
    server(app) {
      app.addHook('onSend', async ({ routeOptions }, reply, payload) => {
        if (routeOptions.url !== '/v1/sessions/:id' || reply.statusCode !== 404) return payload;
        reply.type('text/html').removeHeader('content-length');
        return '<!doctype html><title>Not found</title>';
      });
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
