import { describe, expect, it } from 'vitest';
import { naturalEnd, openedWindows } from '../../src/limits/kinds/opened-windows.ts';
import { griddedWindows, type Windows } from '../../src/limits/kinds/windows.ts';
import { exactly, type Span } from '../../src/limits/span.ts';
import { viewOf } from '../../src/limits/view.ts';
import { ns, written } from './written.ts';

const s = 1e9;

/** Windows as text, in seconds: when each begins and ends. */
function grid(requests: string, window: Span, boundary: Span): string[] {
  return asText(griddedWindows(written(requests), window, boundary));
}

function asText({ length, beginLo, beginHi, endLo, endHi }: Windows): string[] {
  const at = (instants: readonly number[], k: number): string =>
    `${Number(((instants[k] ?? 0) / s).toFixed(6))}`;
  return Array.from(
    { length },
    (_, k) => `${at(beginLo, k)}..${at(beginHi, k)} to ${at(endLo, k)}..${at(endHi, k)}`,
  );
}

describe('windows on a grid', () => {
  // The clocks may differ by 5 ms, and by a ten-thousandth of half of the four windows.
  it('cover a trace from before its first request until after its last', () => {
    expect(grid('1+ 12+', exactly(10 * s), exactly(0))).toEqual([
      '-10.007..-9.993 to -0.007..0.007',
      '-0.007..0.007 to 9.993..10.007',
      '9.993..10.007 to 19.993..20.007',
      '19.993..20.007 to 29.993..30.007',
    ]);
  });

  it('are vaguer the more windows away from a boundary they lie, if their length is vague', () => {
    expect(grid('0+ 9+', { loNs: 9 * s, hiNs: 11 * s }, exactly(0))).toEqual([
      '-11.00665..-8.99335 to -0.00665..0.00665',
      '-0.00665..0.00665 to 8.99335..11.00665',
      '8.99335..11.00665 to 17.99335..22.00665',
    ]);
  });

  it('are as vague as the boundary from which they are counted', () => {
    expect(
      grid('0+', exactly(10 * s), { loNs: 1 * s, hiNs: 3 * s }).map((text) => text.split(' ')[0]),
    ).toEqual(['-19.0065..-16.9935', '-9.0065..-6.9935', '0.9935..3.0065']);
  });

  it('are counted from a boundary after the trace as well', () => {
    const windows = griddedWindows(written('0+ 5+'), exactly(10 * s), exactly(ns(42)));
    expect(windows.beginHi[0]).toBeLessThan(0);
    expect(windows.endLo[windows.length - 1]).toBeGreaterThan(5 * s);
  });

  it.each(['0+', '0+ 5+', '3+ 47+'])(
    'each end where the next begins, and hold the whole trace: %s',
    (requests) => {
      for (const boundaryS of [-25, 0, 7.5, 60]) {
        const trace = written(requests);
        const { length, beginHi, beginLo, endLo, endHi } = griddedWindows(
          trace,
          exactly(10 * s),
          exactly(boundaryS * s),
        );
        expect([...endLo.slice(0, -1), ...endHi.slice(0, -1)]).toEqual([
          ...beginLo.slice(1, length),
          ...beginHi.slice(1, length),
        ]);
        expect(beginHi[0]).toBeLessThanOrEqual(trace.sentNs[0] as number);
        expect(endLo[length - 1]).toBeGreaterThan(trace.sentNs[trace.length - 1] as number);
      }
    },
  );
});

describe('windows that requests start', () => {
  const ten = exactly(10 * s);
  const opened = (requests: string): string[] =>
    asText(openedWindows(viewOf(written(requests)), naturalEnd(ten))).map((text) => text.split(' ')[0] ?? '');

  it.each([
    ['each start with the first request after the one before', '0+ 9+ 12+ 30+', ['0..0', '12..12', '30..30']],
    ['are vague after an uncertain request', '0? 4+ 11+ 15+', ['0..4', '11..15']],
    [
      'are certain again after a silence in which each is over, however many came before',
      '0? 4+ 11? 15+ 22? 40+ 52+',
      ['0..4', '11..15', '22..22', '40..40', '52..52'],
    ],
    ['stay vague after a shorter silence', '0? 4+ 11? 20+ 31+', ['0..4', '11..20', '31..31']],
  ])('%s', (_, requests, expected) => {
    expect(opened(requests)).toEqual(expect.arrayContaining(expected));
  });
});
