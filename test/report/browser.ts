import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Looks at pages in Debian's chromium, which CI has to have. */
const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((file) => existsSync(file));
export const haveChromium = executablePath !== undefined;
if (!haveChromium) {
  const message = `chromium is not on the PATH: the report is NOT looked at in a browser (apt-get install chromium)`;
  if (process.env.CI) throw new Error(message);
  console.warn(message);
}

export function launched(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** How a page is opened: the browser's options, and what follows `#` in the address. */
type Opening = Parameters<Browser['newPage']>[0] & { readonly hash?: string };

/** Opens a page and remembers everything that it complains about or asks the network for. */
export async function opened(
  browser: Browser | undefined,
  html: string,
  { hash = '', ...options }: Opening = {},
): Promise<{ page: Page; troubles: string[] }> {
  if (browser === undefined) throw new Error('no browser');
  const dir = await mkdtemp(join(tmpdir(), 'tryon-page-'));
  const file = join(dir, 'report.html');
  await writeFile(file, html);
  const page = await browser.newPage(options);
  page.on('close', () => void rm(dir, { recursive: true, force: true }));
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== `file://${file}`) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}${hash}`);
  return { page, troubles };
}

/** Of each chart, how many different colours its canvas holds. An empty canvas has one: nothing. */
export function coloursOfCharts(page: Page): Promise<number[]> {
  return page.evaluate(`[...document.querySelectorAll('.plot')].map((place) => {
    const canvas = place.querySelector('canvas');
    if (canvas === null) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })`);
}
