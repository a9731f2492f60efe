import { describe, expect, it } from 'vitest';
import { keyOf, type Settled } from '../../../src/limits/kinds/kind.ts';
import { deciderOf, kindOf, kinds } from '../../../src/limits/kinds/table.ts';
import { ns } from '../written.ts';

/** Three per 10 s, unless a row says otherwise; a bucket gets a token every second. */
function settledOf(kind: string, others: Partial<Settled>): Settled {
  const isBucket = kind.startsWith('token-bucket') && kind !== 'token-bucket-window-lumps';
  return { kind, limit: 3, scaleNs: isBucket ? 1e9 : 10e9, boundaryNs: 0, ...others };
}

/**
 * What a limiter decides at some instants, as text: `9:2+` is at 9 s, where it has counted 2 and admits; `9:3-` rejects. With
 * `=` this is known to have happened, with `!` the opposite, and the limiter continues from that.
 */
function decided(settled: Settled, requests: string): string {
  let load = Number.NaN;
  const decide = kindOf(settled).decide(settled, (noted) => {
    load = noted;
  });
  return requests
    .split(' ')
    .map((text) => {
      const [instant = '', expected = ''] = text.split(':');
      const known = /[=!]$/.exec(expected)?.[0] ?? '';
      const says = expected.replace(known, '').endsWith('+');
      const passes = decide(ns(Number(instant)), known === '' ? undefined : (known === '=') === says);
      const shown = Number(load.toFixed(6));
      return `${instant}:${shown}${passes ? '+' : '-'}${known}`;
    })
    .join(' ');
}

type Row = readonly [sentence: string, kind: string, others: Partial<Settled>, requests: string];

const justBefore = '9.999999999';

const rows: readonly Row[] = [
  [
    'a fixed window counts from zero again at each boundary of its grid',
    'fixed-window',
    { boundaryNs: ns(4) },
    '0:0+ 1:1+ 2:2+ 3.999999999:3- 4:0+ 13.999999999:1+ 14:0+ 34:0+',
  ],
  [
    'a bucket that each window fills has the grid of the first request',
    'token-bucket-window-lumps',
    {},
    '2:0+ 3:1+ 4:2+ 11.999999999:3- 12:0+ 12:1+ 35:0+ 41.999999999:1+ 42:0+',
  ],
  [
    'a window started by a request ends one window later, and the next request starts another',
    'fixed-window-first-request',
    {},
    '2:0+ 3:1+ 4:2+ 5:3- 11.999999999:3- 12:0+ 30:0+ 39.999999999:1+ 40:0+',
  ],
  [
    'a sliding log forgets each admission exactly a window later',
    'sliding-log',
    {},
    `0:0+ 4:1+ 8:2+ 9:3- ${justBefore}:3- 10:2+ 13.999999999:3- 14:2+`,
  ],
  [
    'a sliding log that counts rejections stays full while they come',
    'sliding-log-all',
    {},
    '0:0+ 4:1+ 8:2+ 9:3- 10:3- 14:3- 23.999999999:1+ 34:0+',
  ],
  [
    'a log in tenths forgets half a tenth of the window early',
    'sliding-log-pieces (0.1)',
    {},
    '0:0+ 4:1+ 8:2+ 9:3- 9.499999999:3- 9.5:2+',
  ],
  [
    'a log in quarters forgets an eighth of the window early, rejections as well',
    'sliding-log-all-pieces (0.25)',
    {},
    '0:0+ 4:1+ 8:2+ 8.749999999:3- 8.75:3- 17.5:0+',
  ],
  [
    'a bucket gets a token each interval, and holds no more than its burst',
    'token-bucket',
    { scaleNs: ns(2.5) },
    '0:0+ 0:1+ 0:2+ 0:3- 1:2.6- 2.5:2+ 2.5:3- 100:0+ 100:1+ 100:2+ 100:3-',
  ],
  [
    'a bucket that counts in thousandths loses half of one to rounding with each admission',
    'token-bucket (thousandths)',
    {},
    '0:0+ 0:1.0005+ 0:2.001- 0.001:2+ 0.001:3.0005-',
  ],
  [
    'a bucket refilled once a second gets nothing between two refills',
    'token-bucket-second-lumps',
    { boundaryNs: ns(0.5) },
    '0:0+ 0:1+ 0:2+ 0.499999999:3- 0.5:2+ 1.499999999:3- 1.5:2+ 4.5:0+',
  ],
  [
    'a bucket refilled every 5 s gets 5 tokens then, and wastes those it has no room for',
    'token-bucket-lumps (5 s)',
    { limit: 7 },
    '0:0+ 0:1+ 0:2+ 0:3+ 0:4+ 0:5+ 0:6+ 4.9:7- 5:2+ 15:0+',
  ],
  [
    'a sliding counter adds the last window by the part that a trailing one still covers',
    'sliding-counter',
    { boundaryNs: ns(4) },
    '0:0+ 1:1+ 2:2+ 3:3- 4:3- 9:1.5+ 9:2.5+ 9:3.5- 14:2+ 14:3- 34:0+',
  ],
  [
    'a strict sliding counter leaves room for the request itself',
    'sliding-counter',
    { boundaryNs: ns(4), isStrict: true },
    '0:0+ 1:1+ 2:2+ 3:3- 9:1.5+ 9:2.5-',
  ],
  [
    'a sliding counter that counts rejections weighs them in the next window, too',
    'sliding-counter-all',
    { boundaryNs: ns(4) },
    '0:0+ 1:1+ 2:2+ 3:3- 4:4- 9:3- 11.5:3- 14:3- 19:2.5+',
  ],
  [
    'a sliding counter with a block cache rejects until the window ends once it has rejected',
    'sliding-counter-block-cache',
    { boundaryNs: ns(4) },
    '0:0+ 1:1+ 2:2+ 4:3- 12:3- 13.999999999:3- 14:0+',
  ],
  [
    'a block cache counts a load over the limit as what it is',
    'sliding-counter-block-cache',
    { limit: 2 },
    '0:0+ 1:1+ 2:2-! 3:3- 4:3-',
  ],
  [
    'windows started by a request follow each other until one is empty',
    'sliding-counter-first-request',
    {},
    '2:0+ 3:1+ 4:2+ 5:3- 12:3- 17:1.5+ 17:2.5+ 17:3.5- 22:2+ 45:0+ 54.999999999:1+ 55:2+',
  ],
  [
    'windows started by a request weigh nothing of one that is two windows old',
    'sliding-counter-first-request',
    {},
    '0:0+ 0:1+ 19.999999999:0+ 20:1+ 40:0+',
  ],
  [
    'windows started by a request, with rejections counted, go on through rejections',
    'sliding-counter-all-first-request',
    {},
    '0:0+ 0:1+ 0:2+ 0:3- 10:4- 15:3- 20:2+ 20:3-',
  ],
  [
    'a first rejection starts a block, and later ones leave its end where it is',
    'block-after-refusal',
    { blockNs: ns(4) },
    '0:0+ 1:1+ 2:2+ 3:3- 5:3- 6.999999999:3- 7:0+ 16.999999999:1+ 17:0+',
  ],
  [
    'a block lasts a window unless its length is known',
    'block-after-refusal',
    {},
    '0:0+ 1:1+ 2:2+ 3:3- 12.999999999:3- 13:0+',
  ],
  [
    'each block starts with the first rejection of its own window',
    'block-after-refusal',
    { blockNs: ns(4), limit: 1 },
    '0:0+ 1:1- 5:0+ 6:1- 8:1- 10:0+',
  ],
  [
    'each rejection extends the window',
    'extended-by-refusals',
    {},
    '0:0+ 1:1+ 2:2+ 3:3- 12.999999999:3- 22.999999998:3- 32.999999998:0+ 42.999999998:0+',
  ],
];

describe('a kind of limiter by itself', () => {
  it.each(rows)('%s', (_, kind, others, requests) => {
    expect(decided(settledOf(kind, others), requests)).toBe(requests);
  });
});

/**
 * All of one request per 10 s, or of a bucket of one; really, a second one passed and a third was rejected with room. Where
 * nothing else would end it, the second one is taken to have had the room.
 */
const corrected: readonly Row[] = [
  ['a fixed window', 'fixed-window', {}, '0:0+ 1:1-! 2:2- 10:0+! 11:0+'],
  ['a fixed window started by a request', 'fixed-window-first-request', {}, '0:0+ 1:1-! 2:1- 10:0+! 11:0+'],
  ['a sliding log', 'sliding-log', {}, '0:0+ 1:1-! 2:2- 12:0+! 13:0+'],
  ['a sliding log with rejections', 'sliding-log-all', {}, '0:0+ 1:1-! 2:2- 11.9:1- 23:0+! 24:1-'],
  ['a token bucket', 'token-bucket', {}, '0:0+ 0.5:0.5-! 1:0.5- 9:0+! 9.1:0+'],
  ['a bucket refilled once a second', 'token-bucket-second-lumps', {}, '0:0+ 0.5:1-! 1:0+ 9:0+! 9.1:0+'],
  ['a sliding counter', 'sliding-counter', {}, '0:0+ 1:1-! 2:2- 10:2- 25:0+! 26:0+'],
  ['a sliding counter with rejections', 'sliding-counter-all', {}, '0:0+ 1:1-! 2:2- 10:3- 25:0.5+! 26:1.4-'],
];

describe('a limiter of one request continues from what really happened:', () => {
  it.each(corrected)('%s', (_, kind, others, requests) => {
    expect(decided(settledOf(kind, { limit: 1, ...others }), requests)).toBe(requests);
  });
});

/** Of limiters of two requests. */
const lost: readonly Row[] = [
  [
    'begins a window with the next admission, where the request that was taken to begin it never arrived',
    'fixed-window-first-request',
    {},
    '0:0+ 3:1+= 11:0+! 12:2-= 13:0+=',
  ],
  [
    'has room for one that was counted too much, and begins another window with the second',
    'fixed-window-first-request',
    {},
    '0:0+= 1:1+= 2:2-! 3:2-! 4:1+= 12.9:2-= 13:0+=',
  ],
  [
    'takes a block to be over with the second admission in it, and begins a window with that',
    'block-after-refusal',
    {},
    '0:0+= 1:1+= 2:2-= 5:2-! 6:2-! 7:1+= 8:2-= 17:2-= 18:0+=',
  ],
  [
    'has a bucket with room again, although one was counted too much',
    'token-bucket',
    {},
    '0:0+ 0:1+= 0:2-! 1:1+= 2:1+= 3:1+=',
  ],
];

describe('a limiter that is told what happened', () => {
  it.each(lost)('%s', (_, kind, others, requests) => {
    expect(decided(settledOf(kind, { limit: 2, ...others }), requests)).toBe(requests);
  });
});

describe('a limiter whose state a rejection changes, and that is told what happened', () => {
  const changed = ['sliding-counter-block-cache', 'block-after-refusal', 'extended-by-refusals'];

  it.each(changed)('%s is not excused by a rejection that it would not have made', (kind) => {
    const decide = deciderOf(settledOf(kind, { limit: 1 }));
    expect([decide(ns(0), false), decide(ns(1), false), decide(ns(2), true), decide(ns(3), false)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('every limiter that is told what happened', () => {
  it.each(kinds.map(keyOf))('%s continues from an admission that it would not have made', (kind) => {
    const decide = deciderOf(settledOf(kind, { limit: 1 }));
    expect([decide(ns(0), true), decide(ns(0.1), true), decide(ns(0.2), false)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
