import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import { isLong } from '../effort.ts';
import {
  atMost,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  start,
  temporaryFolder,
  tryon,
} from './program.ts';

const gate = atMost(2);
const seed = '7';
/** Any seed would do; with the same one both runs plan the same. */
const profile = profileArguments(patiently);

const planned = z.object({
  planned: z.number(),
  endpoint: z.string(),
  credential: z.string(),
  shopper: z.number(),
  locale: z.string().nullable(),
  items: z.number().nullable(),
  at_ns: z.number(),
});

/** What the load of a run was, and how its checks came out. */
async function looked(out: string): Promise<{
  readonly load: readonly z.output<typeof planned>[];
  /** The numbers of all requests of its plan. */
  readonly numbers: readonly number[];
  readonly verdicts: Readonly<Record<string, string>>;
  readonly seqs: { readonly records: number; readonly different: number };
}> {
  const history = await openHistory(out);
  try {
    const load = await history.rows(
      planned,
      `SELECT planned, endpoint, credential, shopper, locale, items, intended_ns - min(intended_ns) OVER () AS at_ns
       FROM requests WHERE stage = 'load' ORDER BY planned`,
    );
    const [seqs = { records: 0, different: 0 }] = await history.rows(
      z.object({ records: z.number(), different: z.number() }),
      'SELECT count(*) AS records, count(DISTINCT seq) AS different FROM requests',
    );
    const verdicts = Object.fromEntries(readVerdicts(out).checks.map(({ id, verdict }) => [id, verdict]));
    const { planned_by_lane: byLane = [history.run.planned_requests] } = history.run;
    const numbers = byLane.flatMap((count, lane) =>
      Array.from({ length: count }, (_, nth) => nth * byLane.length + lane),
    );
    return { load, numbers: numbers.toSorted((a, b) => a - b), verdicts, seqs };
  } finally {
    history.close();
  }
}

describe.concurrent('a run with two workers', () => {
  it('sends what a run with one does, and comes to the same verdicts', async () => {
    const [one, two] = await Promise.all(
      ['1', '2'].map((workers) =>
        gate(async () => {
          const out = join(temporaryFolder(), 'run');
          const ended = await tryon([
            ...['run', scenario('shopping'), '--seed', seed, '--workers', workers, '--out', out],
            ...profile,
          ]);
          expect(ended.code, ended.stdout + ended.stderr).toBe(0);
          return { ...(await looked(out)), out, ended };
        }),
      ),
    );
    if (one === undefined || two === undefined) throw new Error('two runs were made');
    expect(two.load).toEqual(one.load);
    expect(two.load.map((request) => request.planned)).toEqual(two.numbers);
    // Whether a connection carries enough to be compared depends on how many there are, and on the machine.
    const comparable = ({ 'latency.each-connection': _, ...others }: typeof one.verdicts): object => others;
    expect(comparable(two.verdicts)).toEqual(comparable(one.verdicts));
    expect(two.seqs.different).toBe(two.seqs.records);
    expect(two.ended.stdout).toContain('Workers  2 threads share the load');
    expect(readFileSync(join(two.out, 'report.html'), 'utf8')).toContain('2 threads shared the planned load');
    expect(existsSync(join(two.out, 'history', 'requests.2.csv'))).toBe(true);
    expect(existsSync(join(one.out, 'history', 'requests.1.csv'))).toBe(false);
  });

  it.runIf(isLong)('ends as a whole on Ctrl-C, with every planned request on record', () =>
    gate(async () => {
      const out = join(temporaryFolder(), 'run');
      const program = start(['run', scenario('long'), '--workers', '2', '--out', out, ...profile]);
      const underLoad = (worker: number): boolean => {
        const file = join(out, 'history', `requests.${worker}.csv`);
        return existsSync(file) && readFileSync(file, 'utf8').includes(',load,shoppers,');
      };
      await program.until(() => underLoad(1) && underLoad(2));
      program.process.kill('SIGINT');
      const ended = await program.ended;
      expect(ended.code, ended.stdout + ended.stderr).toBe(130);
      const { checks } = readVerdicts(out);
      expect(checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(checks.filter(({ id }) => id.startsWith('books.')).map(({ verdict }) => verdict)).toEqual([
        ...new Array<string>(4).fill('pass'),
      ]);
      const { load, numbers } = await looked(out);
      expect(load.map((request) => request.planned)).toEqual(numbers);
    }),
  );
});
