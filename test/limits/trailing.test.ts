import { describe, expect, it } from 'vitest';
import { trailingMost } from '../../src/limits/counts.ts';
import { ns, written } from './written.ts';

/** With a window of 10 s, clocks may differ by 6 ms. */
const windowNs = ns(10);

describe('the most admissions in any window of 10 s', () => {
  it.each([
    ['two surely are in one window if they are more than the slack closer than it', '0+ 9.993999999+', 2, 2],
    ['two may be, but need not, from there', '0+ 9.994+', 1, 2],
    ['two still may be at a window and the slack', '0+ 10.006+', 1, 2],
    ['two cannot be, a nanosecond later', '0+ 10.006000001+', 1, 1],
    ['a request counts from its sending to its answer', '0~1+ 9~9.993999999+', 2, 2],
    ['one that is under way may be in either window', '0~5+ 10.5~10.6+', 1, 2],
    ['a rejection is none', '0+ 1- 2+', 2, 2],
    ['a request without an answer is one at the most', '0+ 1? 2+', 2, 3],
    ['none are in an empty trace', '', 0, 0],
    ['the best window is anywhere', '0+ 20+ 21+ 22+ 40+ 41+', 3, 3],
    ['those that are sent together are in one window', '5+ 5+ 5+', 3, 3],
  ])('%s', (_, requests, atLeast, atMost) => {
    expect(trailingMost(written(requests), 'admitted', windowNs)).toMatchObject({ atLeast, atMost });
  });

  it('counts rejections, if those are counted', () => {
    expect(trailingMost(written('0+ 1- 2+'), 'all', windowNs)).toMatchObject({ atLeast: 3, atMost: 3 });
  });

  it('is in the first window that has as many', () => {
    expect(trailingMost(written('0+ 20+ 21+ 40+ 41+'), 'admitted', windowNs)).toMatchObject({
      beginNs: ns(20),
      endNs: ns(30),
    });
  });
});
