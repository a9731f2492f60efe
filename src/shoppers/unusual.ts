import type { SessionValues, TakenValues } from '../corners/taken.ts';
import type { InteractionType } from '../wire.ts';
import type { JourneyStep } from './population.ts';

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
 * The same steps with unusual SKUs, each in place of another one as long as there are enough. Every second of these shoppers shows
 * cart intent, if any, before anything is selected. Requests, their instants and their sizes stay as they are.
 */
export function unusualSteps(
  steps: readonly JourneyStep[],
  { cartFirst, catalog, openings }: TakenValues,
  place: number,
): readonly JourneyStep[] {
  const known = new Map<string, string>();
  const skuFor = (sku: string): string => {
    if (catalog === undefined) return sku;
    let taken = known.get(sku);
    if (taken === undefined) {
      taken = catalog.skus[(place * skuStride + known.size) % catalog.skus.length] ?? sku;
      known.set(sku, taken);
    }
    return taken;
  };
  // Each opening comes with both orders.
  const isFirst = cartFirst && ((place % openings.length) + Math.floor(place / openings.length)) % 2 === 1;
  const types = isFirst ? cartsFirst(steps) : undefined;
  let nth = 0;
  return steps.map((step) => {
    if (step.kind !== 'interact') return step;
    const events = step.events.map(({ sku, type }) => ({ type: types?.[nth++] ?? type, sku: skuFor(sku) }));
    return { kind: 'interact', afterMs: step.afterMs, events };
  });
}

/** The types of all events, cart intents first. */
function cartsFirst(steps: readonly JourneyStep[]): readonly InteractionType[] {
  const types = steps.flatMap((step) =>
    step.kind === 'interact' ? step.events.map(({ type }) => type) : [],
  );
  const isCart = (type: InteractionType): boolean => type === 'cart_intent';
  return [...types.filter(isCart), ...types.filter((type) => !isCart(type))];
}
