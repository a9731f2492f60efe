import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { MeanField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { cellNames } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { Choice } from '../compare/search.ts';

/** Sessions with the same events. `doubtful`, `repeated`: as in the view `sessions`. */
export const groupRow = z.object({
  credential: z.string(),
  product_id: z.string().nullable(),
  shades: z.number(),
  selections: z.number(),
  carts: z.number(),
  doubtful: z.boolean(),
  repeated: z.boolean(),
  sessions: z.number(),
});
export type Group = z.output<typeof groupRow>;

/** What each session adds to a sum. */
export const addends = {
  sessions: () => 1,
  'sessions-with-shades': ({ shades }) => Number(shades > 0),
  'sessions-with-events': ({ carts, selections }) => Number(selections + carts > 0),
  'sessions-with-cart-intent': ({ carts }) => Number(carts > 0),
  'cart-intents': ({ carts }) => carts,
  shades: ({ shades }) => shades,
  selections: ({ selections }) => selections,
  events: ({ carts, selections }) => selections + carts,
} as const satisfies Record<string, (group: Group) => number>;
export type Addend = keyof typeof addends;

/** All sessions that the run knows to exist. */
export function sessionGroups(history: History): Promise<Group[]> {
  return history.rows(
    groupRow,
    `SELECT credential, product_id, distinct_shades AS shades, coalesce(len(shades), 0) AS selections,
       acts - coalesce(len(shades), 0) AS carts, doubtful, repeated, count(*) AS sessions
     FROM sessions AS s WHERE granted AND NOT again
     GROUP BY credential, product_id, distinct_shades, len(s.shades), acts, doubtful, repeated`,
  );
}

/** An answer, its value of a field, all sessions that it counts, and all of the account. */
export interface KnownMean<Each extends Group = Group> {
  readonly row: AnswerRow;
  readonly value: number;
  readonly groups: readonly Each[];
  readonly account: readonly Each[];
}

/** Only answers whose sessions are all known: all of the run on that product or account. */
export function knownOf<Each extends Group>(
  { evaluation }: Choice,
  row: AnswerRow,
  field: MeanField | 'total_sessions',
  all: readonly Each[],
): KnownMean<Each>[] {
  const { credential, productId } = row.query;
  const value = row[cellNames[field]].returned;
  const { expected } = row.totalSessions;
  const account = all.filter((group) =>
    evaluation.frame.account.of[credential].some((role) => role === group.credential),
  );
  const groups = account.filter((group) => productId === null || group.product_id === productId);
  const sessions = groups.reduce((sum, each) => sum + each.sessions, 0);
  const isKnown = expected?.min === sessions && expected.max === sessions;
  return value === null || !isKnown || sessions === 0 || groups.some(({ doubtful }) => doubtful)
    ? []
    : [{ row, value, groups, account }];
}

/** The bounds of a sum over sessions. An event that was sent again may count once. */
export function sum(groups: readonly Group[], part: (group: Group) => number): Bounds {
  let [min, max] = [0, 0];
  for (const group of groups) {
    max += part(group) * group.sessions;
    min += part(group.repeated ? { ...group, ...leastOf(group) } : group) * group.sessions;
  }
  return { min, max };
}

/** Of events of which some have the same id: there is one at least, and each different shade was selected. */
function leastOf({ carts, shades }: Group): Pick<Group, 'carts' | 'selections'> {
  return { carts: Math.min(1, carts), selections: shades };
}
