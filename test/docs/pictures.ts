/**
 * `node test/docs/pictures.ts [DIR [WIDTH]]`: pictures of a recorded run that failed, of one merged from shards, and of a
 * comparison and of a trend, both simulated; by default those of `docs/pictures/`. Needs chromium.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from '../../src/checks/judge.ts';
import { mergeShards } from '../../src/drive/gather/merge.ts';
import { shardFolder } from '../../src/drive/gather/shards.ts';
import { openHistory } from '../../src/history/history.ts';
import { randomStream } from '../../src/random.ts';
import { compare, toHtml } from '../../src/report/compare/compare.ts';
import type { RunFacts } from '../../src/report/compare/facts.ts';
import { trendOf } from '../../src/report/compare/trend.ts';
import { comparisonInWords, trendInWords } from '../../src/report/compare/words.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { cutIntoShards } from '../drive/gather/shard-folders.ts';
import { unpack } from '../frozen/folder.ts';
import { sampleRun } from '../history/sample.ts';
import { launched, opened } from '../report/browser.ts';
import { factsOf, responseTimes, side, steadyTarget } from '../report/compare/simulated.ts';

const root = new URL('../../', import.meta.url).pathname;
const [out = join(root, 'docs/pictures'), width = '1100'] = process.argv.slice(2);
const seed = 19;

/** The page of a recording of `test/frozen`; of `shards`, as if so many programs had sent it, of which the last was lost. */
async function recordedPage(name: string, shards = 1): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-picture-'));
  try {
    const recorded = join(folder, 'recorded');
    const merged = join(folder, 'merged');
    await mkdir(recorded);
    unpack(join(root, 'test/frozen', name), recorded);
    if (shards > 1) {
      await cutIntoShards(recorded, merged, shards, (index) => (10 + 3 * Math.sin(index)) * 1e6);
      await rm(join(merged, shardFolder({ index: shards, of: shards })), { recursive: true });
      await mergeShards(merged);
    }
    const history = await openHistory(shards > 1 ? merged : recorded);
    try {
      return await writeHtmlReport(history, await judge(history));
    } finally {
      history.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run each night; from the 15th on, all response times are 6 % longer. */
function nights(): RunFacts[] {
  return Array.from({ length: 28 }, (_, night) => {
    const target = { ...steadyTarget, betweenRuns: 0.015, medianMs: night < 14 ? 5 : 5.3 };
    return factsOf(responseTimes(target, randomStream(seed, 'night', night)), {
      name: `nightly/${night + 1}`,
      run: { ...sampleRun, zero_epoch_ms: Date.UTC(2026, 9, 1 + night, 2) },
    });
  });
}

/** The tail of the new release is slower. */
const slower = compare(
  side(steadyTarget, 5, 'old', seed),
  side({ ...steadyTarget, tail: 1.3 }, 5, 'new', seed),
  0.05,
);

await mkdir(out, { recursive: true });
const browser = await launched();
for (const [name, html, place] of [
  ['report', await recordedPage('r2'), '.top'],
  ['charts', await recordedPage('r2'), '#traffic'],
  ['shards', await recordedPage('honest', 4), '#made'],
  ['compare', await toHtml([comparisonInWords(slower)]), 'figure'],
  ['trend', await toHtml([trendInWords(trendOf(nights()), 'nightly', [])]), 'main'],
] as const) {
  const { page } = await opened(browser, html, { viewport: { width: Number(width), height: 900 } });
  // The bar at the top would stay in sight, in the middle of a tall picture.
  await page.evaluate('document.querySelector("nav.contents")?.style.setProperty("position", "static")');
  if (place.startsWith('#')) await page.evaluate(`document.querySelector('${place}').open = true`);
  await page
    .locator(place)
    .first()
    .screenshot({ path: join(out, `${name}.png`) });
  await page.close();
}
await browser.close();
