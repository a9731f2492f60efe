import { describe, expect, it } from 'vitest';
import {
  decimalsDue,
  type Fit,
  fitMean,
  fitTopShades,
  fitTotal,
  leastCut,
  type Preconditions,
  type TopLengths,
  topLengthsOf,
  within,
} from '../../../src/checks/analytics/compare/fit.ts';
import type { Expectation } from '../../../src/checks/analytics/expect/expectation.ts';
import {
  type AnswerPopulation,
  nothingSaid,
  nothingThere,
} from '../../../src/checks/analytics/expect/population.ts';
import type { Bounds } from '../../../src/vocabulary/bounds.ts';
import type { TopShade } from '../../../src/wire.ts';

/** Whether a returned value can be right, from bounds and circumstances alone. */

const closed: AnswerPopulation = {
  kind: 'closed',
  prior: nothingThere,
  before: nothingSaid,
  openBecause: null,
};
const open: AnswerPopulation = { ...closed, kind: 'open' };
const certain: Preconditions = {
  timely: true,
  population: closed,
  noForeign: true,
  foreignAtMost: 0,
  acts: 'known',
};
const early = { ...certain, timely: false };
const shared: Preconditions = { ...certain, population: open, noForeign: false, foreignAtMost: Infinity };

describe('a total', () => {
  const bounds = { min: 10, max: 12 };
  it.each<[string, number | null, Preconditions, Fit]>([
    ['at its lower bound fits', 10, certain, 'fits'],
    ['at its upper bound fits', 12, certain, 'fits'],
    ['below its bounds is wrong', 9, certain, 'misfits'],
    ['above its bounds is wrong', 13, certain, 'misfits'],
    ['within its bounds that is no whole number is wrong', 11.5, certain, 'misfits'],
    ['that was not read says nothing', null, certain, 'unknown'],
    ['below its bounds says nothing before it is due', 9, early, 'unknown'],
    ['within its bounds fits before it is due, too', 11, early, 'fits'],
    ['above its bounds may count sessions of others', 13, shared, 'unknown'],
    ['below its bounds is wrong, whoever else uses the account', 9, shared, 'misfits'],
  ])('%s', (_, value, circumstances, fit) => {
    expect(fitTotal(value, bounds, circumstances)).toBe(fit);
  });
});

describe('a number that is rounded', () => {
  it.each<[string, number, Bounds, number, boolean]>([
    ['to two decimals may be half a hundredth below', 2.495, { min: 2.5, max: 3 }, 2, true],
    ['to two decimals may be half a hundredth above', 3.005, { min: 2.5, max: 3 }, 2, true],
    ['is not two hundredths below', 2.48, { min: 2.5, max: 3 }, 2, false],
    ['is not two hundredths above', 3.02, { min: 2.5, max: 3 }, 2, false],
    ['may differ in the last bit', 0.1 + 0.2, { min: 0.3, max: 0.3 }, 15, true],
  ])('%s', (_, value, bounds, decimals, isWithin) => {
    expect(within(value, bounds, decimals)).toBe(isWithin);
  });
});

describe('a mean has to be right to', () => {
  it.each<[string, values: readonly (number | null)[], isOpen: boolean, decimals: number]>([
    ['what is promised, where its measure is', [3 / 41, 0.5], false, 2],
    ['what it is written with, where its measure is open', [3 / 41, 0.5], true, 5],
    ['one decimal less than it is written with: it may be cut off', [0.0731, null], true, 3],
    ['what is promised, where it is written with fewer', [0.5, 1], true, 2],
    ['without the digits that a percentage leaves which is divided', [9.76 / 100, 14.63 / 100], true, 3],
  ])('%s', (_, values, isOpen, decimals) => {
    expect(decimalsDue(values, 2, isOpen)).toBe(decimals);
  });
});

describe('a mean', () => {
  const average = { what: 'average', sessions: 8, bounds: { min: 2, max: 2.5 } } as const;
  const rate = { what: 'rate', sessions: 8, bounds: { min: 0.5, max: 0.5 } } as const;
  const atMost = (foreignAtMost: number): Preconditions => ({ ...shared, foreignAtMost });
  it.each<[string, number | null, Parameters<typeof fitMean>[1], Preconditions, Fit]>([
    ['within its bounds fits', 2.25, average, certain, 'fits'],
    ['outside its bounds is wrong', 2.6, average, certain, 'misfits'],
    ['that was not read says nothing', null, average, certain, 'unknown'],
    ['without bounds says nothing', 2.25, { ...average, bounds: null }, certain, 'unknown'],
    ['says nothing before it is due', 2.6, average, early, 'unknown'],
    [
      'within its bounds shows nothing where nothing happened',
      2.25,
      average,
      { ...certain, acts: 'none' },
      'unknown',
    ],
    [
      'outside its bounds is wrong where nothing happened',
      2.6,
      average,
      { ...certain, acts: 'none' },
      'misfits',
    ],
    ['says nothing where events may have happened', 2.6, average, { ...certain, acts: 'unknown' }, 'unknown'],
    [
      'is wrong in an open account whose total has no room for others',
      2.6,
      average,
      { ...shared, noForeign: true },
      'misfits',
    ],
    // 8 sessions of 2 at least, and 2 of others with nothing: 16 of 10.
    ['may be lower by two sessions of others', 1.6, average, atMost(2), 'unknown'],
    ['is not lower by more than two sessions of others', 1.59, average, atMost(2), 'misfits'],
    ['may be of any height with one session of others', 99, average, atMost(1), 'unknown'],
    ['is no higher without any', 2.6, average, atMost(0), 'misfits'],
    // 4 of 8, and 2 of 2.
    ['that is a rate may be higher by two sessions of others', 0.6, rate, atMost(2), 'unknown'],
    ['that is a rate is not higher by more', 0.61, rate, atMost(2), 'misfits'],
    ['that is a rate is never above 1', 1.1, rate, shared, 'misfits'],
    ['that is a rate may be 1 with any number of others', 1, rate, shared, 'unknown'],
    ['may be of any height with any number of others', 99, average, shared, 'unknown'],
    [
      'outside its bounds is wrong where nobody else uses the account',
      2.6,
      average,
      { ...certain, noForeign: false },
      'misfits',
    ],
    ['is never below 0', -0.1, average, shared, 'misfits'],
    ['of no sessions at all keeps its bounds', 3, { ...average, sessions: 0 }, atMost(0), 'misfits'],
  ])('%s', (_, value, expected, circumstances, fit) => {
    expect(fitMean(value, expected, 2, circumstances)).toBe(fit);
  });
});

/** A list of shades, from its selections: `A 5, B 3`. */
function listed(text: string): TopShade[] {
  return text === ''
    ? []
    : text
        .split(', ')
        .map((each) => ({ sku: each.split(' ')[0] ?? '', selections: Number(each.split(' ')[1]) }));
}

describe('the length of top_shades', () => {
  it.each<[string, number | undefined, readonly string[], TopLengths]>([
    ['is what the profile states', 3, ['A 9, B 8'], { most: 3, due: 3 }],
    ['is unknown where every list is empty', undefined, ['', ''], { most: undefined, due: undefined }],
    ['is that of the longest list', undefined, ['A 9', 'A 9, B 8, C 7'], { most: 3, due: 3 }],
    [
      'is due up to the first of the shades that tie at its end',
      undefined,
      ['A 9, B 7, C 7'],
      { most: 3, due: 2 },
    ],
  ])('%s', (_, stated, lists, lengths) => {
    expect(topLengthsOf(stated, lists.map(listed))).toEqual(lengths);
  });

  it('is cut at the largest of the least lengths, and an absent list is cut nowhere', () => {
    expect(leastCut([listed('A 2, B 2'), listed('A 5, B 4, C 3, D 3'), null])).toBe(3);
    expect(leastCut([null])).toBe(0);
  });
});

describe('a top_shades', () => {
  const shades = [
    { sku: 'A', min: 5, max: 5, copies: 7 },
    { sku: 'B', min: 3, max: 4, copies: 4 },
    { sku: 'C', min: 1, max: 1, copies: 1 },
    { sku: 'D', min: 0, max: 2, copies: 2 },
  ];
  const expectation: Expectation = {
    totalSessions: { min: 9, max: 9 },
    sessionsWithShades: { min: 9, max: 9 },
    means: {} as Expectation['means'],
    shades,
  };
  const three: TopLengths = { most: 3, due: 3 };
  const anyLength: TopLengths = { most: undefined, due: undefined };

  it.each<[string, string | null, TopLengths, Preconditions, Fit, ...faults: string[]]>([
    ['with every shade in order fits', 'A 5, B 4, C 1', three, certain, 'fits'],
    ['with ties in any order fits', 'A 5, B 3, C 1, D 1', anyLength, certain, 'fits'],
    ['that was not read says nothing', null, three, certain, 'unknown'],
    ['says nothing where events may have happened', 'A 9', three, { ...certain, acts: 'unknown' }, 'unknown'],
    [
      'that is right shows nothing where nothing happened',
      'A 5, B 4, C 1',
      three,
      { ...certain, acts: 'none' },
      'unknown',
    ],
    ['that has a shade twice is wrong', 'A 5, A 5, B 4', three, certain, 'misfits', 'top-shade-twice'],
    ['that rises is wrong', 'B 4, A 5, C 1', three, certain, 'misfits', 'top-unsorted'],
    ['with too few selections is wrong', 'A 4, B 4, C 1', three, certain, 'misfits', 'top-too-few'],
    ['with too few says nothing before it is due', 'A 4, B 4, C 1', three, early, 'unknown'],
    ['with too many selections is wrong', 'A 5, B 5, C 1', three, certain, 'misfits', 'top-too-many'],
    ['with half a selection is wrong', 'A 5, B 3.5, C 1', three, certain, 'misfits', 'top-too-many'],
    ['with a shade of nobody is wrong', 'A 5, B 4, X 1', three, certain, 'misfits', 'top-too-many'],
    ['with too many may count those of others', 'A 9, B 4, C 1', three, shared, 'unknown'],
    [
      'that lacks a shade above its last one is wrong',
      'A 5, C 1',
      anyLength,
      certain,
      'misfits',
      'top-missing',
    ],
    ['that lacks a shade says nothing before it is due', 'A 5, C 1', anyLength, early, 'unknown'],
    ['that lacks one as low as its last one fits', 'A 5, B 3, D 1', three, certain, 'fits'],
    [
      'that is longer than lists are is wrong',
      'A 5, B 3, C 1, D 1',
      three,
      certain,
      'misfits',
      'top-too-long',
    ],
    [
      'that is as long as there are shades that were surely selected fits',
      'A 5, B 4, D 1',
      { most: 4, due: 4 },
      certain,
      'fits',
    ],
    ['that is empty lacks all', '', three, certain, 'misfits', 'top-missing', 'top-missing', 'top-missing'],
  ])('%s', (_, text, lengths, circumstances, fit, ...faults) => {
    const found = fitTopShades(text === null ? null : listed(text), expectation, lengths, circumstances);
    expect(found.faults.map(({ code }) => code)).toEqual(faults);
    expect(found.fit).toBe(fit);
  });

  it.each<[string, string, Preconditions, Fit]>([
    ['is too short where it leaves out a tie that was due', 'A 2', certain, 'misfits'],
    ['may still grow before it is due', 'A 2', early, 'unknown'],
  ])('%s', (_, text, circumstances, fit) => {
    const tie = [
      { sku: 'A', min: 2, max: 2, copies: 2 },
      { sku: 'B', min: 2, max: 2, copies: 2 },
    ];
    const found = fitTopShades(
      listed(text),
      { ...expectation, shades: tie },
      { most: 2, due: 2 },
      circumstances,
    );
    expect(found.fit).toBe(fit);
    expect(found.faults.map(({ params }) => params)).toEqual(
      fit === 'misfits' ? [{ query: null, shades: 1, expected: 2 }] : [],
    );
  });

  it.each<[string, object]>([
    ['A 5, A 5, B 4', { sku: 'A' }],
    ['B 4, A 5, C 1', { sku: 'A', selections: 5, before: 4 }],
    ['A 5, B 3, C 1, D 1', { shades: 4, atMost: 3 }],
    ['A 4, B 4, C 1', { sku: 'A', selections: 4, atLeast: 5 }],
    ['A 5, B 5, C 1', { sku: 'B', selections: 5, atMost: 4, hasRepeats: false }],
  ])('says of %s what is wrong, and where', (text, params) => {
    const { faults } = fitTopShades(listed(text), expectation, three, certain);
    expect(faults.map((fault) => fault.params)).toEqual([{ query: null, ...params }]);
  });

  it('counts what the account had before, within its bounds', () => {
    const before: Preconditions = {
      ...certain,
      population: {
        ...closed,
        before: { ...nothingSaid, topShades: listed('A 10') },
        prior: { ...nothingThere, sessions: 10 },
      },
    };
    expect(fitTopShades(listed('A 15, B 4, C 1'), expectation, three, before).fit).toBe('fits');
    expect(fitTopShades(listed('A 14, B 4, C 1'), expectation, three, before).fit).toBe('misfits');
  });

  it.each([
    ['repeats are the reason where they come to the number', 'A 7, B 4, C 1', true],
    ['repeats are not, where there are more', 'A 8, B 4, C 1', false],
    ['repeats are not, where there are none', 'A 5, B 4, C 2', false],
  ])('says whether %s', (_, text, hasRepeats) => {
    const { faults } = fitTopShades(listed(text), expectation, three, certain);
    expect(faults.map(({ params }) => params)).toMatchObject([{ hasRepeats }]);
  });

  it('names what is missing with the last shade that is listed, three of them at most', () => {
    const many = Array.from({ length: 5 }, (_, n) => ({ sku: `S${n}`, min: 9 - n, max: 9 - n, copies: 9 }));
    const { faults } = fitTopShades(listed('S4 1'), { ...expectation, shades: many }, anyLength, {
      ...certain,
      population: open,
      noForeign: false,
    });
    expect(faults.map(({ params }) => params)).toMatchObject([
      { sku: 'S4', selections: 1, atLeast: 5 },
      { sku: 'S0', atLeast: 9, last: { sku: 'S4', selections: 1 } },
      { sku: 'S1', atLeast: 8 },
      { sku: 'S2', atLeast: 7 },
    ]);
  });
});
