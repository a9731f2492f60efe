import type { SessionValues, TakenValues } from '../corners/taken.ts';
import type { JourneyStep, ShopperEvent } from './journey.ts';

/** One shopper in this many uses unusual values. A prime, so that they are in all lanes and with all workers. Ours. */
export const unusualOneIn = 7;

/** Steps between the SKUs with which two of these shoppers begin. */
const skuStride = 5;

/** What a session is opened with, and the catalog. */
export interface CatalogOpening extends SessionValues {
  readonly catalogId: string;
}

/** The number of a shopper among those who use unusual values, from 0; undefined for the others. */
export function unusualPlace(shopper: number): number | undefined {
  return shopper % unusualOneIn === unusualOneIn - 1 ? Math.floor(shopper / unusualOneIn) : undefined;
}

/** The opening of a session with unusual values in place of usual ones, as far as the target took any. */
export function unusualOpening(
  { catalog, openings }: TakenValues,
  place: number,
  usual: CatalogOpening,
): CatalogOpening {
  const { locale, productId } = openings[place % openings.length] ?? usual;
  return { productId, locale, catalogId: catalog?.id ?? usual.catalogId };
}

/**
 * The same steps with unusual SKUs, each in place of another one as long as there are enough. Every second of these shoppers
 * shows cart intent before anything is selected. Requests, their instants and their sizes stay as they are.
 */
export function unusualSteps(
  steps: readonly JourneyStep[],
  { catalog }: TakenValues,
  place: number,
): readonly JourneyStep[] {
  const known = new Map<string, string>();
  const skuFor = (sku: string): string => {
    if (catalog === undefined) return sku;
    const taken =
      known.get(sku) ?? catalog.skus[(place * skuStride + known.size) % catalog.skus.length] ?? sku;
    known.set(sku, taken);
    return taken;
  };
  const events = steps
    .flatMap((step) => (step.kind === 'interact' ? step.events : []))
    .map(({ sku, type }): ShopperEvent => ({ type, sku: skuFor(sku) }));
  const ordered = place % 2 === 0 ? events : cartFirst(events);
  let from = 0;
  return steps.map((step) => {
    if (step.kind !== 'interact') return step;
    const batch = ordered.slice(from, from + step.events.length);
    from += batch.length;
    return { ...step, events: batch };
  });
}

function cartFirst(events: readonly ShopperEvent[]): readonly ShopperEvent[] {
  return [
    ...events.filter(({ type }) => type === 'cart_intent'),
    ...events.filter(({ type }) => type !== 'cart_intent'),
  ];
}
