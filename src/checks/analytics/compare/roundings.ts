import type { Rounding } from '../../../vocabulary/analytics.ts';
import type { Expectation } from '../expect/expectation.ts';
import type { Returned } from '../record/questions.ts';
import type { Preconditions } from './fit.ts';
import type { Choice } from './search.ts';

/** Conventions that show in the answers themselves, once it is known what they are about: rounding, and the order of ties. */

/** One judged answer with what it has to be. */
export interface JudgedAnswer {
  readonly returned: Returned;
  readonly expectation: Expectation;
  readonly around: Preconditions;
}

/** How many decimals a number is written with; 16 where that is as many as a double has. */
export function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const shown = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent);
  return Math.min(16, Math.max(0, shown));
}

/** The roundings that fit every mean that came back, simplest first; empty where none does. */
export function roundingsOf(judged: readonly JudgedAnswer[], { average, rate }: Choice): Rounding[] {
  const seen = judged.flatMap(({ returned, expectation }) =>
    [
      { value: returned.avgShadesPerSession, bounds: expectation.means[average] },
      { value: returned.cartIntentRate, bounds: expectation.means[rate] },
    ].flatMap(({ value, bounds }) => (value === null || bounds === null ? [] : [{ value, bounds }])),
  );
  if (seen.length === 0) return [];
  const decimals = Math.max(...seen.map(({ value }) => decimalsOf(value)));
  const unit = 10 ** -decimals;
  const fits = (below: number, above: number): boolean =>
    seen.every(({ value, bounds }) => {
      const slack = Math.max(1e-12, Math.abs(value) * 2 ** -48);
      return value >= bounds.min - below - slack && value <= bounds.max + above + slack;
    });
  return [
    ...(decimals < 12 && fits(unit / 2, unit / 2) ? [{ decimals, how: 'nearest' } as const] : []),
    ...(decimals < 12 && fits(unit, 0) ? [{ decimals, how: 'cut' } as const] : []),
    ...(fits(0, 0) ? [{ decimals: null, how: 'nearest' } as const] : []),
  ];
}

const tieOrders = ['sku', 'sku-descending', 'other'] as const;

/** The orders of equally selected shades that fit every list; more than one where no tie shows which. */
export function tieOrdersOf(
  judged: readonly JudgedAnswer[],
  length: number | undefined,
): (typeof tieOrders)[number][] {
  let ascending = true;
  let descending = true;
  const compare = (before: string, after: string): void => {
    if (before < after) descending = false;
    else ascending = false;
  };
  for (const { returned, expectation, around } of judged) {
    const list = returned.topShades ?? [];
    list.forEach((shade, place) => {
      const next = list[place + 1];
      if (next !== undefined && next.selections === shade.selections && next.sku !== shade.sku)
        compare(shade.sku, next.sku);
    });
    const last = list.at(-1);
    if (last === undefined || list.length !== length || around.population.kind === 'open' || !around.timely)
      continue;
    if (around.population.prior.sessions > 0) continue;
    // Where a tie is cut off by the end of the list, those listed come before those that are not.
    const listed = new Set(list.map(({ sku }) => sku));
    const cutOff = expectation.shades.filter(
      ({ sku, min, max }) => min === last.selections && max === last.selections && !listed.has(sku),
    );
    for (const shade of list)
      if (shade.selections === last.selections) for (const { sku } of cutOff) compare(shade.sku, sku);
  }
  const fitting = [
    ...(ascending ? (['sku'] as const) : []),
    ...(descending ? (['sku-descending'] as const) : []),
  ];
  return fitting.length > 0 ? fitting : ['other'];
}
