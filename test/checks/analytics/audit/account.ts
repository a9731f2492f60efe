import type { SessionAnalytics } from '../../../../src/wire.ts';

/**
 * What a deployment holds, and what it says of it: analytics in the most obvious way, under any conventions. Shares nothing
 * with `src/`.
 */

export interface AccountAct {
  readonly type: 'shade_selected' | 'cart_intent';
  readonly sku: string;
  readonly atMs: number;
}

export interface AccountSession {
  readonly product: string;
  readonly createdMs: number;
  readonly acts: readonly AccountAct[];
}

export interface Conventions {
  readonly end: 'inclusive' | 'exclusive';
  /** Hours by which days begin before those of UTC. */
  readonly zoneHours: number;
  readonly day: 'creation' | 'last-interaction' | 'each-interaction';
  readonly shades: 'distinct' | 'selections';
  readonly over: 'all' | 'with-shades';
  readonly cart: 'ever' | 'last';
  readonly top: number;
  readonly ties: 'ascending' | 'descending';
  /** The list goes on while shades have as many selections as the last that is due, as with SQL's WITH TIES. */
  readonly withTies: boolean;
  readonly decimals: number;
}

export const plain: Conventions = {
  end: 'inclusive',
  zoneHours: 0,
  day: 'creation',
  shades: 'distinct',
  over: 'all',
  cart: 'ever',
  top: 10,
  ties: 'ascending',
  withTies: false,
  decimals: 4,
};

export interface AccountQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly product_id?: string;
}

const dayMs = 86_400_000;

/** The answer for what there is at `nowMs`. */
export function reportOn(
  sessions: readonly AccountSession[],
  query: AccountQuery,
  conventions: Conventions,
  nowMs: number,
): SessionAnalytics {
  const { cart, day, decimals, over, shades, ties, top, withTies } = conventions;
  const [fromMs, untilMs] = periodOf(query, conventions);
  const isIn = (ms: number): boolean => ms >= fromMs && ms < untilMs;
  const counted = sessions.flatMap((session): AccountAct[][] => {
    if (session.createdMs > nowMs || (query.product_id ?? session.product) !== session.product) return [];
    const acts = session.acts.filter(({ atMs }) => atMs <= nowMs);
    if (day === 'each-interaction') {
      const within = acts.filter(({ atMs }) => isIn(atMs));
      return within.length > 0 || isIn(session.createdMs) ? [within] : [];
    }
    const datedMs =
      day === 'creation' ? session.createdMs : Math.max(session.createdMs, ...acts.map((act) => act.atMs));
    return isIn(datedMs) ? [acts] : [];
  });
  const skusOf = (acts: readonly AccountAct[]): string[] =>
    acts.flatMap(({ sku, type }) => (type === 'shade_selected' ? [sku] : []));
  const averaged = over === 'all' ? counted : counted.filter((acts) => skusOf(acts).length > 0);
  const mean = (of: (acts: readonly AccountAct[]) => number): number => {
    if (averaged.length === 0) return 0;
    return round(averaged.reduce((sum, acts) => sum + of(acts), 0) / averaged.length, decimals);
  };
  const selections = new Map<string, number>();
  for (const sku of counted.flatMap(skusOf)) selections.set(sku, (selections.get(sku) ?? 0) + 1);
  const sign = ties === 'ascending' ? 1 : -1;
  return {
    period: `${query.start_date} / ${query.end_date}`,
    total_sessions: counted.length,
    avg_shades_per_session: mean((acts) =>
      shades === 'distinct' ? new Set(skusOf(acts)).size : skusOf(acts).length,
    ),
    cart_intent_rate: mean((acts) =>
      (
        cart === 'ever'
          ? acts.some(({ type }) => type === 'cart_intent')
          : acts.at(-1)?.type === 'cart_intent'
      )
        ? 1
        : 0,
    ),
    top_shades: [...selections]
      .sort(([a, m], [b, n]) => n - m || sign * (a < b ? -1 : 1))
      .filter(([, n], place, all) => place < top || (withTies && n === all[top - 1]?.[1]))
      .map(([sku, n]) => ({ sku, selections: n })),
  };
}

function periodOf({ end_date, start_date }: AccountQuery, { end, zoneHours }: Conventions): [number, number] {
  const isTime = start_date.length > 10;
  const zoneMs = isTime ? 0 : zoneHours * 3_600_000;
  const last = end === 'exclusive' ? 0 : isTime ? 1_000 : dayMs;
  return [Date.parse(start_date) - zoneMs, Date.parse(end_date) + last - zoneMs];
}

function round(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
