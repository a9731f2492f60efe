import { describe, expect, it } from 'vitest';
import type { PromisedLimit } from '../../../src/limits/kinds/kind.ts';
import { algorithmOf, kindOf, kinds, promisable } from '../../../src/limits/kinds/table.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { ns, written } from '../written.ts';
import { type BoxS, limitsOfAnyPhase } from './figures.ts';

const scale = 10;

type Row = readonly [sentence: string, kind: string, requests: string, box: BoxS, limits: string];

const rows: readonly Row[] = [
  [
    'bursts apart show in three windows what they do not in two',
    'fixed-window',
    '0+ 5+ 6+ 7+ 8+ 9+ 20+ 21+ 22+ 23+ 24.9+',
    { scale },
    '4 (by 11) to Infinity',
  ],
  [
    "two windows share what one window's time admits",
    'fixed-window',
    '0+ 1+ 2+ 3+ 4+',
    { scale },
    '3 (by 5) to Infinity',
  ],
  [
    "three windows share what two windows' time admits",
    'fixed-window',
    '0+ 1+ 2+ 3+ 4+ 9+ 11+ 12+ 13+ 14+ 15+ 16+ 17+ 18+ 19+',
    { scale },
    '5 (by 15) to Infinity',
  ],
  [
    'of a vague window, the shortest bounds admissions',
    'fixed-window',
    '0+ 1+ 2+ 3+ 4+',
    { scale: [2.5, 10] },
    '2 (by 5) to Infinity',
  ],
  [
    'a rejection met at most what the longest window before it admitted',
    'fixed-window',
    '0+ 8+ 9+ 12-',
    { scale },
    '2 (by 3) to 3 (by 4)',
  ],
  [
    'of a vague window, the longest bounds rejections',
    'fixed-window',
    '0+ 8+ 9+ 12-',
    { scale: [5, 20] },
    '1 (by 1) to 4 (by 4)',
  ],
  [
    'a contradiction ends the search',
    'fixed-window',
    '0+ 1+ 2+ 3+ 4+ 20- 21+',
    { scale },
    '3 (by 5) to 1 (by 6)',
  ],
  [
    'a window started by a request is bounded likewise',
    'fixed-window-first-request',
    '0+ 1+ 2+ 3- 14-',
    { scale },
    '2 (by 3) to 1 (by 5)',
  ],
  ['a counter weighs two windows', 'sliding-counter', '0+ 1+ 2+ 19-', { scale }, '2 (by 3) to 4 (by 4)'],
  [
    'a counter that counts rejections weighs those, too',
    'sliding-counter-all',
    '0+ 1- 2- 19-',
    { scale },
    '1 (by 1) to 2 (by 2)',
  ],
  [
    'a block cache may reject a window longer',
    'sliding-counter-block-cache',
    '0+ 1+ 2+ 29-',
    { scale },
    '2 (by 3) to 4 (by 4)',
  ],
  ['a counter does not', 'sliding-counter', '0+ 1+ 2+ 29-', { scale }, '2 (by 3) to 1 (by 4)'],
  [
    'nothing is admitted within a window after a rejection that extends it',
    'extended-by-refusals',
    '0+ 5- 14.993+',
    { scale },
    'none (by 3)',
  ],
  ['later it is', 'extended-by-refusals', '0+ 5- 14.994+', { scale }, '1 (by 1) to 2 (by 2)'],
  [
    'a rejection may have met all that was ever admitted',
    'extended-by-refusals',
    '0+ 100- 200-',
    { scale },
    '1 (by 1) to 2 (by 2)',
  ],
  [
    'a rejection in a block may have met what a window before the block admitted',
    'block-after-refusal',
    '0+ 1+ 2- 8- 10+',
    { scale },
    '1 (by 1) to 3 (by 3)',
  ],
  ['blocks of no length fit none', 'block-after-refusal', '0+ 1- 5- 6+ 7- 8+', { scale }, 'none'],
];

describe('the limits that are possible wherever windows begin', () => {
  it.each(rows)('%s', (_, kind, requests, box, limits) => {
    expect(limitsOfAnyPhase(kind, requests, box)).toBe(limits);
  });
});

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
