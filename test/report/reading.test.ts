import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHtmlReport } from '../../src/report/html.ts';
import { withHistory } from '../history/sample.ts';
import { haveChromium, launched, opened } from './browser.ts';
import { mixedJudgement } from './judgements.ts';
import { richHistory } from './rich.ts';

/** How a reader finds the way through the page. */
let html = '';
let browser: Browser | undefined;
beforeAll(async () => {
  html = await withHistory(richHistory(), (history) => writeHtmlReport(history, mixedJudgement));
  if (haveChromium) browser = await launched();
});
afterAll(() => browser?.close());

describe('the page', () => {
  it('goes from the verdict by way of charts and coverage to all checks', () => {
    const places = ['class="verdict', 'class="diagnosis"', 'id="plot-', 'id="coverage"', 'id="verdicts"'];
    const found = places.map((place) => html.indexOf(place));
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
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

  it('finds checks by words and by verdict, and gets all back', async () => {
    const { page, troubles } = await opened(browser, html);
    const shown = (): Promise<number> => page.locator('details.check:visible').count();
    const before = await shown();
    await page.getByLabel('Search checks').fill('BATCH 501');
    expect(await shown()).toBe(1);
    expect(await page.locator('#check-count').textContent()).toBe('1 of 10 checks');
    await page.getByLabel('Pass', { exact: true }).uncheck();
    expect(await shown()).toBe(0);
    await page.getByLabel('Search checks').fill('');
    expect(await shown()).toBe(3);
    await page.getByLabel('Pass', { exact: true }).check();
    expect(await shown()).toBe(before);
    expect(await page.locator('#check-count').textContent()).toBe('2 failed, 1 inconclusive, 7 passed.');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('gets to a check that the search had left out', async () => {
    const { page } = await opened(browser, html);
    await page.getByLabel('Search checks').fill('batch 501');
    await page.locator('.failures a').first().click();
    await expect.poll(() => page.locator('[id="quota.edge"]').isVisible()).toBe(true);
    await page.close();
  });
});

describe.skipIf(!haveChromium)('a reader of a failure', () => {
  it('gets from it to its records, and from a record to the whole story of its shopper', async () => {
    const { page, troubles } = await opened(browser, html);
    await page.locator('.failures a[href="#quota.edge"]').click();
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
