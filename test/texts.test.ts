import { describe, expect, it } from 'vitest';
import { checkAnalytics } from '../src/checks/analytics.ts';
import { render } from '../src/checks/core/render.ts';
import type { CheckResult } from '../src/checks/core/verdict.ts';
import { judge } from '../src/checks/judge.ts';
import { checkGroups } from '../src/vocabulary/check-ids.ts';
import { Scene } from './checks/analytics/scene.ts';
import { fixedWindow, launched, judge as rateLimit } from './checks/rate-limit/launched.ts';
import { type SampleHistory, type SampleRequest, withHistory } from './history/sample.ts';
import { limitsHistory } from './report/limits-sample.ts';
import { richHistory } from './report/rich.ts';
import { numberFaults } from './wording-faults.ts';

function textsOf({ evidence, explanation, title }: CheckResult): string[] {
  return [title, explanation, ...evidence.map(({ what }) => what)];
}

function whole(sample: SampleHistory): Promise<readonly CheckResult[]> {
  return withHistory(sample, async (history) => (await judge(history)).checks);
}

const everything = {
  checks: [...checkGroups],
  slo: [{ endpoint: '*', percentile: 99, max_ms: 10 }],
  quota_attempts: 3,
  keys: { quota: { from: 'env Q', fingerprint: '00000000' } },
} satisfies SampleHistory['run'];

/** This many requests of each outcome, on each of the keys. */
function ofEach(count: number): SampleHistory {
  const one = (request: SampleRequest): SampleRequest[] => Array.from({ length: count }, () => request);
  const probe = 'after-quota:read-session';
  const requests: SampleRequest[] = [
    ...one({ endpoint: 'import-shades', stage: 'setup', catalogId: 'c', items: count }),
    ...one({ endpoint: 'list-shades', stage: 'setup', probe: 'import:list', catalogId: 'c', count }),
    ...one({ endpoint: 'create-session', sessionId: 's', productId: 'p', count }),
    ...one({ endpoint: 'interact', sessionId: 's', items: count, status: 202 }),
    ...one({ endpoint: 'list-shades', lost: 'timeout' }),
    ...one({ endpoint: 'list-shades', status: 500 }),
    ...one({ endpoint: 'list-shades', status: 429 }),
    ...one({ endpoint: 'list-shades', notSent: 'no-key' }),
    ...one({ endpoint: 'create-session', credential: 'quota', phase: 'quota', sessionId: 'q', count }),
    ...one({ endpoint: 'create-session', credential: 'quota', phase: 'quota', status: 402 }),
    ...one({ endpoint: 'read-session', credential: 'quota', stage: 'settle', probe }),
  ];
  return {
    run: { ...everything, planned_requests: 6 * count },
    requests: requests.map((request, k) => ({ intendedNs: k * 100e6, ...request })),
  };
}

/** Sessions with one event each; all are read back, and the history of the first is corrupted. */
function readBack(count: number): Promise<readonly CheckResult[]> {
  const scene = new Scene();
  const ids = Array.from({ length: count }, () => scene.session('lipstick') ?? '');
  for (const id of ids) scene.act(id, ['A']);
  scene.pause(11_000);
  ids.forEach((id, k) => {
    scene.read(id, (body) => (k === 0 ? { ...body, interactions: [] } : body));
  });
  return scene.judge(async (history) => (await checkAnalytics(history)).map(render));
}

describe('the texts of verdicts read well', () => {
  const runs: readonly [string, () => Promise<readonly CheckResult[]>][] = [
    ['of a run without requests', () => whole({ run: everything })],
    ['of one request of each end', () => whole(ofEach(1))],
    ['of no session', () => readBack(0)],
    ['of one session that is read back', () => readBack(1)],
    ['of several sessions that are read back', () => readBack(3)],
    [
      'of a limiter that is right',
      async () => [...(await rateLimit({ requests: launched(fixedWindow) })).values()],
    ],
    [
      'of a limiter that is too strict',
      async () => [...(await rateLimit({ requests: launched(fixedWindow, 900) })).values()],
    ],
    ['of a study of a limiter', () => whole(limitsHistory())],
    ['of a launch', () => whole(richHistory())],
  ];
  it.each(runs)('%s', async (_, judged) => {
    const results = await judged();
    expect(results.length).toBeGreaterThan(0);
    expect(results.flatMap(textsOf).flatMap(numberFaults)).toEqual([]);
  });

  it.each([
    ['1 answers came late', 'a plural after 1'],
    ['36 to 36 shades', 'a range with equal ends'],
    ['1 session were admitted', 'a verb in the plural after 1'],
    ['All 0 planned requests have one record', 'all of none or of one'],
    ['12864 requests, of 1,167', 'a number without commas'],
  ])('%s is found to be a fault', (text, fault) => {
    expect(numberFaults(text).join()).toContain(fault);
  });
});
