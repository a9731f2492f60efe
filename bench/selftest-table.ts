/**
 * `node bench/selftest-table.ts [--out docs/selftest.md] SELFTEST.JSON…`: the figures of selftests, all of them together,
 * as the tables of docs/selftest.md; prints them, or puts them in there between their marks.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { counted } from '../src/amounts.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, remark: { type: 'string', default: '' } },
});

const run = z.object({ run: z.string(), seed: z.number(), outcome: z.string(), words: z.string() });
const selftest = z.object({
  began_at: z.string(),
  seconds: z.number(),
  jobs: z.number(),
  defects: z.array(
    run.extend({ id: z.string(), grade: z.number(), title: z.string(), cause: z.string().optional() }),
  ),
  harmless: z.array(run.extend({ name: z.string(), title: z.string() })),
});

const all = await Promise.all(
  positionals.map(async (file) => selftest.parse(JSON.parse(await readFile(file, 'utf8')))),
);
const defects = all.flatMap((each) => each.defects);
const harmless = all.flatMap((each) => each.harmless);
const count = <T>(some: readonly T[], holds: (one: T) => boolean): number => some.filter(holds).length;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
const cut = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);
const each = (items: Iterable<string>): string => [...new Set(items)].join(', ');

const isDetected = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'detected';
const isFalseAlarm = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'false-alarm';
const ids = Map.groupBy(defects, ({ id }) => id);
const names = Map.groupBy(harmless, ({ name }) => name);
const minutes = all.map(
  ({ jobs, seconds }) => `${Math.round(seconds / 6) / 10} min with ${counted(jobs, 'parallel run')}`,
);

const text = [
  `${counted(all.length, 'selftest')} on ${each(all.map(({ began_at }) => began_at.slice(0, 10)))}. Duration: ${minutes.join('; ')}.${values.remark === '' ? '' : ` ${values.remark}`}`,
  '',
  `- Detected: the defect in ${count(defects, isDetected)} of ${defects.length} runs. ${count([...ids.values()], (runs) => runs.every(isDetected))} of ${ids.size} defects were detected in every run.`,
  `- False alarms: ${count(harmless, isFalseAlarm)} in ${harmless.length} harmless runs. ${count(harmless, ({ outcome }) => outcome === 'inconclusive')} of them were inconclusive.`,
  '',
  '| Defect | Grade | Detected | Cause | Run | The cause in words, or why the defect was not detected |',
  '|---|---|---|---|---|---|',
  ...[...ids].map(([id, runs]) => {
    const telling = runs.find((one) => !isDetected(one)) ?? runs[0];
    return `| ${id} | ${telling?.grade} | ${count(runs, isDetected)} of ${runs.length} | ${each(runs.flatMap(({ cause }) => cause ?? []))} | ${telling?.run} | ${cell(cut(telling?.words ?? ''))} |`;
  }),
  '',
  '| Variant | Runs | False alarms | Inconclusive | Inconclusive checks |',
  '|---|---|---|---|---|',
  ...[...names].map(([name, runs]) => {
    const doubts = runs
      .filter(({ outcome }) => outcome !== 'no-alarm')
      .map(({ words }) => words.replace(/^nothing failed; inconclusive: /, ''));
    return `| ${name} | ${runs.length} | ${count(runs, isFalseAlarm)} | ${count(runs, ({ outcome }) => outcome === 'inconclusive')} | ${cell(cut(each(doubts)))} |`;
  }),
].join('\n');
process.stdout.write(`${text}\n`);
if (values.out !== undefined) {
  const mark = '<!-- selftest -->';
  const before = await readFile(values.out, 'utf8');
  const [head = '', , tail = '\n'] = before.split(mark);
  await writeFile(values.out, `${head}${mark}\n${text}\n${mark}${tail}`);
}
