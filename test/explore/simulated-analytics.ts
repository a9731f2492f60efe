import type { ExpectedAnalytics } from '../../src/model/expected.ts';
import type { Freedoms } from '../../src/model/freedoms.ts';
import type { SimulatedService } from './conventions.ts';

/** The means and the top shades that a service with such conventions answers. */
export function simulatedAnalytics(
  { means = [], shades = new Map() }: Partial<ExpectedAnalytics>,
  { decimals, topShades }: SimulatedService,
  free: Freedoms,
): object {
  const values = means.map(({ field, ways }) => {
    const own = ways.find(({ given }) => free.allowAll(given))?.range[1] ?? 0;
    return [field, Number(own.toFixed(decimals))] as const;
  });
  const top = [...shades]
    .map(([sku, [, selections]]) => ({ sku, selections }))
    .filter(({ selections }) => selections > 0)
    .toSorted((a, b) => b.selections - a.selections);
  return { ...Object.fromEntries(values), top_shades: top.slice(0, topShades) };
}
