import { describe, expect, it } from 'vitest';
import type { PromisedLimit } from '../../../src/limits/kinds/kind.ts';
import { algorithmOf, kindOf, kinds, promisable } from '../../../src/limits/kinds/table.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { ns, written } from '../written.ts';

const promised: PromisedLimit = { requests: 3, windowNs: ns(10) };
const kindCalled = (kind: string) => kindOf({ kind, limit: 1, scaleNs: 1, boundaryNs: 0 });

describe('a limiter of 3 per 10 s may reject', () => {
  const may = (kind: string, requests: string): string => {
    const view = viewOf(written(requests));
    const mayRefuse = kindCalled(kind).mayRefuse?.(view, promised);
    return Array.from(view.refused.index, (i) => (mayRefuse?.(i) ? 'yes' : 'no')).join(' ');
  };

  it.each([
    [
      'a log: what comes after three in a window',
      'sliding-log',
      '0+ 1+ 2+ 3- 10.006- 10.007-',
      'yes yes yes',
    ],
    ['a log: no more once a window has passed', 'sliding-log', '0+ 1+ 2+ 12.007-', 'no'],
    [
      'a counter: what comes after more than two, by the heaviest phase',
      'sliding-counter',
      '0+ 1+ 2+ 3-',
      'yes',
    ],
    ['a counter: while the window before weighs enough', 'sliding-counter', '0+ 0+ 0+ 13.2-', 'yes'],
    ['a counter: no longer, once it weighs too little', 'sliding-counter', '0+ 0+ 0+ 13.8-', 'no'],
    ['a counter: by rejections, which may count', 'sliding-counter', '0+ 0+ 0+ 12- 13.8-', 'yes yes'],
    ['a counter: no more after two windows', 'sliding-counter', '0+ 0+ 0+ 20.1-', 'no'],
    ['a counter: not after one', 'sliding-counter', '0+ 1-', 'no'],
    ['a bucket: until a token has come', 'token-bucket', '0+ 0+ 0+ 3.3- 3.4-', 'yes no'],
  ])('%s', (_, kind, requests, expected) => {
    expect(may(kind, requests)).toBe(expected);
  });
});

describe('what resembles a limiter of 120 per 60 s', () => {
  const alike = (
    kind: string,
    { requests, windowNs }: PromisedLimit = { requests: 120, windowNs: ns(60) },
    blockS = 30,
  ) => kindCalled(kind).likenesses?.({ requests, windowNs }, { loNs: ns(blockS), hiNs: ns(90) }) ?? [];

  it('is a window of a second with its part of the limit', () => {
    expect(alike('fixed-window')).toEqual([
      { name: 'fixed window of a second', scaleNs: ns(1), limits: [2, 2] },
    ]);
    expect(alike('fixed-window', { requests: 130, windowNs: ns(60) })[0]?.limits).toEqual([2, 3]);
    expect(alike('fixed-window', { requests: 130, windowNs: ns(1) })).toEqual([]);
  });

  it('is a sliding counter with a coarse clock, or a block cache', () => {
    expect(alike('sliding-counter')).toEqual([
      { name: 'sliding counter, by a coarse clock', scaleNs: ns(60), limits: [120], clockTickNs: ns(1) },
    ]);
    expect(
      alike('sliding-counter-block-cache').map(({ limits, clockTickNs = 0 }) => [limits, clockTickNs]),
    ).toEqual([
      [[120], 0],
      [[120], ns(1)],
    ]);
  });

  it('is a bucket that admits one more when idle, or holds less', () => {
    const [more, less] = alike('token-bucket');
    expect(more).toMatchObject({ scaleNs: ns(0.5), limits: [121], withCoarser: true });
    expect(less).toMatchObject({ scaleNs: ns(0.5), withCoarser: true, mayRejectBelow: true });
    expect([less?.limits.length, less?.limits[0], less?.limits.at(-1)]).toEqual([119, 1, 119]);
    expect(alike('token-bucket-second-lumps')).toMatchObject([{ scaleNs: ns(0.5), limits: [120, 121] }]);
  });

  it('is a block no longer than the window', () => {
    expect(alike('block-after-refusal')).toMatchObject([{ scaleNs: ns(60), limits: [120] }]);
    expect(alike('block-after-refusal', undefined, 60)).toHaveLength(1);
    expect(alike('block-after-refusal', undefined, 60.1)).toEqual([]);
  });
});

describe('the table of kinds', () => {
  it('compares a load with the kinds of the promised algorithm, or with all that can be promised', () => {
    expect(promisable('sliding-log').map(({ id }) => id)).toEqual(['sliding-log', 'sliding-log-all']);
    expect(promisable('token-bucket').map(({ id }) => id)).toEqual(['token-bucket']);
    expect(promisable(undefined)).toEqual(kinds.filter(({ algorithm }) => algorithm !== undefined));
  });

  it('knows which promise a kind keeps', () => {
    expect(
      ['fixed-window-first-request', 'token-bucket-lumps', 'sliding-log-all', 'none'].map(algorithmOf),
    ).toEqual(['fixed-window', 'token-bucket', undefined, undefined]);
  });

  it('has no kind of another name', () => {
    expect(() => kindCalled('fixed-windows')).toThrow('fixed-windows');
  });
});
