import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareRuns } from '../../src/commands/again/compare-runs.ts';
import { readSide } from '../../src/commands/again/run-facts.ts';
import type { CompareArguments } from '../../src/commands/options.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { randomStream } from '../../src/random.ts';
import { writeRun } from '../history/sample.ts';
import { responseTimes, steadyTarget } from '../report/compare/simulated.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tryon-compare-'));
  const runs: [string, number, Partial<RunInfo>?][] = [
    ...[1, 2, 3, 4, 5].flatMap((k): [string, number][] => [
      [`before/${k}`, 5],
      [`after/${k}`, 5],
      [`slower/${k}`, 6],
    ]),
    ['far-slower/1', 12],
    ['workers', 5, { workers: 2 }],
    ['cut-off', 5, { ended: undefined }],
  ];
  for (const [name, medianMs, info] of runs) await written(name, medianMs, info);
  await written('no-verdicts', 5);
  await rm(join(folder, 'no-verdicts', 'verdicts.json'));
  await written('newer', 5);
  await writeFile(join(folder, 'newer', 'run.json'), '{"schema_version":7}');
  await written('broken/newer', 5);
  await writeFile(join(folder, 'broken', 'newer', 'run.json'), '{"schema_version":7}');
  await written('altered', 5);
  const requests = join(folder, 'altered', 'history', 'requests.csv');
  await writeFile(requests, (await readFile(requests, 'utf8')).replace(',200,', ',201,'));
  await written('unreadable', 5);
  await writeFile(join(folder, 'unreadable', 'history', 'requests.csv'), '1,2,3\n', { flag: 'a' });
  await mkdir(join(folder, 'empty'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The folder of a run with 400 requests, judged. */
async function written(name: string, medianMs: number, info: Partial<RunInfo> = {}): Promise<void> {
  const dir = join(folder, name);
  await mkdir(dir, { recursive: true });
  const target = { ...steadyTarget, medianMs, requests: 400, spread: 0.1 };
  const times = responseTimes(target, randomStream(7, name));
  // The writer of samples has one segment only: a run with workers is described as such afterwards.
  const { workers, ...rest } = info;
  await writeRun(
    {
      run: rest,
      requests: [...times].map((ms, k) => ({
        endpoint: k % 4 === 0 ? 'create-session' : 'list-shades',
        planned: k,
        intendedNs: k * 1e6,
        sentNs: k * 1e6,
        answeredNs: k * 1e6 + Math.round(ms * 1e6),
      })),
    },
    dir,
  );
  const verdicts = { schema_version: 2, run: { generator_bound: workers !== undefined }, checks: [] };
  await writeFile(join(dir, 'verdicts.json'), JSON.stringify(verdicts));
}

function compared(base: string, others: string[], more: Partial<CompareArguments> = {}): Promise<number> {
  return compareRuns({
    base: join(folder, base),
    others: others.map((other) => join(folder, other)),
    margin: 5,
    force: false,
    strict: false,
    html: undefined,
    markdown: undefined,
    ...more,
  });
}

describe('tryon compare', () => {
  it('reads the response times of the planned load, by endpoint', async () => {
    const { runs } = await readSide(join(folder, 'before'));
    expect(runs).toHaveLength(5);
    expect(runs[0]?.figures.samples.map(({ endpoint, requests }) => [endpoint, requests])).toEqual([
      ['*', 400],
      ['create-session', 100],
      ['list-shades', 300],
    ]);
  });

  it('reads a run whose history is gone from its summary, and finds the same', async () => {
    const whole = join(folder, 'before', '1');
    const summary = join(folder, 'summary');
    const { runs } = await readSide(whole);
    await mkdir(summary);
    for (const name of ['run.json', 'verdicts.json']) await copyFile(join(whole, name), join(summary, name));
    await writeFile(join(summary, 'figures.json'), JSON.stringify(runs[0]?.figures));
    expect((await readSide(summary)).runs).toEqual([{ ...runs[0], name: summary }]);
    expect(await compared('before/1', ['summary'])).toBe(0);
  });

  it('exits with 0 for the same target, and with 1 for a slower one', async () => {
    expect(await compared('before', ['after'])).toBe(0);
    expect(await compared('before', ['slower'])).toBe(1);
    expect(await compared('slower', ['before'])).toBe(0);
    expect(await compared('before', ['after', 'slower'])).toBe(1);
  });

  it('exits with 0 where nothing can be told, with --strict with 3', async () => {
    expect(await compared('before/1', ['after/1'])).toBe(0);
    expect(await compared('before/1', ['after/1'], { strict: true })).toBe(3);
    expect(await compared('before', ['after'], { strict: true })).toBe(0);
    // One run each: the blocks are separate, and how much runs differ is not known.
    expect(await compared('before/1', ['slower/1'])).toBe(0);
  });

  it('for a pipeline, fails on one run each that is far slower, and goes on where there is nothing to compare', async () => {
    const [markdown, baseline] = [join(folder, 'comment.md'), true];
    expect(await compared('before/1', ['after/1'], { baseline })).toBe(0);
    expect(await compared('before/1', ['far-slower/1'], { baseline })).toBe(1);
    expect(await compared('none', ['after/1'], { baseline, markdown })).toBe(0);
    expect(await readFile(markdown, 'utf8')).toMatch(/^Not compared: there is no baseline in /);
    expect(await compared('before', ['workers'], { baseline, markdown })).toBe(0);
    expect(await readFile(markdown, 'utf8')).toMatch(
      /^Not compared: the run cannot be compared with the baseline: /,
    );
  });

  it('shows what cannot be compared with --force, and exits with 2', async () => {
    expect(await compared('before', ['workers'], { force: true })).toBe(2);
  });

  it('writes a page and Markdown, or says which file could not be written', async () => {
    const [html, markdown] = [join(folder, 'c.html'), join(folder, 'c.md')];
    await compared('before', ['slower'], { html, markdown });
    expect(await readFile(html, 'utf8')).toContain('Shift of response time');
    expect(await readFile(markdown, 'utf8')).toContain('worse by at least');
    await expect(
      compared('before', ['slower'], { html: join(folder, 'no', 'c.html') }),
    ).rejects.toMatchObject({
      exit: 74,
    });
  });

  it.each([
    ['workers', 'generator-bound (its machine was too busy): yes'],
    ['cut-off', 'the run has no end: it is still running or was cut off'],
    ['no-verdicts', 'no verdicts.json in it (tryon report'],
    ['newer', 'run.json: expected schema version 1, got 7'],
    ['altered', 'the history was changed after the run'],
    ['unreadable', 'the history cannot be read (tryon verify'],
    ['empty', 'neither the folder of a run nor a folder with several'],
    ['missing', 'no such folder'],
  ])('refuses %s in one line', async (name, says) => {
    const error = await compared('before/1', [name]).then(String, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(says) });
    expect((error as Error).message).toContain(name);
    expect((error as Error).message).not.toContain('\n');
  });
});

describe('tryon compare with one folder', () => {
  it('writes the trend of its runs as Markdown, and as a page with a picture of each figure', async () => {
    const [markdown, html] = [join(folder, 't.md'), join(folder, 't.html')];
    expect(await compared('before', [], { html, markdown })).toBe(0);
    expect(await readFile(markdown, 'utf8')).toContain('0 change points');
    expect(await readFile(html, 'utf8')).toContain('<strong>Response time p50</strong>');
  });

  it.each([
    ['newer', {}, 'expected a second run, or a folder with several'],
    ['broken', {}, 'another version of tryon wrote it'],
    ['broken', { strict: true }, '--strict need two folders'],
  ])('refuses in one line where there is no trend: %s, %o', async (name, options, says) => {
    const error = await compared(name, [], options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(says) });
    expect((error as Error).message).not.toContain('\n');
  });

  it('leaves out runs that cannot be read, and says why', async () => {
    const markdown = join(folder, 't.md');
    await compared('', [], { markdown });
    expect(await readFile(markdown, 'utf8')).toContain('the run has no end');
  });
});
