import type { CornerCatalog } from '../catalog/unusual-shades.ts';
import type { JourneyStep } from './population.ts';

/** One shopper in this many uses unusual shades. A prime, so that they are in all lanes and with all workers. Ours. */
export const unusualOneIn = 7;

/** Steps between the SKUs with which two of these shoppers begin. */
const skuStride = 5;

/** The number of a shopper among those who use unusual shades, from 0; undefined for the others. */
export function unusualPlace(shopper: number): number | undefined {
  return shopper % unusualOneIn === unusualOneIn - 1 ? Math.floor(shopper / unusualOneIn) : undefined;
}

/** The same steps with unusual SKUs, each in place of another one as long as there are enough. */
export function unusualSteps(
  steps: readonly JourneyStep[],
  { skus }: CornerCatalog,
  place: number,
): readonly JourneyStep[] {
  const known = new Map<string, string>();
  const skuFor = (sku: string): string => {
    const taken = known.get(sku) ?? skus[(place * skuStride + known.size) % skus.length] ?? sku;
    known.set(sku, taken);
    return taken;
  };
  return steps.map((step) =>
    step.kind === 'interact'
      ? { ...step, events: step.events.map((event) => ({ ...event, sku: skuFor(event.sku) })) }
      : step,
  );
}
