import { describe, expect, it } from 'vitest';
import { countsOf } from '../../src/limits/counts.ts';
import { written } from './written.ts';

const s = 1e9;
const inSeconds = (instants: Float64Array): number[] => Array.from(instants, (ns) => ns / s);

/** Two that overlap, a rejection, one without an answer, one out of scope, and a last one. */
const trace = written('0~2+ 1~3+ 4~5- 6~20? 7~8x 9~10+');

describe('what a limiter counts', () => {
  it('is surely what was admitted, and maybe what has no clear answer', () => {
    const counts = countsOf(trace, 'admitted');
    expect({
      sureSent: inSeconds(counts.sureSentNs),
      sureAnswered: inSeconds(counts.sureAnsweredNs),
      maySent: inSeconds(counts.maySentNs),
      mayAnswered: inSeconds(counts.mayAnsweredNs),
    }).toEqual({
      sureSent: [0, 1, 9],
      sureAnswered: [2, 3, 10],
      maySent: [0, 1, 6, 7, 9],
      mayAnswered: [2, 3, 8, 10, 20],
    });
  });

  it('is surely what was rejected as well, if rejections count', () => {
    const counts = countsOf(trace, 'all');
    expect([inSeconds(counts.sureSentNs), inSeconds(counts.maySentNs)]).toEqual([
      [0, 1, 4, 9],
      [0, 1, 4, 6, 7, 9],
    ]);
  });

  it.each([
    // At each request: those answered before it was sent, and those sent by its answer, itself left out.
    ['admitted', [0, 0, 2, 2, 2, 2], [1, 1, 2, 4, 3, 4], [0, 0, 2, 2, 2, 3]],
    ['all', [0, 0, 2, 3, 3, 3], [1, 1, 2, 5, 4, 5], [0, 0, 2, 3, 3, 4]],
  ] as const)(
    '%s: surely before, maybe before, and settled before each request',
    (counted, sure, maybe, settled) => {
      const counts = countsOf(trace, counted);
      expect([[...counts.surelyBefore], [...counts.maybeBefore], [...counts.settledBefore]]).toEqual([
        sure,
        maybe,
        settled,
      ]);
    },
  );

  it('has not surely come before a request that was sent at the instant of its answer', () => {
    const { surelyBefore, maybeBefore, settledBefore } = countsOf(written('0~1+ 1~2- 2~3-'), 'admitted');
    expect([[...surelyBefore], [...maybeBefore], [...settledBefore]]).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [0, 0, 1],
    ]);
  });
});
