import { fits, type Suspect } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { KnownAnswer, KnownEvent, KnownSession } from './known-answers.ts';

/** What an answer says of some items: that so many of them count. */
interface Claim<Item> {
  readonly items: readonly Item[];
  readonly counted: number;
}
type SessionClaim = Claim<KnownSession> & { readonly isOfProduct: boolean };

/** The span in which a property of an item lies; both ends are equal where it is known. */
type Feature<Item> = (item: Item) => readonly [least: number, most: number];

/** Between which values a bound lies. */
interface Cut {
  readonly over: number;
  readonly under: number;
}

/**
 * The bound that explains every claim: just those items count that lie below it. Law: of n counted items, it is over the n-th
 * smallest, and under the next one.
 */
function cutOf<Item>(claims: readonly Claim<Item>[], feature: Feature<Item>): Cut | undefined {
  let [over, under] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { counted, items } of claims) {
    if (counted < 0 || counted > items.length) return undefined;
    const least = items.map((item) => feature(item)[0]).toSorted((a, b) => a - b);
    const most = items.map((item) => feature(item)[1]).toSorted((a, b) => a - b);
    over = Math.max(over, least[counted - 1] ?? Number.NEGATIVE_INFINITY);
    under = Math.min(under, most[counted] ?? Number.POSITIVE_INFINITY);
  }
  return over < under && Number.isFinite(over) && Number.isFinite(under) ? { over, under } : undefined;
}

/** The values of a trait whose items are just those that do not count; none where no set of values explains every claim. */
function valuesLeftOut<Item>(
  claims: readonly Claim<Item>[],
  traitOf: (item: Item) => string,
): readonly string[] {
  const numbers = claims.map(({ counted, items }) => ({
    missing: items.length - counted,
    of: Map.groupBy(items, traitOf),
  }));
  const values = [...new Set(numbers.flatMap(({ of }) => [...of.keys()]))];
  const left = values.filter((value) =>
    numbers.every(({ missing, of }) => (of.get(value)?.length ?? 0) <= missing),
  );
  const isAll = numbers.every(
    ({ missing, of }) => left.reduce((sum, value) => sum + (of.get(value)?.length ?? 0), 0) === missing,
  );
  return isAll ? left : [];
}

/** That as many are chosen of each product as a bound chooses: chance does that more rarely. Ours. */
const mostChance = 0.01;
/** No gateway is likely to give up sooner. */
const shortestTimeoutMs = 10;
/** So few products may each lack one by chance. */
const fewestProducts = 3;

/**
 * Which sessions do not count, or count twice, where totals are wrong: those of one locale or catalog, those before or after
 * an instant, the first of each product, or those whose creation took longest. It explains every total, of single products as well.
 */
export function partOfSessions(table: AnalyticsTable, known: readonly KnownAnswer[]): SuspectHypothesis[] {
  const wrong = wrongRows(table, 'total_sessions');
  if (!wrong.every((row) => known.some((each) => each.row === row))) return [];
  const claims = known.flatMap(({ row, sessions }): SessionClaim[] => {
    const { returned } = row.totalSessions;
    const isOfProduct = row.query.productId !== null;
    return returned === null ? [] : [{ items: sessions, counted: returned, isOfProduct }];
  });
  const found = byValue(claims) ?? byInstant(claims) ?? ofEachProduct(claims) ?? slowTwice(claims);
  return found === undefined ? [] : hypotheses(table, ['total_sessions'], (seqs) => ({ ...found, seqs }));
}

/** The claim that leaves out most. */
const mostOf = (claims: readonly SessionClaim[]): SessionClaim | undefined =>
  claims.toSorted(
    (a, b) => b.items.length - b.counted - (a.items.length - a.counted) || b.items.length - a.items.length,
  )[0];

function byValue(claims: readonly SessionClaim[]): Suspect | undefined {
  const most = mostOf(claims);
  if (most === undefined) return undefined;
  const failed = most.items.length - most.counted;
  for (const [trait, traitOf] of [
    ['locale', ({ locale }: KnownSession) => locale ?? ''],
    ['catalog_id', ({ catalog }: KnownSession) => catalog ?? ''],
  ] as const) {
    const values = valuesLeftOut(claims, traitOf);
    const of = new Set(claims.flatMap(({ items }) => items.map(traitOf))).size;
    if (
      values.length > 0 &&
      isUnlikely({ failed, requests: most.items.length }, values.length * Math.log(of))
    )
      return fits('depends-on-value', {
        ...{ what: 'session', trait, values: values.toSorted(), failed, others: most.counted },
      });
  }
  return undefined;
}

function byInstant(claims: readonly SessionClaim[]): Suspect | undefined {
  const most = mostOf(claims);
  if (most === undefined || most.counted === 0 || chanceOf(most, claims) > mostChance) return undefined;
  const figures = { counted: most.counted, of: most.items.length };
  const since = cutOf(claims, ({ sentMs }) => [-sentMs, -sentMs]);
  if (since !== undefined)
    return fits('sessions-counted-in-part', { ...figures, bound: 'from', atMs: -since.over });
  const until = cutOf(claims, ({ sentMs }) => [sentMs, sentMs]);
  return until && fits('sessions-counted-in-part', { ...figures, bound: 'up to', atMs: until.over });
}

function ofEachProduct(claims: readonly SessionClaim[]): Suspect | undefined {
  const lacking = valuesLeftOut(claims, ({ isFirst }) => (isFirst ? 'first' : ''));
  const products = claims.filter(({ isOfProduct, items }) => isOfProduct && items.length > 0).length;
  const [whole] = claims.filter(({ isOfProduct, items }) => !isOfProduct && items.length > 0);
  if (whole === undefined || lacking.length !== 1 || lacking[0] !== 'first' || products < fewestProducts)
    return undefined;
  return fits('session-of-each-product-missing', {
    products: new Set(whole.items.map(({ product }) => product)).size,
  });
}

/** What gave up waiting sent the request again, and both were carried out. */
function slowTwice(claims: readonly SessionClaim[]): Suspect | undefined {
  const twice = claims.map((claim) => ({ ...claim, counted: claim.counted - claim.items.length }));
  const cut = cutOf(twice, ({ answeredMs, sentMs }) => [sentMs - answeredMs, sentMs - answeredMs]);
  const [most] = twice.toSorted((a, b) => b.counted - a.counted);
  if (cut === undefined || most === undefined || -cut.over < shortestTimeoutMs) return undefined;
  const figures = { sessions: most.counted, of: most.items.length };
  return isUnlikely({ failed: figures.sessions, requests: figures.of }, 0)
    ? fits('slow-creations-twice', { ...figures, leastMs: -cut.over })
    : undefined;
}

/** The probability that of as many sessions left out at random, as many are of each product (multivariate hypergeometric). */
function chanceOf(whole: SessionClaim, claims: readonly SessionClaim[]): number {
  const missingOf = ({ counted, items }: SessionClaim): number => items.length - counted;
  const products = new Map(
    claims.flatMap((claim) => (claim.isOfProduct ? [[claim.items[0]?.product, claim] as const] : [])),
  );
  let logChance = -logChoices(whole.items.length, missingOf(whole));
  let [others, othersMissing] = [whole.items.length, missingOf(whole)];
  for (const claim of products.values()) {
    logChance += logChoices(claim.items.length, missingOf(claim));
    others -= claim.items.length;
    othersMissing -= missingOf(claim);
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

/** A selection, and the session that it is of. */
interface Selection {
  readonly session: KnownSession;
  readonly event: KnownEvent;
}

/** With fewer shades a bound that fits may be chance. */
const leastShades = 5;
/** A bound nearer to the creation, or to the start of the run, than this may be chance, too. */
const leastMs = 1_000;

/** By what selections may be counted or not: those below a bound, with the cause that this shows. */
const orders: readonly (readonly [Feature<Selection>, (cut: Cut) => Suspect])[] = [
  [
    ({ event, session }) => [event.sentMs - session.answeredMs, event.answeredMs - session.sentMs],
    ({ over, under }) => fits('late-events-ignored', { leastMs: Math.max(0, over), mostMs: under }),
  ],
  [
    ({ event }) => [event.sentMs, event.answeredMs],
    ({ over, under }) => fits('events-counted-until', { leastMs: over, mostMs: under }),
  ],
  [
    ({ event }) => [-event.answeredMs, -event.sentMs],
    ({ over, under }) => fits('events-counted-since', { leastMs: -under, mostMs: -over }),
  ],
];

/**
 * Selections of which only a part counts: those soon after the creation of their session, or before or after some instant.
 * One bound explains every count.
 */
export function partOfEvents(table: AnalyticsTable, known: readonly KnownAnswer[]): SuspectHypothesis[] {
  // Sessions that do not count at all take their events with them.
  if (wrongRows(table, 'total_sessions').length > 0) return [];
  const wrong = wrongRows(table, 'top_shades');
  if (!wrong.every((row) => known.some((each) => each.hasEvents && each.row === row))) return [];
  const claims = known.flatMap(({ hasEvents, row, sessions }): Claim<Selection>[] => {
    if (!hasEvents || row.topShades.verdict !== 'fail') return [];
    const all = sessions.flatMap((session) =>
      session.events.flatMap((event) => (event.isCart || !event.isAccepted ? [] : [{ session, event }])),
    );
    const bySku = Map.groupBy(all, ({ event }) => event.sku);
    return (row.topShades.returned ?? []).map(({ selections, sku }) => ({
      items: bySku.get(sku) ?? [],
      counted: selections,
    }));
  });
  const short = claims.filter(({ counted, items }) => items.length > counted).length;
  if (short < leastShades) return [];
  for (const [feature, suspectOf] of orders) {
    const cut = cutOf(claims, feature);
    if (cut !== undefined && Math.abs(cut.under) >= leastMs)
      return hypotheses(table, ['top_shades'], (seqs) => ({ ...suspectOf(cut), seqs }));
  }
  return [];
}
