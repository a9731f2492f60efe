import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admittedAtOnce, mostUnanswered, volleysTell } from '../../src/limits/probes.ts';
import {
  clockOffsetFrom,
  clockSlackNs,
  evenly,
  exactly,
  logarithmic,
  roundestMs,
  roundestWithin,
  widthOf,
} from '../../src/limits/span.ts';
import { countOutcome, seqAt } from '../../src/limits/trace.ts';
import { traceOf } from './trace-of.ts';
import { written } from './written.ts';

describe('the roundest whole number', () => {
  it.each<[number, number, number | undefined]>([
    [93, 107, 100],
    [100, 100, 100],
    [997, 1_003, 1_000],
    [45, 56, 50],
    [23, 27, 25],
    [26, 29, 28],
    [101, 104, 103],
    [950, 2_100, 2_000],
    [0, 0.5, 0],
    [1.2, 1.8, undefined],
    [1.2, 2, 2],
    [2, 2.5, 2],
    [5, Number.POSITIVE_INFINITY, undefined],
    [7, 6, undefined],
    [240, 260, 250],
    [74, 76, 75],
    [1, 9, 5],
    [3, 4, 4],
    [97, 100, 100],
    [100, 103, 100],
    [24, 25, 25],
    [25, 26, 25],
    [499, 500, 500],
  ])('from %d to %d is %s', (lo, hi, found) => {
    expect(roundestWithin(lo, hi)).toBe(found);
  });

  it('lies between the two, if any whole number does', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e4, noNaN: true }),
        fc.double({ min: 0, max: 50, noNaN: true }),
        (lo, width) => {
          const found = roundestWithin(lo, lo + width);
          if (Math.ceil(lo) > lo + width) expect(found).toBeUndefined();
          else
            expect([Number.isInteger(found), (found ?? -1) >= lo, (found ?? -1) <= lo + width]).toEqual([
              true,
              true,
              true,
            ]);
        },
      ),
    );
  });
});

describe('the roundest length of time', () => {
  it.each<[number, number, number | undefined]>([
    [59_000, 61_000, 60_000],
    [3_500_000, 3_700_000, 3_600_000],
    [1_799_000, 1_801_000, 1_800_000],
    [890_000, 910_000, 900_000],
    [590_000, 610_000, 600_000],
    [299_000, 301_000, 300_000],
    [29_000, 31_000, 30_000],
    [14_500, 15_500, 15_000],
    [9_000, 11_000, 10_000],
    [4_900, 5_100, 5_000],
    [6_500, 7_400, 7_000],
    [7_000, 7_000, 7_000],
    [240, 260, 250],
    [0, 400, 200],
    [1_001.2, 1_001.8, undefined],
    [59_500, 60_000, 60_000],
    [60_000, 60_400, 60_000],
  ])('from %d to %d ms is %s', (lo, hi, found) => {
    expect(roundestMs(lo, hi)).toBe(found);
  });
});

describe('spans', () => {
  it('are as wide as their ends are apart', () => {
    expect([widthOf(exactly(7)), widthOf({ loNs: 3, hiNs: 10 })]).toEqual([0, 7]);
  });

  it('are divided into parts of equal length', () => {
    expect(evenly({ loNs: 10, hiNs: 40 }, 3)).toEqual([
      { loNs: 10, hiNs: 20 },
      { loNs: 20, hiNs: 30 },
      { loNs: 30, hiNs: 40 },
    ]);
  });

  it('are divided into parts of equal ratio, as few as the ratio allows', () => {
    const rounded = logarithmic({ loNs: 1, hiNs: 8 }, 2).map(({ loNs, hiNs }) => [
      Math.round(loNs * 1e6) / 1e6,
      Math.round(hiNs * 1e6) / 1e6,
    ]);
    expect(rounded).toEqual([
      [1, 2],
      [2, 4],
      [4, 8],
    ]);
    expect(logarithmic(exactly(5), 2)).toEqual([exactly(5)]);
    expect(logarithmic({ loNs: 1, hiNs: 8.1 }, 2)).toHaveLength(4);
  });
});

it('two clocks may differ by 5 ms, and by a ten-thousandth of what they measure', () => {
  expect([clockSlackNs(0), clockSlackNs(60e9)]).toEqual([5e6, 11e6]);
});

describe('requests at the same time', () => {
  it.each([
    ['all that passed, if they passed in no time', 100, 0, 100],
    ['without the place that became free in a tenth of a second', 100, 0.1e9, 99],
    ['without each place that may have become free', 100, 6.1e9, 39],
    ['none, if all places may have become free', 10, 60e9, 0],
  ])('admitted by 10 a second: %s', (_, passed, tookNs, atOnce) => {
    expect(admittedAtOnce(passed, tookNs, { requests: 600, windowNs: 60e9 })).toBe(atOnce);
  });

  it('tell whether a limit is shared if the limiter admits a volley of four', () => {
    expect([3, 4].map(volleysTell)).toEqual([false, true]);
  });

  it.each([
    ['none of no requests', [''], 0],
    ['one, if each is answered before the next', ['0~1+ 2~3+'], 1],
    ['one, if each is answered as the next is sent', ['0~1+ 1~2+'], 1],
    ['three, if the third is sent before the first answer', ['0~5+ 1~6+ 2~3+ 7~8+'], 3],
    ['as many as over all keys together', ['0~5+', '1~2+ 4~6+', '1.5~1.7+'], 3],
  ])('waiting for an answer are %s', (_, requests, most) => {
    expect(mostUnanswered(requests.map((each) => written(each)))).toBe(most);
  });
});

describe("the target's clock", () => {
  const sample = (sentMs: number, answeredMs: number, dateEpochMs: number) => ({
    sentNs: sentMs * 1e6,
    answeredNs: answeredMs * 1e6,
    dateEpochMs,
  });

  it.each([
    [
      'is within a second after each date, between sending and answer',
      [sample(100, 200, 5_000)],
      [4_800, 5_900],
    ],
    ['is known better by several dates', [sample(100, 200, 5_000), sample(950, 960, 6_000)], [5_040, 5_900]],
    ['is not known without a date', [], undefined],
    [
      'is known exactly where two dates leave one instant',
      [sample(0, 0, 5_000), sample(1_000, 1_000, 7_000)],
      [6_000, 6_000],
    ],
    [
      'is none where two dates contradict each other',
      [sample(0, 0, 5_000), sample(1_000, 1_000, 7_001)],
      undefined,
    ],
  ])('%s', (_, samples, expected) => {
    const offset = clockOffsetFrom(samples);
    expect(offset && [offset.loNs / 1e6, offset.hiNs / 1e6]).toEqual(expected);
  });
});

describe('a trace', () => {
  const request = (seq: number, sentNs: number) => ({
    seq,
    sentNs,
    answeredNs: sentNs + 1,
    outcome: 0 as const,
  });

  it.each([
    ['in order', [request(1, 10), request(2, 20)], [1, 2]],
    ['out of order', [request(1, 20), request(2, 10), request(3, 15)], [2, 3, 1]],
    ['at the same instant, by their numbers', [request(2, 10), request(1, 10)], [1, 2]],
  ])('puts requests into the order of sending that come %s', (_, requests, expected) => {
    const trace = traceOf(requests);
    expect([...trace.seq]).toEqual(expected);
    expect([...trace.sentNs]).toEqual([...trace.sentNs].toSorted((a, b) => a - b));
    expect(Array.from(trace.answeredNs, (ns, i) => ns - (trace.sentNs[i] as number))).toEqual(
      requests.map(() => 1),
    );
  });

  it('has no number where there is no request', () => {
    expect([seqAt(written('0+ 1+'), 1), seqAt(written('0+'), 5)]).toEqual([2, Number.NaN]);
  });

  it('counts the requests of each outcome', () => {
    expect(
      ([0, 1, 2, 3] as const).map((outcome) => countOutcome(written('0+ 1+ 2+ 3- 4- 5?'), outcome)),
    ).toEqual([3, 2, 1, 0]);
  });
});
