import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../src/checks/judge.ts';
import { type History, openHistory } from '../../src/history/history.ts';
import { randomStream } from '../../src/random.ts';
import type { CheckId } from '../../src/vocabulary/check-ids.ts';
import { times } from '../effort.ts';
import {
  atMost,
  leaks,
  patiently,
  profileArguments,
  scenario,
  serve,
  start,
  temporaryFolder,
} from './program.ts';

const gate = atMost(3);
/** Another one each time, so that instants are other ones; said with every failure. */
const seed = Date.now();
const kills = times(2, 20);
/** A run of `shopping` takes about so long from its first request until it settles, and from its first judged answer to its end. */
const untilSettledMs = 5_000;
const settlingMs = 800;
/** A token of a session, as the service makes them: its id, a dot, and 24 bytes. */
const token = /ts_[\w-]{22}\.[\w-]{32}/;

let started: ReturnType<typeof serve> | undefined;
/**
 * The service that all of these runs share. It outlives them, and so can be asked what really happened. Started by the first
 * test: whoever only lists the tests starts nothing.
 */
function served(): ReturnType<typeof serve> {
  started ??= serve(['--rate-limit', '1000000/1m']);
  return started;
}

const judging = [
  'analytics.total-sessions',
  'analytics.avg-shades',
  'analytics.cart-intent',
] as const satisfies CheckId[];
/** What is judged of a product, by the check that does. */
type Truth = Readonly<Record<(typeof judging)[number], number>>;

/** What the service says about a product, of all days. */
async function truthOf(productId: string): Promise<Truth> {
  const query = `start_date=0001-01-01&end_date=9999-12-31&product_id=${encodeURIComponent(productId)}`;
  const answer = await ask(`/analytics/sessions?${query}`);
  const numbers = z
    .object({ total_sessions: z.number(), avg_shades_per_session: z.number(), cart_intent_rate: z.number() })
    .parse(answer);
  return {
    'analytics.total-sessions': numbers.total_sessions,
    'analytics.avg-shades': numbers.avg_shades_per_session,
    'analytics.cart-intent': numbers.cart_intent_rate,
  };
}

/** Ids of the events that the service has of a session. */
async function actsOf(sessionId: string): Promise<Set<string>> {
  const answer = await ask(`/sessions/${encodeURIComponent(sessionId)}`);
  const { interactions } = z.object({ interactions: z.array(z.object({ id: z.string() })) }).parse(answer);
  return new Set(interactions.map(({ id }) => id));
}

async function ask(path: string): Promise<unknown> {
  const { baseUrl, keys } = await served();
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${keys.load}` } });
  expect(response.status, path).toBe(200);
  return response.json();
}

const interval = z.object({ min: z.number(), max: z.number() });
/** The service rounds to four decimals. */
const rounding = 5e-5 + 1e-12;

/** What is on disk held against what the service did: everything in there that is not so, and how many intervals were there. */
async function untruths(history: History): Promise<{ readonly wrong: string[]; readonly intervals: number }> {
  const wrong: string[] = [];
  let intervals = 0;
  const { checks } = await judge(history);
  for (const { explanation, id, verdict } of checks)
    if (verdict === 'fail') wrong.push(`${id} fails: ${explanation}`);

  const granted = await history.rows(
    z.object({ product_id: z.string(), sessions: z.number() }),
    `SELECT product_id, count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND credential = 'load' AND status BETWEEN 200 AND 299 GROUP BY ALL`,
  );
  for (const { product_id, sessions } of granted) {
    const truth = await truthOf(product_id);
    const total = truth['analytics.total-sessions'];
    if (total < sessions) wrong.push(`${product_id}: ${sessions} sessions on disk, ${total} in the service`);
    for (const id of judging) {
      const value = truth[id];
      const expected = checks.find((check) => check.id === id)?.expected;
      const judged = z.record(z.string(), z.unknown()).safeParse(expected).data ?? {};
      for (const [what, shown] of Object.entries(judged)) {
        const { data } = interval.safeParse(shown);
        // Periods without a session of the run in them are judged as well.
        if (data === undefined || !what.startsWith(`${product_id}, `) || data.max <= 0) continue;
        intervals++;
        if (value < data.min - rounding || value > data.max + rounding)
          wrong.push(`${id} of ${what}: judged by ${data.min} to ${data.max}, ${value} in the service`);
      }
    }
  }

  const acts = await history.rows(
    z.object({ session_id: z.string(), ids: z.array(z.string()) }),
    `SELECT i.session_id, list(i.id) AS ids FROM interactions i JOIN requests r USING (seq)
     WHERE r.status BETWEEN 200 AND 299 GROUP BY ALL ORDER BY i.session_id LIMIT 10`,
  );
  for (const { ids, session_id } of acts) {
    const there = await actsOf(session_id);
    wrong.push(...ids.filter((id) => !there.has(id)).map((id) => `${session_id}: act ${id} is on disk only`));
  }
  return { wrong, intervals };
}

/** When a run is killed: so long after its first record, or after the first judged answer about a product. */
interface Instant {
  readonly after: 'first record' | 'first judged answer';
  readonly ms: number;
}

interface Left {
  readonly after: Instant['after'];
  /** What is on disk and not so. */
  readonly wrong: readonly string[];
  readonly sessions: number;
  /** Of what the run was killed; null when it had ended by then. */
  readonly signal: string | null;
  readonly intervals: number;
}

/**
 * Whether an answer about a product is on disk that analytics are judged by, and the request for it, and all requests
 * that became due until it came.
 */
function hasJudgedAnswer(out: string): boolean {
  const rows = ['requests.csv', 'requests.1.csv', 'requests.2.csv']
    .flatMap((file) => read(out, file).split('\n').slice(1, -1))
    .map((line) => line.split(','))
    .toSorted(([a], [b]) => Number(a) - Number(b));
  const known = rows.filter(([seq], place) => Number(seq) === place + 1);
  const lastDueNs = Math.max(...known.map(({ 8: intendedNs }) => Number(intendedNs)));
  const judged = new Set(
    known.flatMap(([seq, stage, phase, , , , , , , , , answeredNs]) =>
      stage === 'settle' && phase === 'analytics' && Number(answeredNs) <= lastDueNs ? [seq] : [],
    ),
  );
  return read(out, 'answers.ndjson')
    .split('\n')
    .slice(0, -1)
    .map((line) => answer.parse(JSON.parse(line)))
    .some(({ query, seq }) => judged.has(String(seq)) && 'product_id' in query);
}
const answer = z.object({ seq: z.number(), query: z.record(z.string(), z.string()) });

/** What is written of a file so far; the run makes one after the other. */
function read(out: string, file: string): string {
  const path = join(out, 'history', file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function killed({ after, ms }: Instant, workers: number): Promise<Left> {
  const { baseUrl, keys } = await served();
  const out = join(temporaryFolder(), 'run');
  const { bystander = '', load = '', quota = '' } = keys;
  const keyArguments = ['--key', 'load=LOAD', '--key', 'quota=QUOTA', '--key', 'bystander=BYSTANDER'];
  const profile = profileArguments({ ...patiently, analytics: { freshness: '500ms' } });
  const program = start(
    [
      ...['run', scenario('shopping'), '--target', baseUrl, ...profile, ...keyArguments, '--out', out],
      ...['--workers', String(workers)],
    ],
    { env: { LOAD: load, QUOTA: quota, BYSTANDER: bystander } },
  );
  const requests = join(out, 'history', 'requests.csv');
  await program.until(() => existsSync(requests) && (after === 'first record' || hasJudgedAnswer(out)));
  await sleep(ms);
  program.process.kill('SIGKILL');
  const ended = await program.ended;
  const history = await openHistory(out);
  try {
    const { intervals, wrong } = await untruths(history);
    const secrets = [...Object.values(keys), token];
    const found = [...wrong, ...leaks(out, ended, secrets).map((file) => `a secret is in ${file}`)];
    const [{ sessions } = { sessions: 0 }] = await history.rows(
      z.object({ sessions: z.number() }),
      'SELECT count(DISTINCT session_id) AS sessions FROM requests',
    );
    const where = `${ms} ms after the ${after}, workers ${workers}`;
    return {
      after,
      sessions,
      intervals,
      signal: ended.signal,
      wrong: found.map((text) => `${where}: ${text}`),
    };
  } finally {
    history.close();
  }
}

describe('a run that is killed with SIGKILL', () => {
  it(`leaves nothing on disk that is not so, and no secret, at any of ${kills} instants`, async () => {
    const random = randomStream(seed, 'instants of kills');
    // Every other one is of a run with two workers, whose history is in segments: four have each instant with each.
    const instants = Array.from(
      { length: kills },
      (_, n): Instant =>
        n % 4 === 0 || n % 4 === 3
          ? { after: 'first record', ms: Math.round(random() * untilSettledMs) }
          : { after: 'first judged answer', ms: n === 1 ? 0 : Math.round(random() * settlingMs) },
    );
    const left = await Promise.all(instants.map((instant, n) => gate(() => killed(instant, 1 + (n % 2)))));
    expect(
      left.flatMap(({ wrong }) => wrong),
      `seed ${seed}`,
    ).toEqual([]);
    const cut = left.filter(({ signal }) => signal === 'SIGKILL');
    expect(cut.length, `seed ${seed}: runs that were not over`).toBeGreaterThanOrEqual(kills / 2);
    expect(cut.filter(({ sessions }) => sessions > 0).length, `seed ${seed}: with sessions`).toBeGreaterThan(
      0,
    );
    const late = cut.filter(({ after }) => after === 'first judged answer');
    expect(late.length, `seed ${seed}: cut after an answer that is judged`).toBeGreaterThan(0);
    expect(
      late.filter(({ intervals }) => intervals === 0),
      `seed ${seed}: whose numbers were not judged`,
    ).toEqual([]);
  });
});
