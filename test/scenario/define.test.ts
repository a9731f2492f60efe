import { describe, expect, it } from 'vitest';
import { defineScenario, isScenario, type ScenarioInput } from '../../src/scenario/define.ts';
import { dayCurve, exhaustQuota, steady, steps, together } from '../../src/scenario/load.ts';

const least: ScenarioInput = {
  name: 'least',
  title: 'As little as there can be',
  load: [steady('1/s', '1s')],
  checks: ['contract'],
};

describe('a scenario', () => {
  it('says its name, title, load and checks; the rest has defaults', () => {
    expect(defineScenario(least)).toMatchObject({
      catalog: { products: 12 },
      settle: { readBack: 100 },
      probes: true,
      slo: [],
    });
  });

  it.each<[string, object, RegExp]>([
    ['a name with a blank', { name: 'my scenario' }, /name: expected lower-case letters, digits and dashes/],
    ['no title', { title: '' }, /title: /],
    ['no load', { load: [] }, /load: /],
    ['a phase that is no phase', { load: ['900/min'] }, /load\[0\]: expected a phase: steady\(…\)/],
    ['a group of checks that there is not', { checks: ['speed'] }, /checks\[0\]: .*contract/],
    ['no checks', { checks: [] }, /checks: /],
    ['no products', { catalog: { products: 0 } }, /catalog\.products: /],
    ['half a product', { catalog: { products: 1.5 } }, /catalog\.products: /],
    [
      'a kind of product that there is not',
      { catalog: { kinds: ['shoe'] } },
      /catalog\.kinds\[0\]: .*lipstick/i,
    ],
    [
      'a percentile over 100',
      { slo: [{ endpoint: '*', percentile: 101, under: '1s' }] },
      /slo\[0\]\.percentile: /,
    ],
    [
      'a bound that is no duration',
      { slo: [{ endpoint: '*', percentile: 99, under: 'soon' }] },
      /slo\[0\]\.under: .*"soon"/,
    ],
    [
      'an endpoint that there is not',
      { slo: [{ endpoint: 'home', percentile: 99, under: '1s' }] },
      /slo\[0\]\.endpoint: /,
    ],
    ['a field that there is not', { shopper: {} }, /\(root\): .*shopper/],
    ['a share over 1', { shoppers: { bounce: 2 } }, /shoppers\.bounce: /],
    ['two things at once, both named', { name: 'A', checks: [] }, /name: [\s\S]*checks: /],
  ])('with %s is refused, by the field', (_what, fields, message) => {
    expect(() => defineScenario({ ...least, ...fields } as ScenarioInput)).toThrow(message);
  });

  it('is told from an object that only looks like one', () => {
    const scenario = defineScenario(least);
    expect([
      isScenario(scenario),
      isScenario({ ...scenario }),
      isScenario(null),
      isScenario('least'),
    ]).toEqual([true, false, false, false]);
  });
});

describe('a phase', () => {
  it('with an invalid rate or duration throws where it is made', () => {
    expect(() => steady('fast', '1s')).toThrow('steady: rate: expected a rate');
    expect(() => steady('1/s', 'long')).toThrow('steady: duration: expected a duration');
    expect(() => steps(['1/s', 'x'], '1s')).toThrow('steps: rates[1]: expected a rate');
    expect(() => steady('1/s', '1s', { atOnce: 0 })).toThrow(
      'steady: atOnce: expected a whole number from 1, got 0',
    );
    expect(() => exhaustQuota({ rate: 'all' })).toThrow('exhaustQuota: rate: expected a rate');
    expect(() => exhaustQuota({ beyond: -9 })).toThrow(
      'exhaustQuota: beyond: expected a whole number from 0, got -9',
    );
    expect(() => dayCurve(Number.NaN, '1h')).toThrow(
      'dayCurve: perDay: expected a whole number from 1, got NaN',
    );
  });

  it('takes single phases and sequences of them side by side', () => {
    const [a, b] = [steady('1/s', '1s'), steady('2/s', '2s')];
    expect(together(a, [a, b])).toEqual({ kind: 'together', tracks: [[a], [a, b]] });
  });
});
