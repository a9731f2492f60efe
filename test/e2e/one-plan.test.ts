import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CheckData } from '../../src/checks/core/verdict.ts';
import { judge } from '../../src/checks/judge.ts';
import { type HistoryFile, historyFiles } from '../../src/history/files.ts';
import { openHistory } from '../../src/history/history.ts';
import { programVersion } from '../../src/program-files.ts';
import { randomStream } from '../../src/random.ts';
import { traceId } from '../../src/vocabulary/trace-id.ts';
import { answeredIn, type Collector, type Got, startCollector } from '../drive/observe/observed.ts';
import { times } from '../effort.ts';
import { startForeignService } from './foreign-service.ts';
import {
  atEnd,
  type Ended,
  filesBelow,
  leaks,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  serve,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

/*
 * One plan, sent twice: by one thread to the reference service, whose description is known, and by two to a foreign one, while
 * a collector observes. All tests look at these two runs.
 */

interface Run {
  readonly out: string;
  readonly ended: Ended;
  readonly secrets: readonly (string | RegExp)[];
}

const seed = '7';
const keyArguments = ['--key', 'load=LOAD', '--key', 'quota=QUOTA', '--key', 'bystander=BYSTANDER'];

/** Shopping, as a scenario of the user's own. */
const folder = temporaryFolder();
const own = join(folder, 'own.ts');
writeFileSync(
  own,
  readFileSync(scenario('shopping'), 'utf8')
    .replace("name: 'shopping'", "name: 'my-own'")
    .replace("checks: ['contract',", "checks: ['contract', 'rate-limit',"),
);

interface DescribedRun extends Run {
  readonly describedAt: string;
}

async function runOfOne(): Promise<DescribedRun> {
  const service = await serve([]);
  const describedAt = new URL('/openapi.json', service.baseUrl).href;
  const { bystander = '', load = '', quota = '' } = service.keys;
  const ended = await tryon(
    [
      ...['run', './own.ts', '--seed', seed, '--target', service.baseUrl, ...keyArguments],
      ...['--openapi', describedAt, ...profileArguments(patiently)],
    ],
    { cwd: folder, env: { LOAD: load, QUOTA: quota, BYSTANDER: bystander } },
  );
  const verdicts = filesBelow(folder).find(({ name }) => name.endsWith('verdicts.json'));
  const out = dirname(verdicts?.name ?? folder);
  return { out, ended, describedAt, secrets: [...Object.values(service.keys), /st_\w{8}/] };
}

const traceLink = 'https://traces.example/{trace_id}';

interface ObservedRun extends Run {
  readonly collector: Collector;
  /** Of every request that came. */
  readonly heads: readonly IncomingHttpHeaders[];
}

async function runOfTwo(): Promise<ObservedRun> {
  const heads: IncomingHttpHeaders[] = [];
  const service = await startForeignService({
    limit: { requests: 1_000, windowMs: 60_000 },
    limitHeaders: 'draft-7',
    sabotage: ({ headers }, response) => {
      heads.push(headers);
      response.setHeader('server-timing', 'app;dur=1.5, db;dur=0.25;desc="a, b"');
      return false;
    },
  });
  atEnd(() => service.close());
  const collector = await startCollector();
  atEnd(() => collector.close());
  const out = join(temporaryFolder(), 'run');
  const { bystander, load, quota } = service.keys;
  const ended = await tryon(
    [
      ...['run', own, '--seed', seed, '--target', service.baseUrl, ...keyArguments],
      ...['--out', out, '--workers', '2', '--otlp', collector.url],
      ...profileArguments({ ...patiently, traces: { link: traceLink } }),
    ],
    { env: { LOAD: load, QUOTA: quota, BYSTANDER: bystander, OTEL_METRIC_EXPORT_INTERVAL: '250' } },
  );
  return { out, ended, collector, heads, secrets: service.secrets() };
}

let one: DescribedRun;
let two: ObservedRun;
beforeAll(async () => {
  [one, two] = await Promise.all([runOfOne(), runOfTwo()]);
});

describe('tryon run', () => {
  it('takes anybody’s own scenario, from any folder, and writes below the folder it is run in', () => {
    const { ended, out } = one;
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(out).toMatch(/reports\/my-own-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
    expect(readVerdicts(out)).toMatchObject({ run: { scenario: 'my-own', seed: Number(seed) } });
  });

  it('says before its first request what it will send, on each key, and that in run.json', () => {
    const { ended, out } = one;
    expect(ended.stdout).toMatch(/key load +up to \d+ requests, \d+ new sessions, \d+ imports/);
    expect(ended.stdout.indexOf('Spends')).toBeLessThan(ended.stdout.indexOf('PASS'));
    const run = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')) as {
      id: string;
      catalogs: { id: string }[];
      products: { id: string }[];
    };
    for (const { id } of [...run.catalogs, ...run.products]) expect(id).toContain(run.id);
  });

  it('with a description reads it without a key, calls all its operations, and agrees with it', async () => {
    const { describedAt, ended, out } = one;
    expect(ended.stdout).toContain(`Reading the description ${describedAt}: 1 request, without a key.\n`);
    const check = readVerdicts(out).checks.find(({ id }) => id === 'contract.openapi');
    expect(check?.explanation).toMatch(/^Status, media type and headers agree .* of POST \/sessions 200/);
    const operations = (check?.data as CheckData['contract.openapi'] | undefined)?.operations ?? [];
    expect(operations.filter(({ answers }) => answers === 0).map(({ operation }) => operation)).toEqual([]);
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    expect(page).toMatch(/<details id="openapi"[\s\S]*The run called 6 of 6 operations/);
    const stored = JSON.parse(readFileSync(join(out, 'history', 'openapi.json'), 'utf8')) as object;
    expect(stored).toEqual(await (await fetch(describedAt)).json());
    expect(leaks(out, ended, one.secrets)).toEqual([]);
  });

  it('is judged again by verify, to the same verdicts', async () => {
    const verified = await tryon(['verify', one.out]);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringMatching(/All \d+ verdicts are those of/),
    ]);
  });

  it('is reported again by report, the same', async () => {
    const before = readVerdicts(one.out);
    const copy = join(temporaryFolder(), 'run');
    cpSync(one.out, copy, { recursive: true });
    writeFileSync(join(copy, 'verdicts.json'), '{}');
    writeFileSync(join(copy, 'report.html'), '');
    expect((await tryon(['report', copy])).code).toBe(0);
    expect(readVerdicts(copy)).toEqual(before);
    expect(readFileSync(join(copy, 'report.html'), 'utf8')).toContain('</html>');
  });
});

const planned = z.object({
  planned: z.number(),
  endpoint: z.string(),
  credential: z.string(),
  shopper: z.number(),
  locale: z.string().nullable(),
  items: z.number().nullable(),
  at_ns: z.number(),
  not_sent: z.string().nullable(),
});

/** What the load of a run was, and the numbers of all requests of its plan. */
async function loadOf(out: string): Promise<{
  readonly load: readonly z.output<typeof planned>[];
  readonly numbers: readonly number[];
  readonly seqs: { readonly records: number; readonly different: number };
}> {
  const history = await openHistory(out);
  try {
    const load = await history.rows(
      planned,
      `SELECT planned, endpoint, credential, shopper, locale, items, not_sent,
         intended_ns - min(intended_ns) OVER () AS at_ns
       FROM requests WHERE stage = 'load' ORDER BY planned`,
    );
    const [seqs = { records: 0, different: 0 }] = await history.rows(
      z.object({ records: z.number(), different: z.number() }),
      'SELECT count(*) AS records, count(DISTINCT seq) AS different FROM requests',
    );
    const { planned_by_lane: byLane = [history.run.planned_requests] } = history.run;
    const numbers = byLane.flatMap((count, lane) =>
      Array.from({ length: count }, (_, nth) => nth * byLane.length + lane),
    );
    return { load, numbers: numbers.toSorted((a, b) => a - b), seqs };
  } finally {
    history.close();
  }
}

/** What every run of the plan comes to, wherever it is sent. */
function comparable(out: string): object {
  const verdicts = readVerdicts(out).checks.map(({ id, verdict }) => [id, verdict] as const);
  // Whether a connection carries enough to be compared depends on how many there are, and on the machine.
  const own = ['latency.each-connection', 'contract.openapi'];
  return Object.fromEntries(verdicts.filter(([id]) => !own.includes(id)));
}

describe('a run with two workers', () => {
  it('sends what a run with one does, and comes to the same verdicts', async () => {
    expect(two.ended.code, two.ended.stdout + two.ended.stderr).toBe(0);
    expect(troubles(readVerdicts(two.out))).toEqual([]);
    const [ofOne, ofTwo] = [await loadOf(one.out), await loadOf(two.out)];
    // On a busy machine, an event may be due before its session is answered, and says no more than that.
    const unsent = new Set(
      [...ofOne.load, ...ofTwo.load].flatMap(({ not_sent, planned: n }) => (not_sent === null ? [] : [n])),
    );
    const sentOf = ({ load }: typeof ofOne) => load.filter((request) => !unsent.has(request.planned));
    expect(sentOf(ofTwo)).toEqual(sentOf(ofOne));
    expect(sentOf(ofTwo).length).toBeGreaterThan(unsent.size);
    expect(ofTwo.load.map((request) => request.planned)).toEqual(ofTwo.numbers);
    expect(comparable(two.out)).toEqual(comparable(one.out));
    expect(ofTwo.seqs.different).toBe(ofTwo.seqs.records);
    expect(two.ended.stdout).toContain('Workers  2 threads share the load');
    expect(readFileSync(join(two.out, 'report.html'), 'utf8')).toContain('2 threads shared the planned load');
    expect(existsSync(join(two.out, 'history', 'requests.2.csv'))).toBe(true);
    expect(existsSync(join(one.out, 'history', 'requests.1.csv'))).toBe(false);
    expect(leaks(two.out, two.ended, two.secrets)).toEqual([]);
  });

  it('is in a collector to the last request, each of them a trace', async () => {
    const { collector, ended, heads, out } = two;
    expect(ended.stderr).not.toContain('exports of metrics failed');
    expect(ended.stdout).toContain(`OTLP to ${collector.url} every 0.25 s`);
    const history = await openHistory(out);
    const expected = await answeredIn(history);
    const sent = await history.rows(
      z.object({ seq: z.number(), status: z.number().nullable(), server_timing: z.string().nullable() }),
      'SELECT seq, status, server_timing FROM requests WHERE sent_ns IS NOT NULL',
    );
    history.close();
    expect(collector.exports.length).toBeGreaterThan(1);
    expect(countsIn(collector.exports.at(-1))).toEqual(
      Object.fromEntries(expected.map(({ endpoint, n, outcome }) => [`${endpoint} ${outcome}`, n])),
    );
    const known = new Set(sent.map(({ seq }) => traceId(history.run.trace_run ?? '', seq)));
    expect(sent.length).toBeGreaterThan(100);
    expect(new Set(heads.map(({ traceparent }) => String(traceparent).split('-')[1]))).toEqual(known);
    expect(new Set(heads.map((head) => head['user-agent']))).toEqual(new Set([`tryon/${programVersion()}`]));
    const timings = sent.flatMap(({ server_timing, status }) => (status === null ? [] : [server_timing]));
    expect(new Set(timings)).toEqual(new Set(['app=1.5 db=0.25']));
    const report = readFileSync(join(out, 'report.html'), 'utf8');
    const linked = [...report.matchAll(/https:\/\/traces\.example\/([0-9a-f]{32})"/g)].map(([, id]) => id);
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((id) => !known.has(id ?? ''))).toEqual([]);
    expect(report).toContain('Durations from Server-Timing in milliseconds');
  });
});

/** Requests by endpoint and outcome, as the last export has them. */
function countsIn(got: Got | undefined): Record<string, number> {
  return Object.fromEntries(
    (got?.points('tryon.response.duration') ?? []).map(({ attributes, count }) => [
      `${attributes['tryon.endpoint']} ${attributes['http.response.status_code'] ?? attributes['error.type']}`,
      count,
    ]),
  );
}

/** Other instants each time; said with every failure. */
const cutSeed = Date.now();
const cuts = times(3, 120);

/** The lines of a file of a run's history, and `seq` of the request that each belongs to. */
function linesOf(run: string, file: HistoryFile): { readonly text: string; readonly seq: number }[] {
  const lines = readFileSync(join(run, 'history', file), 'utf8')
    .split('\n')
    .slice(0, -1);
  const place = file.endsWith('.csv') ? (lines[0]?.split(',').indexOf('seq') ?? 0) : undefined;
  return lines.map((text) => ({
    text,
    seq: place === undefined ? Number(JSON.parse(text).seq ?? 0) : Number(text.split(',')[place]),
  }));
}

function write(run: string, file: HistoryFile, lines: readonly { readonly text: string }[]): void {
  writeFileSync(join(run, 'history', file), lines.map(({ text }) => `${text}\n`).join(''));
}

/**
 * What is on disk of a run if it was killed with so many lines in `requests.csv`: of the other files, what these
 * requests have in there, or more.
 */
function killed(run: string, lines: number, more: boolean): string {
  const copy = join(temporaryFolder(), 'run');
  cpSync(run, copy, { recursive: true });
  rmSync(join(copy, 'history/manifest.json'));
  const { ended: _, ...begun } = JSON.parse(readFileSync(join(copy, 'run.json'), 'utf8'));
  writeFileSync(join(copy, 'run.json'), JSON.stringify(begun));
  const kept = linesOf(run, historyFiles.requests).slice(0, lines);
  write(copy, historyFiles.requests, kept);
  if (more) return copy;
  const seqs = new Set(kept.map(({ seq }) => seq));
  for (const file of [historyFiles.answers, historyFiles.interactions])
    write(
      copy,
      file,
      linesOf(run, file).filter(({ seq }) => seqs.has(seq) || Number.isNaN(seq)),
    );
  return copy;
}

it(`an honest run that is killed at any request accuses nobody (seed ${cutSeed})`, async () => {
  const { length } = linesOf(one.out, historyFiles.requests);
  const random = randomStream(cutSeed, 'cuts');
  for (let n = 0; n < cuts; n++) {
    // One in each stretch of the run.
    const lines = 1 + Math.floor(((n + random()) / cuts) * (length - 1));
    const history = await openHistory(killed(one.out, lines, n % 2 === 0));
    const { checks } = await judge(history);
    history.close();
    const failed = checks.filter(({ verdict }) => verdict === 'fail');
    expect(
      failed.map(({ id, explanation }) => `${id}: ${explanation}`),
      `${lines} lines`,
    ).toEqual([]);
  }
});
