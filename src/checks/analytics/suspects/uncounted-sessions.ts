import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';

const createdSession = z.object({
  credential: z.string(),
  product_id: z.string().nullable(),
  locale: z.string().nullable(),
  catalog_id: z.string().nullable(),
  sent_ms: z.number(),
  took_ms: z.number(),
});
type CreatedSession = z.output<typeof createdSession>;

/** More sessions are not looked at one by one. */
const mostSessions = 200_000;
/** That as many are missing of each product as an instant leaves out: chance does that more rarely. */
const mostChance = 0.01;

/** An answer that is to count all sessions of its account and product, those sessions, and how many it leaves out. */
interface Short {
  readonly sessions: readonly CreatedSession[];
  readonly counted: number;
  readonly missing: number;
  readonly isOfProduct: boolean;
}

/**
 * Which sessions are left out, where totals are too low: those of one locale or catalog, those created before or after some
 * instant, or one of each product. It explains every total, of single products as well.
 */
export async function uncountedSessions(
  history: History,
  table: AnalyticsTable,
): Promise<SuspectHypothesis[]> {
  const { search } = table;
  const wrong = wrongRows(table, 'total_sessions');
  if (search === undefined || wrong.length === 0) return [];
  const sessions = await createdSessions(history);
  if (sessions === undefined) return [];
  const { of } = search.chosen.evaluation.frame.account;
  const all = new Map(
    table.rows.flatMap((row) => {
      const short = shortOf(row, sessions, of[row.query.credential]);
      return short === undefined ? [] : [[row, short] as const];
    }),
  );
  if (!wrong.every((row) => all.has(row))) return [];
  const shorts = [...all.values()];
  const found = byValue(shorts) ?? byInstant(shorts) ?? ofEachProduct(shorts);
  return found === undefined ? [] : hypotheses(table, ['total_sessions'], (seqs) => ({ ...found, seqs }));
}

/** All sessions of the run, in the order of their creation; undefined if they are too many. */
export async function createdSessions(history: History): Promise<readonly CreatedSession[] | undefined> {
  const sessions = await history.rows(
    createdSession,
    `SELECT s.credential, s.product_id, r.locale, r.catalog_id, r.sent_ns / 1e6 AS sent_ms, (r.answered_ns - r.sent_ns) / 1e6 AS took_ms
     FROM sessions s JOIN requests r ON r.seq = s.seq WHERE s.granted AND NOT s.again ORDER BY r.sent_ns LIMIT ${mostSessions + 1}`,
  );
  return sessions.length > mostSessions ? undefined : sessions;
}

/** Undefined for an answer of another period, or one that counts what is not known. */
export function shortOf(
  { query: { productId }, totalSessions: { expected, returned } }: AnswerRow,
  all: readonly CreatedSession[],
  keys: readonly string[],
): Short | undefined {
  const sessions = all.filter(
    (each) => keys.includes(each.credential) && (productId === null || each.product_id === productId),
  );
  if (returned === null || expected?.min !== sessions.length || expected.max !== sessions.length)
    return undefined;
  const missing = sessions.length - returned;
  return { sessions, counted: returned, missing, isOfProduct: productId !== null };
}

function mostOf(shorts: readonly Short[]): Short | undefined {
  return shorts.toSorted((a, b) => b.missing - a.missing || b.sessions.length - a.sessions.length)[0];
}

/** The values of one field whose sessions are just those left out, of each product. */
function byValue(shorts: readonly Short[]): Suspect | undefined {
  const most = mostOf(shorts);
  if (most === undefined) return undefined;
  for (const trait of ['locale', 'catalog_id'] as const) {
    const numberOf = ({ sessions }: Short, value: string): number =>
      sessions.filter((each) => each[trait] === value).length;
    const values = [...new Set(shorts.flatMap(({ sessions }) => sessions.map((each) => each[trait] ?? '')))];
    const left = values.filter((value) => shorts.every((short) => numberOf(short, value) <= short.missing));
    const isAll = shorts.every(
      (short) => left.reduce((sum, value) => sum + numberOf(short, value), 0) === short.missing,
    );
    const chance = { failed: most.missing, requests: most.sessions.length };
    if (isAll && isUnlikely(chance, left.length * Math.log(values.length)))
      return fits('depends-on-value', {
        what: 'session',
        trait,
        values: left.toSorted(),
        failed: most.missing,
        others: most.counted,
      });
  }
  return undefined;
}

/** The instant from which on, or up to which, sessions count: the same for each product. */
function byInstant(shorts: readonly Short[]): Suspect | undefined {
  const most = mostOf(shorts);
  if (most === undefined || most.counted === 0 || chanceOf(most, shorts) > mostChance) return undefined;
  const since = most.sessions.at(-most.counted)?.sent_ms ?? 0;
  const until = most.sessions[most.counted - 1]?.sent_ms ?? 0;
  const figures = { counted: most.counted, of: most.sessions.length };
  const isOf = (counts: (session: CreatedSession) => boolean): boolean =>
    shorts.every(({ counted, sessions }) => sessions.filter(counts).length === counted);
  if (isOf(({ sent_ms }) => sent_ms >= since))
    return fits('sessions-counted-in-part', { ...figures, bound: 'from', atMs: since });
  if (isOf(({ sent_ms }) => sent_ms <= until))
    return fits('sessions-counted-in-part', { ...figures, bound: 'up to', atMs: until });
  return undefined;
}

/** So few products may each lack one by chance. */
const fewestProducts = 3;

/** One session of each product, and of all together as many as there are products. */
function ofEachProduct(all: readonly Short[]): Suspect | undefined {
  const shorts = all.filter(({ sessions }) => sessions.length > 0);
  const ofProducts = new Map(
    shorts.flatMap((short) => (short.isOfProduct ? [[short.sessions[0]?.product_id, short] as const] : [])),
  );
  const whole = shorts.filter(({ isOfProduct }) => !isOfProduct);
  const products = new Set(whole[0]?.sessions.map(({ product_id }) => product_id)).size;
  const lackOne = [...ofProducts.values()].every(({ missing }) => missing === 1);
  const lackAsMany = whole.length > 0 && whole.every(({ missing }) => missing === products);
  return lackOne && lackAsMany && ofProducts.size >= fewestProducts
    ? fits('session-of-each-product-missing', { products })
    : undefined;
}

/** The probability that of as many sessions left out at random, as many are of each product (multivariate hypergeometric). */
function chanceOf(whole: Short, shorts: readonly Short[]): number {
  const products = new Map(
    shorts.flatMap((short) => (short.isOfProduct ? [[short.sessions[0]?.product_id, short] as const] : [])),
  );
  let logChance = -logChoices(whole.sessions.length, whole.missing);
  let [others, othersMissing] = [whole.sessions.length, whole.missing];
  for (const { missing, sessions } of products.values()) {
    logChance += logChoices(sessions.length, missing);
    others -= sessions.length;
    othersMissing -= missing;
  }
  // Answers for products that are more than the whole have been given at another time.
  if (others < 0 || othersMissing < 0 || othersMissing > others) return 1;
  return Math.exp(logChance + logChoices(others, othersMissing));
}

/** The logarithm of n! / (k! (n - k)!). */
function logChoices(n: number, k: number): number {
  let sum = 0;
  for (let place = 1; place <= k; place++) sum += Math.log((n - k + place) / place);
  return sum;
}
