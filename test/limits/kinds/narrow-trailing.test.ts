import { describe, expect, it } from 'vitest';
import { type BoxS, limitsOf } from './figures.ts';

/** With a window of 10 s, clocks may differ by 6 ms. */
const scale = 10;

type Row = readonly [sentence: string, requests: string, box: BoxS, limits: string];

const slidingLog: readonly Row[] = [
  [
    'an admission needs a place beside each that is surely still in the window',
    '0+ 9.993999999+',
    { scale },
    '2 (by 2) to Infinity',
  ],
  ['one that may have left the window needs none', '0+ 9.994+', { scale }, '1 (by 1) to Infinity'],
  [
    'a rejection may have met what may still have been in the window',
    '0+ 10.006-',
    { scale },
    '1 (by 1) to 1 (by 2)',
  ],
  [
    'a rejection that met nothing is explained by no limit',
    '0+ 10.006000001-',
    { scale },
    '1 (by 1) to 0 (by 2)',
  ],
  [
    'of a burst under way at once, as many have places as passed',
    '0~1+ 0~1+ 0~1+ 0~1-',
    { scale },
    '3 (by 1) to 3 (by 4)',
  ],
  ['a request without an answer may have taken a place', '0+ 1? 2-', { scale }, '1 (by 1) to 2 (by 3)'],
  ['a shorter window forgets earlier', '0+ 4+ 8-', { scale: [5, 10] }, '2 (by 2) to 2 (by 3)'],
  [
    'of a vague window, an admission is held against the shortest',
    '0+ 6+ 12-',
    { scale: [5, 10] },
    '1 (by 1) to 1 (by 3)',
  ],
  [
    'of a vague window, a rejection is held against the longest',
    '0+ 9+ 12-',
    { scale: [5, 15] },
    '1 (by 1) to 2 (by 3)',
  ],
  ['what contradicts the limit ends the search', '0+ 1- 2+ 3+ 4+', { scale }, '2 (by 3) to 1 (by 2)'],
];

const slidingLogAll: readonly Row[] = [
  ['rejections take places', '0+ 1- 2- 3+', { scale }, '4 (by 4) to 1 (by 2)'],
  ['a rejection may have met those before it', '0+ 1+ 2- 3-', { scale }, '2 (by 2) to 2 (by 3)'],
];

const inPieces: readonly Row[] = [
  ['up to a tenth of the window may have been forgotten', '0+ 8.994+', { scale }, '2 (by 2) to Infinity'],
  ['an admission later needs no second place', '0+ 9+', { scale }, '1 (by 1) to Infinity'],
  ['a rejection may have met a whole window', '0+ 10.006-', { scale }, '1 (by 1) to 1 (by 2)'],
];

/** A token each second; tokens are counted with a noise of a hundredth. */
const bucket: readonly Row[] = [
  ['a burst needs a bucket as large', '0+ 0+ 0+', { scale: 1 }, '1 (by 1) to Infinity'],
  [
    'a burst of answers one after the other needs as many tokens',
    '0+ 0.001+ 0.002+ 0.05-',
    { scale: 1 },
    '3 (by 3) to 3 (by 4)',
  ],
  ['a token comes back each second', '0+ 0.001+ 1.02+ 1.021-', { scale: 1 }, '2 (by 2) to 2 (by 4)'],
  ['a rejection of a full bucket is explained by no limit', '0+ 5-', { scale: 1 }, '1 (by 1) to 0 (by 2)'],
  ['what may be under way may be missing', '0+ 0.5~3? 1-', { scale: 1 }, '1 (by 1) to 2 (by 3)'],
  [
    'with vague tokens, an admission is held against the fastest',
    '0+ 0.001+ 0.002+ 1+',
    { scale: [0.5, 2] },
    '3 (by 3) to Infinity',
  ],
  [
    'with vague tokens, a rejection is held against the slowest',
    '0+ 0.001+ 1-',
    { scale: [0.5, 2] },
    '2 (by 2) to 2 (by 3)',
  ],
];

const secondRefill: readonly Row[] = [
  [
    'nothing comes between two refills, but the noise of tokens',
    '0.1+ 0.2+ 0.9- 1.1+ 1.2-',
    { scale: 1, boundary: 0 },
    '2 (by 2) to 3 (by 3)',
  ],
  [
    'a refill brings what an interval is worth',
    '0.1+ 0.2+ 0.3+ 1.1+ 1.2+',
    { scale: 0.5, boundary: 0 },
    '3 (by 3) to Infinity',
  ],
  [
    'a vague boundary may have brought a refill already',
    '0.1+ 0.6+ 0.7-',
    { scale: 1, boundary: [0, 0.5] },
    '1 (by 1) to 3 (by 3)',
  ],
];

const slidingCounter: readonly Row[] = [
  [
    'after an empty window the count is whole, and leaves one limit',
    '1+ 2+ 3-',
    { scale, boundary: 0 },
    '2 (by 2) to 2 (by 3)',
  ],
  [
    'a whole load by weights leaves one limit more open, by their noise',
    '1+ 2+ 15-',
    { scale, boundary: 0 },
    '2 (by 2) to 2 (by 3)',
  ],
  [
    'the window before weighs what a trailing one still covers',
    '1+ 2+ 3+ 4+ 15+ 15.1+ 15.2-',
    { scale, boundary: 0 },
    '4 (by 4) to 4 (by 7)',
  ],
  ['a load of 1.7 needs a limit of 2', '1+ 12+ 13+', { scale, boundary: 0 }, '2 (by 3) to Infinity'],
  ['nothing of two windows before counts', '1+ 25+ 26-', { scale, boundary: 0 }, '1 (by 1) to 1 (by 3)'],
  [
    'near a boundary the easier window counts',
    '1+ 2+ 9.999-',
    { scale, boundary: 0 },
    '2 (by 2) to 3 (by 3)',
  ],
  [
    'a request without an answer may have been counted',
    '1+ 2? 3-',
    { scale, boundary: 0 },
    '1 (by 1) to 2 (by 3)',
  ],
  [
    'the shortest window weighs least at an admission',
    '1+ 2+ 3+ 15.8+ 15.9+ 16+',
    { scale: [9, 11], boundary: 9.5 },
    '3 (by 3) to Infinity',
  ],
  [
    'the longest window weighs most at a rejection',
    '1+ 2+ 3+ 15.8+ 15.9+ 16-',
    { scale: [9, 11], boundary: 9.5 },
    '3 (by 3) to 4 (by 6)',
  ],
  [
    'a request that may lie in more than four windows says nothing',
    '1+ 2+ 3~90+ 4~90- 95+',
    { scale, boundary: 0 },
    '2 (by 2) to Infinity',
  ],
  [
    'a request that may lie in four windows bounds the limit by the easiest',
    '1+ 2+ 3~35- 95+',
    { scale, boundary: 0 },
    '2 (by 2) to 3 (by 3)',
  ],
];

const blockCache: readonly Row[] = [
  ['after a rejection nothing is admitted in its window', '1+ 2- 3+', { scale, boundary: 0 }, 'none (by 3)'],
  [
    'a later rejection in that window says nothing of the limit',
    '1+ 2+ 3- 9-',
    { scale, boundary: 0 },
    '2 (by 2) to 2 (by 3)',
  ],
  ['in the next window it admits again', '1+ 2- 15+', { scale, boundary: 0 }, '1 (by 1) to 1 (by 2)'],
  [
    'a request without an answer may have started the block',
    '1+ 2+ 2.5? 3+ 4-',
    { scale, boundary: 0 },
    '3 (by 4) to Infinity',
  ],
];

const counterSinceRequest: readonly Row[] = [
  [
    'a rejection long after the last window met no count',
    '0+ 1+ 2+ 3- 40-',
    { scale },
    '3 (by 3) to 0 (by 5)',
  ],
  [
    'a rejection within a silence met no count either',
    '0+ 1+ 2+ 3- 40- 50+',
    { scale },
    '3 (by 3) to 0 (by 5)',
  ],
  [
    'a rejection in the window after met what that weighs',
    '0+ 1+ 2+ 3+ 11-',
    { scale },
    '4 (by 4) to 4 (by 5)',
  ],
];

describe('the limits that explain a few answers', () => {
  it.each<[string, string, readonly Row[]]>([
    ['a sliding log', 'sliding-log', slidingLog],
    ['a sliding log that counts rejections', 'sliding-log-all', slidingLogAll],
    ['a sliding log in tenths', 'sliding-log-pieces (0.1)', inPieces],
    ['a token bucket', 'token-bucket', bucket],
    ['a bucket refilled once a second', 'token-bucket-second-lumps', secondRefill],
    ['a sliding counter', 'sliding-counter', slidingCounter],
    ['a sliding counter with a block cache', 'sliding-counter-block-cache', blockCache],
    ['a sliding counter that a request starts', 'sliding-counter-first-request', counterSinceRequest],
  ])('%s', (_, kind, rows) => {
    const found = rows.map(([sentence, requests, box]) => `${sentence}: ${limitsOf(kind, requests, box)}`);
    expect(found).toEqual(rows.map(([sentence, , , limits]) => `${sentence}: ${limits}`));
  });
});
