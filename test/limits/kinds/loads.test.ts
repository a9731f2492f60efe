import { describe, expect, it } from 'vitest';
import { type BoxS, loadsOf } from './figures.ts';

const scale = 10;

type LoadRow = readonly [sentence: string, kind: string, requests: string, box: BoxS, loads: string];

/** Where requests arrived is known, and none lies near the end of a window, the bounds are the count itself. */
const loads: readonly LoadRow[] = [
  [
    'a sliding log counts what is younger than its window',
    'sliding-log',
    '0+ 4+ 8+ 9- 12+ 15+ 40+',
    { scale },
    '0 1 2 3 2 2 0',
  ],
  [
    "at a window's age, a request may be counted or not",
    'sliding-log',
    '0+ 4+ 10+ 14+',
    { scale },
    '0 1 1..2 1..2',
  ],
  [
    'a log in tenths may have forgotten a tenth',
    'sliding-log-pieces (0.1)',
    '0+ 4+ 9.5+',
    { scale },
    '0 1 1..2',
  ],
  ['a log with rejections counts those, too', 'sliding-log-all', '0+ 4- 8- 9?', { scale }, '0 1 2 3'],
  ['a request under way may be counted', 'sliding-log', '0~2+ 1~3+ 4+', { scale }, '0..1 0..1 2'],
  [
    'a fixed window counts from its boundary',
    'fixed-window',
    '1+ 2+ 3- 11+ 12+',
    { scale, boundary: 0 },
    '0 1 2 0 1',
  ],
  [
    'near its boundary it has counted all or nothing',
    'fixed-window',
    '1+ 2+ 10+ 12+',
    { scale, boundary: 0 },
    '0 1 0..2 0..1',
  ],
  [
    'a window is started by a request',
    'fixed-window-first-request',
    '0+ 4+ 9+ 11+ 12+ 22+',
    { scale },
    '0 1 2 0 1 0',
  ],
  [
    'a bucket that each window fills counts on the grid of the first request',
    'token-bucket-window-lumps',
    '3+ 4+ 14+ 24+',
    { scale },
    '0 0..1 0 0',
  ],
  [
    'a bucket counts missing tokens, within a hundredth and what clocks differ',
    'token-bucket',
    '0+ 0.5+ 2+',
    { scale: 1 },
    '-0.01..0.01 0.4879..0.512 -0.01..0.0122',
  ],
  [
    'a bucket refilled each second gets a token then',
    'token-bucket-second-lumps',
    '0.1+ 0.6+ 0.7+ 1.5+',
    { scale: 1, boundary: 0 },
    '-0.01..0.01 0.99..1.01 1.99..2.01 1.99..2.01',
  ],
  [
    'near a refill it has come or not',
    'token-bucket-second-lumps',
    '0.1+ 0.6+ 1+',
    { scale: 1, boundary: 0 },
    '-0.01..0.01 0.99..1.01 0.99..2.01',
  ],
  [
    'a sliding counter weighs the window before',
    'sliding-counter',
    '1+ 2+ 12+ 15+ 25+',
    { scale, boundary: 0 },
    '0 1 1.5985..1.6015 1.9985..2.0015 0.9985..1.0015',
  ],
  [
    'a sliding counter with a block cache is full after a rejection',
    'sliding-counter-block-cache',
    '1+ 2- 3- 15+',
    { scale, boundary: 0 },
    '0 1 ∞ 0.4993..0.5007',
  ],
  [
    'a block may have begun with a request under way',
    'sliding-counter-block-cache',
    '1+ 2~3- 2.5- 9+',
    { scale, boundary: 0 },
    '0 1..∞ 1..∞ ∞',
  ],
  [
    'a sliding counter with rejections counts those, too',
    'sliding-counter-all',
    '1+ 2- 3- 15-',
    { scale, boundary: 0 },
    '0 1 2 1.4979..1.5021',
  ],
  [
    'windows of a counter follow each other from the first request',
    'sliding-counter-first-request',
    '5+ 6+ 17+ 18+',
    { scale },
    '0 1 1.5988..1.6012 2.3988..2.4012',
  ],
  [
    'a gap of two windows starts a counter anew',
    'sliding-counter-first-request',
    '5+ 6+ 40+ 41+ 52+',
    { scale },
    '0 1 0 1 1.5988..1.6012',
  ],
  [
    'after its block a window starts with a request, which may just be at its end',
    'block-after-refusal',
    '0+ 1+ 2- 4- 6+ 7+',
    { scale },
    '0 1 2 2 0..2 0..1',
  ],
  [
    'an extended window keeps its count',
    'extended-by-refusals',
    '0+ 1+ 9- 15- 26+ 27+',
    { scale },
    '0 1 2 2 0 1',
  ],
];

describe('what a kind had counted when a request arrived', () => {
  it.each(loads)('%s', (_, kind, requests, box, expected) => {
    expect(loadsOf(kind, requests, box)).toBe(expected);
  });
});
