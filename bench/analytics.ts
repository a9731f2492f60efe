import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { allFiles } from '../src/history/files.ts';
import { bytesOf } from '../src/history/storage.ts';
import { type NaiveAct, type NaiveSession, naiveAnalytics } from '../test/checks/analytics/naive.ts';
import { firstDay, type HistorySize, writeBigHistory } from './big-history.ts';

/** One recomputation. Times in milliseconds. */
export interface AnalyticsOnce {
  /** Of a long history at its manifest's word. */
  readonly loadMs: number;
  readonly computeMs: number;
  /** Until both are done, and every file's digest is known to be right: threads see to those meanwhile. */
  readonly allMs: number;
  /** Of the whole process. */
  readonly allCpuMs: number;
  /** Of the whole process. */
  readonly peakGiB: number;
  readonly interactions: number;
  readonly sessions: number;
  readonly answers: number;
  /** Frames of conventions evaluated in full. */
  readonly frames: number;
  readonly conventions: string;
  readonly totals: readonly number[];
}

export interface AnalyticsBench {
  readonly size: HistorySize;
  readonly historyGB: number;
  /** Medians. */
  readonly once: Omit<AnalyticsOnce, 'totals'>;
  /** The same where the profile leaves nothing open. */
  readonly oneConvention: {
    readonly computeMs: number;
    readonly allMs: number;
    readonly allCpuMs: number;
    readonly frames: number;
  };
  /** The naive implementation on the same history; absent where it would take hours. */
  readonly naive?: { readonly loadMs: number; readonly computeMs: number; readonly ratio: number };
}

/** Recomputes the analytics of a history of that size `times` times. */
export async function measureAnalytics(
  size: HistorySize,
  times: number,
  naive: boolean,
): Promise<AnalyticsBench> {
  const dir = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  try {
    await writeBigHistory(dir, size);
    const runs: AnalyticsOnce[] = [];
    const promised: AnalyticsOnce[] = [];
    for (let run = 0; run < times; run++) {
      runs.push(await once(dir));
      promised.push(await once(dir, 'one'));
    }
    const median = (of: (run: AnalyticsOnce) => number, all = runs): number =>
      all.map(of).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
    const [first] = runs;
    if (first === undefined) throw new Error('expected at least one run');
    const { totals, ...shown } = first;
    const beside = naive ? await naively(dir, totals) : undefined;
    const computeMs = median((run) => run.computeMs);
    return {
      size,
      historyGB: (await bytesOf(allFiles(1).map((name) => join(dir, 'history', name)))) / 1e9,
      once: {
        ...shown,
        loadMs: median((run) => run.loadMs),
        computeMs,
        allMs: median((run) => run.allMs),
        allCpuMs: median((run) => run.allCpuMs),
        peakGiB: Math.max(...runs.map((run) => run.peakGiB)),
      },
      oneConvention: {
        computeMs: median((run) => run.computeMs, promised),
        allMs: median((run) => run.allMs, promised),
        allCpuMs: median((run) => run.allCpuMs, promised),
        frames: median((run) => run.frames, promised),
      },
      ...(beside === undefined ? {} : { naive: { ...beside, ratio: beside.computeMs / computeMs } }),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function once(dir: string, ...conventions: readonly 'one'[]): Promise<AnalyticsOnce> {
  const script = fileURLToPath(new URL('./analytics-once.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, dir, ...conventions], {
    maxBuffer: 2 ** 26,
    // As the launcher has it.
    env: { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') },
  });
  return JSON.parse(stdout);
}

const answer = z.object({
  query: z.object({ start_date: z.string(), end_date: z.string(), product_id: z.string().optional() }),
});

/** The naive implementation: sessions as objects, each query a loop over all of them, one convention. Throws where it differs. */
async function naively(
  dir: string,
  totals: readonly number[],
): Promise<{ loadMs: number; computeMs: number }> {
  const started = performance.now();
  const sessions = new Map<string, NaiveSession & { acts: NaiveAct[] }>();
  const answered = new Set<string>();
  for await (const line of lines(join(dir, 'history', 'requests.csv'))) {
    const [
      seq = '',
      ,
      ,
      ,
      credential = '',
      endpoint,
      ,
      ,
      ,
      ,
      sent,
      ,
      status,
      ,
      ,
      session = '',
      product = '',
    ] = line.split(',');
    if (endpoint === 'interact' && status === '202') answered.add(seq);
    if (endpoint === 'create-session' && status === '200')
      sessions.set(session, { product, credential, createdMs: firstDay + Number(sent) / 1e6, acts: [] });
  }
  for await (const line of lines(join(dir, 'history', 'interactions.csv'))) {
    const [seq = '', session = '', id = '', type, sku = ''] = line.split(',');
    if (answered.has(seq))
      sessions.get(session)?.acts.push({ id, sku, type: type === 'cart_intent' ? type : 'shade_selected' });
  }
  const loaded = performance.now();
  const all = [...sessions.values()];
  const asked = (await readFile(join(dir, 'history', 'answers.ndjson'), 'utf8')).trim().split('\n');
  asked.forEach((line, index) => {
    const { query } = answer.parse(JSON.parse(line));
    const { total } = naiveAnalytics(all, {
      credential: 'load',
      product: query.product_id ?? null,
      startMs: Date.parse(query.start_date),
      endMs: Date.parse(query.end_date) + 86_400_000,
    });
    // Lost requests and sessions at midnight leave the other one an interval.
    if (Math.abs(total - (totals[index] ?? Number.NaN)) > 2 + total / 100)
      throw new Error(`${line}: ${total} sessions, and ${totals[index]} at least by the oracle`);
  });
  return { loadMs: loaded - started, computeMs: performance.now() - loaded };
}

async function* lines(path: string): AsyncGenerator<string> {
  let header = true;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (!header) yield line;
    header = false;
  }
}
