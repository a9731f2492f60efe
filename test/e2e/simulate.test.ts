import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type History, openHistory } from '../../src/history/history.ts';
import { patiently, profileArguments, scenario, temporaryFolder, tryon, tryonEach } from './program.ts';

const limits = ['--rate-limit', '100/3s', '--quota', '15'];

/** What is compared of `tryon simulate --json`. */
const simulatedSchema = z.object({
  requests: z.array(
    z.object({
      role: z.string(),
      endpoint: z.string(),
      planned: z.number(),
      admitted: z.number(),
      limited: z.number(),
      over_quota: z.number(),
      no_session: z.number(),
      no_channel: z.number(),
    }),
  ),
  interactions: z.object({ shade_selected: z.number(), cart_intent: z.number() }),
  analytics: z.object({
    total_sessions: z.number(),
    avg_shades_per_session: z.number(),
    cart_intent_rate: z.number(),
    top_shades: z.array(z.object({ sku: z.string(), selections: z.number() })),
  }),
});
type Simulated = z.output<typeof simulatedSchema>;

/** The same of a run, out of its history; of its answers, the last over all products. */
async function driven(history: History): Promise<Simulated> {
  const requests = await history.rows(
    simulatedSchema.shape.requests.element,
    `SELECT CASE credential WHEN 'session' THEN 'load' ELSE credential END AS role, endpoint, count(*) AS planned,
       count(*) FILTER (status BETWEEN 200 AND 299) AS admitted, count(*) FILTER (status = 429) AS limited,
       count(*) FILTER (status = 402) AS over_quota, count(*) FILTER (not_sent = 'no-session') AS no_session,
       count(*) FILTER (not_sent = 'no-channel') AS no_channel
     FROM requests WHERE stage = 'load' GROUP BY ALL`,
  );
  const acts = await history.rows(
    z.object({ type: z.string(), n: z.number() }),
    `SELECT type, count(*) AS n FROM interactions JOIN requests USING (seq) WHERE status = 202 GROUP BY type`,
  );
  const [answer] = await history.rows(
    z.object({ body: z.string() }),
    `SELECT CAST(body AS VARCHAR) AS body FROM answers
     JOIN (SELECT seq FROM requests WHERE credential = 'load') USING (seq)
     WHERE endpoint = 'analytics' AND json_extract_string(query, '$.product_id') IS NULL ORDER BY seq DESC LIMIT 1`,
  );
  return simulatedSchema.parse({
    requests,
    interactions: Object.fromEntries(acts.map(({ type, n }) => [type, n])),
    analytics: JSON.parse(answer?.body ?? 'null'),
  });
}

/** Without the tag that a run's catalog bears, and in one order. */
function comparable({ analytics, interactions, requests }: Simulated): object {
  const untagged = (sku: string): string => sku.slice(0, sku.lastIndexOf('-'));
  return {
    requests: requests.toSorted((a, b) =>
      `${a.role} ${a.endpoint}`.localeCompare(`${b.role} ${b.endpoint}`, 'en'),
    ),
    interactions,
    analytics: {
      ...analytics,
      top_shades: analytics.top_shades.map(({ selections, sku }) => ({ sku: untagged(sku), selections })),
    },
  };
}

describe.concurrent('tryon simulate', () => {
  it('agrees with a short real run on every count, and on what analytics answer', async () => {
    const out = join(temporaryFolder(), 'run');
    const seed = ['--seed', '20260501'];
    const [run, simulation] = await Promise.all([
      tryon(['run', scenario('simulated'), '--out', out, ...seed, ...limits, ...profileArguments(patiently)]),
      tryon(['simulate', scenario('simulated'), '--json', ...seed, ...limits]),
    ]);
    expect(simulation.code, simulation.stderr).toBe(0);
    const history = await openHistory(out);
    try {
      expect(history.run.ended?.how, run.stdout + run.stderr).toBe('completed');
      const simulated = simulatedSchema.parse(JSON.parse(simulation.stdout));
      expect(comparable(simulated)).toEqual(comparable(await driven(history)));
      // Each kind of refusal was there to agree on.
      const sum = (fate: 'limited' | 'over_quota'): number =>
        simulated.requests.reduce((total, each) => total + each[fate], 0);
      expect([sum('limited'), sum('over_quota')]).toEqual([60, 12]);
      expect(simulated.interactions.shade_selected).toBeGreaterThan(50);
    } finally {
      history.close();
    }
  });

  it('plays days in virtual time: the same bytes for the same seed, others for another', async () => {
    const days = [...['simulate', 'smoke', '--json', '--sessions-per-day', '500', '--days', '3']];
    const [one, same, other] = await tryonEach(
      ['4', '4', '5'].map((seed) => [...days, '--seed', seed]),
      {},
    );
    expect(JSON.parse(one?.stdout ?? '')).toMatchObject({ days_played: 3, quota_spent_ns: null });
    expect(same?.stdout).toBe(one?.stdout);
    expect(other?.stdout).not.toBe(one?.stdout);
  });

  it('plays the model that a profile describes, and what is said beside it goes first', async () => {
    const profile = profileArguments({
      rate_limit: '5/1s',
      limiter: 'token-bucket',
      limit_scope: 'shared',
      limit_endpoints: 'apart',
      quota: { sessions: 40 },
      channel: { counts_against_rate_limit: true },
      analytics: { shades_per_session: 'selections', top_shades: 3, decimals: 1 },
    });
    const [told, overruled] = await tryonEach(
      [[], ['--limiter', 'fixed-window', '--rate-limit', '7/2s', '--quota', '50']].map((more) => [
        ...['simulate', 'smoke', '--sessions-per-day', '100', '--json', ...profile, ...more],
      ]),
      {},
    );
    expect(JSON.parse(told?.stdout ?? '').model).toEqual({
      limiter: 'token-bucket',
      rate_limit: { requests: 5, window_ms: 1_000 },
      limit_scope: 'shared',
      limit_endpoints: 'apart',
      quotas: { load: 40 },
      channel: 'spends-rate',
      analytics: {
        shades_per_session: 'selections',
        sessions_averaged: 'all',
        top_shades: 3,
        decimals: 1,
      },
    });
    expect(JSON.parse(overruled?.stdout ?? '').model).toMatchObject({
      limiter: 'fixed-window',
      rate_limit: { requests: 7, window_ms: 2_000 },
      quotas: { load: 50 },
    });
  });

  it('takes the command line of a run, says what that would cost, and ends the load at its cap', async () => {
    const { code, stdout } = await tryon([
      ...['simulate', 'launch', '--scale', '0.2', '--max-requests', '900'],
      ...['--key', 'load=K', '--yes', '--out', 'nowhere'],
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}key load +up to 900 requests, /m);
    expect(stdout).toContain('Capped   at 900 requests');
    expect(stdout).toContain('Without effect here: --key, --out, --yes');
    const rows = [...stdout.matchAll(/^ {2}(?:load|quota|bystander) +\S+ +(\d+) /gm)];
    const planned = rows.reduce((sum, [, n]) => sum + Number(n), 0);
    expect(planned).toBeGreaterThan(100);
    expect(planned).toBeLessThan(900);
  });

  it('says what a run of studies alone would cost, and plays nothing', async () => {
    const { code, stdout } = await tryon(['simulate', 'limits']);
    expect([code, stdout.includes('Requests: none.')]).toEqual([0, true]);
    expect(stdout).toMatch(/^Takes +up to [\d.]+ minutes/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('answers: the study of quota, the study of limits.');
  });

  it('answers what cannot be played with what it expected, and exit code 2', async () => {
    const typos: readonly (readonly [args: readonly string[], says: readonly string[]])[] = [
      [[], ['expected a scenario']],
      [['no-such-scenario'], ['no such scenario', 'launch']],
      [
        ['smoke', '--days', '3'],
        ['--days', '--sessions-per-day'],
      ],
      [
        ['smoke', '--sessions-per-day', '0'],
        ['--sessions-per-day', 'from 1'],
      ],
      [
        ['smoke', '--sessions-per-day', '10', '--days', '1.5'],
        ['--days', 'whole number'],
      ],
      [
        ['smoke', '--sessions-per-day', '10', '--days', '100000'],
        ['--days', '3660'],
      ],
      [
        ['smoke', '--limiter', 'guess'],
        ['limiter', 'sliding-log'],
      ],
      [
        ['smoke', '--rate-limit', 'much'],
        ['--rate-limit', '1000/1m'],
      ],
      [
        ['smoke', '--quota', '0'],
        ['--quota', 'from 1'],
      ],
      [['smoke', '--seed=-1'], ['--seed']],
      [['smoke', '--profile', 'nowhere.json'], ['nowhere.json']],
    ];
    const results = await tryonEach(
      typos.map(([args]) => ['simulate', ...args]),
      {},
    );
    for (const [index, [args, says]] of typos.entries()) {
      const { code, stderr, stdout } = results[index] ?? {};
      expect([code, stdout], args.join(' ')).toEqual([2, '']);
      for (const word of says) expect(stderr).toContain(word);
    }
  });
});
