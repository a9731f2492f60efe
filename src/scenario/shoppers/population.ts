import { type Random, randomStream } from '../../random.ts';
import type { InteractionType } from '../../wire.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CornerCatalog } from '../catalog/unusual-shades.ts';
import { gatherCrowd, lognormal } from './crowd.ts';
import {
  createPicker,
  createUrn,
  elementAt,
  type Line,
  type Picker,
  stockShelf,
  type Urn,
} from './popularity.ts';
import { type ShopperSettingsInput, shopperSettingsSchema } from './settings.ts';

/** One event of a shopper in the SDK, `afterMs` after the event or step before it. */
export interface ShopperEvent {
  readonly type: InteractionType;
  readonly sku: string;
}

/** One request of a journey. `afterMs`: think time since the intended instant of the step before (0 for the first). */
export type JourneyStep =
  | { readonly kind: 'list-shades'; readonly afterMs: number }
  | { readonly kind: 'create-session'; readonly afterMs: number }
  | { readonly kind: 'interact'; readonly afterMs: number; readonly events: readonly ShopperEvent[] }
  | { readonly kind: 'read-session'; readonly afterMs: number };

/** With what one shopper comes. */
export interface Errand {
  /** Index into the catalog's products. */
  readonly product: number;
  /** Language tag ll-CC. */
  readonly locale: string;
  /** The shopper leaves when an answer takes longer than this. */
  readonly patienceMs: number;
}

/** All that one shopper will do, a function of (seed, k) and the catalog alone. */
export interface Journey extends Errand {
  /** k: the shopper's number. */
  readonly shopper: number;
  readonly persona: string;
  readonly steps: readonly JourneyStep[];
}

interface PopulationOptions {
  readonly seed: number;
  readonly catalog: Catalog;
  /** Missing settings have their defaults. */
  readonly settings?: ShopperSettingsInput;
}

/** All the shoppers there could be, numbered from 0. */
export interface Population {
  /**
   * Shopper k's journey: a function of (seed, k), the catalog and the settings, independent of other calls. Throws a
   * `RangeError` unless k is a whole number from 0.
   */
  journey(k: number): Journey;
  /** Shopper k's first choices, at a fraction of the cost of the whole journey. Throws the same. */
  errand(k: number): Errand;
}

/**
 * Throws a `ZodError` for malformed settings, and a `RangeError` for a catalog without products or with a product
 * without shades. A journey costs a few microseconds: all tables are made here.
 */
export function createPopulation({ seed, catalog, settings: input = {} }: PopulationOptions): Population {
  const settings = shopperSettingsSchema.parse(input);
  const shelf = stockShelf(seed, catalog, settings);
  const crowd = gatherCrowd(settings, shelf);
  const locales = Object.keys(settings.locales);
  const localePicker = createPicker(Object.values(settings.locales));
  const requestSizes = createPicker(settings.actsPerRequest);
  const patience = lognormal(settings.patienceMedian, settings.patienceSigma);
  const pageDelay = lognormal(settings.pageMedian * settings.thinkTime, settings.thinkSigma);
  // Shared by all journeys, which is safe since each is made in one go.
  const urn = createUrn(Math.max(...shelf.lines.map(({ skus }) => skus.length)));

  const streamOf = (k: number): Random => {
    if (!Number.isSafeInteger(k) || k < 0)
      throw new RangeError(`expected a shopper's number from 0, got ${k}`);
    return randomStream(seed, 'shopper', k);
  };
  const errandOf = (random: Random): Errand => ({
    product: shelf.products.pick(random()),
    locale: elementAt(locales, localePicker.pick(random())),
    patienceMs: Math.round(patience(random())),
  });

  return {
    errand(k) {
      const random = streamOf(k);
      // The first number says who it is.
      random();
      return errandOf(random);
    },
    journey(k) {
      const random = streamOf(k);
      const temper = elementAt(crowd.tempers, crowd.picker.pick(random()));
      const { locale, patienceMs, product } = errandOf(random);
      const steps: JourneyStep[] = [];
      const lists = random() < settings.listShades;
      if (lists) steps.push({ kind: 'list-shades', afterMs: 0 });
      steps.push({ kind: 'create-session', afterMs: lists ? Math.round(pageDelay(random())) : 0 });
      if (random() >= temper.bounce) {
        const line = elementAt(shelf.lines, product);
        const tried = Math.min(temper.shades(random()), line.skus.length);
        const events = tryShades(line, { tried, reselect: temper.reselect }, urn, random);
        const intends = random() < temper.cart(tried);
        if (intends) events.push(...cartEvents(events, settings.cartIntent.again, random));
        steps.push(...interactSteps(events, temper.think, requestSizes, random));
        if (intends && random() < settings.readBack) {
          steps.push({ kind: 'read-session', afterMs: Math.round(pageDelay(random())) });
        }
      }
      return { shopper: k, persona: temper.persona, product, locale, patienceMs, steps };
    },
  };
}

/** Selections of `tried` different shades, popular ones likelier; `reselect`: the odds of a return to an earlier one. */
export function tryShades(
  line: Line,
  { reselect, tried }: { readonly tried: number; readonly reselect: number },
  urn: Urn,
  random: Random,
): ShopperEvent[] {
  urn.refill(line.weights);
  const events: ShopperEvent[] = [];
  const seen: ShopperEvent[] = [];
  while (seen.length < tried) {
    const event: ShopperEvent = { type: 'shade_selected', sku: elementAt(line.skus, urn.take(random())) };
    let current = seen.push(event) - 1;
    events.push(event);
    while (random() < reselect) {
      if (seen.length > 1) {
        // Any shade but the one on the face. A shopper who has seen only one can but select that again.
        const other = Math.floor(random() * (seen.length - 1));
        current = other < current ? other : other + 1;
      }
      events.push(elementAt(seen, current));
    }
  }
  return events;
}

/** Cart intent for the shade on the face or any that was selected; with probability `again` another one follows. */
export function cartEvents(
  selections: readonly ShopperEvent[],
  again: number,
  random: Random,
): ShopperEvent[] {
  const last = selections.length - 1;
  const anySelection = (): number => Math.floor(random() * selections.length);
  const chosen = [random() < 0.6 ? last : anySelection()];
  if (random() < again) chosen.push(anySelection());
  return chosen.map((index) => ({ type: 'cart_intent', sku: elementAt(selections, index).sku }));
}

/**
 * Requests that carry these events, one to three each, like an SDK that batches. A request leaves at its last event,
 * so all its think times come before it.
 */
export function interactSteps(
  events: readonly ShopperEvent[],
  think: (u: number) => number,
  sizes: Picker,
  random: Random,
): JourneyStep[] {
  const steps: JourneyStep[] = [];
  let from = 0;
  while (from < events.length) {
    const batch = events.slice(from, from + 1 + sizes.pick(random()));
    let afterMs = 0;
    for (let event = 0; event < batch.length; event++) afterMs += think(random());
    steps.push({ kind: 'interact', afterMs: Math.round(afterMs), events: batch });
    from += batch.length;
  }
  return steps;
}

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
