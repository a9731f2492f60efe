import { describe, expect, it } from 'vitest';
import { defineScenario, isScenario, type ScenarioInput } from '../../src/scenario/define.ts';
import { dayCurve, exhaustQuota, idle, steady, steps, together } from '../../src/scenario/load.ts';
import { studyQuota } from '../../src/scenario/study.ts';

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
      'a share in place of a percentile',
      { slo: [{ endpoint: '*', percentile: 0.95, under: '1s' }] },
      /slo\[0\]\.percentile: expected a percentile from 1 to 100, such as 95 for a share of 0\.95/,
    ],
    [
      'a bound on a phase that there is not',
      {
        load: [steady('1/s', '1s', { name: 'at noon' }), together(steady('2/s', '1s'), idle('1s'))],
        checks: ['latency'],
        slo: [{ endpoint: '*', percentile: 99, under: '1s', phase: 'at non' }],
      },
      /slo\[0\]\.phase: there is no phase "at non"; did you mean at noon\? There are "at noon", "2\/s", "idle"/,
    ],
    [
      'a bound on a phase whose name another one has',
      {
        parts: [1, 2].map((at) => ({
          name: `part-${at}`,
          question: 'what is it?',
          checks: ['latency'],
          load: [steady('1/s', '1s')],
        })),
        load: [],
        checks: ['latency'],
        slo: [{ endpoint: '*', percentile: 99, under: '1s', phase: '1/s' }],
      },
      /slo\[0\]\.phase: 2 phases have the name "1\/s": expected a different name for each/,
    ],
    [
      'a bound that no check judges',
      { slo: [{ endpoint: '*', percentile: 99, under: '1s' }] },
      /checks: expected latency among the checks/,
    ],
    [
      'a bound and no load',
      {
        load: [],
        study: [studyQuota()],
        checks: ['latency'],
        slo: [{ endpoint: '*', percentile: 99, under: '1s' }],
      },
      /slo: expected load/,
    ],
    [
      'an endpoint that there is not',
      { slo: [{ endpoint: 'home', percentile: 99, under: '1s' }] },
      /slo\[0\]\.endpoint: /,
    ],
    [
      'a field that there is not',
      { shopper: {} },
      /\(root\): there is no field "shopper"; did you mean shoppers\? There are name, title, catalog, shoppers, load,/,
    ],
    [
      'one inside another field',
      { catalog: { size: 3 } },
      /catalog: there is no field "size"\. There are products, kinds/,
    ],
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
    // Node.js does not check types.
    expect(() => Reflect.apply(steady, undefined, ['300/min', { name: 'a' }])).toThrow(
      'steady: duration: expected a duration such as "250ms", "60s" or "2m", got {"name":"a"}',
    );
    expect(() => Reflect.apply(steady, undefined, [300, '1s'])).toThrow('steady: rate: expected a rate');
    expect(() => steady('1/s', '1s', { nmae: 'a' } as object)).toThrow(
      'steady: there is no option "nmae"; did you mean name? There are name, as, traffic, atOnce',
    );
    expect(() => Reflect.apply(steady, undefined, ['1/s', '1s', 'a'])).toThrow(
      'steady: expected options such as { name: … }, got "a"',
    );
    expect(() => idle('1s', { as: 'lode' } as object)).toThrow(
      'idle: as: expected one of load, quota, twin, bystander, got "lode"',
    );
    expect(() => studyQuota({ most: 3 } as object)).toThrow('studyQuota: there is no option "most"');
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
