import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import {
  boundText,
  type NumberTrait,
  numberTraits,
  type Trait,
  type ValueTrait,
} from '../reasons/words/traits.ts';
import { admitted, firstSeqs, seqsColumn } from './found.ts';

/** Requests that are alike in something, and how many of them fail. */
export interface OutcomeCount {
  readonly requests: number;
  readonly failed: number;
}

/** What all that fail have in common, and nothing else has. */
interface InCommon {
  readonly trait: Trait;
  /** Of a number, the bound in words. */
  readonly values: readonly string[];
  /** How many values there are in all. */
  readonly of: number;
  readonly failed: number;
  readonly others: number;
  readonly seqs: readonly number[];
}

/** More values than these have nothing in common. Connections lead to nodes, of which each has many. */
const mostValues = 3;

/** Requests with one value, and the first that failed. */
export const groupRow = z.object({ requests: z.number(), failed: z.number(), seqs: seqsColumn });
const valueRow = groupRow.extend({ value: z.string() });

/** That outcomes are divided by chance is excluded up to this. */
const mostChance = 1e-4;

/**
 * Whether each group failed always or never, although outcomes that do not depend on the group would be divided so with a
 * probability of at most 1 in 10,000: of all choices of those that fail, at most 2 to the number of groups are whole groups.
 */
export function isDivided(groups: readonly OutcomeCount[]): boolean {
  const requests = groups.reduce((sum, group) => sum + group.requests, 0);
  const failed = groups.reduce((sum, group) => sum + group.failed, 0);
  const isPure = groups.every((group) => group.failed === 0 || group.failed === group.requests);
  return isPure && isUnlikely({ requests, failed }, groups.length * Math.LN2);
}

/** Whether chance would choose those that fail in one of e^`logWays` ways with a probability of at most 1 in 10,000. */
function isUnlikely({ failed, requests }: OutcomeCount, logWays: number): boolean {
  // n! / (k! (n - k)!) choices in all.
  let logChance = logWays;
  for (let place = 1; place <= failed; place++) logChance += Math.log(place / (requests - failed + place));
  return failed > 0 && failed < requests && logChance <= Math.log(mostChance);
}

/** How pure the groups are: the least share that fails of those that do, and the most of the others. */
interface Purity {
  readonly bad: number;
  readonly good: number;
}
const pure: Purity = { bad: 1, good: 0 };
/** Of what is slow, chance adds a few. */
export const mostly: Purity = { bad: 0.8, good: 0.05 };

/**
 * The first of some traits by which what fails and what does not are divided, other than by chance. `rows`: SQL with `seq`,
 * `failed` and a column for each trait.
 */
export async function inCommon(
  history: History,
  rows: string,
  of: readonly Trait[],
  purity = pure,
): Promise<InCommon | undefined> {
  // Made once: of a long run it takes seconds.
  await history.execute(`CREATE OR REPLACE TEMP TABLE rows_with_traits AS ${rows}`);
  try {
    for (const trait of of) {
      const found = isNumber(trait) ? await separated(history, trait) : await divided(history, trait, purity);
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    await history.execute('DROP TABLE rows_with_traits');
  }
}

function isNumber(trait: Trait): trait is NumberTrait {
  return Object.hasOwn(numberTraits, trait);
}

/** Of two connections that are one. */
const sameConnection = 'same';

/** A few values that fail, and no others. What fails on the connection that opened the session does not depend on another. */
async function divided(history: History, trait: ValueTrait, purity: Purity): Promise<InCommon | undefined> {
  const isConnection = trait === 'connection' || trait === 'connections';
  const found = await history.rows(
    valueRow,
    `SELECT CAST(${trait} AS VARCHAR) AS value, count(*) AS requests, count(*) FILTER (failed) AS failed,
       ${firstSeqs} FILTER (failed) AS seqs
     FROM (${isConnection ? sameTime : 'FROM rows_with_traits'}) WHERE ${trait} IS NOT NULL GROUP BY ${trait} ORDER BY ${trait}`,
  );
  const values = found.map(cleaned(purity));
  const bad = values.filter(({ failed }) => failed > 0);
  const mayBe = isConnection ? bad.every(({ value }) => value !== sameConnection) : bad.length <= mostValues;
  if (!mayBe || !isDivided(values)) return undefined;
  return {
    trait,
    values: bad.map(({ value }) => value),
    of: values.length,
    failed: bad.reduce((sum, { failed }) => sum + failed, 0),
    others: values.reduce((sum, { failed, requests }) => sum + requests - failed, 0),
    seqs: bad.flatMap(({ seqs }) => seqs).toSorted((a, b) => a - b),
  };
}

/**
 * SQL: what was sent while some failed and others did not. Otherwise an outage or a restart, which ends connections, would look
 * like a difference between connections.
 */
const sameTime = `SELECT t.* FROM rows_with_traits t, (
       SELECT greatest(min(sent_at) FILTER (failed), min(sent_at) FILTER (NOT failed)) AS first_at,
         least(max(sent_at) FILTER (failed), max(sent_at) FILTER (NOT failed)) AS last_at FROM rows_with_traits) same
     WHERE t.sent_at BETWEEN same.first_at AND same.last_at`;

/** As if what is nearly all or nearly none were that. */
export function cleaned({ bad, good }: Purity): <Row extends OutcomeCount>(row: Row) => Row {
  return (row) => {
    const share = row.failed / row.requests;
    const failed = share >= bad ? row.requests : share <= good ? 0 : row.failed;
    return { ...row, failed };
  };
}

const rangeRow = z.object({
  requests: z.number(),
  failed: z.number(),
  least_failed: z.number().nullable(),
  most_failed: z.number().nullable(),
  least_other: z.number().nullable(),
  most_other: z.number().nullable(),
  seqs: seqsColumn,
});

const blurOfMinute = 0.1;

/** A bound beyond which all fail, and none on the other side of it. */
async function separated(history: History, trait: NumberTrait): Promise<InCommon | undefined> {
  const [row] = await history.rows(
    rangeRow,
    `SELECT count(*) AS requests, count(*) FILTER (failed) AS failed,
       min(${trait}) FILTER (failed) AS least_failed, max(${trait}) FILTER (failed) AS most_failed,
       min(${trait}) FILTER (NOT failed) AS least_other, max(${trait}) FILTER (NOT failed) AS most_other,
       ${firstSeqs} FILTER (failed) AS seqs
     FROM rows_with_traits WHERE ${trait} IS NOT NULL`,
  );
  // The first in an order, or the last.
  if (row === undefined || !isUnlikely(row, Math.LN2)) return undefined;
  const { failed, least_failed: least, least_other, most_failed: most, most_other, requests, seqs } = row;
  if (least === null || most === null || least_other === null || most_other === null) return undefined;
  // What a target counts in a minute differs by a few from what was sent in it.
  const blur = trait === 'in_minute' ? blurOfMinute * least : 0;
  const bound =
    least + blur > most_other
      ? boundText(trait, 'from', least)
      : most < least_other
        ? boundText(trait, 'up to', most)
        : undefined;
  return bound === undefined
    ? undefined
    : { trait, values: [bound], of: 2, failed, others: requests - failed, seqs };
}

/**
 * SQL: requests with the traits of their session, which most do not carry themselves. `asked`: which requests; `failed`:
 * which of them fail.
 */
export function traitsOfRequests(asked: string, failed: string): string {
  return `WITH asked AS (SELECT *, (${failed}) AS failed FROM requests WHERE ${asked}),
     about AS (
       SELECT seq, (sent_ns - max(answered_ns) FILTER (endpoint <> 'read-session' AND ${admitted}) OVER (
         PARTITION BY session_id ORDER BY sent_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) / 1e6 AS idle
       FROM requests WHERE session_id IN (SELECT session_id FROM asked) AND sent_ns IS NOT NULL),
     opened AS (
       SELECT session_id, any_value(product_id) AS product_id, any_value(catalog_id) AS catalog_id,
         any_value(locale) AS locale, any_value(credential) AS credential, min(answered_ns) AS opened_ns, any_value(local_port) AS opened_on
       FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND session_id IN (SELECT session_id FROM asked)
       GROUP BY session_id),
     used AS (SELECT local_port AS opened_on, max(sent_ns) AS last_ns FROM requests GROUP BY local_port),
     made AS (
       SELECT product_id, sent_ns, answered_ns AS made_ns, row_number() OVER (ORDER BY answered_ns) AS nth,
         row_number() OVER (PARTITION BY product_id ORDER BY answered_ns) AS nth_alike,
         row_number() OVER (PARTITION BY product_id ORDER BY sent_ns) AS nth_sent
       FROM requests WHERE endpoint = 'create-session' AND ${admitted})
     SELECT a.seq, a.failed, a.items, if(a.credential = 'session', o.credential, a.credential) AS credential,
       coalesce(a.product_id, o.product_id) AS product_id, coalesce(a.catalog_id, o.catalog_id) AS catalog_id,
       coalesce(a.locale, o.locale) AS locale, about.idle, (a.sent_ns - o.opened_ns) / 1e6 AS age, a.sent_ns / 1e6 AS sent_at,
       a.local_port AS connection,
       -- What a restarted process has forgotten, whose connections are gone, is no matter of connections.
       CASE WHEN used.last_ns < a.sent_ns THEN NULL WHEN a.local_port = o.opened_on THEN ${ownText(sameConnection)}
         ELSE o.opened_on || ' ' || a.local_port END AS connections,
       latest.nth - own.nth AS newer,
       -- While a later one is being created, the number is not known.
       if(alike.nth_alike = perhaps.nth_sent, alike.nth_alike - mine.nth_alike, NULL) AS newer_alike
     FROM asked a LEFT JOIN opened o ON o.session_id = a.session_id LEFT JOIN about ON about.seq = a.seq
       LEFT JOIN used ON used.opened_on = o.opened_on
     ASOF LEFT JOIN made latest ON latest.made_ns <= a.sent_ns ASOF LEFT JOIN made own ON own.made_ns <= o.opened_ns
     ASOF LEFT JOIN made alike ON alike.product_id = o.product_id AND alike.made_ns <= a.sent_ns
     ASOF LEFT JOIN made perhaps ON perhaps.product_id = o.product_id AND perhaps.sent_ns <= a.answered_ns
     ASOF LEFT JOIN made mine ON mine.product_id = o.product_id AND mine.made_ns <= o.opened_ns`;
}

/** What a request is about, and for whom. */
export const subjectTraits = [
  'credential',
  'locale',
  'catalog_id',
  'product_id',
  'items',
] as const satisfies readonly Trait[];

/** The traits of a request: its connection, or that and the one that opened its session; else what it is about. */
export const requestTraits = [
  'connection',
  'connections',
  ...subjectTraits,
  'idle',
  'age',
  'newer',
  'newer_alike',
  'sent_at',
] as const satisfies readonly Trait[];

/** Fewer show no distance. */
const leastAtDistance = 3;
/** How far off its place one may be: requests arrive in another order than they were sent in. */
const offPlace = 2;

/** The distance at which places in an order lie that are all equally far from each other, which a few may be by accident. */
export function equalDistance(places: readonly number[]): number | undefined {
  const gaps = places.slice(1).map((place, n) => place - (places[n] ?? 0));
  const [gap = 0] = gaps.toSorted((a, b) => a - b).slice(Math.floor(gaps.length / 2));
  const areEqual = gaps.every((each) => Math.abs(each - gap) <= offPlace);
  return places.length >= leastAtDistance && gap > 4 * offPlace && areEqual ? gap : undefined;
}
