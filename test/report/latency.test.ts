import { describe, expect, it } from 'vitest';
import { plain } from '../../src/report/figure.ts';
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
