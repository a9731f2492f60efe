import {
  type Alterations,
  altered,
  beforeApiWork,
  type Pause,
  processOf,
  timerPause,
} from '../alterations.ts';
import { type Defect, plant } from './defect.ts';

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
  plant('P1', 2, `Every ${every}th request takes ${slowMs / 1_000} s`, everyHundredthSlow(timerPause)),
  plant(
    'P2',
    3,
    `A list of shades or a new session takes ${perShadeMs} ms per shade of the catalog`,
    slowByShade(timerPause),
  ),
  plant(
    'P4',
    4,
    `Above ${60_000 / workMs} requests a minute, which is under the rate limit, answers come later and later`,
    singleWorker(timerPause),
  ),
  plant('P5', 4, `Once, there is no answer for ${stallMs / 1_000} s`, stall(timerPause)),
  plant(
    'P6',
    4,
    `A new session waits while analytics work, which takes ${reportMs} ms`,
    reportsLockSessions(timerPause),
  ),
  plant(
    'P7',
    4,
    `The first request of each connection takes ${greetingMs} ms longer`,
    slowOnNewConnections(timerPause),
  ),
  plant(
    'P8',
    4,
    `Every ${pauseEveryMs / 1_000} s, there is no answer for ${pauseMs / 1_000} s`,
    pausesAgainAndAgain(timerPause),
  ),
  plant(
    'P9',
    4,
    `Every second connection is served by a process that takes ${slowProcessMs} ms longer`,
    slowProcess(timerPause),
  ),
  plant('P10', 2, `The first list of each catalog takes ${coldMs / 1_000} s`, slowFirstLists(timerPause)),
];

/** P1. One request in a hundred has to wait, for a collection of garbage or a cold node. */
export function everyHundredthSlow(pause: Pause): Alterations {
  return {
    server(app) {
      let requests = 0;
      beforeApiWork(app, async () => {
        if (++requests % every === 0) await pause(slowMs);
      });
    },
  };
}

/** P2. Shades are fetched one by one, both to list and to count them. */
export function slowByShade(pause: Pause): Alterations {
  return altered({
    catalogs: ({ list }) => ({
      async list(caller, catalogId) {
        const shades = await list(caller, catalogId);
        await pause(perShadeMs * (shades?.length ?? 0));
        return shades;
      },
    }),
    sessions: ({ open }) => ({
      async open(caller, request) {
        const opened = await open(caller, request);
        if (opened.outcome === 'opened') await pause(perShadeMs * opened.grant.shade_count);
        return opened;
      },
    }),
  });
}

/** P4. A single worker does everything; the rest waits in an unbounded queue. */
export function singleWorker(pause: Pause): Alterations {
  return {
    server(app) {
      let lastDone = Promise.resolve();
      beforeApiWork(app, () => {
        lastDone = lastDone.then(() => pause(workMs));
        return lastDone;
      });
    },
  };
}

/**
 * P5. Once, nothing is answered for some seconds; all requests of that time are answered then. A caller that waits for
 * each answer sees one slow request.
 */
export function stall(pause: Pause): Alterations {
  return {
    server(app, { clock }) {
      let sessions = 0;
      let endsMs = Number.NEGATIVE_INFINITY;
      app.addHook('onRequest', async (request) => {
        const nowMs = clock.monotonicMs();
        const opensSession = request.method === 'POST' && request.routeOptions.url === '/v1/sessions';
        if (opensSession && ++sessions === stallingSession) endsMs = nowMs + stallMs;
        if (nowMs < endsMs) await pause(endsMs - nowMs);
      });
    },
  };
}

/** P8. A job that runs at intervals holds up everything; all requests of that time are answered when it is done. */
export function pausesAgainAndAgain(pause: Pause): Alterations {
  return {
    server(app, { clock }) {
      app.addHook('onRequest', async () => {
        const sinceMs = clock.monotonicMs() % pauseEveryMs;
        if (sinceMs < pauseMs) await pause(pauseMs - sinceMs);
      });
    },
  };
}

/** P6. A report locks the table of sessions until it is done. */
export function reportsLockSessions(pause: Pause): Alterations {
  return {
    parts(parts) {
      let lastDone = Promise.resolve();
      return {
        ...parts,
        analytics: {
          async report(...question) {
            const done = pause(reportMs);
            lastDone = Promise.all([lastDone, done]).then(() => undefined);
            await done;
            return parts.analytics.report(...question);
          },
        },
        sessions: {
          ...parts.sessions,
          async open(...request) {
            await lastDone;
            return parts.sessions.open(...request);
          },
        },
      };
    },
  };
}

/** P7. A connection gets its own connection to a backend, when the first request comes. */
export function slowOnNewConnections(pause: Pause): Alterations {
  return {
    server(app) {
      const known = new WeakSet<object>();
      app.addHook('onRequest', async ({ raw: { socket } }) => {
        if (known.has(socket)) return;
        known.add(socket);
        await pause(greetingMs);
      });
    },
  };
}

/** P9. One of two processes has a slow disk, and a connection stays with its process. */
export function slowProcess(pause: Pause): Alterations {
  return {
    server(app) {
      const process = processOf();
      app.addHook('onRequest', async ({ raw }) => {
        if (process(raw.socket) === 1) await pause(slowProcessMs);
      });
    },
  };
}

/** P10. A list is rendered for its first reader, and kept for the others until the catalog changes; then it is patched. */
export function slowFirstLists(pause: Pause): Alterations {
  return altered({
    catalogs({ list }) {
      const rendered = new Set<string>();
      return {
        async list(caller, catalogId) {
          const shades = await list(caller, catalogId);
          const name = JSON.stringify([caller.accountId, catalogId]);
          if (shades !== undefined && !rendered.has(name)) {
            rendered.add(name);
            await pause(coldMs);
          }
          return shades;
        },
      };
    },
  });
}
