import { describe, expect, it } from 'vitest';
import { subsetOf } from '../../src/limits/counts.ts';
import type { Span } from '../../src/limits/span.ts';
import { admitted, limited } from '../../src/limits/trace.ts';
import { blockOf } from '../../src/limits/view.ts';
import { traceOf } from './trace-of.ts';

/** Requests at given seconds, each answered 1 ms later: `3+` admitted, `3-` refused. */
function blockIn(requests: string): Span {
  const trace = traceOf(
    requests.split(' ').map((text, index) => {
      const sentNs = Number(text.slice(0, -1)) * 1e9;
      const outcome = text.endsWith('+') ? admitted : limited;
      return { seq: index + 1, sentNs, answeredNs: sentNs + 1e6, outcome };
    }),
  );
  const of = (wanted: number) => subsetOf(trace, (outcome) => outcome === wanted);
  return blockOf(of(admitted), of(limited));
}

/** To a tenth of a second, which leaves out clocks and round trips. */
function inSeconds({ loNs, hiNs }: Span): [number, number] {
  return [Math.round(loNs / 1e8) / 10, Math.round(hiNs / 1e8) / 10];
}

describe('the length of a block started by a rejection', () => {
  it.each([
    ['at least as long as refusals lasted, at most until the next admission', '0+ 1- 2- 4- 6+', 3, 5],
    [
      'is bounded by the block that lasted longest, and the one that was over soonest',
      '0+ 1- 4- 9+ 10- 15+',
      3,
      5,
    ],
    ['is open above while nothing was admitted after a refusal', '0+ 1- 2- 4-', 3, Number.POSITIVE_INFINITY],
    ['is begun by the first refusal after an admission, however many follow', '0+ 1- 2- 3- 4+', 2, 3],
  ])('%s', (_sentence, requests, loS, hiS) => {
    expect(inSeconds(blockIn(requests))).toEqual([loS, hiS]);
  });

  it('is nothing at all where one was over sooner than another had lasted', () => {
    const { loNs, hiNs } = blockIn('0+ 1- 5- 6+ 7- 8+');
    expect(loNs).toBeGreaterThan(hiNs);
  });

  it.each([
    // Clocks differ by 5 ms and a ten-thousandth, and a request is answered after 1 ms.
    ['is known to what clocks differ, and a round trip', '0+ 1- 2- 4- 6+', 2.999 - 0.0053, 5.001 + 0.0055],
    ['is no shorter than a fifth of a second', '0+ 1- 1.1- 6+', 0.2, 5.001 + 0.0055],
    ['has no bound where nothing was rejected', '0+ 1+', 0.2, Number.POSITIVE_INFINITY],
    [
      'has no upper bound before an admission comes after it',
      '0+ 1- 4-',
      2.999 - 0.0053,
      Number.POSITIVE_INFINITY,
    ],
    [
      'is as long as the longest of several',
      '0+ 1- 2- 9+ 10- 14- 20+ 21- 22- 40+',
      3.999 - 0.0054,
      8.001 + 0.0058,
    ],
    [
      'is as short as the shortest of several',
      '0+ 1- 2- 9+ 10- 14- 14.5+ 15- 15.5- 40+',
      3.999 - 0.0054,
      4.501 + 0.0055,
    ],
  ])('%s', (_sentence, requests, loS, hiS) => {
    const { loNs, hiNs } = blockIn(requests);
    expect([loNs / 1e9, hiNs / 1e9].map((seconds) => Math.round(seconds * 1e4) / 1e4)).toEqual(
      [loS, hiS].map((seconds) => Math.round(seconds * 1e4) / 1e4),
    );
  });
});
