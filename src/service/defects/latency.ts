import { type Defect, endpointOf, plant, processOf } from '../alterations.ts';

/** P1: one in this number of requests is slow, and for how long. */
const every = 100;
const slowMs = 2_000;
/** P2. */
const perShadeMs = 2;
/** P4: one after the other, these are 750 requests a minute. */
const workMs = 80;
/** P5: the number of the session request at which the stall begins; by then there is traffic. */
const stallingSession = 60;
const stallMs = 5_000;
/** P6. */
const reportMs = 250;
/** P7. */
const greetingMs = 300;
/** P8: how often the pause begins, and how long it is. */
const pauseEveryMs = 5_000;
const pauseMs = 2_000;
/** P9. */
const slowProcessMs = 120;
/** P10. */
const coldMs = 1_500;

export const latencyDefects: readonly Defect[] = [
  // One request in a hundred has to wait, for a collection of garbage or a cold node.
  plant('P1', 2, `Every ${every}th request takes ${slowMs / 1_000} s`, {
    work({ clock }) {
      let requests = 0;
      return () => (++requests % every === 0 ? clock.pause(slowMs) : undefined);
    },
  }),

  // Shades are fetched one by one, both to list and to count them.
  plant('P2', 3, `A list of shades or a new session takes ${perShadeMs} ms per shade of the catalog`, {
    catalogs: ({ list }, { clock }) => ({
      async list(caller, catalogId) {
        const shades = await list(caller, catalogId);
        await clock.pause(perShadeMs * (shades?.length ?? 0));
        return shades;
      },
    }),
    sessions: ({ open }, { clock }) => ({
      async open(caller, request) {
        const opened = await open(caller, request);
        if (opened.outcome === 'opened') await clock.pause(perShadeMs * opened.grant.shade_count);
        return opened;
      },
    }),
  }),

  // A single worker does everything; the rest waits in an unbounded queue.
  plant(
    'P4',
    4,
    `Above ${60_000 / workMs} requests a minute, which is under the rate limit, answers come later and later`,
    {
      work({ clock }) {
        let lastDone = Promise.resolve();
        return () => {
          lastDone = lastDone.then(() => clock.pause(workMs));
          return lastDone;
        };
      },
    },
  ),

  // All requests of that time are answered at its end. A caller that waits for each answer sees one slow request.
  plant('P5', 4, `Once, there is no answer for ${stallMs / 1_000} s`, {
    arrival({ clock }) {
      let sessions = 0;
      let endsMs = Number.NEGATIVE_INFINITY;
      return (request) => {
        const nowMs = clock.monotonicMs();
        if (endpointOf(request) === 'POST /v1/sessions' && ++sessions === stallingSession)
          endsMs = nowMs + stallMs;
        return nowMs < endsMs ? clock.pause(endsMs - nowMs) : undefined;
      };
    },
  }),

  // A report locks the table of sessions until it is done.
  plant('P6', 4, `A new session waits while analytics work, which takes ${reportMs} ms`, {
    parts({ analytics, sessions, ...parts }, _database, { clock }) {
      let lastDone = Promise.resolve();
      return {
        ...parts,
        analytics: {
          async report(...question) {
            const done = clock.pause(reportMs);
            lastDone = Promise.all([lastDone, done]).then(() => undefined);
            await done;
            return analytics.report(...question);
          },
        },
        sessions: {
          ...sessions,
          async open(...request) {
            await lastDone;
            return sessions.open(...request);
          },
        },
      };
    },
  }),

  // A connection gets its own connection to a backend, when the first request comes.
  plant('P7', 4, `The first request of each connection takes ${greetingMs} ms longer`, {
    arrival({ clock }) {
      const known = new WeakSet<object>();
      return ({ raw: { socket } }) => {
        if (known.has(socket)) return undefined;
        known.add(socket);
        return clock.pause(greetingMs);
      };
    },
  }),

  // A job that runs at intervals holds up everything; all requests of that time are answered when it is done.
  plant('P8', 4, `Every ${pauseEveryMs / 1_000} s, there is no answer for ${pauseMs / 1_000} s`, {
    arrival:
      ({ clock }) =>
      () => {
        const sinceMs = clock.monotonicMs() % pauseEveryMs;
        return sinceMs < pauseMs ? clock.pause(pauseMs - sinceMs) : undefined;
      },
  }),

  // One of two processes has a slow disk, and a connection stays with its process.
  plant('P9', 4, `Every second connection is served by a process that takes ${slowProcessMs} ms longer`, {
    arrival({ clock }) {
      const process = processOf();
      return (request) => (process(request) === 1 ? clock.pause(slowProcessMs) : undefined);
    },
  }),

  // A list is rendered for its first reader, and kept for the others until the catalog changes; then it is patched.
  plant('P10', 2, `The first list of each catalog takes ${coldMs / 1_000} s`, {
    catalogs({ list }, { clock }) {
      const rendered = new Set<string>();
      return {
        async list(caller, catalogId) {
          const shades = await list(caller, catalogId);
          const name = JSON.stringify([caller.accountId, catalogId]);
          if (shades !== undefined && !rendered.has(name)) {
            rendered.add(name);
            await clock.pause(coldMs);
          }
          return shades;
        },
      };
    },
  }),
];
