import { describe, expect, it } from 'vitest';
import { table as figure, plain, type TableColumn, type Text, t } from '../../src/report/figure.ts';
import { figureHtml } from '../../src/report/figure-html.ts';
import { bucketsFor, chooseBuckets, mostBuckets } from '../../src/report/section.ts';
import { latencyOverTime } from '../../src/report/sections/latency.ts';
import { quotaOverTime } from '../../src/report/sections/quota.ts';
import { failureTable } from '../../src/report/sections/requests.ts';
import { admittedInWindow, traffic } from '../../src/report/sections/traffic.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../history/sample.ts';

const s = 1e9;

describe('the cut into buckets', () => {
  it.each([
    [0, 1_000, 1],
    [999, 1_000, 1],
    [240_000, 1_000, 241],
    [3_600_000, 10_000, 361],
    [7 * 86_400_000, 1_800_000, 337],
  ])('of %i ms has steps of %i ms, %i of them', (endMs, widthMs, count) => {
    expect(bucketsFor(endMs)).toEqual({ widthMs, count });
  });

  it('is bounded even for a run of a decade', () => {
    expect(bucketsFor(10 * 365 * 86_400_000).count).toBeLessThanOrEqual(mostBuckets);
  });
});

describe('series', () => {
  it('count each request once, in its lane and bucket, by how it ended', async () => {
    const requests: SampleRequest[] = [
      { endpoint: 'list-shades', sentNs: 0.1 * s },
      { endpoint: 'list-shades', sentNs: 0.2 * s, status: 429 },
      { endpoint: 'list-shades', sentNs: 1.2 * s, status: 404 },
      { endpoint: 'list-shades', sentNs: 1.3 * s, status: 502 },
      { endpoint: 'list-shades', sentNs: 1.4 * s, lost: 'timeout' },
      { endpoint: 'list-shades', intendedNs: 1.5 * s, notSent: 'patience' },
      { endpoint: 'interact', credential: 'session', sentNs: 1.6 * s, status: 202 },
      { endpoint: 'create-session', credential: 'quota', sentNs: 1.7 * s, status: 402 },
      { endpoint: 'create-session', credential: 'none', sentNs: 1.8 * s, status: 302 },
    ];
    const points = await withHistory({ requests }, async (history) =>
      traffic(history, await chooseBuckets(history)),
    );
    expect(
      points.map(({ lane, bucket, outcome, n }) => `${lane} ${bucket} ${outcome} ${n}`).toSorted(),
    ).toEqual([
      'limited 0 2xx 1',
      'limited 0 429 1',
      'limited 1 4xx 1',
      'limited 1 5xx 1',
      'limited 1 lost 1',
      'limited 1 not-sent 1',
      'other 1 2xx 1',
      'other 1 402 1',
      'other 1 other 1',
    ]);
  });

  it('put every key into the limited lane if the limit is shared, and shoppers’ events if they count', async () => {
    const lanes = (profile: object): Promise<string[]> =>
      withHistory(
        {
          profile,
          requests: [
            { endpoint: 'create-session', credential: 'quota' },
            { endpoint: 'interact', credential: 'session' },
          ],
        },
        async (history) =>
          (await traffic(history, await chooseBuckets(history))).map(({ lane, n }) => `${lane} ${n}`),
      );
    expect(await lanes({})).toEqual(['other 2']);
    expect((await lanes({ limit_scope: 'shared' })).toSorted()).toEqual(['limited 1', 'other 1']);
    expect((await lanes({ channel: { counts_against_rate_limit: true } })).toSorted()).toEqual([
      'limited 1',
      'other 1',
    ]);
  });

  it('count what was admitted in the trailing window as a plain loop does', async () => {
    const sent = Array.from({ length: 400 }, (_, i) => Math.floor(((i * 7_919) % 1_000) * 0.03 * s));
    const requests = sent.map(
      (sentNs, i): SampleRequest => ({
        endpoint: 'list-shades',
        sentNs,
        answeredNs: sentNs + 1e6,
        status: i % 5 === 0 ? 429 : 200,
      }),
    );
    const windowNs = 6 * s;
    const points = await withHistory({ profile: { rate_limit: '100/6s' }, requests }, admittedInWindow);
    const admitted = sent.filter((_, i) => i % 5 !== 0);
    const counted = points.map((_, bucket) => {
      const instants = [bucket * s, ...admitted.filter((t) => Math.floor(t / s) === bucket)];
      return Math.max(
        ...instants.map((end) => admitted.filter((t) => t > end - windowNs && t <= end).length),
      );
    });
    expect(points.length).toBeGreaterThan(29);
    expect(points).toEqual(counted);
  });

  it('give percentiles from the intended and from the sent instant', async () => {
    const requests: SampleRequest[] = [
      { endpoint: 'list-shades', intendedNs: 1 * s, sentNs: 1.01 * s, answeredNs: 1.03 * s },
      { endpoint: 'list-shades', intendedNs: 1.5 * s, sentNs: 1.5 * s, answeredNs: 1.505 * s },
      { endpoint: 'list-shades', intendedNs: 1.6 * s, sentNs: 1.6 * s, answeredNs: 9 * s, status: 429 },
    ];
    const rows = await withHistory({ requests }, async (history) =>
      latencyOverTime(history, await chooseBuckets(history)),
    );
    expect(rows).toEqual([{ bucket: 1, response_p50: 5, response_p99: 30, service_p50: 5, service_p99: 20 }]);
  });

  it.each([1, 7, 40, 1_000])(
    'give the same percentiles when asked about %d answers at a time',
    async (atATime) => {
      const requests = Array.from({ length: 120 }, (_, i): SampleRequest => {
        const intendedNs = ((i * 7) % 40) * s + i;
        return { endpoint: 'list-shades', intendedNs, sentNs: intendedNs, answeredNs: intendedNs + i * 1e6 };
      });
      await withHistory({ requests }, async (history) => {
        const buckets = await chooseBuckets(history);
        expect(await latencyOverTime(history, buckets, atATime)).toEqual(
          await latencyOverTime(history, buckets),
        );
      });
    },
  );

  it('tell created, over-quota and unknown sessions of the quota key apart', async () => {
    const requests: SampleRequest[] = [
      { endpoint: 'create-session', credential: 'quota', sentNs: 0.1 * s },
      { endpoint: 'create-session', credential: 'quota', sentNs: 0.2 * s, lost: 'reset' },
      { endpoint: 'create-session', credential: 'quota', sentNs: 1.2 * s, status: 402 },
      { endpoint: 'create-session', credential: 'load', sentNs: 1.3 * s },
      { endpoint: 'read-session', credential: 'quota', sentNs: 1.4 * s },
    ];
    const rows = await withHistory({ requests }, async (history) =>
      quotaOverTime(history, await chooseBuckets(history)),
    );
    expect(rows).toEqual([
      { bucket: 0, created: 1, refused: 0, unknown: 1 },
      { bucket: 1, created: 0, refused: 1, unknown: 0 },
    ]);
  });

  it('count the sessions of a twin of the same account as well', async () => {
    const requests: SampleRequest[] = [
      { endpoint: 'create-session', credential: 'twin', sentNs: 0.1 * s },
      { endpoint: 'create-session', credential: 'quota', sentNs: 0.2 * s },
    ];
    const created = (twin: 'same-account' | 'other-account'): Promise<number | undefined> =>
      withHistory({ requests, profile: { quota: { twin } } }, async (history) => {
        const [row] = await quotaOverTime(history, await chooseBuckets(history));
        return row?.created;
      });
    expect(await created('same-account')).toBe(2);
    expect(await created('other-account')).toBe(1);
  });
});

const columns: readonly TableColumn<readonly Text[]>[] = [
  ['Name', ([name]) => name],
  ['Policy', ([, policy]) => policy],
  ['Answers', ([, , answers]) => answers, 'number'],
];
const table = (...of: Parameters<typeof figure<readonly Text[]>>) => figureHtml(figure(...of));

describe('a table', () => {
  it('leaves out a column that no row has anything in', () => {
    const { text } = table(
      'What is said',
      [
        ['one', '', '3'],
        ['two', t``, '4'],
      ],
      columns,
    );
    expect(text).not.toContain('Policy');
    expect(text.match(/<t[dh][ >]/g)?.length).toBe(3 * 2);
    expect(text).toContain('<th scope="col" class="num">Answers</th>');
    expect(text).toContain('<td class="num">4</td>');
  });

  it('keeps a column that one row has something in', () => {
    const { text } = table(
      'What is said',
      [
        ['one', '', '3'],
        ['two', '60;w=1', '4'],
      ],
      columns,
    );
    expect(text.match(/<t[dh][ >]/g)?.length).toBe(3 * 3);
  });

  it('keeps what heads its rows, empty or not', () => {
    expect(table('What is said', [['', '', '3']], columns).text).toContain('Name');
  });

  it('is a sentence where there are no rows', () => {
    expect(table('What is said', [], columns).text).toBe('<p class="none">What is said: none.</p>');
  });
});

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
