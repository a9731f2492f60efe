import { describe, expect, it } from 'vitest';
import type { Algorithm } from '../../src/limits/kinds/kind.ts';
import { admissionsNeedOver, refusalsNeedUnder, refusalsPermitted } from '../../src/limits/window-search.ts';
import { written } from './written.ts';

/** Three per 10 s. */
const promised = { requests: 3, windowNs: 10e9 };
const algorithms: readonly (Algorithm | undefined)[] = [
  undefined,
  'fixed-window',
  'sliding-log',
  'sliding-counter',
  'token-bucket',
];

/** What each algorithm needs, in the order of `algorithms`. */
function needs(judge: typeof admissionsNeedOver, requests: string): (number | undefined)[] {
  return algorithms.map((algorithm) => judge(written(requests), promised, algorithm));
}

const none = undefined;

describe('the least limit that admissions need, of any kind and of each', () => {
  it.each([
    ['is no news while it is the promised one', '0+ 1+ 2+', [none, none, none, none, none]],
    ['is more than promised after four at once', '0+ 0.1+ 0.2+ 0.3+', [none, none, 4, none, 4]],
    [
      'is half for windows, as a boundary may have parted them, and more for what weighs',
      '0+ 0.1+ 0.2+ 0.3+ 0.4+ 0.5+',
      [none, none, 6, 4, 6],
    ],
    ['is more for all after a burst of eight', '0+ 0.1+ 0.2+ 0.3+ 0.4+ 0.5+ 0.6+ 0.7+', [4, 4, 8, 6, 8]],
  ])('%s', (_, requests, expected) => {
    expect(needs(admissionsNeedOver, requests)).toEqual(expected);
  });
});

describe('the largest limit that rejections need, of any kind and of each', () => {
  it.each([
    ['is no news while it is the promised one', '0+ 1+ 2+ 3-', [none, none, none, none, none]],
    [
      'is 2 after a rejection of the third, but for counters, which may be strict',
      '0+ 1+ 2-',
      [none, 2, 2, none, 2],
    ],
    ['is none where nothing was rejected', '0+ 1+', [none, none, none, none, none]],
    ['is 0 where nothing was ever admitted, and 2 by the strictest counter', '0- 30- 60-', [2, 0, 0, 2, 0]],
  ])('%s', (_, requests, expected) => {
    expect(needs(refusalsNeedUnder, requests)).toEqual(expected);
  });
});

describe('a rejection is permitted', () => {
  const permitted = (requests: string, algorithm?: Algorithm): string =>
    refusalsPermitted(written(requests), promised, algorithm).join('');

  it.each<[string, string, Algorithm | undefined, string]>([
    ['at the limit, and no sooner', '0+ 1+ 2+ 3-', undefined, '0001'],
    ['at the limit by a sliding counter alone', '0+ 1+ 2+ 3-', 'sliding-counter', '0001'],
    ['by what the window before still weighs', '0+ 1+ 2+ 10.5- 14.5-', 'sliding-counter', '00011'],
    ['at the limit by a sliding log alone', '0+ 1+ 2+ 3-', 'sliding-log', '0001'],
    ['at the limit by a fixed window alone', '0+ 1+ 2+ 3-', 'fixed-window', '0001'],
    ['while requests under way may fill the window', '0~9+ 1~9+ 2~9+ 3-', 'sliding-log', '1111'],
    ['by rejections, which may count', '0+ 1- 2- 3-', 'sliding-log', '0001'],
    ['no longer once the window has passed', '0+ 1+ 2+ 12.007- 12.008-', 'sliding-log', '00000'],
    ['by a bucket until a token has come', '0+ 0+ 0+ 3- 3.4-', 'token-bucket', '11110'],
  ])('%s', (_, requests, algorithm, expected) => {
    expect(permitted(requests, algorithm)).toBe(expected);
  });

  it('by some kind if by any', () => {
    for (const requests of ['0+ 1+ 2+ 3- 9-', '0+ 1- 2- 3- 15-', '0+ 1+ 12-']) {
      const each = algorithms.slice(1).map((algorithm) => permitted(requests, algorithm));
      const any = Array.from(each[0] ?? '', (_, at) =>
        each.some((bits) => bits[at] === '1') ? '1' : '0',
      ).join('');
      expect(permitted(requests)).toBe(any);
    }
  });
});
