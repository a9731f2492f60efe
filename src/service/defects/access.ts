import { sessionQuota } from '../accounts.ts';
import { type Changes, type Context, type Defect, failure, plant } from '../alterations.ts';
import type { Database } from '../database.ts';
import type { RequestLimit } from '../options.ts';
import type { Authenticator, Caller } from '../parts.ts';

/** A7: the load that the lookup of keys can carry, as a multiple of the promised request rate. */
const bearableLoad = 1.4;
/** A7: load is what arrived within the last of this many equal parts of the rate limit's window. */
const partsOfWindow = 2;

export const authDefects: readonly Defect[] = [
  // A key is checked only if there is one.
  plant('A1', 1, 'A request without an API key is served', {
    authenticator(honest, { keys }) {
      const tenant = firstTenant(honest, keys);
      return {
        identify: (apiKey, endpoint) => (apiKey === undefined ? tenant : honest.identify(apiKey, endpoint)),
      };
    },
  }),

  // The owner of a key is used without a test whether there is one.
  plant('A2', 1, 'An unknown API key gets 500 instead of 401', {
    authenticator: ({ identify }) => ({
      identify(apiKey, endpoint) {
        const caller = identify(apiKey, endpoint);
        if (apiKey !== undefined && caller === undefined) throw new TypeError('the key has no owner');
        return caller;
      },
    }),
  }),

  // Analytics were added later, outside the guard of the other endpoints.
  plant('A4', 2, 'GET /analytics/sessions needs no API key', {
    authenticator(honest, { keys }) {
      const tenant = firstTenant(honest, keys);
      return {
        identify: (apiKey, endpoint) =>
          honest.identify(apiKey, endpoint) ??
          (endpoint === 'GET /v1/analytics/sessions' ? tenant : undefined),
      };
    },
  }),

  // A session is looked up by its id alone, without its account.
  plant('A5', 3, "A session can be read with another tenant's API key", {
    sessions({ read }, { database }) {
      const findOwner = database.query<{ account: number }>(
        'SELECT account FROM sessions WHERE public_id = ?',
      );
      return {
        read: (caller, sessionId) =>
          read({ ...caller, accountId: findOwner.get(sessionId)?.account ?? caller.accountId }, sessionId),
      };
    },
  }),

  // Under load, looking up a key takes longer than the service waits; then every key passes.
  plant('A7', 4, 'Under load, an unknown API key is accepted', {
    authenticator(honest, { clock, keys, rateLimit }) {
      const tenant = firstTenant(honest, keys);
      const arrive = overload(rateLimit);
      return {
        identify(apiKey, endpoint) {
          const overloaded = arrive(clock.monotonicMs());
          const caller = honest.identify(apiKey, endpoint);
          return caller ?? (overloaded && apiKey !== undefined ? tenant : undefined);
        },
      };
    },
  }),
];

/** The account of an unknown caller: the first tenant, whose data it sees. Its requests are counted separately. */
function firstTenant(honest: Authenticator, keys: Context['keys']): Caller {
  const caller = honest.identify(keys[0]?.secret, '');
  if (caller === undefined) throw new Error('a service without keys has no first tenant');
  return { ...caller, keyLabel: 'somebody' };
}

/** Counts arrivals of all callers, and says whether there were too many of late. */
function overload({ requests, windowMs }: RequestLimit): (nowMs: number) => boolean {
  const arrivalsMs: number[] = [];
  return (nowMs) => {
    arrivalsMs.push(nowMs);
    while (nowMs - (arrivalsMs[0] ?? nowMs) >= windowMs / partsOfWindow) arrivalsMs.shift();
    return arrivalsMs.length > (bearableLoad * requests) / partsOfWindow;
  };
}

/** Q3: from reading the count until it is written. */
const roundTripMs = 10;

export const quotaDefects: readonly Defect[] = [
  // The caller believes that it waits for a rate limit to pass.
  plant('Q1', 1, 'A spent quota is answered with 429 instead of 402', {
    answer(reply) {
      if (reply.statusCode === 402) reply.code(429);
    },
  }),

  plant('Q2', 2, 'One session more than the quota allows is admitted', {
    sessions: quotaOf(() => (caller) => caller.sessionQuota + 1),
  }),

  plant('Q2-', 2, 'One session fewer than the quota allows is admitted', {
    sessions: quotaOf(() => (caller) => caller.sessionQuota - 1),
  }),

  // The quota is checked, and counted some time later, regardless of what others count between.
  plant('Q3', 4, 'Concurrent session requests exceed the quota', {
    sessions({ open }, { clock, database }) {
      const spentBy = sessionsSpent(database);
      return {
        async open(caller, request) {
          const isLeft = spentBy(caller) < caller.sessionQuota;
          await clock.pause(roundTripMs);
          return open(isLeft ? { ...caller, sessionQuota: Number.POSITIVE_INFINITY } : caller, request);
        },
      };
    },
  }),

  plant('Q5', 2, 'Reading a catalog, a session or analytics spends the session quota', {
    parts: beforeReads(sessionQuota),
  }),

  plant('Q7', 2, 'An account over its quota gets 402 for reads, too', {
    parts: beforeReads((database) => {
      const spentBy = sessionsSpent(database);
      return (caller) => {
        if (spentBy(caller) < caller.sessionQuota) return;
        throw failure(402, 'the session quota of the account is used up');
      };
    }),
  }),

  // Of requests over both limits, every second one skips the rate limit and gets a 402.
  plant('Q8', 3, 'Over both limits, new sessions get sometimes 402, sometimes 429', {
    rateLimiter({ take }, { database }) {
      const spentBy = sessionsSpent(database);
      let quotaFirst = false;
      return {
        async take(approach) {
          const decision = await take(approach);
          const { caller, endpoint } = approach;
          const isOverBoth =
            !decision.admitted && endpoint === 'POST /v1/sessions' && spentBy(caller) >= caller.sessionQuota;
          if (!isOverBoth) return decision;
          quotaFirst = !quotaFirst;
          return quotaFirst ? { ...decision, admitted: true } : decision;
        },
      };
    },
  }),

  // Sessions are counted over all accounts and compared with the quota of the caller's.
  plant('Q9', 3, 'The sessions of one account spend the quota of the others', {
    sessions: quotaOf(({ database }) => {
      const countOthers = database.query<{ spent: number }>(
        'SELECT coalesce(sum(sessions_created), 0) AS spent FROM accounts WHERE id <> ?',
      );
      return (caller) => caller.sessionQuota - (countOthers.get(caller.accountId)?.spent ?? 0);
    }),
  }),

  // Every failed creation undoes what only the last step of one has counted.
  plant('Q10', 3, 'A session of an unknown catalog gives back quota that it never took', {
    sessions({ open }, { database }) {
      const giveBack = database.query(
        'UPDATE accounts SET sessions_created = sessions_created - 1 WHERE id = ? AND sessions_created > 0',
      );
      return {
        async open(caller, request) {
          const opened = await open(caller, request);
          if (opened.outcome === 'unknown-catalog') giveBack.run(caller.accountId);
          return opened;
        },
      };
    },
  }),
];

/** Sessions are opened as if the caller's account had another quota. */
function quotaOf(
  numberFor: (context: Context) => (caller: Caller) => number,
): NonNullable<Changes['sessions']> {
  return ({ open }, context) => {
    const allowed = numberFor(context);
    return { open: (caller, request) => open({ ...caller, sessionQuota: allowed(caller) }, request) };
  };
}

/** Does something first whenever a caller reads a catalog, a session or analytics. */
function beforeReads(
  spendFrom: (database: Database) => (caller: Caller) => void,
): NonNullable<Changes['parts']> {
  return ({ catalogs, sessions, analytics, ...parts }, database) => {
    const spend = spendFrom(database);
    const first =
      <Rest extends readonly unknown[], Answer>(read: (caller: Caller, ...rest: Rest) => Answer) =>
      (caller: Caller, ...rest: Rest): Answer => {
        spend(caller);
        return read(caller, ...rest);
      };
    return {
      ...parts,
      catalogs: { ...catalogs, list: first(catalogs.list) },
      sessions: { ...sessions, read: first(sessions.read) },
      analytics: { report: first(analytics.report) },
    };
  };
}

/** The number of sessions that a caller's account has created. */
function sessionsSpent(database: Database): (caller: Caller) => number {
  const find = database.query<{ spent: number }>(
    'SELECT sessions_created AS spent FROM accounts WHERE id = ?',
  );
  return ({ accountId }) => find.get(accountId)?.spent ?? 0;
}
