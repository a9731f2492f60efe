import { describe, expect, it } from 'vitest';
import { blockOf } from '../../src/limits/block.ts';
import type { Span } from '../../src/limits/span.ts';
import { subsetOf } from '../../src/limits/subset.ts';
import { admitted, limited } from '../../src/limits/trace.ts';
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
});
