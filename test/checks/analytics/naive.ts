/**
 * GET /analytics/sessions, computed in the most obvious way from a list of sessions: what the SQL is held against.
 * Shares nothing with `src/checks/analytics`.
 */

export interface NaiveAct {
  readonly id: string;
  readonly type: 'shade_selected' | 'cart_intent';
  readonly sku: string;
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
  readonly topLength: number;
}

export const naiveDefaults: NaiveConventions = {
  shades: 'distinct',
  averaged: 'all',
  rateOver: 'all',
  topLength: 10,
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
    if (session.createdMs < query.startMs || session.createdMs >= query.endMs) continue;
    total++;
    const selected: string[] = [];
    let cart = false;
    for (const act of session.acts) {
      if (act.type === 'cart_intent') cart = true;
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

/** A session as far as is known: whether it exists, when it may have been created, and which acts may have happened. */
export interface UncertainSession {
  readonly product: string;
  readonly credential: string;
  readonly exists: 'certain' | 'ambiguous';
  /** Instants of creation that are possible; one for each period that it may fall into. */
  readonly createdMs: readonly number[];
  readonly acts: readonly (NaiveAct & { readonly happened: 'certain' | 'ambiguous' })[];
}

/** Every world that is possible: each ambiguous thing in or out, on its own. */
export function* possibleWorlds(sessions: readonly UncertainSession[]): Generator<NaiveSession[]> {
  const [first, ...rest] = sessions;
  if (first === undefined) {
    yield [];
    return;
  }
  const variants: (NaiveSession | undefined)[] = first.exists === 'ambiguous' ? [undefined] : [];
  const open = first.acts.filter((act) => act.happened === 'ambiguous');
  for (const createdMs of first.createdMs)
    for (let mask = 0; mask < 2 ** open.length; mask++)
      variants.push({
        product: first.product,
        credential: first.credential,
        createdMs,
        acts: first.acts.filter(
          (act) => act.happened === 'certain' || (mask & (1 << open.indexOf(act))) !== 0,
        ),
      });
  for (const others of possibleWorlds(rest))
    for (const variant of variants) yield variant === undefined ? others : [variant, ...others];
}
