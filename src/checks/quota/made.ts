import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { admitted } from '../core/found.ts';
import { mostSessionsSql } from '../core/redeliveries.ts';

/**
 * SQL: an attempt that may or may not have opened a session: no answer came, or one that says only that something
 * went wrong on the way.
 */
export const ambiguous = '(lost IS NOT NULL OR status >= 500)';

/** SQL: an attempt that was or may have been answered with a session. */
export const possible = `(${admitted} OR ${ambiguous})`;

/** How many sessions a run has made with a key. */
interface SessionsMade {
  readonly least: number;
  readonly most: number;
}

const madeRow = z.object({ credential: z.string(), least: z.number(), most: z.number() });

const none: SessionsMade = { least: 0, most: 0 };

/** Sessions made with each credential. */
export async function readSessionsMade(history: History): Promise<ReadonlyMap<string, SessionsMade>> {
  const rows = await history.rows(
    madeRow,
    `SELECT credential, count(*) FILTER (${admitted}) AS least, sum(${mostSessionsSql(history.profile, possible)}) AS most
     FROM requests
     WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND NOT contains(coalesce(probe, ''), 'unknown-')
       AND (${possible} OR credential NOT IN ('bad', 'none'))
     GROUP BY credential`,
  );
  return new Map(rows.map(({ credential, ...made }) => [credential, made]));
}

/** Which keys spend a quota. */
interface QuotaKeys<Key extends Role> {
  /** For certain. */
  readonly sure: readonly Role[];
  /** All others that may. */
  readonly maybe: readonly Key[];
  /** If not, what was made with no role's key may have spent it as well. */
  readonly arePoolsApart: boolean;
}

/**
 * The keys without whose sessions the quota of a fresh account cannot have been spent: those that are in every set of keys
 * whose sessions sum to it.
 */
export function keysThatSum<Key extends Role>(
  made: ReadonlyMap<string, SessionsMade>,
  quota: number,
  { arePoolsApart, maybe, sure }: QuotaKeys<Key>,
): readonly Key[] {
  const strangers = [...made].filter(
    ([credential]) => !roles.some((role) => role === credential) && !(arePoolsApart && credential === 'pool'),
  );
  const strangersMost = strangers.reduce((sum, [, { most }]) => sum + most, 0);
  const sets = subsetsOf(maybe).filter((set) => {
    const each = [...sure, ...set].map((role) => made.get(role) ?? none);
    const least = each.reduce((sum, one) => sum + one.least, 0);
    const most = each.reduce((sum, one) => sum + one.most, strangersMost);
    return least <= quota && quota <= most;
  });
  return sets.length === 0 ? [] : maybe.filter((role) => sets.every((set) => set.includes(role)));
}

function subsetsOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((set) => [first, ...set])];
}
