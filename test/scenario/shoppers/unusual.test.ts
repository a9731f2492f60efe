import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type JourneyStep,
  type ShopperEvent,
  unusualOneIn,
  unusualPlace,
  unusualSteps,
} from '../../../src/scenario/shoppers/population.ts';

const corners = { id: 'CATALOG', skus: ['007', 'null', 'ros\u00e9', 'x'.repeat(256), "o'q", '..', '-0'] };

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

  it('send the same requests and types of events as usual, at the same times', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = unusualSteps(steps, corners, place);
        const shape = (all: readonly JourneyStep[]): unknown =>
          all.map((step) => [step.kind, step.afterMs, step.kind === 'interact' ? step.events.length : 0]);
        const types = (all: readonly JourneyStep[]): unknown => eventsOf(all).map(({ type }) => type);
        expect(shape(unusual)).toEqual(shape(steps));
        expect(types(unusual)).toEqual(types(steps));
      }),
    );
  });

  it('select unusual SKUs, a different one for each, and the same again where they select a shade again', () => {
    fc.assert(
      fc.property(journeys, places, (steps, place) => {
        const unusual = eventsOf(unusualSteps(steps, corners, place));
        const before = eventsOf(steps);
        const pairs = new Set(before.map(({ sku }, n) => `${sku} ${unusual[n]?.sku}`));
        expect(unusual.every(({ sku }) => corners.skus.includes(sku))).toBe(true);
        expect(pairs.size).toBe(new Set(before.map(({ sku }) => sku)).size);
        expect(new Set(unusual.map(({ sku }) => sku)).size).toBe(pairs.size);
      }),
    );
  });
});
