import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { credentials } from '../../history/record.ts';
import type { Frame } from './conventions.ts';
import { type Cuts, periodIn, rankIn } from './cuts.ts';
import type { Bounds } from './expectation.ts';
import type { Spans } from './frames.ts';
import type { Query } from './questions.ts';

const totalRow = z.object({
  credential: z.number(),
  product_id: z.string().nullable(),
  certain: z.boolean(),
  from_cut: z.number(),
  to_cut: z.number(),
  n: z.number(),
});

/**
 * Quick bounds of total_sessions, for sorting out frames before they are evaluated in full: how many sessions began
 * before each cut, by whom and for which product. Too wide at most, never too narrow.
 */
export class QuickTotals {
  readonly #cuts: Cuts;
  readonly #spans: Spans;
  readonly #sums = new Map<
    string,
    {
      readonly sureFrom: Float64Array;
      readonly sureTo: Float64Array;
      readonly from: Float64Array;
      readonly to: Float64Array;
    }
  >();

  private constructor(cuts: Cuts, spans: Spans) {
    this.#cuts = cuts;
    this.#spans = spans;
  }

  static async of(history: History, cuts: Cuts, spans: Spans): Promise<QuickTotals> {
    const totals = new QuickTotals(cuts, spans);
    const rows = await history.rows(
      totalRow,
      `SELECT credential, product_id, certain, from_cut, to_cut, n FROM (
         SELECT credential, product, true AS certain, cut AS from_cut, cut AS to_cut, n FROM analytics_solid
         UNION ALL SELECT credential, product, certain, from_cut, to_cut, sum(n) FROM analytics_loose GROUP BY ALL
       ) LEFT JOIN analytics_product USING (product)`,
    );
    for (const row of rows) {
      const credential = credentials[row.credential];
      const keyed =
        credential === 'session' || credential === 'bad' || credential === 'none' ? undefined : credential;
      const owners = keyed === undefined ? credentials : [keyed];
      for (const owner of [...owners, '*'])
        for (const product of [row.product_id, '*']) if (product !== null) totals.#add(owner, product, row);
    }
    for (const sums of totals.#sums.values())
      for (const each of Object.values(sums))
        for (let i = 1; i < each.length; i++) each[i] = (each[i] ?? 0) + (each[i - 1] ?? 0);
    return totals;
  }

  #add(
    owner: string,
    product: string,
    { certain, from_cut: from, to_cut: to, n }: z.output<typeof totalRow>,
  ): void {
    const key = `${owner} ${product}`;
    const blank = (): Float64Array => new Float64Array(this.#cuts.instants.length + 2);
    const sums = this.#sums.get(key) ?? { sureFrom: blank(), sureTo: blank(), from: blank(), to: blank() };
    this.#sums.set(key, sums);
    const add = (array: Float64Array, cut: number): void => {
      array[cut + 1] = (array[cut + 1] ?? 0) + n;
    };
    add(sums.from, from);
    add(sums.to, to);
    if (!certain) return;
    add(sums.sureFrom, from);
    add(sums.sureTo, to);
  }

  /** At least and at most how many sessions of the run a query counts; `moved`: for how many that turns on what dates them. */
  bounds(frame: Frame, query: Query): (Bounds & { readonly moved: number }) | undefined {
    const period = periodIn(frame, query);
    if (period === undefined) return undefined;
    const sums = this.#sums.get(
      `${frame.account === 'own' ? query.credential : '*'} ${query.productId ?? '*'}`,
    );
    if (sums === undefined) return { min: 0, max: 0, moved: 0 };
    const [start, low, high] = [period.startMs, period.endLowMs, period.endHighMs].map((atMs) =>
      rankIn(this.#cuts, atMs),
    );
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
