import type { Catalog } from '../catalog/catalog.ts';
import { type Random, randomStream } from '../random.ts';
import { gatherCrowd } from './crowd.ts';
import { elementAt } from './element.ts';
import type { Errand, Journey, JourneyStep } from './journey.ts';
import { lognormal } from './lognormal.ts';
import { createPicker, createUrn } from './popularity.ts';
import { type ShopperSettingsInput, shopperSettingsSchema } from './settings.ts';
import { stockShelf } from './shelf.ts';
import { cartEvents, interactSteps, tryShades } from './visit.ts';

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
