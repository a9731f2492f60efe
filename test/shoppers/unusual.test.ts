import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JourneyStep, ShopperEvent } from '../../src/shoppers/population.ts';
import { unusualOneIn, unusualOpening, unusualPlace, unusualSteps } from '../../src/shoppers/unusual.ts';

const openings = ['a', 'b', 'c'].map((productId) => ({ productId, locale: 'en-GB' }));
const catalog = { id: 'CATALOG', skus: ['007', 'null', 'ros\u00e9', 'x'.repeat(256), "o'q", '..', '-0'] };
const taken = { catalog, openings, cartFirst: true };
const usual = { productId: 'lipstick', catalogId: 'catalog', locale: 'fr-FR' };

const events = fc.array(
  fc.record({
    type: fc.constantFrom('shade_selected' as const, 'cart_intent' as const),
    sku: fc.constantFrom('s1', 's2', 's3', 's4'),
  }),
  { minLength: 1, maxLength: 3 },
);
const journeys = fc.array(
  fc.oneof(
    events.map((batch): JourneyStep => ({ kind: 'interact', afterMs: 7, events: batch })),
    fc.constantFrom<JourneyStep>(
      { kind: 'create-session', afterMs: 3 },
      { kind: 'read-session', afterMs: 5 },
    ),
  ),
  { maxLength: 8 },
);
const places = fc.nat({ max: 1_000 });

function eventsOf(steps: readonly JourneyStep[]): readonly ShopperEvent[] {
  return steps.flatMap((step) => (step.kind === 'interact' ? step.events : []));
}

describe('shoppers with unusual values', () => {
  it('are as many as they say, numbered in turn', () => {
    const found = Array.from({ length: 5 * unusualOneIn }, (_, shopper) => unusualPlace(shopper));
    expect(found.filter((place) => place !== undefined)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are in every lane: their number shares no divisor with that of the lanes', () => {
    const lanes = Array.from({ length: 48 * unusualOneIn }, (_, shopper) =>
      unusualPlace(shopper) === undefined ? undefined : shopper % 48,
    );
    expect(new Set(lanes.filter((lane) => lane !== undefined)).size).toBe(48);
  });

  it('open sessions on the products that were taken, in turn, of the catalog that was taken', () => {
    const opened = [0, 1, 2, 3].map((place) => unusualOpening(taken, place, usual));
    expect(opened.map(({ productId }) => productId)).toEqual(['a', 'b', 'c', 'a']);
    expect(new Set(opened.map(({ catalogId, locale }) => `${catalogId} ${locale}`))).toEqual(
      new Set(['CATALOG en-GB']),
    );
  });

  it('keep their usual catalog where none was taken', () => {
    const opened = unusualOpening({ ...taken, catalog: undefined }, 0, usual);
    expect(opened).toEqual({ ...usual, productId: 'a', locale: 'en-GB' });
  });

  it('send as many requests, events and cart intents as usual, at the same times', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = unusualSteps(steps, taken, place);
        const shape = (all: readonly JourneyStep[]): unknown =>
          all.map((step) => [step.kind, step.afterMs, step.kind === 'interact' ? step.events.length : 0]);
        const carts = (all: readonly JourneyStep[]): number =>
          eventsOf(all).filter(({ type }) => type === 'cart_intent').length;
        expect(shape(unusual)).toEqual(shape(steps));
        expect(carts(unusual)).toBe(carts(steps));
      }),
    );
  });

  it('select unusual SKUs, a different one for each, and the same again where they select a shade again', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = eventsOf(unusualSteps(steps, { ...taken, cartFirst: false }, place));
        const before = eventsOf(steps);
        const pairs = new Set(before.map(({ sku }, n) => `${sku} ${unusual[n]?.sku}`));
        expect(unusual.every(({ sku }) => catalog.skus.includes(sku))).toBe(true);
        expect(pairs.size).toBe(new Set(before.map(({ sku }) => sku)).size);
        expect(new Set(unusual.map(({ sku }) => sku)).size).toBe(pairs.size);
      }),
    );
  });

  it('show cart intent before they select anything, every second one on each product', () => {
    const steps: JourneyStep[] = [
      { kind: 'interact', afterMs: 1, events: [{ type: 'shade_selected', sku: 's1' }] },
      { kind: 'interact', afterMs: 1, events: [{ type: 'cart_intent', sku: 's1' }] },
    ];
    for (const count of [1, 2, 3, 9]) {
      const openingsOf = Array.from({ length: count }, (_, n) => ({ productId: `p${n}`, locale: 'en-GB' }));
      const orders = Array.from({ length: 2 * count }, (_, place) => {
        const [first] = eventsOf(unusualSteps(steps, { ...taken, openings: openingsOf }, place));
        return `${unusualOpening({ ...taken, openings: openingsOf }, place, usual).productId} ${first?.type}`;
      });
      expect(new Set(orders).size, `${count} products`).toBe(2 * count);
    }
  });

  it('keep the order of events where no cart intent was taken before a selection', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = eventsOf(unusualSteps(steps, { ...taken, cartFirst: false }, place));
        expect(unusual.map(({ type }) => type)).toEqual(eventsOf(steps).map(({ type }) => type));
      }),
    );
  });

  it('keep their SKUs where no catalog was taken', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = unusualSteps(steps, { ...taken, catalog: undefined, cartFirst: false }, place);
        expect(eventsOf(unusual)).toEqual(eventsOf(steps));
      }),
    );
  });
});
