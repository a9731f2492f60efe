import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/history/record.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { rowsOf } from '../effort.ts';
import { withHistory } from '../history/sample.ts';
import { mixedJudgement } from './judgements.ts';
import { mixedPage, richPage } from './pages.ts';
import { richHistory } from './rich.ts';

describe('the page', () => {
  it('allows only its own scripts and styles, by digest', async () => {
    const html = await mixedPage();
    expect(html).toMatch(
      /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    );
    expect(html).not.toContain('unsafe-inline');
    expect(html.replaceAll(/<script>[\s\S]*?<\/script>/g, '')).not.toMatch(/(src|href)="(?!#)/);
  });

  it('leaves out sections that a run is not about and has nothing to show in', async () => {
    const run: Partial<RunInfo> = { checks: ['contract'], phases: [] };
    const html = await withHistory({ run, requests: [{ endpoint: 'list-shades' }] }, (history) =>
      writeHtmlReport(history, {
        verdict: 'pass',
        checks: [],
        generatorBound: false,
        diagnosis: { causes: [], unexplained: [] },
      }),
    );
    for (const id of ['quota', 'analytics', 'capacity', 'limiter']) expect(html).not.toContain(`id="${id}"`);
    for (const id of ['verdicts', 'traffic', 'latency', 'books', 'target', 'made'])
      expect(html).toContain(`id="${id}"`);
    expect(html).toContain('No phase was planned');
    expect(html).toContain('at most 1 request was admitted in any minute');
    expect(html).not.toContain('id="plot-trailing-window"');
  });

  it('says of an audit that its numbers are held against each other', async () => {
    const run: Partial<RunInfo> = { checks: ['analytics'], phases: [] };
    const html = await withHistory({ run }, (history) =>
      writeHtmlReport(history, {
        verdict: 'pass',
        checks: [],
        generatorBound: false,
        diagnosis: { causes: [], unexplained: [] },
      }),
    );
    expect(html).toContain('whether the answers are consistent');
  });

  it('has a sentence where a section that a run is about has no data', async () => {
    const phase = {
      name: 'all',
      role: 'load',
      unit: 'requests',
      pace: '1/s',
      start_ns: 0,
      end_ns: 1e9,
    } as const;
    const run: Partial<RunInfo> = { checks: ['quota', 'analytics', 'capacity'], phases: [phase] };
    const html = await withHistory({ run }, (history) =>
      writeHtmlReport(history, {
        verdict: 'inconclusive',
        checks: [],
        generatorBound: false,
        diagnosis: { causes: [], unexplained: [] },
      }),
    );
    for (const sentence of [
      'Nothing was checked.',
      'The history holds no requests.',
      'there is no chart over time',
      'no quota was spent',
      'No analytics answer could be compared',
      'no capacity was measured',
      'The run found nothing about the target beyond its profile.',
      'The run created no catalogs and no products.',
    ]) {
      expect(html).toContain(sentence);
    }
    expect(html).not.toContain('could not be made');
  });

  it('has each chart as a sentence in its place, for a reader that runs no script', async () => {
    const html = await mixedPage();
    const places = html.match(/<div class="plot"[^>]*>.*?<\/div>/gs) ?? [];
    expect(places.length).toBeGreaterThan(0);
    for (const place of places)
      expect(place).toMatch(
        /<p class="none">\S.{20,} The chart itself needs JavaScript, which did not run here\.<\/p>/,
      );
  });

  it('warns at the top of a generator-bound run and of one that ended early', async () => {
    const events: EventRecord[] = [
      { kind: 'stopped', atNs: 61.5e9, reason: 'kill-switch', detail: '62 % of answers were 5xx' },
    ];
    const html = await withHistory({ events }, (history) =>
      writeHtmlReport(history, { ...mixedJudgement, generatorBound: true }),
    );
    expect(html).toContain('Generator-bound:');
    expect(html).toContain('ended early at 1:01.500 (kill-switch):');
    expect(html).toContain('62 % of answers were 5xx');
  });

  const sizes = [
    ['an hour at 1,500 a minute', 90_000, 3_600, 2e6],
    ['a million requests in eleven hours', 1_000_000, 40_000, 5e6],
  ] as const;
  it.each(rowsOf(sizes, ([, requests]) => requests < 1e6))(
    'stays small for %s',
    async (_, requests, seconds, mostBytes) => {
      const text = await withHistory(richHistory(), async (history) => {
        await history.execute('SELECT setseed(0.5)');
        await history.execute(`INSERT INTO requests (seq, stage, phase, planned, credential, endpoint, intended_ns, ready_ns, sent_ns, answered_ns, status)
          SELECT 100000 + i, 'load', 'steady', i, 'load', ['create-session', 'interact', 'read-session', 'list-shades'][1 + i % 4], t, t, t + 1000,
            t + CAST(exp(12 + 5 * random()) AS BIGINT), [200, 200, 200, 404, 429, 503][1 + CAST(floor(6 * random()) AS INTEGER)]
          FROM (SELECT i, CAST(i * ${(seconds * 1e9) / requests} AS BIGINT) AS t FROM range(${requests}) r(i))`);
        return writeHtmlReport(history, mixedJudgement);
      });
      expect(Buffer.byteLength(text)).toBeLessThan(mostBytes);
      expect(text).not.toContain('could not be made');
    },
  );

  it('shows what the checks themselves say of a whole run', async () => {
    const html = await richPage();
    expect(html).not.toContain('could not be made');
    expect(html).toMatch(/<td>top_shades<\/td><td>.*the most selected.*\d shades?/);
    expect(html).toMatch(/<tr class="differs".*total_sessions/);
  });
});
