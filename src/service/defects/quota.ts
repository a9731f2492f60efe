import { sessionQuota } from '../accounts.ts';
import {
  type Alterations,
  altered,
  type Changes,
  type Context,
  type Pause,
  timerPause,
} from '../alterations.ts';
import type { Database } from '../database.ts';
import type { Caller } from '../parts.ts';
import { type Defect, plant } from './defect.ts';

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

  plant('Q3', 4, 'Concurrent session requests exceed the quota', checkedThenCounted(timerPause)),

  plant('Q5', 2, 'Reading a catalog, a session or analytics spends the session quota', {
    parts: beforeReads(sessionQuota),
  }),

  plant('Q7', 2, 'An account over its quota gets 402 for reads, too', {
    parts: beforeReads((database) => {
      const spentBy = sessionsSpent(database);
      return (caller) => {
        if (spentBy(caller) < caller.sessionQuota) return;
        throw Object.assign(new Error('the session quota of the account is used up'), { statusCode: 402 });
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

/** Q3. Checks the quota and counts some time later, regardless of what others count between. */
export function checkedThenCounted(pause: Pause): Alterations {
  return altered({
    sessions({ open }, { database }) {
      const spentBy = sessionsSpent(database);
      return {
        async open(caller, request) {
          const isLeft = spentBy(caller) < caller.sessionQuota;
          await pause(roundTripMs);
          return open(isLeft ? { ...caller, sessionQuota: Number.POSITIVE_INFINITY } : caller, request);
        },
      };
    },
  });
}

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
