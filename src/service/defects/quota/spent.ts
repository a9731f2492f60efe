import type { Database } from '../../database.ts';
import type { Caller } from '../../parts.ts';

/** Sessions that a caller's account has created. */
export function sessionsSpent(database: Database): (caller: Caller) => number {
  const find = database.query<{ spent: number }>(
    'SELECT sessions_created AS spent FROM accounts WHERE id = ?',
  );
  return ({ accountId }) => find.get(accountId)?.spent ?? 0;
}
