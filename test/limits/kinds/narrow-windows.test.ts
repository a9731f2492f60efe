import { describe, expect, it } from 'vitest';
import { type BoxS, limitsOf } from './figures.ts';

/** With a window of 10 s, clocks may differ by 6 ms. */
const scale = 10;

type Row = readonly [sentence: string, requests: string, box: BoxS, limits: string];

const fixedWindow: readonly Row[] = [
  ['each window needs what it admitted', '1+ 2+ 3+ 11+ 12+', { scale, boundary: 0 }, '3 (by 3) to Infinity'],
  [
    'each rejection met what its window had admitted',
    '1+ 2+ 3- 11+ 12- 13-',
    { scale, boundary: 0 },
    '2 (by 2) to 1 (by 5)',
  ],
  [
    'a rejection before any admission in its window is explained by no limit',
    '1+ 11-',
    { scale, boundary: 0 },
    '1 (by 1) to 0 (by 2)',
  ],
  [
    'a request near a boundary may lie on either side',
    '1+ 9.995+ 10.005-',
    { scale, boundary: 0 },
    '1 (by 1) to 2 (by 3)',
  ],
  [
    'one that is further away lies on its own',
    '1+ 9.99+ 10.01-',
    { scale, boundary: 0 },
    '2 (by 2) to 0 (by 3)',
  ],
  [
    'a vague boundary leaves open in which window a request lies',
    '1+ 9+ 11-',
    { scale, boundary: [8, 12] },
    '0 to 2 (by 3)',
  ],
  [
    'a request without an answer may have been counted',
    '1+ 2? 3-',
    { scale, boundary: 0 },
    '1 (by 1) to 2 (by 3)',
  ],
  [
    'after a rejection its window admits nothing, so that what straddles the end came after it',
    '1+ 2- 9.99~10.01+ 11+',
    { scale, boundary: 0 },
    '2 (by 4) to 1 (by 2)',
  ],
  [
    'without a rejection, what straddles the end may have come before it',
    '1+ 9.99~10.01+ 11+',
    { scale, boundary: 0 },
    '1 (by 1) to Infinity',
  ],
];

const firstRequest: readonly Row[] = [
  ['a window lasts from the request that started it', '0+ 4+ 9+ 10.007+', { scale }, '3 (by 3) to Infinity'],
  ['a request at its end may start another', '0+ 4+ 9.995+ 19+', { scale }, '2 (by 2) to Infinity'],
  ['a rejection in it met what it had admitted', '0+ 4+ 9- 11+ 12-', { scale }, '2 (by 2) to 1 (by 5)'],
  ['a rejection starts none', '0+ 4- 11+ 20- 22+', { scale }, '1 (by 1) to 1 (by 2)'],
  ['a request without an answer may have started it', '0? 4+ 10.5+ 11-', { scale }, '1 (by 2) to 3 (by 4)'],
  [
    'a rejection after the last window started none, so that no limit explains it',
    '0+ 4+ 15-',
    { scale },
    '2 (by 2) to 0 (by 3)',
  ],
  [
    'a rejection at the end of the last window lies in it',
    '0+ 4+ 10.005-',
    { scale },
    '2 (by 2) to 2 (by 3)',
  ],
  ['rejections alone leave no limit but none', '0- 1-', { scale }, '0 to 0 (by 1)'],
];

const windowRefill: readonly Row[] = [
  [
    'windows lie on the grid of the first request',
    '3+ 4+ 12+ 13.1+ 22+ 22.9+ 23.1+',
    { scale },
    '3 (by 6) to Infinity',
  ],
  [
    'the first request may have arrived until its answer',
    '3~4+ 12+ 13.5+ 14.1+',
    { scale },
    '1 (by 2) to Infinity',
  ],
];

const extended: readonly Row[] = [
  ['a rejection extends the window by a whole one', '0+ 1- 9- 10.5-', { scale }, '1 (by 1) to 1 (by 2)'],
  [
    'what is admitted within a window after one is too much',
    '0+ 9- 18+ 18.5+',
    { scale },
    '3 (by 4) to 1 (by 2)',
  ],
  ['a window after the last one starts another', '0+ 9- 19.1+ 20-', { scale }, '1 (by 1) to 1 (by 2)'],
  [
    'a request without an answer may have been rejected, and extended it',
    '0+ 1- 9? 18-',
    { scale },
    '1 (by 1) to 1 (by 2)',
  ],
  [
    'a rejection long after the last one is explained by no limit',
    '0+ 1- 30-',
    { scale },
    '1 (by 1) to 0 (by 3)',
  ],
];

const block: readonly Row[] = [
  [
    'a block begins with the first rejection and ends as long after it',
    '0+ 1- 5- 8+',
    { scale },
    '1 (by 1) to 1 (by 2)',
  ],
  [
    'two windows with a block between each have their own count',
    '0+ 1+ 2- 6+ 7+ 8-',
    { scale },
    '2 (by 2) to 2 (by 3)',
  ],
];

describe('the limits that explain a few answers', () => {
  it.each<[string, string, readonly Row[]]>([
    ['a fixed window', 'fixed-window', fixedWindow],
    ['a window started by a request', 'fixed-window-first-request', firstRequest],
    ['a bucket that each window fills', 'token-bucket-window-lumps', windowRefill],
    ['a window extended by rejections', 'extended-by-refusals', extended],
    ['a block after a rejection', 'block-after-refusal', block],
  ])('%s', (_, kind, rows) => {
    const found = rows.map(([sentence, requests, box]) => `${sentence}: ${limitsOf(kind, requests, box)}`);
    expect(found).toEqual(rows.map(([sentence, , , limits]) => `${sentence}: ${limits}`));
  });
});
