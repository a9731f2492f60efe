import { number } from '../amounts.ts';
import type { Catalog } from '../scenario/catalog/catalog.ts';
import type { ShopperEvent } from '../scenario/shoppers/population.ts';
import type { SessionAnalytics, TopShade } from '../wire.ts';

/** How a target's analytics count, where the interface leaves it open. */
export interface Conventions {
  readonly shadesPerSession: 'distinct' | 'selections';
  readonly sessionsAveraged: 'all' | 'with-shades';
  /** Length of `top_shades`, at most. */
  readonly topShades: number;
  readonly decimals: number;
}

/** An answer of GET /analytics/sessions; its period is known from where it stands. */
export type AnalyticsNumbers = Omit<SessionAnalytics, 'period'>;

/** A product's shades, and where each stands among them. */
interface CountedLine {
  readonly productId: string;
  readonly skus: readonly string[];
  readonly places: ReadonlyMap<string, number>;
}

/** What is counted of one product's sessions of one day. */
class Tally {
  readonly line: CountedLine;
  /** By place in the line. */
  readonly selections: Float64Array;
  sessions = 0;
  sessionsWithShades = 0;
  sessionsWithIntent = 0;
  /** Distinct shades of each session, summed. */
  distinctShades = 0;

  constructor(line: CountedLine) {
    this.line = line;
    this.selections = new Float64Array(line.skus.length);
  }
}

/** An open session of an account: counts what is done in it towards the day of its creation. */
export class CountedSession {
  readonly #tally: Tally;
  /** Places of the selected shades: some dozens at most. */
  readonly #seen: number[] = [];
  #intends = false;

  constructor(tally: Tally) {
    this.#tally = tally;
    tally.sessions++;
  }

  count({ sku, type }: ShopperEvent): void {
    const tally = this.#tally;
    if (type === 'cart_intent') {
      if (!this.#intends) tally.sessionsWithIntent++;
      this.#intends = true;
      return;
    }
    const place = tally.line.places.get(sku);
    if (place === undefined) throw new Error(`product ${tally.line.productId} has no shade ${sku}`);
    tally.selections[place] = (tally.selections[place] ?? 0) + 1;
    if (this.#seen.includes(place)) return;
    if (this.#seen.length === 0) tally.sessionsWithShades++;
    tally.distinctShades++;
    this.#seen.push(place);
  }
}

/** What the analytics of one account would answer. It grows with days and products, not with sessions. */
export class SimulatedAnalytics {
  readonly #conventions: Conventions;
  readonly #lines: ReadonlyMap<string, CountedLine>;
  /** By day, then by product. */
  readonly #tallies: Map<string, Tally>[];

  constructor(catalog: Catalog, days: number, conventions: Conventions) {
    this.#conventions = conventions;
    this.#lines = new Map(
      catalog.products.map(({ id, shades }) => {
        const skus = shades.map(({ sku }) => sku);
        return [id, { productId: id, skus, places: new Map(skus.map((sku, place) => [sku, place])) }];
      }),
    );
    this.#tallies = Array.from({ length: days }, () => new Map());
  }

  /** A session created on a day, counted from 0. Throws for a product or a day that there is not. */
  open(day: number, productId: string): CountedSession {
    const tallies = this.#tallies[day];
    let tally = tallies?.get(productId);
    if (tally === undefined) {
      const line = this.#lines.get(productId);
      if (tallies === undefined || line === undefined)
        throw new RangeError(
          `expected a day and a product of the catalog, got ${number(day)} and ${productId}`,
        );
      tally = new Tally(line);
      tallies.set(productId, tally);
    }
    return new CountedSession(tally);
  }

  ofDay(day: number): AnalyticsNumbers {
    return numbersOf([...(this.#tallies[day]?.values() ?? [])], this.#conventions);
  }

  ofProduct(productId: string): AnalyticsNumbers {
    const tallies = this.#tallies.flatMap((products) => products.get(productId) ?? []);
    return numbersOf(tallies, this.#conventions);
  }

  ofAll(): AnalyticsNumbers {
    const tallies = this.#tallies.flatMap((products) => [...products.values()]);
    return numbersOf(tallies, this.#conventions);
  }
}

function numbersOf(tallies: readonly Tally[], conventions: Conventions): AnalyticsNumbers {
  const { decimals, sessionsAveraged, shadesPerSession, topShades } = conventions;
  const sum = (select: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + select(tally), 0);
  const selections = selectionsBySku(tallies);
  const sessions = sum((tally) => tally.sessions);
  const shades =
    shadesPerSession === 'distinct'
      ? sum((tally) => tally.distinctShades)
      : selections.reduce((total, each) => total + each.selections, 0);
  const averagedOver = sessionsAveraged === 'all' ? sessions : sum((tally) => tally.sessionsWithShades);
  const ratio = (part: number, whole: number): number =>
    whole === 0 ? 0 : Number((part / whole).toFixed(decimals));
  return {
    total_sessions: sessions,
    avg_shades_per_session: ratio(shades, averagedOver),
    cart_intent_rate: ratio(
      sum((tally) => tally.sessionsWithIntent),
      sessions,
    ),
    top_shades: selections
      .toSorted((a, b) => b.selections - a.selections || (a.sku < b.sku ? -1 : 1))
      .slice(0, topShades),
  };
}

/** Every SKU that was selected, with how often. */
function selectionsBySku(tallies: readonly Tally[]): TopShade[] {
  const bySku = new Map<string, number>();
  for (const { line, selections } of tallies) {
    for (const [place, count] of selections.entries()) {
      const sku = line.skus[place] ?? '';
      if (count > 0) bySku.set(sku, (bySku.get(sku) ?? 0) + count);
    }
  }
  return [...bySku].map(([sku, count]) => ({ sku, selections: count }));
}
