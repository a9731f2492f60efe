import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckResult, mergeVerdicts } from '../../src/checks/core/verdict.ts';
import type { Chart } from '../../src/report/figure.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { withHistory } from '../history/sample.ts';
import { haveChromium, launched, opened } from './browser.ts';
import { mixedJudgement } from './judgements.ts';
import { mixedPage } from './pages.ts';
import { richHistory } from './rich.ts';

/** How a reader finds the way through the page. */
let html = '';
/** A chart as the page draws it. */
function chartOf(page: string, id: string): Chart {
  const [, text = ''] = /id="report-data">(.*?)<\/script>/s.exec(page) ?? [];
  const { charts }: { charts: Chart[] } = JSON.parse(text);
  const chart = charts.find((each) => each.id === id);
  if (chart === undefined) throw new Error(`no chart ${id}`);
  return chart;
}

let browser: Browser | undefined;
beforeAll(async () => {
  html = await mixedPage();
  if (haveChromium) browser = await launched();
});
afterAll(() => browser?.close());

describe('the page', () => {
  it('goes from the verdict by way of charts to all checks', () => {
    const places = ['class="verdict', 'class="diagnosis"', 'id="plot-', 'id="verdicts"'];
    const found = places.map((place) => html.indexOf(place));
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });
});

describe('what stands open on the page', () => {
  const openOn = (page: string): string[] =>
    [...page.matchAll(/<details id="([^"]*)" class="section" open>/g)].map(([, id = '']) => id);
  const all = (verdict: CheckResult['verdict']): CheckResult[] =>
    mixedJudgement.checks.map((check) => ({ ...check, verdict }));

  it('is the sections with what failed', () => {
    expect(openOn(html)).toEqual(['quota', 'analytics', 'verdicts']);
  });

  it('is the first section of a passed run, and nothing that is only inconclusive beside a failure', async () => {
    const oneFailed = all('inconclusive').map((check, at) =>
      at === 0 ? { ...check, verdict: 'fail' as const } : check,
    );
    await withHistory(richHistory(), async (history) => {
      for (const [checks, open] of [
        [all('pass'), ['traffic']],
        [oneFailed, ['verdicts']],
      ] as const) {
        const verdict = mergeVerdicts(checks.map((check) => check.verdict));
        const page = await writeHtmlReport(history, { ...mixedJudgement, checks, verdict });
        expect(openOn(page)).toEqual(open);
      }
    });
  });
});

describe('the charts', () => {
  const slo = [
    { endpoint: '*', percentile: 99, max_ms: 1_000 },
    { endpoint: 'create-session', percentile: 95, max_ms: 300, phase: 'steady' },
  ];

  it('draw the promises, kept ones too', async () => {
    const rich = richHistory();
    const page = await withHistory({ ...rich, run: { ...rich.run, slo } }, (history) =>
      writeHtmlReport(history, mixedJudgement),
    );
    for (const [id, limits] of [
      ['traffic-limited', [{ value: 1_000 / 60 }]],
      ['trailing-window', [{ value: 1_000 }]],
      ['latency', [{ value: 1_000 }, { value: 300, from: 5, to: 65 }]],
      ['quota-burn-down', [{ value: 0, label: 'the quota of 120 used up' }]],
    ] as const)
      expect(chartOf(page, id).limits, id).toMatchObject(limits);
  });

  it('show with the sessions that are visible those that have to be', () => {
    const { series } = chartOf(html, 'analytics-freshness');
    const [created, , promised] = series.map(({ values }) => values);
    // The bound is 10 s: a poll promises what the one before had, and the last one, 2 s later, no more than that.
    expect(promised?.slice(1, 7)).toEqual(created?.slice(0, 6));
    expect(promised?.at(-1)).toBe(promised?.at(-2));
  });
});

describe.skipIf(!haveChromium)('a reader of the checks', () => {
  it('sees a passed group as one line, and opens it by a link to one of its checks', async () => {
    const { page, troubles } = await opened(browser, html);
    const check = page.locator('[id="contract.auth"]');
    expect(await page.locator('#group-contract').getAttribute('open')).toBe(null);
    expect(await page.locator('#group-quota').getAttribute('open')).toBe('');
    expect(await check.isVisible()).toBe(false);
    await page.evaluate('location.hash = "#contract.auth"');
    await expect.poll(() => check.getAttribute('open')).toBe('');
    expect(await check.isVisible()).toBe(true);
    expect(troubles).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!haveChromium)('a reader of a failure', () => {
  it('gets from it to its records, and from a record to the whole story of its shopper', async () => {
    const { page, troubles } = await opened(browser, html);
    await page.locator('[id^=cause-] a[href="#quota.edge"]').click();
    const record = page.locator('[id="quota.edge"] .evidence a[href^="#record-"]').first();
    expect(await record.isVisible()).toBe(true);
    const seq = await record.textContent();
    await record.click();
    const story = page.locator('.story:visible').filter({ has: page.locator(`#record-${seq}`) });
    await expect.poll(() => story.getAttribute('open')).toBe('');
    expect(await story.textContent()).toContain('Exactly 120 sessions, then 402');
    expect(troubles).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!haveChromium)('a reader of one part of the run', () => {
  const hash = (page: Page): Promise<string> => page.evaluate('location.hash');
  const legend = (page: Page, name: string) =>
    page.locator('#legend-traffic-limited li').filter({ hasText: name }).locator('output').textContent();

  it('drags across one chart, and all charts and tables show that part, as the address says', async () => {
    const { page, troubles } = await opened(browser, html, { viewport: { width: 1280, height: 900 } });
    const before = await legend(page, 'admitted (2xx)');
    for (const id of ['books', 'traffic']) await page.locator(`#${id} summary`).first().click();
    const plot = page.locator('#plot-traffic-limited .u-over');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (box === null) throw new Error('no chart');
    await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
    await page.mouse.up();
    expect(await hash(page)).toMatch(/^#t=7\d-11\d$/);
    expect(await legend(page, 'admitted (2xx)')).not.toBe(before);
    const books = page.locator('#books tbody tr');
    expect(await books.filter({ hasText: 'past the limit' }).isVisible()).toBe(true);
    expect(await books.filter({ hasText: 'recovery' }).isVisible()).toBe(false);
    expect(await page.locator('#books caption').first().textContent()).toContain('in the time shown');
    await page.getByRole('button', { name: 'Whole run' }).click();
    expect(await hash(page)).toBe('');
    expect(await legend(page, 'admitted (2xx)')).toBe(before);
    expect(await books.filter({ hasText: 'recovery' }).isVisible()).toBe(true);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('opens an address with a place and a part, and keeps the part on the way to another place', async () => {
    const { page, troubles } = await opened(browser, html, { hash: '#quota&t=140-170' });
    expect(await page.getByRole('textbox', { name: 'from' }).inputValue()).toBe('2:20');
    expect(await page.getByRole('textbox', { name: 'to' }).inputValue()).toBe('2:50');
    expect(await page.getByRole('combobox').locator(':checked').textContent()).toBe('recovery');
    expect(await page.locator('#quota').boundingBox()).toMatchObject({ y: expect.closeTo(96, -1.5) });
    await page.locator('nav a[href="#latency"]').click();
    await expect.poll(() => hash(page)).toBe('#latency&t=140-170');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('chooses a phase by its name, and a part by its ends, with the keyboard alone', async () => {
    const { page, troubles } = await opened(browser, html);
    await page.getByRole('combobox').selectOption('past the limit');
    expect(await hash(page)).toBe('#t=65-125');
    await page.getByRole('textbox', { name: 'from' }).fill('1:10');
    await page.keyboard.press('Tab');
    expect(await hash(page)).toBe('#t=70-125');
    await page.getByRole('textbox', { name: 'to' }).fill('nonsense');
    await page.keyboard.press('Tab');
    expect(await hash(page)).toBe('#t=70-125');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it.each(['#%', '#t=9-1', '#t=1e9-2e9', '#no-such-place&t=0-99999'])(
    'sees the whole run or one part of it at the address %s',
    async (address) => {
      const { page, troubles } = await opened(browser, html, { hash: address });
      expect(await page.locator('details.check').count()).toBe(10);
      expect(await page.getByRole('textbox', { name: 'from' }).inputValue()).toMatch(/^\d+:\d\d$/);
      expect(troubles).toEqual([]);
      await page.close();
    },
  );
});
