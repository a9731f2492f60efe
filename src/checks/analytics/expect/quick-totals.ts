import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { credentials } from '../../../vocabulary/requests.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { Frame } from '../conventions/conventions.ts';
import type { Period } from '../conventions/zones.ts';
import type { Facts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { type Cells, periodIn, rankIn } from './cells.ts';
import type { Spans } from './frames.ts';
import type { Cuts } from './summary.ts';

const totalRow = z.object({
  credential: z.number(),
  product_id: z.string().nullable(),
  certain: z.boolean(),
  from_cut: z.number(),
  to_cut: z.number(),
  n: z.number(),
});

/** How many sessions began before each cut, as far as is certain, and at most. */
interface Sums {
  readonly sureFrom: Float64Array;
  readonly sureTo: Float64Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Stands for who is of no account for certain. */
const anyone = 'anyone';

function addedUp(a: Sums, b: Sums): Sums {
  const sum = (one: Float64Array, other: Float64Array): Float64Array =>
    one.map((value, cut) => value + (other[cut] ?? 0));
  return {
    sureFrom: sum(a.sureFrom, b.sureFrom),
    sureTo: sum(a.sureTo, b.sureTo),
    from: sum(a.from, b.from),
    to: sum(a.to, b.to),
  };
}

/**
 * Quick bounds of total_sessions, for sorting out frames before they are evaluated in full: how many sessions began
 * before each cut, by whom and for which product. Too wide at most, never too narrow.
 */
export class QuickTotals {
  readonly #cuts: Cuts;
  readonly #spans: Spans;
  /** By credential and product. */
  readonly #sums = new Map<string, Map<string, Sums>>();
  readonly #together = new WeakMap<readonly Role[], Map<string, Sums | undefined>>();
  readonly #ranks = new WeakMap<Period, readonly [start: number, low: number, high: number]>();

  private constructor(cuts: Cuts, spans: Spans) {
    this.#cuts = cuts;
    this.#spans = spans;
  }

  static async of(
    history: History,
    { loose, products, solid }: Cells & Pick<Facts, 'products'>,
    cuts: Cuts,
    spans: Spans,
  ): Promise<QuickTotals> {
    const totals = new QuickTotals(cuts, spans);
    const rows = await history.rows(
      totalRow,
      `SELECT credential, product_id, certain, from_cut, to_cut, n FROM (
         SELECT credential, product, true AS certain, cut AS from_cut, cut AS to_cut, n FROM ${solid}
         UNION ALL SELECT credential, product, certain, from_cut, to_cut, sum(n) FROM ${loose} GROUP BY ALL
       ) LEFT JOIN ${products} USING (product)`,
    );
    for (const row of rows) {
      const credential = credentials[row.credential];
      // A bad key's session may be counted in any account.
      const owner = roles.find((role) => role === credential) ?? anyone;
      for (const product of [row.product_id, '*']) if (product !== null) totals.#add(owner, product, row);
    }
    for (const sums of [...totals.#sums.values()].flatMap((ofCredential) => [...ofCredential.values()]))
      for (const each of Object.values(sums))
        for (let i = 1; i < each.length; i++) each[i] = (each[i] ?? 0) + (each[i - 1] ?? 0);
    return totals;
  }

  #add(
    owner: string,
    product: string,
    { certain, from_cut: from, to_cut: to, n }: z.output<typeof totalRow>,
  ): void {
    const ofOwner = this.#sums.get(owner) ?? new Map<string, Sums>();
    this.#sums.set(owner, ofOwner);
    const blank = (): Float64Array => new Float64Array(this.#cuts.instants.length + 2);
    const sums = ofOwner.get(product) ?? { sureFrom: blank(), sureTo: blank(), from: blank(), to: blank() };
    ofOwner.set(product, sums);
    const add = (array: Float64Array, cut: number): void => {
      array[cut + 1] = (array[cut + 1] ?? 0) + n;
    };
    add(sums.from, from);
    add(sums.to, to);
    if (!certain) return;
    add(sums.sureFrom, from);
    add(sums.sureTo, to);
  }

  /** How many cuts lie at or before the ends of a period, which is one of few that many questions are about. */
  #ranksOf(period: Period): readonly [start: number, low: number, high: number] {
    let ranks = this.#ranks.get(period);
    if (ranks === undefined) {
      const rank = (atMs: number): number => rankIn(this.#cuts, atMs);
      ranks = [rank(period.startMs), rank(period.endLowMs), rank(period.endHighMs)];
      this.#ranks.set(period, ranks);
    }
    return ranks;
  }

  /** The sums of an account, whichever of its keys created the sessions, added up at the first request. */
  #sumsOf(keys: readonly Role[], product: string): Sums | undefined {
    const together = this.#together.get(keys) ?? new Map<string, Sums | undefined>();
    this.#together.set(keys, together);
    if (!together.has(product)) {
      const parts = [...keys, anyone].flatMap((key) => this.#sums.get(key)?.get(product) ?? []);
      together.set(product, parts.length > 1 ? parts.reduce(addedUp) : parts[0]);
    }
    return together.get(product);
  }

  /** At least and at most how many sessions of the run a query counts; `moved`: for how many that turns on what dates them. */
  bounds(frame: Frame, query: Query): (Bounds & { readonly moved: number }) | undefined {
    const period = periodIn(frame, query);
    if (period === undefined) return undefined;
    const sums = this.#sumsOf(frame.account.of[query.credential], query.productId ?? '*');
    if (sums === undefined) return { min: 0, max: 0, moved: 0 };
    const [start, low, high] = this.#ranksOf(period);
    const at = (array: Float64Array, cut = 0): number => array[cut] ?? 0;
    const moved =
      frame.day === 'creation'
        ? 0
        : this.#spans.straddling(period.startMs) + this.#spans.straddling(period.endHighMs);
    return {
      min: Math.max(0, at(sums.sureTo, low) - at(sums.sureFrom, start) - moved),
      max: at(sums.from, high) - at(sums.to, start) + moved,
      moved,
    };
  }
}
