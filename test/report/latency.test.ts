import { describe, expect, it } from 'vitest';
import { plain } from '../../src/report/figure.ts';
import { timeGrid } from '../../src/report/section.ts';
import { binsPerDoubling, latencyBins } from '../../src/report/sections/latency.ts';
import { failureTable } from '../../src/report/sections/requests.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';

const s = 1e9;
const ms = 1e6;
const history: SampleHistory = {
  requests: [
    { endpoint: 'list-shades', intendedNs: 0, sentNs: 1 * ms, answeredNs: 5 * ms, status: 200 },
    { endpoint: 'list-shades', intendedNs: 0, sentNs: 1 * ms, answeredNs: 5 * ms, status: 200 },
    { endpoint: 'list-shades', intendedNs: 1 * s, sentNs: 1 * s, answeredNs: 1 * s + 9 * ms, status: 200 },
    { endpoint: 'list-shades', intendedNs: 4 * s, sentNs: 4 * s, answeredNs: 4 * s + 2 * ms, status: 429 },
    { endpoint: 'list-shades', intendedNs: 6 * s, sentNs: 6 * s, answeredNs: 6 * s + 2 * ms, status: 429 },
    { endpoint: 'list-shades', intendedNs: 7 * s, sentNs: 7 * s, lost: 'timeout' },
    { endpoint: 'interact', intendedNs: 8 * s, notSent: 'no-session' },
    { endpoint: 'analytics', intendedNs: 9 * s, sentNs: 9 * s, answeredNs: 9 * s, status: 404, probe: 'x' },
  ],
};

/** Counts by latency in milliseconds: that one of the history which is within 2.2 % of the middle of the bin. */
function decoded(text: string): [ms: number | undefined, n: number][] {
  let bin = 0;
  return text === ''
    ? []
    : text.split(' ').map((entry) => {
        const [n = 0, step = 1] = entry.split(':').toReversed().map(Number);
        bin += step;
        const middle = 2 ** ((bin + 0.5) / binsPerDoubling) / ms;
        return [[2, 4, 5, 9].find((each) => Math.abs(middle / each - 1) <= 0.022), n];
      });
}

describe('the counts of latencies', () => {
  it('are by endpoint, exact status and part of the run, both latencies from their own beginning', async () => {
    const found = await withHistory(history, (open) => latencyBins(open, { widthMs: 2_000, count: 4 }));
    expect(found.map(({ answers, endpoint, status }) => [endpoint, status, answers])).toEqual([
      ['list-shades', 200, 3],
      ['list-shades', 429, 2],
    ]);
    const [ok, limited] = found.map(({ response, service }) => [service.map(decoded), response.map(decoded)]);
    expect(ok?.[0]).toEqual([
      [
        [4, 2],
        [9, 1],
      ],
      [],
      [],
      [],
    ]);
    expect(ok?.[1]).toEqual([
      [
        [5, 2],
        [9, 1],
      ],
      [],
      [],
      [],
    ]);
    expect(limited?.[0]?.map((part) => part.length)).toEqual([0, 0, 1, 1]);
  });

  it.each([
    ['no longer than its buckets allow', { widthMs: 1_000, count: 120 }, { widthMs: 1_000, count: 120 }],
    ['of an hour', { widthMs: 10_000, count: 361 }, { widthMs: 40_000, count: 91 }],
    ['of 600 buckets', { widthMs: 1_000, count: 600 }, { widthMs: 5_000, count: 120 }],
  ])('have at most 120 parts of a run %s, each of whole buckets', (_, buckets, grid) => {
    expect(timeGrid(buckets)).toEqual(grid);
  });
});

describe('the kinds of failure', () => {
  it('have their first and last time, and leave out probes that were answered', async () => {
    const made = await withHistory(history, failureTable);
    const rows = made.kind === 'table' ? made.rows : [];
    expect(rows.map(({ cells, time }) => [...cells.slice(0, 3).map(plain), time])).toEqual([
      ['429', 'list-shades', '2', { fromNs: 4 * s, toNs: 6 * s }],
      [expect.stringMatching(/^lost: timeout/), 'list-shades', '1', { fromNs: 7 * s, toNs: 7 * s }],
      [expect.stringMatching(/^not sent: no-session/), 'interact', '1', { fromNs: 8 * s, toNs: 8 * s }],
    ]);
  });
});
