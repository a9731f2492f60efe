import { describe, expect, it } from 'vitest';
import {
  counterWindows,
  firstPossibleArrival,
  firstSureArrival,
  naturalEnd,
  openedWindows,
} from '../../../src/limits/kinds/opened-windows.ts';
import type { Windows } from '../../../src/limits/kinds/windows.ts';
import { exactly, type Span } from '../../../src/limits/span.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { ns, written } from '../written.ts';

/** Windows in seconds, such as `0 to 9.99..10.01`. Windows of 10 s differ by 6 ms from what clocks say. */
function shown({ length, beginLo, beginHi, endLo, endHi }: Windows): string[] {
  const at = (lo: readonly number[], hi: readonly number[], k: number): string => {
    const [from, to] = [lo, hi].map((instants) => Number(((instants[k] ?? Number.NaN) / 1e9).toFixed(4)));
    return from === to ? `${from}` : `${from}..${to}`;
  };
  return Array.from({ length }, (_, k) => `${at(beginLo, beginHi, k)} to ${at(endLo, endHi, k)}`);
}

const never = 'Infinity';

describe('windows of a sliding counter that a request starts', () => {
  const of = (
    requests: string,
    counted: 'admitted' | 'all' = 'admitted',
    window: Span = exactly(ns(10)),
  ): string[] => shown(counterWindows(viewOf(written(requests)), window, counted));

  it.each([
    [
      'the first counted request starts one, and the next follows at once',
      '5+ 6+ 17+',
      ['5 to 14.994..15.006', '14.994..15.006 to 24.993..25.007'],
    ],
    [
      'it begins between sending and answer of the request that starts it',
      '5~7+ 8+',
      ['5..7 to 14.994..17.006'],
    ],
    [
      'it may begin with a request without an answer, and surely has with an admission',
      '5? 6+',
      ['5..6 to 14.994..16.006'],
    ],
    ['a rejection starts none', '1- 5+ 6-', ['5 to 14.994..15.006']],
  ])('%s', (_, requests, expected) => {
    expect(of(requests).slice(0, expected.length)).toEqual(expected);
  });

  it('end with one that nothing ends, in which rejections meet nothing', () => {
    expect(of('5+ 40-').at(-1)).toMatch(new RegExp(`to ${never}$`));
    expect(of('1- 2-')).toEqual([`-${never} to ${never}`]);
  });

  it('are started by rejections as well, if those count', () => {
    expect(of('1- 5+', 'all')).toEqual(['1 to 10.994..11.006']);
  });

  it('follow each other as long as each counted something', () => {
    expect(of('0+ 12+ 22+ 31+').slice(0, 4)).toEqual([
      '0 to 9.994..10.006',
      '9.994..10.006 to 19.993..20.007',
      '19.993..20.007 to 29.992..30.008',
      '29.992..30.008 to 39.991..40.009',
    ]);
  });

  it('begin anew after a silence of more than two windows, with nothing to weigh', () => {
    expect(of('0+ 1+ 40+ 41+')).toEqual([
      '0 to 9.994..10.006',
      '9.994..11.006 to 9.994..40',
      '40 to 49.994..50.006',
    ]);
  });

  it('are vague where it is not known whether a window was empty', () => {
    // The second window may have got the request without an answer, and ends then where it does; else 25 s starts another.
    expect(of('0+ 12? 25+ 26+').slice(0, 3)).toEqual([
      '0 to 9.994..10.006',
      '9.994..10.006 to 19.993..20.007',
      '19.993..25 to 29.987..35.006',
    ]);
  });

  it('are as vague as their length, from the start of the chain', () => {
    expect(of('0+ 9+ 18+', 'admitted', { loNs: ns(9), hiNs: ns(11) }).slice(0, 2)).toEqual([
      '0 to 8.9941..11.0061',
      '8.9941..11.0061 to 17.9932..22.0072',
    ]);
  });
});

describe('windows that each start with a request', () => {
  const of = (requests: string, window: Span = exactly(ns(10))): string[] =>
    shown(openedWindows(viewOf(written(requests)), naturalEnd(window)));

  it.each([
    [
      'the first request after one starts the next',
      '0+ 4+ 12+ 13+',
      ['0 to 9.994..10.006', '12 to 21.994..22.006', `21.994..22.006 to ${never}`],
    ],
    [
      'a request at the end of one may start the next',
      '0+ 10+ 15+',
      ['0 to 9.994..10.006', '10..15 to 19.994..25.006', `19.994..25.006 to ${never}`],
    ],
    [
      'a rejection starts none',
      '0+ 12- 14+',
      ['0 to 9.994..10.006', '14 to 23.994..24.006', `23.994..24.006 to ${never}`],
    ],
    [
      'a request under way as one ends may start the next from then on',
      '0+ 5~30+ 31+',
      ['0 to 9.994..10.006', '9.994..31 to 19.988..41.006'],
    ],
    [
      'a request without an answer may have started it, the next admission surely',
      '0? 3~4+ 20+',
      ['0..4 to 9.994..14.006', '20 to 29.994..30.006', `29.994..30.006 to ${never}`],
    ],
    ['without a request there is one in which rejections meet nothing', '1- 2-', [`-${never} to ${never}`]],
  ])('%s', (_, requests, expected) => {
    expect(of(requests).slice(0, expected.length)).toEqual(expected);
  });

  it('are as vague as their length', () => {
    expect(of('0+', { loNs: ns(5), hiNs: ns(15) })[0]).toBe('0 to 4.9945..15.0065');
  });
});

describe('a request may have arrived', () => {
  const seen = () => viewOf(written('1~4+ 2~3+ 8~9- 10~11+'));

  it.each([
    ['as soon as it was sent', 0, 1],
    ['at an instant at which it is under way', 3.5, 3.5],
    ['at the instant of its answer', 4, 4],
    ['only as the next one', 4.1, 8],
    ['at no instant after the last answer', 11.1, Number.POSITIVE_INFINITY],
  ])('%s', (_, afterS, atS) => {
    expect(firstPossibleArrival(seen().requests, ns(afterS)) / 1e9).toBe(atS);
  });

  it.each([
    ['by the earliest answer of those sent later', 0, 3],
    ['by the answer of the next one, not of one sent at that instant', 1, 3],
    ['by the last answer', 2, 11],
    ['by no instant, of those sent after the last', 10, Number.POSITIVE_INFINITY],
  ])('surely %s', (_, fromS, byS) => {
    expect(firstSureArrival(seen().admitted, ns(fromS)) / 1e9).toBe(byS);
  });
});
