import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonOdds, probabilityOf } from '../../../src/scenario/shoppers/crowd.ts';
import { type ShopperSettingsInput, shopperSettingsSchema } from '../../../src/scenario/shoppers/settings.ts';

describe('common odds', () => {
  const groups = fc.array(
    fc.record({
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
      factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it('meet the target for all groups together, whatever their factors', () => {
    fc.assert(
      fc.property(groups, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (parts, part) => {
        const target = part * parts.reduce((sum, { share }) => sum + share, 0);
        const odds = commonOdds(parts, target);
        const reached = parts.reduce(
          (sum, { share, factor }) => sum + share * probabilityOf(odds * factor),
          0,
        );
        expect(reached).toBeCloseTo(target, 9);
      }),
    );
  });

  it('are 0 for a target of 0 and infinite for the whole population', () => {
    const parts = [
      { share: 0.5, factor: 2 },
      { share: 0.25, factor: 1 },
    ];
    expect(commonOdds(parts, 0)).toBe(0);
    expect(commonOdds(parts, 0.75)).toBe(Number.POSITIVE_INFINITY);
    expect(probabilityOf(Number.POSITIVE_INFINITY)).toBe(1);
  });
});

describe('shopper settings', () => {
  it('all have defaults, which are valid themselves', () => {
    const defaults = shopperSettingsSchema.parse({});
    expect(defaults).toMatchObject({
      bounce: 0.25,
      cartIntent: { rate: 0.13 },
      thinkMedian: 2_500,
      thinkTime: 1,
    });
    expect(shopperSettingsSchema.parse(defaults)).toEqual(defaults);
  });

  it('read durations as text', () => {
    expect(shopperSettingsSchema.parse({ thinkMedian: '1.5s', patienceMedian: '1m' })).toMatchObject({
      thinkMedian: 1_500,
      patienceMedian: 60_000,
    });
  });

  it.each<{ flaw: string; settings: ShopperSettingsInput & Record<string, unknown>; path: string }>([
    { flaw: 'a share over 1', settings: { bounce: 1.2 }, path: 'bounce' },
    {
      flaw: 'a mean below the median',
      settings: { shadesTried: { median: 9, mean: 8 } },
      path: 'shadesTried.mean',
    },
    { flaw: 'more carts than visits that stay', settings: { bounce: 0.9 }, path: 'cartIntent.rate' },
    { flaw: 'a locale that is not ll-CC', settings: { locales: { english: 1 } }, path: 'locales.english' },
    { flaw: 'no personas', settings: { personas: {} }, path: 'personas' },
    {
      flaw: 'a persona without weight',
      settings: { personas: { idle: { weight: 0 } } },
      path: 'personas.idle.weight',
    },
    { flaw: 'a duration without unit', settings: { thinkMedian: '5' }, path: 'thinkMedian' },
    { flaw: 'a setting that does not exist', settings: { bouncing: 0.5 }, path: '' },
  ])('are refused with $flaw, naming the place', ({ settings, path }) => {
    const result = shopperSettingsSchema.safeParse(settings);
    expect(result.error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});
