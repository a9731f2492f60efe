import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { Table, Tables } from '../../../history/tables.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { stepSql } from '../../core/moved-clock.ts';
import type { Facts } from '../record/facts.ts';

/**
 * Instants at which some period starts or ends, under some convention: sessions between two neighbouring ones need not be
 * told apart. The *cut* of an instant is how many of them lie at or before it.
 */
export interface Cuts {
  /** Ascending, epoch ms. */
  readonly instants: readonly number[];
  /** `[from, to)` in which whether a session counts is unknown in some period, however exactly its instant is known. */
  readonly gaps: readonly (readonly [fromMs: number, toMs: number])[];
}

/** What sessions come to, once reading back has narrowed their events. */
export interface Summary {
  /** The instants of the cuts, from 1 in order. */
  readonly cuts: Table<'cut at_ms'>;
  /**
   * Per session that needs a second look and SKU the selections that are `certain` and those `possible`, which include
   * them; likewise its cart intents, under no SKU. Undefined where no session needs one.
   */
  readonly picks: Table<typeof pickColumns> | undefined;
  /**
   * Every session with the shades selected, where they need no second look, and bounds: different shades `d_min`…`d_max`,
   * selections `r_min`…`r_max`, whether it shows cart intent
   * `cart_min`…`cart_max` (0 or 1), and whether a cart intent is the last thing in it, `late_min`…`late_max`; and with how
   * many of the cuts lie at or before the instants of its creation, `from_cut`…`to_cut`.
   */
  readonly sessions: Table<typeof sessionColumns>;
}

export async function summariseSessions(tables: Tables, facts: Facts, cuts: Cuts): Promise<Summary> {
  const { created, exact } = facts;
  const cutOf = await cutSql(tables.history, created, cuts);
  // Mostly none needs a second look: to plan what asks for them takes longer than to read a short history.
  const picks = exact.rows === 0 ? undefined : await picksOf(tables, facts);
  const seen = picks && (await seenAgain(tables, facts, picks));
  const sessions = await tables.view(
    'session',
    sessionColumns,
    `SELECT seq AS session, key, credential, product, certain, from_ms, to_ms, last_ms, ${cutOf('from_ms')} AS from_cut, ${cutOf('to_ms')} AS to_cut,
       shades, ${plainAttributes.map(([name, plain, type]) => `CAST(${plain} AS ${type}) AS ${name}`).join(', ')}
     FROM ${created} ${
       seen === undefined
         ? ''
         : `WHERE NOT exact
     UNION ALL
     SELECT c.seq, c.key, c.credential, c.product, c.certain, c.from_ms, c.to_ms, c.last_ms, ${cutOf('c.from_ms')}, ${cutOf('c.to_ms')},
       NULL, ${plainAttributes.map(([name]) => `x.${name}`).join(', ')}
     FROM ${seen} x JOIN ${created} c USING (key) WHERE c.exact`
     }`,
  );
  return {
    picks,
    sessions,
    cuts: await tables.numbers(
      'cut',
      'cut at_ms',
      cuts.instants.map((atMs, index) => [index + 1, atMs]),
    ),
  };
}

const pickColumns = 'session sku shade certain possible copies';

function picksOf(tables: Tables, { acts }: Facts): Promise<Table<typeof pickColumns>> {
  return tables.make(
    'pick',
    pickColumns,
    `SELECT session, sku, shade, count(*) FILTER (state = 2) AS certain, count(*) AS possible, sum(greatest(copies, 1)) AS copies
     FROM ${acts} WHERE state > 0 GROUP BY session, sku, shade`,
  );
}

/** What the sessions that need a second look come to. */
function seenAgain(
  tables: Tables,
  { acts, created, exact }: Facts,
  picks: Table<typeof pickColumns>,
): Promise<Table<`key ${typeof attributes}`>> {
  return tables.make(
    'seen',
    `key ${attributes}`,
    `WITH picked AS (
       SELECT session, count(*) FILTER (shade AND certain > 0) AS d_min, count(*) FILTER (shade) AS d_max,
         coalesce(sum(certain) FILTER (shade), 0) AS r_min, coalesce(sum(possible) FILTER (shade), 0) AS r_max,
         coalesce(bool_or(NOT shade AND certain > 0), false) AS cart_min, coalesce(bool_or(NOT shade), false) AS cart_max
       FROM ${picks} GROUP BY session
     ), late AS (
       SELECT session,
         bool_or(NOT shade AND state = 2) AND coalesce(max(to_ms) FILTER (shade) <= max(from_ms) FILTER (NOT shade AND state = 2), true) AS late_min,
         bool_or(NOT shade) AND coalesce(max(from_ms) FILTER (shade AND state = 2) < max(to_ms) FILTER (NOT shade), true) AS late_max
       FROM ${acts} WHERE state > 0 GROUP BY session
     )
     SELECT e.key, ${plainAttributes.map(([name, , type]) => `CAST(coalesce(${name}, CAST(0 AS UTINYINT)) AS ${type}) AS ${name}`).join(', ')}
     FROM ${exact} e LEFT JOIN (
       SELECT c.key, p.*, l.late_min, l.late_max FROM picked p JOIN late l USING (session) JOIN ${created} c ON c.seq = p.session
     ) USING (key)`,
  );
}

/** What is counted of a session, what it is where its events need no second look, and its type. */
const plainAttributes = [
  ['d_min', 'distinct_shades', 'UINTEGER'],
  ['d_max', 'distinct_shades', 'UINTEGER'],
  ['r_min', 'selections', 'UINTEGER'],
  ['r_max', 'selections', 'UINTEGER'],
  ['cart_min', 'acts > selections', 'UTINYINT'],
  ['cart_max', 'acts > selections', 'UTINYINT'],
  ['late_min', 'late_min', 'UTINYINT'],
  ['late_max', 'late_max', 'UTINYINT'],
] as const;

/** What of a session can be added up, or made a mean of. */
export const attributes = 'd_min d_max r_min r_max cart_min cart_max late_min late_max';

const sessionColumns =
  `session key credential product certain from_ms to_ms last_ms from_cut to_cut shades ${attributes}` as const;

/** SQL for how many cuts lie at or before an instant of a session's creation. */
async function cutSql(
  history: History,
  created: Table<'from_ms to_ms'>,
  { instants }: Cuts,
): Promise<(atMs: string) => string> {
  const [span] = await history.rows(
    z.object({ from_ms: z.number().nullable(), to_ms: z.number().nullable() }),
    `SELECT min(from_ms) AS from_ms, max(to_ms) AS to_ms FROM ${created}`,
  );
  const [fromMs, toMs] = [span?.from_ms ?? 0, span?.to_ms ?? 0];
  // Only the cuts that lie between the first session and the last tell any two of them apart.
  const steps = instants.flatMap((at, index) =>
    at > fromMs && at <= toMs ? [{ at, value: index + 1 }] : [],
  );
  const before = instants.findLastIndex((at) => at <= fromMs) + 1;
  return (atMs) => `CAST(${stepSql(before, steps, atMs)} AS INTEGER)`;
}

const countsSchema = z
  .object({
    certainSessions: z.number(),
    ambiguousSessions: z.number(),
    certainActs: z.number(),
    ambiguousActs: z.number(),
    /** Requests of the interaction channel that went out. */
    channelRequests: z.number(),
    /** Requests of the interaction channel that did not, because there is no channel. */
    withoutChannel: z.number(),
    /** Requests with events that no header could carry the token of. */
    badToken: z.number(),
    /** Keys that opened sessions. */
    keys: z
      .array(z.number())
      .transform((numbers) => roles.filter((role) => numbers.includes(credentials.indexOf(role)))),
    /** When the last session or event was answered or given up on, ns since the run's zero; null if there was none. */
    lastActNs: z.number().nullable(),
    /** Sessions asked for, and granted with an id. */
    asked: z.number(),
    granted: z.number(),
    /** Interactions sent, those acknowledged, and those that the answers say were accepted; null where they do not say. */
    sent: z.number(),
    acknowledged: z.number(),
    accepted: z.number().nullable(),
  })
  .readonly();

/** How much there is to judge by. */
export type FactCounts = z.output<typeof countsSchema>;

export async function countFacts(
  history: History,
  { acts, created }: Pick<Facts, 'acts' | 'created'>,
): Promise<FactCounts> {
  const [row] = await history.rows(
    countsSchema,
    `SELECT *, plain_acts + exact_acts AS certainActs FROM (
       SELECT count(*) FILTER (certain) AS certainSessions, count(*) FILTER (NOT certain) AS ambiguousSessions,
         coalesce(sum(acts) FILTER (NOT exact), 0) AS plain_acts, count(*) FILTER (again OR key IS NOT NULL) AS granted,
         coalesce(list(DISTINCT CAST(credential AS INTEGER)), []) AS keys
       FROM ${created}
     ), (
       SELECT count(*) FILTER (state = 2) AS exact_acts, count(*) FILTER (state = 1) AS ambiguousActs FROM ${acts}
     ), (
       SELECT coalesce(sum(n - void) FILTER (acts AND not_sent IS NULL), 0) AS channelRequests,
         coalesce(sum(n) FILTER (acts AND not_sent = 'no-channel'), 0) AS withoutChannel,
         coalesce(sum(n) FILTER (acts AND not_sent = 'bad-header'), 0) AS badToken,
         max(last_ns) FILTER (not_sent IS NULL) AS lastActNs,
         coalesce(sum(n) FILTER (NOT acts AND not_sent IS NULL), 0) AS asked,
         coalesce(sum(items) FILTER (acts AND not_sent IS NULL), 0) AS sent,
         coalesce(sum(items) FILTER (acts AND ok), 0) AS acknowledged,
         sum("count") FILTER (acts AND ok) AS accepted
       FROM (
         SELECT *, endpoint = 'interact' AS acts, status BETWEEN 200 AND 299 AS ok FROM tallies
         WHERE endpoint IN ('create-session', 'interact')
       )
     )`,
  );
  if (row === undefined) throw new Error('a count without FROM rows still returns one row');
  return row;
}
