import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerFrom } from '../../src/report/answer.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { html, page as shell } from '../../src/report/page/shell.ts';
import { rowsOf } from '../effort.ts';
import { sampleRun, withHistory } from '../history/sample.ts';
import { coloursOfCharts, haveChromium, launched, opened } from './browser.ts';
import { hostile, hostileJudgement } from './hostile.ts';
import { mixedJudgement } from './judgements.ts';
import { limitsPage, mixedPage } from './pages.ts';

/** The page of the rich history with made-up verdicts, which several tests look at. */
let mixedHtml = '';
/** The page of a study of the limiter. */
let limitsHtml = '';
let browser: Browser | undefined;
beforeAll(async () => {
  mixedHtml = await mixedPage();
  if (!haveChromium) return;
  limitsHtml = await limitsPage();
  browser = await launched();
});
afterAll(async () => {
  await browser?.close();
});

/** What axe-core calls serious or critical, with the elements, while nothing is folded. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 5).map(({ html }) => html.slice(0, 200)).join(' | ')))`);
}

describe.skipIf(!haveChromium)('the page in a browser', () => {
  const looks = [
    [1280, 'light'],
    [1280, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const;
  // Each width and each scheme once, and then, as below, the other scheme.
  it.each(rowsOf(looks, ([width, scheme]) => (width === 400) === (scheme === 'dark')))(
    'at %i pixels in %s: whole, quiet, offline, and never wider than the window',
    async (width, colorScheme) => {
      const html = mixedHtml;
      const { page, troubles } = await opened(browser, html, {
        viewport: { width, height: 900 },
        colorScheme,
      });
      expect(await page.locator('.verdict').textContent()).toMatch(
        /Fail\s*2 failed, 1 inconclusive, 7 passed/,
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const charts = await coloursOfCharts(page);
      expect(charts).toHaveLength(6);
      expect(Math.min(...charts)).toBeGreaterThan(3);
      // The sentence in the place of a chart is for readers without scripts.
      expect(await page.locator('.plot p').count()).toBe(0);
      await page.setViewportSize({ width: 700, height: 900 });
      await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' });
      // Each chart is drawn again for itself.
      await expect
        .poll(() =>
          page.evaluate(
            '[document.documentElement.scrollWidth, ...[...document.querySelectorAll(".plot canvas")].map((each) => each.clientWidth)].every((px) => px <= 700)',
          ),
        )
        .toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(700);
      expect(troubles).toEqual([]);
      await page.close();
    },
  );

  it.each([
    [1280, 'light'],
    [400, 'dark'],
  ] as const)('shows a study of the limiter at %i pixels in %s', async (width, colorScheme) => {
    const { page, troubles } = await opened(browser, limitsHtml, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const charts = await coloursOfCharts(page);
    expect(charts.length).toBe(4);
    expect(Math.min(...charts)).toBeGreaterThan(3);
    expect(await page.locator('#limiter a[href="#rate-limit.algorithm"]').count()).toBe(1);
    expect(await page.locator('[id="rate-limit.algorithm"]').count()).toBe(1);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it.each(rowsOf(looks, ([width, scheme]) => width === 400 && scheme === 'light'))(
    'at %i pixels in %s: nothing serious for axe-core, unfolded',
    async (width, colorScheme) => {
      const { page } = await opened(browser, mixedHtml, { viewport: { width, height: 900 }, colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
      await page.close();
    },
  );

  it('has nothing serious for axe-core in a study of the limiter', async () => {
    const { page } = await opened(browser, limitsHtml, { viewport: { width: 400, height: 900 } });
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });

  it('opens the first failures, folds all else away, and unfolds all of it for print', async () => {
    const html = mixedHtml;
    const { page, troubles } = await opened(browser, html);
    expect(await page.locator('details.check.fail[open]').count()).toBe(2);
    expect(await page.locator('details.check.inconclusive[open]').count()).toBe(0);
    expect(await page.locator('details.check.pass[open]').count()).toBe(0);
    expect(await page.locator('details.check.pass').count()).toBe(7);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('details:not([open])').count()).toBe(0);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('details.check.pass[open]').count()).toBe(0);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('shows hostile ids and bodies as text', async () => {
    const html = await withHistory(
      {
        run: {
          scenario: { name: hostile, title: hostile },
          products: [{ id: hostile, name: hostile }],
          catalogs: [{ id: hostile, role: 'load', shades: 1 }],
        },
        requests: [
          { endpoint: 'create-session', phase: hostile, sessionId: hostile, productId: hostile },
          { endpoint: 'analytics', stage: 'settle', phase: 'analytics' },
        ],
        answers: [
          {
            seq: 2,
            endpoint: 'analytics',
            query: { start_date: hostile, end_date: '2026-05-01' },
            body: {
              period: hostile,
              total_sessions: 1,
              avg_shades_per_session: 1,
              cart_intent_rate: 0,
              top_shades: [{ sku: hostile, selections: 3 }],
            },
          },
        ],
        catalog: [
          {
            catalogId: 'c',
            productId: 'p',
            productName: hostile,
            sku: hostile,
            name: hostile,
            hex: '#"/><script>',
            finish: 'matte',
          },
        ],
        events: [
          { kind: 'phase', name: hostile, startNs: 0, endNs: 1e9 },
          { kind: 'discovered', what: hostile, value: hostile, seq: 1 },
          { kind: 'stopped', atNs: 1, reason: 'error', detail: hostile },
        ],
      },
      (history) => writeHtmlReport(history, hostileJudgement),
    );
    const { page, troubles } = await opened(browser, html, { viewport: { width: 400, height: 900 } });
    expect(troubles).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(3);
    expect(await page.locator('h1').textContent()).toContain('</script><script>alert(1)</script>');
    expect(await page.locator('h1').textContent()).toContain('\\u202egnp.exe');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    await page.close();
  });

  it('serves pages without charts and time, such as a comparison', async () => {
    const body = html`<details id="folded"><summary>One</summary><p>Two</p></details>`;
    const text = await shell('A comparison', { charts: [] }, body);
    const { page, troubles } = await opened(browser, text, { hash: '#folded&t=1-2' });
    await expect.poll(() => page.locator('#folded').getAttribute('open')).toBe('');
    await page.evaluate('location.hash = "#elsewhere&t=3-4"');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('reads as XML in junit.xml, hostile text and all', async () => {
    const { page } = await opened(browser, '<!doctype html><title>xml</title>');
    const parse = (xml: string): Promise<{ error: boolean; failures: number; first: string }> =>
      page.evaluate((text) => {
        // @ts-expect-error DOMParser belongs to the browser, in which this function runs.
        const parsed = new DOMParser().parseFromString(text, 'application/xml');
        return {
          error: parsed.querySelector('parsererror') !== null,
          failures: parsed.querySelectorAll('failure').length,
          first: parsed.querySelector('failure').getAttribute('message'),
        };
      }, xml);
    const run = { ...sampleRun, scenario: { name: hostile, title: hostile } };
    const parsed = await parse(renderJunit(answerFrom(run, hostileJudgement)));
    expect(parsed).toMatchObject({ error: false, failures: 1 });
    expect(parsed.first).toContain('<img src=x onerror=alert(1)>"\'`|');
    expect(await parse(renderJunit(answerFrom(sampleRun, mixedJudgement)))).toMatchObject({
      error: false,
      failures: 2,
    });
    await page.close();
  });
});
