import { describe, expect, it } from 'vitest';
import { type ShopperSettingsInput, shopperSettingsSchema } from '../../../src/scenario/shoppers/settings.ts';

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
