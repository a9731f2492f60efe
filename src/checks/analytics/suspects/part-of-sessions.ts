import { fits } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import {
  byFeature,
  type Claim,
  chanceOf,
  cutOf,
  mostChance,
  type NumberOf,
  type PartFound,
  valuesLeftOut,
} from './counted-part.ts';
import type { KnownAnswer, KnownSession } from './known-answers.ts';
import { listFit } from './other-values.ts';

type SessionClaim = Claim<KnownSession> & { readonly isOfProduct: boolean };
type PartOfSessions = PartFound<KnownSession>;

/** No gateway is likely to give up sooner. */
const shortestTimeoutMs = 10;
/** So few products may each lack one by chance. */
const fewestProducts = 3;

/**
 * Which sessions do not count, or count twice, where totals are wrong: those of one locale or catalog, those before or after
 * an instant, the first of each product, those whose creation took longest, or those with some number. It explains every total, of
 * single products as well; what explains the lists of shades, too, comes before what does not.
 */
export function partOfSessions(table: AnalyticsTable, known: readonly KnownAnswer[]): SuspectHypothesis[] {
  const wrong = wrongRows(table, 'total_sessions');
  if (wrong.length === 0 || !wrong.every((row) => known.some((each) => each.row === row))) return [];
  const claims = known.flatMap(({ row, sessions }): SessionClaim[] => {
    const { returned } = row.totalSessions;
    const isOfProduct = row.query.productId !== null;
    return returned === null ? [] : [{ items: sessions, counted: returned, isOfProduct }];
  });
  const all = [
    ...byValue(claims),
    ...byInstant(claims),
    ...ofEachProduct(claims),
    ...slowTwice(claims),
    ...byFeature('session', claims, disjoint(claims), sessionFeatures),
  ];
  const best = all.find(({ times }) => listsFit(table, known, times)) ?? all[0];
  return best === undefined
    ? []
    : hypotheses(table, ['total_sessions'], (seqs) => ({ ...best.suspect, seqs }));
}

/** Whether the wrong lists of shades are those of the sessions that count. */
function listsFit(
  table: AnalyticsTable,
  known: readonly KnownAnswer[],
  times: PartOfSessions['times'],
): boolean {
  const wrong = known.filter(({ hasEvents, row }) => hasEvents && row.topShades.verdict === 'fail');
  return (
    wrong.length > 0 &&
    wrong.every((answer) => {
      const counts = new Map<string, number>();
      for (const session of answer.sessions)
        for (const { isAccepted, isCart, sku } of session.events)
          if (isAccepted && !isCart && sku !== null) counts.set(sku, (counts.get(sku) ?? 0) + times(session));
      return listFit(table, answer, counts) === 'fits';
    })
  );
}

const sessionFeatures: readonly NumberOf<KnownSession>[] = [
  ['events', ({ events }) => events.filter(({ isAccepted }) => isAccepted).length],
  ['ordinal', ({ ordinal }) => ordinal],
  ['ordinal-of-product', ({ ordinalOfProduct }) => ordinalOfProduct],
];

/** Claims on different sessions: the largest of each product. */
const disjoint = (claims: readonly SessionClaim[]): readonly SessionClaim[] => {
  const bySize = claims.toSorted((a, b) => a.items.length - b.items.length);
  const ofProducts = new Map(
    bySize.flatMap((claim) => (claim.isOfProduct ? [[claim.items[0]?.product, claim] as const] : [])),
  );
  return [...ofProducts.values()];
};

/** The claim that leaves out most. */
const mostOf = (claims: readonly SessionClaim[]): SessionClaim | undefined =>
  claims.toSorted(
    (a, b) => b.items.length - b.counted - (a.items.length - a.counted) || b.items.length - a.items.length,
  )[0];

function byValue(claims: readonly SessionClaim[]): PartOfSessions[] {
  const most = mostOf(claims);
  if (most === undefined) return [];
  const failed = most.items.length - most.counted;
  return (
    [
      ['locale', ({ locale }: KnownSession) => locale ?? ''],
      ['catalog_id', ({ catalog }: KnownSession) => catalog ?? ''],
    ] as const
  ).flatMap(([trait, traitOf]): PartOfSessions[] => {
    const values = valuesLeftOut(claims, traitOf);
    const of = new Set(claims.flatMap(({ items }) => items.map(traitOf))).size;
    const logWays = values.length * Math.log(of);
    if (values.length === 0 || !isUnlikely({ failed, requests: most.items.length }, logWays)) return [];
    const figures = {
      what: 'session',
      trait,
      values: values.toSorted(),
      failed,
      others: most.counted,
    } as const;
    const times = (each: KnownSession): number => Number(!values.includes(traitOf(each)));
    return [{ suspect: fits('depends-on-value', figures), times }];
  });
}

function byInstant(claims: readonly SessionClaim[]): PartOfSessions[] {
  const most = mostOf(claims);
  if (most === undefined || most.counted === 0 || chanceOf(disjoint(claims), most) > mostChance) return [];
  const figures = { counted: most.counted, of: most.items.length };
  const since = cutOf(claims, ({ sentMs }) => [-sentMs, -sentMs]);
  const until = cutOf(claims, ({ sentMs }) => [sentMs, sentMs]);
  const found: PartOfSessions[] = [];
  if (since !== undefined)
    found.push({
      suspect: fits('sessions-counted-in-part', { ...figures, bound: 'from', atMs: -since.over }),
      times: ({ sentMs }) => Number(sentMs >= -since.over),
    });
  if (until !== undefined)
    found.push({
      suspect: fits('sessions-counted-in-part', { ...figures, bound: 'up to', atMs: until.over }),
      times: ({ sentMs }) => Number(sentMs <= until.over),
    });
  return found;
}

function ofEachProduct(claims: readonly SessionClaim[]): PartOfSessions[] {
  const lacking = valuesLeftOut(claims, ({ ordinalOfProduct }) => (ordinalOfProduct === 1 ? 'first' : ''));
  const several = claims.filter(({ isOfProduct, items }) => isOfProduct && items.length > 0).length;
  const [whole] = claims.filter(({ isOfProduct, items }) => !isOfProduct && items.length > 0);
  if (whole === undefined || lacking.length !== 1 || lacking[0] !== 'first' || several < fewestProducts)
    return [];
  const products = new Set(whole.items.map(({ product }) => product)).size;
  const times = ({ ordinalOfProduct }: KnownSession): number => Number(ordinalOfProduct > 1);
  return [{ suspect: fits('session-of-each-product-missing', { products }), times }];
}

/** What gave up waiting sent the request again, and both were carried out. */
function slowTwice(claims: readonly SessionClaim[]): PartOfSessions[] {
  const twice = claims.map((claim) => ({ ...claim, counted: claim.counted - claim.items.length }));
  const cut = cutOf(twice, ({ answeredMs, sentMs }) => [sentMs - answeredMs, sentMs - answeredMs]);
  const [most] = twice.toSorted((a, b) => b.counted - a.counted);
  if (cut === undefined || most === undefined || -cut.over < shortestTimeoutMs) return [];
  const figures = { sessions: most.counted, of: most.items.length, leastMs: -cut.over };
  const times = ({ answeredMs, sentMs }: KnownSession): number => (answeredMs - sentMs >= -cut.over ? 2 : 1);
  return isUnlikely({ failed: figures.sessions, requests: figures.of }, 0)
    ? [{ suspect: fits('slow-creations-twice', figures), times }]
    : [];
}
