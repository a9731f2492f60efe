/**
 * `node bench/selftest-table.ts [--out docs/selftest.md] SELFTEST.JSON…`: the figures of selftests, all of them together,
 * as the table of docs/selftest.md; prints it, or puts it in there between its marks.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { counted } from '../src/amounts.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, remark: { type: 'string', default: '' } },
});

const selftest = z.object({
  beganMs: z.number(),
  tookMs: z.number(),
  jobs: z.number(),
  tries: z.array(
    z.object({
      tried: z.object({ id: z.string(), grade: z.number().optional(), seed: z.number() }),
      outcome: z.object({ kind: z.string() }),
    }),
  ),
});

const all = await Promise.all(
  positionals.map(async (file) => selftest.parse(JSON.parse(await readFile(file, 'utf8')))),
);
const tries = all.flatMap((each) =>
  each.tries.map(({ outcome, tried }) => ({ ...tried, outcome: outcome.kind })),
);
const defects = tries.flatMap(({ grade, ...each }) => (grade === undefined ? [] : [{ ...each, grade }]));
const harmless = tries.filter(({ grade }) => grade === undefined);
const count = <T>(some: readonly T[], holds: (one: T) => boolean): number => some.filter(holds).length;
const each = (items: Iterable<string>): string => [...new Set(items)].join(', ');

const isDetected = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'detected';
const isInconclusive = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'inconclusive';
const isFalseAlarm = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'false-alarm';
const grades = Map.groupBy(defects, ({ grade }) => grade);
const distinct = (ids: readonly { readonly id: string }[]): number => new Set(ids.map(({ id }) => id)).size;
const minutes = all.map(
  ({ jobs, tookMs }) => `${Math.round(tookMs / 6_000) / 10} min with ${counted(jobs, 'parallel run')}`,
);

const text = [
  `${counted(all.length, 'selftest')} on ${each(all.map(({ beganMs }) => new Date(beganMs).toISOString().slice(0, 10)))}. Duration: ${minutes.join('; ')}.${values.remark === '' ? '' : ` ${values.remark}`}`,
  '',
  '| Grade | Defects | Runs | Detected |',
  '|---|---|---|---|',
  ...[...grades]
    .toSorted(([one], [other]) => one - other)
    .map(([grade, runs]) => `| ${grade} | ${distinct(runs)} | ${runs.length} | ${count(runs, isDetected)} |`),
  `| all | ${distinct(defects)} | ${defects.length} | ${count(defects, isDetected)} |`,
  '',
  `- Not detected: ${each(defects.filter((one) => !isDetected(one)).map(({ id, seed }) => `${id} (seed ${seed})`)) || 'none'}.`,
  `- False alarms: ${count(harmless, isFalseAlarm)} in ${counted(harmless.length, 'harmless run')} of ${counted(new Set(harmless.map(({ id }) => id)).size, 'variant')}. Inconclusive: ${count(harmless, isInconclusive)}.`,
].join('\n');
process.stdout.write(`${text}\n`);
if (values.out !== undefined) {
  const mark = '<!-- selftest -->';
  const before = await readFile(values.out, 'utf8');
  const [head = '', , tail = '\n'] = before.split(mark);
  await writeFile(values.out, `${head}${mark}\n${text}\n${mark}${tail}`);
}
