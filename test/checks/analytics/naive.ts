import type { SessionAnalytics } from '../../../src/wire.ts';

/**
 * GET /analytics/sessions, computed in the most obvious way from a list of sessions: what the SQL is held against.
 * Shares nothing with `src/checks/analytics`.
 */

export interface NaiveAct {
  readonly id: string;
  readonly type: 'shade_selected' | 'cart_intent';
  readonly sku: string;
  /** When it arrived, epoch ms; left out where it does not matter. */
  readonly atMs?: number;
}

/** A session of one possible world: it exists, and these acts happened in it. */
export interface NaiveSession {
  readonly product: string;
  readonly credential: string;
  readonly createdMs: number;
  readonly acts: readonly NaiveAct[];
}

export interface NaiveQuery {
  readonly credential: string;
  readonly product: string | null;
  readonly startMs: number;
  readonly endMs: number;
}

export interface NaiveConventions {
  readonly shades: 'distinct' | 'selections';
  readonly averaged: 'all' | 'with-shades';
  readonly rateOver: 'all' | 'with-shades';
  readonly cart: 'ever' | 'last';
  readonly day: 'creation' | 'last-interaction' | 'each-interaction';
  readonly topLength: number;
  /** The list goes on while shades have as many selections as the last that is due, as with SQL's WITH TIES. */
  readonly withTies: boolean;
}

export const naiveDefaults: NaiveConventions = {
  shades: 'distinct',
  averaged: 'all',
  rateOver: 'all',
  cart: 'ever',
  day: 'creation',
  topLength: 10,
  withTies: false,
};

export interface NaiveAnalytics {
  readonly total: number;
  readonly average: number;
  readonly rate: number;
  /** Every SKU selected, most selections first, ties by SKU. */
  readonly shades: readonly { readonly sku: string; readonly selections: number }[];
}

export function naiveAnalytics(
  sessions: readonly NaiveSession[],
  query: NaiveQuery,
  conventions: NaiveConventions = naiveDefaults,
): NaiveAnalytics {
  let total = 0;
  let shaded = 0;
  let shadesSum = 0;
  let carts = 0;
  let shadedCarts = 0;
  const selections = new Map<string, number>();
  for (const session of sessions) {
    if (session.credential !== query.credential) continue;
    if (query.product !== null && session.product !== query.product) continue;
    const inside = (atMs: number): boolean => atMs >= query.startMs && atMs < query.endMs;
    const instants = [session.createdMs, ...session.acts.map(({ atMs }) => atMs ?? session.createdMs)];
    const date = conventions.day === 'last-interaction' ? Math.max(...instants) : session.createdMs;
    const each = conventions.day === 'each-interaction';
    if (!(each ? instants.some(inside) : inside(date))) continue;
    const acts = each ? session.acts.filter(({ atMs }) => inside(atMs ?? session.createdMs)) : session.acts;
    total++;
    const selected: string[] = [];
    let cart = false;
    for (const act of acts) {
      if (act.type === 'cart_intent') cart = conventions.cart === 'ever' || act === acts.at(-1);
      else {
        selected.push(act.sku);
        selections.set(act.sku, (selections.get(act.sku) ?? 0) + 1);
      }
    }
    shadesSum += conventions.shades === 'distinct' ? new Set(selected).size : selected.length;
    if (selected.length > 0) shaded++;
    if (cart) carts++;
    if (cart && selected.length > 0) shadedCarts++;
  }
  const averaged = conventions.averaged === 'all' ? total : shaded;
  const rated = conventions.rateOver === 'all' ? total : shaded;
  const cartful = conventions.rateOver === 'all' ? carts : shadedCarts;
  return {
    total,
    average: averaged === 0 ? 0 : shadesSum / averaged,
    rate: rated === 0 ? 0 : cartful / rated,
    shades: [...selections]
      .map(([sku, count]) => ({ sku, selections: count }))
      .sort((a, b) => b.selections - a.selections || (a.sku < b.sku ? -1 : 1)),
  };
}

/** The answer as a target writes it: means rounded, the list cut. */
export function writtenAs(
  { average, rate, shades, total }: NaiveAnalytics,
  period: string,
  { decimals, topLength, withTies }: Pick<NaiveConventions, 'topLength' | 'withTies'> & { decimals: number },
): SessionAnalytics {
  const rounded = (value: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;
  return {
    period,
    total_sessions: total,
    avg_shades_per_session: rounded(average),
    cart_intent_rate: rounded(rate),
    top_shades: shades.filter(
      ({ selections }, place, all) =>
        place < topLength || (withTies && selections === all[topLength - 1]?.selections),
    ),
  };
}

/** A session as far as is known: whether it exists, when it may have been created, and which acts may have happened. */
export interface UncertainSession {
  readonly product: string;
  readonly credential: string;
  readonly exists: 'certain' | 'ambiguous';
  /** Instants of creation that are possible; one for each period that it may fall into. */
  readonly createdMs: readonly number[];
  /** In the order sent. `atMs`: instants of arrival that are possible, likewise. */
  readonly acts: readonly (Omit<NaiveAct, 'atMs'> & {
    readonly happened: 'certain' | 'ambiguous';
    readonly atMs?: readonly number[];
  })[];
}

/** Every world that is possible: each ambiguous thing in or out, on its own. */
export function* possibleWorlds(sessions: readonly UncertainSession[]): Generator<NaiveSession[]> {
  const [first, ...rest] = sessions;
  if (first === undefined) {
    yield [];
    return;
  }
  const variants: (NaiveSession | undefined)[] = first.exists === 'ambiguous' ? [undefined] : [];
  for (const createdMs of first.createdMs)
    for (const acts of possibleActs(first.acts))
      variants.push({ product: first.product, credential: first.credential, createdMs, acts });
  for (const others of possibleWorlds(rest))
    for (const variant of variants) yield variant === undefined ? others : [variant, ...others];
}

/** Every way in which the acts of a session may have gone, as far as is known. */
function possibleActs([act, ...later]: UncertainSession['acts']): NaiveAct[][] {
  if (act === undefined) return [[]];
  const { id, type, sku, atMs = [undefined] } = act;
  const rest = possibleActs(later);
  const ways = atMs.flatMap((at) =>
    rest.map((others) => [{ id, type, sku, ...(at === undefined ? {} : { atMs: at }) }, ...others]),
  );
  return act.happened === 'ambiguous' ? [...rest, ...ways] : ways;
}
