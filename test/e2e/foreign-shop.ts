import type { Interaction, SessionAnalytics, SessionRequest, Shade, TopShade } from '../../src/wire.ts';

/** One session of the foreign service. */
export interface ForeignSession {
  readonly id: string;
  readonly token: string;
  readonly request: SessionRequest;
  /** The role whose key opened it. */
  readonly openedBy: 'load' | 'quota' | 'twin' | 'bystander';
  readonly createdMs: number;
  readonly acts: { readonly interaction: Interaction; readonly receivedMs: number }[];
}

/** How the foreign service counts, where the interface leaves that to it. */
export interface Counting {
  readonly topShades: number;
  readonly ties: 'sku' | 'sku-descending' | 'first-selected';
  /** Undefined: as the floating-point division gives them, with all their digits. */
  readonly decimals: number | undefined;
  readonly average: 'distinct' | 'selections';
}

/** What one account of the foreign service holds. */
export class ForeignShop {
  readonly catalogs = new Map<string, Map<string, Shade>>();
  readonly sessions = new Map<string, ForeignSession>();

  importShades(catalogId: string, shades: readonly Shade[]): void {
    const catalog = this.catalogs.get(catalogId) ?? new Map<string, Shade>();
    this.catalogs.set(catalogId, catalog);
    for (const shade of shades) catalog.set(shade.sku, shade);
  }

  /** Stores the events that this session does not have yet; returns their number. */
  act(session: ForeignSession, interactions: readonly Interaction[], receivedMs: number): number {
    const seen = new Set(session.acts.map(({ interaction }) => interaction.id));
    const fresh = interactions.filter(({ id }) => !seen.has(id));
    session.acts.push(...fresh.map((interaction) => ({ interaction, receivedMs })));
    return fresh.length;
  }
}

/** Analytics of the days `startDate` to `endDate`, both included, as they stood at `asOfMs`. */
export function analyticsOf(
  all: readonly ForeignSession[],
  query: { readonly startDate: string; readonly endDate: string; readonly productId: string | undefined },
  asOfMs: number,
  counting: Counting,
): SessionAnalytics {
  const sessions = all.filter(({ createdMs, request }) => {
    const day = new Date(createdMs).toISOString().slice(0, 10);
    const asked = query.productId === undefined || request.product_id === query.productId;
    return createdMs <= asOfMs && day >= query.startDate && day <= query.endDate && asked;
  });
  const selections = new Map<string, number>();
  let shades = 0;
  let carts = 0;
  for (const { acts } of sessions) {
    const known = acts.filter(({ receivedMs }) => receivedMs <= asOfMs).map((act) => act.interaction);
    const skus = known.flatMap(({ type, sku }) => (type === 'shade_selected' ? [sku ?? ''] : []));
    shades += counting.average === 'distinct' ? new Set(skus).size : skus.length;
    carts += known.some(({ type }) => type === 'cart_intent') ? 1 : 0;
    for (const sku of skus) selections.set(sku, (selections.get(sku) ?? 0) + 1);
  }
  return {
    period: `${query.startDate} / ${query.endDate}`,
    total_sessions: sessions.length,
    avg_shades_per_session: mean(shades, sessions.length, counting.decimals),
    cart_intent_rate: mean(carts, sessions.length, counting.decimals),
    top_shades: top(selections, counting),
  };
}

function mean(sum: number, count: number, decimals: number | undefined): number {
  const exact = count === 0 ? 0 : sum / count;
  return decimals === undefined ? exact : Number(exact.toFixed(decimals));
}

function top(selections: ReadonlyMap<string, number>, { ties, topShades }: Counting): TopShade[] {
  const order = (a: string, b: string): number =>
    ties === 'first-selected' ? 0 : (a < b ? -1 : 1) * (ties === 'sku' ? 1 : -1);
  return [...selections]
    .sort(([skuA, a], [skuB, b]) => b - a || order(skuA, skuB))
    .slice(0, topShades)
    .map(([sku, count]) => ({ sku, selections: count }));
}
