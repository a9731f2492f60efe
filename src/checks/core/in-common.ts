import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Trait } from '../reasons/words/traits.ts';
import { isDivided, type OutcomeCount } from './by-connection.ts';
import { admitted, firstSeqs, seqsColumn } from './found.ts';

/** How the values of a trait are compared: numbers may have a bound. */
const kindOf: Readonly<Record<Trait, 'text' | 'number'>> = {
  credential: 'text',
  locale: 'text',
  catalog_id: 'text',
  product_id: 'text',
  type: 'text',
  sku: 'text',
  items: 'number',
  place: 'number',
};

/** What all that fail have in common, and nothing else has. */
export interface InCommon {
  readonly trait: Trait;
  /** Of a number, the bound: `from 101 on`, `up to 3`. */
  readonly values: readonly string[];
  readonly failed: number;
  readonly others: number;
  readonly seqs: readonly number[];
}

/** More values than these have nothing in common. */
const mostValues = 3;

const valueRow = z.object({
  value: z.string(),
  requests: z.number(),
  failed: z.number(),
  seqs: seqsColumn,
});
type ValueRow = z.output<typeof valueRow>;

/** How pure the groups are: the least share that fails of those that do, and the most of the others. */
interface Purity {
  readonly bad: number;
  readonly good: number;
}
const pure: Purity = { bad: 1, good: 0 };

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
  for (const trait of of) {
    const values = await history.rows(
      valueRow,
      `SELECT CAST(${trait} AS VARCHAR) AS value, count(*) AS requests, count(*) FILTER (failed) AS failed,
         ${firstSeqs} FILTER (failed) AS seqs
       FROM (${rows}) WHERE ${trait} IS NOT NULL GROUP BY ${trait} ORDER BY ${trait}`,
    );
    const found = divided(trait, values.map(cleaned(purity)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As if what is nearly all or nearly none were that. */
export function cleaned({ bad, good }: Purity): <Row extends OutcomeCount>(row: Row) => Row {
  return (row) => {
    const share = row.failed / row.requests;
    const failed = share >= bad ? row.requests : share <= good ? 0 : row.failed;
    return { ...row, failed };
  };
}

function divided(trait: Trait, rows: readonly ValueRow[]): InCommon | undefined {
  if (!isDivided(rows)) return undefined;
  const bad = rows.filter(({ failed }) => failed > 0);
  const values =
    kindOf[trait] === 'number'
      ? rangeOf(rows)
      : bad.length > mostValues
        ? undefined
        : bad.map(({ value }) => value);
  if (values === undefined) return undefined;
  return {
    trait,
    values,
    failed: bad.reduce((sum, { failed }) => sum + failed, 0),
    others: rows.reduce((sum, { failed, requests }) => sum + requests - failed, 0),
    seqs: bad.flatMap(({ seqs }) => seqs).toSorted((a, b) => a - b),
  };
}

/** Where the largest or the smallest values fail, and all of them: the bound. */
function rangeOf(rows: readonly ValueRow[]): string[] | undefined {
  const first = rows.findIndex(({ failed }) => failed > 0);
  const last = rows.findLastIndex(({ failed }) => failed > 0);
  const isUnbroken = rows.slice(first, last + 1).every(({ failed }) => failed > 0);
  if (!isUnbroken) return undefined;
  if (last === rows.length - 1) return [`from ${rows[first]?.value} on`];
  return first === 0 ? [`up to ${rows[last]?.value}`] : undefined;
}

/**
 * SQL: requests with the traits of their session, which most do not carry themselves. `asked`: which requests; `failed`:
 * which of them fail.
 */
export function traitsOfRequests(asked: string, failed: string): string {
  return `WITH asked AS (SELECT *, (${failed}) AS failed FROM requests WHERE ${asked}),
     opened AS (
       SELECT session_id, any_value(product_id) AS product_id, any_value(catalog_id) AS catalog_id,
         any_value(locale) AS locale, any_value(credential) AS credential
       FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND session_id IN (SELECT session_id FROM asked)
       GROUP BY session_id)
     SELECT a.seq, a.failed, a.items, if(a.credential = 'session', o.credential, a.credential) AS credential,
       coalesce(a.product_id, o.product_id) AS product_id, coalesce(a.catalog_id, o.catalog_id) AS catalog_id,
       coalesce(a.locale, o.locale) AS locale
     FROM asked a LEFT JOIN opened o ON o.session_id = a.session_id`;
}

/** The traits of a request. */
export const requestTraits = [
  'credential',
  'locale',
  'catalog_id',
  'product_id',
  'items',
] as const satisfies readonly Trait[];
