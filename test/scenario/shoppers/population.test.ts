import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/scenario/catalog/catalog.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';
import {
  createPopulation,
  type Journey,
  type ShopperEvent,
} from '../../../src/scenario/shoppers/population.ts';
import type { ShopperSettingsInput } from '../../../src/scenario/shoppers/settings.ts';

const catalog = generateCatalog({ seed: 1, tag: 't', products: 12 });
/** Lines that hold as many shades as anybody wants to try, so that nothing but the settings limits the number. */
const roomy: Catalog = {
  id: 'roomy',
  locale: 'en-GB',
  products: Array.from({ length: 5 }, (_, product) => ({
    id: `P${product}`,
    kind: 'nail-polish',
    brand: 'Wren',
    name: `Line ${product}`,
    shades: Array.from({ length: 80 }, (__, shade) => ({
      sku: `P${product}-${shade}`,
      name: `Shade ${shade}`,
      hex: '#102030',
      finish: 'matte',
    })),
  })),
};

const events = (journey: Journey): ShopperEvent[] =>
  journey.steps.flatMap((step) => (step.kind === 'interact' ? step.events : []));
const selections = (journey: Journey): string[] =>
  events(journey).flatMap(({ type, sku }) => (type === 'shade_selected' ? [sku] : []));
const distinct = (journey: Journey): number => new Set(selections(journey)).size;
const intends = (journey: Journey): boolean => events(journey).some(({ type }) => type === 'cart_intent');
const kinds = (journey: Journey): string[] => journey.steps.map(({ kind }) => kind);

function crowd(count: number, settings: ShopperSettingsInput = {}, from: Catalog = roomy): Journey[] {
  const population = createPopulation({ seed: 2024, catalog: from, settings });
  return Array.from({ length: count }, (_, k) => population.journey(k));
}

const share = (journeys: readonly Journey[], holds: (journey: Journey) => boolean): number =>
  journeys.filter(holds).length / journeys.length;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

describe('a journey', () => {
  const shopper = fc.oneof(fc.nat(1_000), fc.maxSafeNat());
  const population = createPopulation({ seed: 7, catalog });

  it('begins with the errand that can be had without it', () => {
    fc.assert(
      fc.property(shopper, (k) => {
        expect(population.journey(k)).toMatchObject(population.errand(k));
      }),
    );
  });

  it('depends on seed and number alone, in whatever order journeys are asked for', () => {
    fc.assert(
      fc.property(shopper, fc.array(shopper, { maxLength: 5 }), (k, others) => {
        const fresh = createPopulation({ seed: 7, catalog });
        for (const other of others) fresh.journey(other);
        expect(fresh.journey(k)).toEqual(population.journey(k));
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('is another one under another seed', () => {
    const other = createPopulation({ seed: 8, catalog });
    const same = Array.from({ length: 200 }, (_, k) => k).filter(
      (k) => JSON.stringify(other.journey(k)) === JSON.stringify(population.journey(k)),
    );
    expect(same.length).toBeLessThan(5);
  });

  it('opens one session, sends events on shades of its product, and only then reads back', () => {
    fc.assert(
      fc.property(shopper, (k) => {
        const journey = population.journey(k);
        expect(journey.shopper).toBe(k);
        expect(kinds(journey).join(' ')).toMatch(
          /^(list-shades )?create-session( interact)*( read-session)?$/,
        );
        expect(journey.locale).toMatch(/^[a-z]{2}-[A-Z]{2}$/);
        expect(journey.patienceMs).toBeGreaterThan(0);
        expect(journey.steps[0]?.afterMs).toBe(0);
        for (const { afterMs } of journey.steps) expect(Number.isInteger(afterMs) && afterMs >= 0).toBe(true);
        const skus = catalog.products[journey.product]?.shades.map(({ sku }) => sku);
        for (const { sku } of events(journey)) expect(skus).toContain(sku);
        for (const step of journey.steps) {
          if (step.kind === 'interact') expect([1, 2, 3]).toContain(step.events.length);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('puts only shades into the cart that were tried, after trying them', () => {
    for (const journey of crowd(2_000).filter(intends)) {
      const types = events(journey).map(({ type }) => type);
      expect(types.lastIndexOf('shade_selected')).toBeLessThan(types.indexOf('cart_intent'));
      const inCart = events(journey).flatMap(({ type, sku }) => (type === 'cart_intent' ? [sku] : []));
      for (const sku of inCart) expect(selections(journey)).toContain(sku);
    }
  });

  it('returns to another shade than the one on the face, once there is another', () => {
    for (const journey of crowd(2_000, { reselect: 0.6 })) {
      const skus = selections(journey);
      const again = skus.findIndex((sku, index) => sku === skus[index - 1] && sku !== skus[0]);
      expect(again).toBe(-1);
    }
  });

  it('tries every shade of a line that is shorter than its wishes', () => {
    const eager = {
      shadesTried: { median: 500, mean: 500, cap: 1_000 },
      bounce: 0,
      cartIntent: { rate: 0.1 },
    };
    expect(new Set(crowd(20, eager).map(distinct))).toEqual(new Set([80]));
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('cannot be that of shopper %d', (k) => {
    expect(() => population.journey(k)).toThrow(RangeError);
  });
});

describe('20,000 shoppers', () => {
  const shoppers = crowd(20_000);
  const stayed = shoppers.filter((journey) => distinct(journey) > 0);

  // Standard errors: 0.003 of a share, 0.07 of the mean number of shades.
  it('bounce in 25 % of sessions', () =>
    expect(Math.abs(1 - stayed.length / shoppers.length - 0.25)).toBeLessThan(0.012));
  it('try 5 shades at the median', () => expect(median(stayed.map(distinct))).toBe(5));
  it('try about 8 shades on average', () =>
    expect(Math.abs(mean(stayed.map(distinct)) - 8)).toBeLessThan(0.5));
  it('never try more than 60', () => expect(Math.max(...stayed.map(distinct))).toBeLessThanOrEqual(60));
  it('show cart intent in 13 % of sessions', () =>
    expect(Math.abs(share(shoppers, intends) - 0.13)).toBeLessThan(0.01));

  it('show cart intent the more often the more shades they tried', () => {
    const few = stayed.filter((journey) => distinct(journey) <= 3);
    const some = stayed.filter((journey) => distinct(journey) > 3 && distinct(journey) <= 9);
    const many = stayed.filter((journey) => distinct(journey) > 9);
    expect(share(some, intends)).toBeGreaterThan(share(few, intends) + 0.02);
    expect(share(many, intends)).toBeGreaterThan(share(some, intends) + 0.02);
  });

  it('select shades again, so that selections outnumber shades by a quarter', () => {
    const ratio = mean(stayed.map((journey) => selections(journey).length)) / mean(stayed.map(distinct));
    // Chains of returns that each continue with probability 0.2 have 0.2 / 0.8 = 0.25 links on average; explorers,
    // who try the most shades, return less.
    expect(ratio).toBeGreaterThan(1.18);
    expect(ratio).toBeLessThan(1.32);
  });

  it('sometimes show cart intent twice, so that intents outnumber sessions with one', () => {
    const carts = shoppers.filter(intends);
    const twice = share(
      carts,
      (journey) => events(journey).filter(({ type }) => type === 'cart_intent').length === 2,
    );
    expect(Math.abs(twice - 0.15)).toBeLessThan(0.03);
  });

  it('list shades in 30 % of visits, and read back after half of the cart intents', () => {
    expect(Math.abs(share(shoppers, (journey) => kinds(journey).includes('list-shades')) - 0.3)).toBeLessThan(
      0.012,
    );
    const readBack = shoppers.filter((journey) => kinds(journey).includes('read-session'));
    expect(readBack.every(intends)).toBe(true);
    expect(Math.abs(readBack.length / shoppers.filter(intends).length - 0.5)).toBeLessThan(0.04);
  });

  it('wait 8 s for an answer at the median', () =>
    expect(Math.abs(median(shoppers.map(({ patienceMs }) => patienceMs)) / 8_000 - 1)).toBeLessThan(0.03));

  it('choose products by Zipf: the second half as often as the first, the third a third as often', () => {
    const visits = roomy.products.map(
      (_, product) => shoppers.filter((each) => each.product === product).length,
    );
    const [first = 0, second = 0, third = 0] = visits.toSorted((one, other) => other - one);
    expect(Math.abs(second / first - 1 / 2)).toBeLessThan(0.03);
    expect(Math.abs(third / first - 1 / 3)).toBeLessThan(0.03);
  });

  it('are of every persona, in proportion to the weights', () => {
    expect(Math.abs(share(shoppers, ({ persona }) => persona === 'browser') - 0.42)).toBeLessThan(0.015);
    expect(new Set(shoppers.map(({ persona }) => persona))).toEqual(
      new Set(['browser', 'explorer', 'comparer', 'decided', 'returning']),
    );
  });
});

describe('settings', () => {
  it.each([0.7, 1, 1.2])(
    'Zipf exponent %d makes the first shade tried so much likelier than the second',
    (exponent) => {
      const first = new Map<string, number>();
      for (const journey of crowd(20_000, { shadeZipf: exponent, productZipf: 0 })) {
        const [sku] = selections(journey);
        if (sku !== undefined && journey.product === 0) first.set(sku, (first.get(sku) ?? 0) + 1);
      }
      const [most = 0, next = 0] = [...first.values()].toSorted((one, other) => other - one);
      // Standard error near 0.04, from some 3,000 first tries.
      expect(Math.abs(most / next - 2 ** exponent)).toBeLessThan(0.35);
    },
  );

  it.each([0, 0.05, 0.5, 1])('a bounce of %d is met whatever the personas', (bounce) => {
    const journeys = crowd(5_000, { bounce, cartIntent: { rate: 0 } });
    expect(Math.abs(share(journeys, (journey) => distinct(journey) === 0) - bounce)).toBeLessThan(0.025);
    expect(share(journeys, intends)).toBe(0);
  });

  it.each([0.03, 0.16, 0.6])(
    'a cart rate of %d is met in a real catalog too, with its short lines',
    (rate) => {
      const journeys = crowd(20_000, { cartIntent: { rate } }, catalog);
      expect(Math.abs(share(journeys, intends) - rate)).toBeLessThan(0.012);
    },
  );

  it('thinkTime compresses the time between steps and nothing else', () => {
    const settings = { pageMedian: 1_000 };
    const usual = crowd(300, settings);
    const quick = crowd(300, { ...settings, thinkTime: 0.01 });
    const bare = (journey: Journey) => ({
      ...journey,
      steps: journey.steps.map((step) => ({ ...step, afterMs: 0 })),
    });
    expect(quick.map(bare)).toEqual(usual.map(bare));
    const duration = (journeys: readonly Journey[]): number =>
      mean(journeys.map(({ steps }) => steps.reduce((sum, { afterMs }) => sum + afterMs, 0)));
    expect(duration(quick) / duration(usual)).toBeCloseTo(0.01, 3);
  });

  it('thinkMedian is the median time before an event', () => {
    const journeys = crowd(3_000, {
      thinkMedian: '4s',
      actsPerRequest: [1, 0, 0],
      personas: { plain: { weight: 1 } },
    });
    const times = journeys.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'interact' ? [step.afterMs] : [])),
    );
    expect(Math.abs(median(times) / 4_000 - 1)).toBeLessThan(0.03);
  });
});

describe('a population', () => {
  it('needs products, and shades in each', () => {
    expect(() =>
      createPopulation({ seed: 1, catalog: { id: 'none', products: [], locale: 'en-GB' } }),
    ).toThrow('has no products');
    const bare = { ...roomy, products: roomy.products.map((product) => ({ ...product, shades: [] })) };
    expect(() => createPopulation({ seed: 1, catalog: bare })).toThrow('product P0 has no shades');
  });
});
