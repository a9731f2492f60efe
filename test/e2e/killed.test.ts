import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../src/checks/judge.ts';
import { type History, openHistory } from '../../src/history/history.ts';
import { randomStream } from '../../src/random.ts';
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
const kills = 20;
/** A run of `shopping` takes about so long from its first request to its reports. */
const runMs = 6_000;

/** The service that all of these runs share. It outlives them, and so can be asked what really happened. */
const served = serve(['--rate-limit', '1000000/1m']);

/** What the service says about a product, of all days. */
async function truthOf(productId: string): Promise<number> {
  const query = `start_date=0001-01-01&end_date=9999-12-31&product_id=${encodeURIComponent(productId)}`;
  const answer = await ask(`/analytics/sessions?${query}`);
  return z.object({ total_sessions: z.number() }).parse(answer).total_sessions;
}

/** Ids of the acts that the service has of a session. */
async function actsOf(sessionId: string): Promise<Set<string>> {
  const answer = await ask(`/sessions/${encodeURIComponent(sessionId)}`);
  const { interactions } = z.object({ interactions: z.array(z.object({ id: z.string() })) }).parse(answer);
  return new Set(interactions.map(({ id }) => id));
}

async function ask(path: string): Promise<unknown> {
  const { baseUrl, keys } = await served;
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${keys.load}` } });
  expect(response.status, path).toBe(200);
  return response.json();
}

const interval = z.object({ min: z.number().optional(), max: z.number().optional() });

/** What is on disk held against what the service did: everything in there that is not so. */
async function untruths(history: History): Promise<string[]> {
  const wrong: string[] = [];
  const { checks } = await judge(history);
  for (const { explanation, id, verdict } of checks)
    if (verdict === 'fail') wrong.push(`${id} fails: ${explanation}`);

  const granted = await history.rows(
    z.object({ product_id: z.string(), sessions: z.number() }),
    `SELECT product_id, count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 299 GROUP BY ALL`,
  );
  const total = checks.find(({ id }) => id === 'analytics.total-sessions');
  const judged = z.record(z.string(), interval).safeParse(total?.expected).data ?? {};
  for (const { product_id, sessions } of granted) {
    const truth = await truthOf(product_id);
    if (truth < sessions) wrong.push(`${product_id}: ${sessions} sessions on disk, ${truth} in the service`);
    // Periods without a session of the run in them are judged as well.
    for (const [what, { min = 0, max = Number.POSITIVE_INFINITY }] of Object.entries(judged))
      if (what.startsWith(`${product_id}, `) && max > 0 && (truth < min || truth > max))
        wrong.push(`${what}: judged by ${min} to ${max} sessions, ${truth} in the service`);
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
  return wrong;
}

/** Kills a run so long after its first record, and returns what it left that is not so, and how many sessions it left. */
async function killed(
  afterMs: number,
  workers: number,
): Promise<{ readonly wrong: string[]; readonly sessions: number }> {
  const { baseUrl, keys } = await served;
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
  await program.until(() => existsSync(join(out, 'history', 'requests.csv')));
  await sleep(afterMs);
  program.process.kill('SIGKILL');
  const ended = await program.ended;
  const history = await openHistory(out);
  try {
    const found = [
      ...(await untruths(history)),
      ...leaks(out, ended, Object.values(keys)).map((file) => `a key is in ${file}`),
    ];
    const [{ sessions } = { sessions: 0 }] = await history.rows(
      z.object({ sessions: z.number() }),
      'SELECT count(DISTINCT session_id) AS sessions FROM requests',
    );
    return { sessions, wrong: found.map((text) => `after ${afterMs} ms, workers ${workers}: ${text}`) };
  } finally {
    history.close();
  }
}

describe('a run that is killed with SIGKILL', () => {
  it(`leaves nothing on disk that is not so, and no secret, at any of ${kills} instants`, {
    timeout: 300_000,
  }, async () => {
    const random = randomStream(seed, 'instants of kills');
    // Every other one is of a run with two workers, whose history is in segments.
    const instants = Array.from({ length: kills }, () => Math.round(random() * runMs));
    const left = await Promise.all(instants.map((afterMs, n) => gate(() => killed(afterMs, 1 + (n % 2)))));
    expect(
      left.flatMap(({ wrong }) => wrong),
      `seed ${seed}`,
    ).toEqual([]);
    expect(left.filter(({ sessions }) => sessions > 0).length, `seed ${seed}`).toBeGreaterThan(0);
  });
});
