import { describe, expect, it } from 'vitest';
import { dayCurve, exhaustQuota, type Phase, steady } from '../../src/scenario/load.ts';
import type { Simulated } from '../../src/simulate/assumptions.ts';
import { play } from '../../src/simulate/play.ts';
import { renderSimulation } from '../../src/simulate/print.ts';
import type { ServiceModel } from '../../src/simulate/service.ts';
import { catalog, planOf } from '../drive/virtual.ts';

const model: ServiceModel = {
  limiter: 'sliding-log',
  rateLimit: { requests: 100, windowMs: 6_000 },
  limitScope: 'per-key',
  limitEndpoints: 'together',
  quotas: { quota: 10 },
  channel: 'free',
  analytics: { shadesPerSession: 'distinct', sessionsAveraged: 'all', topShades: 3, decimals: 4 },
};

function simulated(load: readonly Phase[], days?: number, scenario = { name: 's', title: 't' }): Simulated {
  const plan = planOf(load);
  return {
    scenario,
    seed: 7,
    ...(days === undefined ? {} : { days: { sessionsPerDay: 2_000, days, inWaves: true } }),
    leftOut: ['the study of limits'],
    untold: [],
    model,
    outcome: play({ plan, catalog, days: days ?? 0, model }),
  };
}

const load = [steady('30/s', '10s', { traffic: 'sessions' }), exhaustQuota({ rate: '5/s', beyond: 4 })];

describe('a simulation in the terminal', () => {
  it('shows who was rejected and when, the outcome of each request, and the assumptions', () => {
    const text = renderSimulation(simulated(load));
    for (const line of [
      /^ {2}Shoppers who requested a session +314$/m,
      /^ {2}got one +210$/m,
      /^ {2}were rejected \(429\) +100$/m,
      /^ {2}were over quota \(402\) +4$/m,
      /^ {2}First 429 to any request +0:03\.333$/m,
      /^ {2}Quota spent +0:11\.800$/m,
      /^ {2}Busiest 6 s +180 requests from 0:00\.000 \(limit 100\)$/m,
      /^ {2}load +create-session +300 +200 +100 +0 +0$/m,
      /^ {2}quota +create-session +14 +10 +0 +4 +0$/m,
      /^ {2}total_sessions +200$/m,
      /answered at once/,
      /sliding log of 100 per 6 s for each key/,
      /Session quotas: 10 on the quota key; other/,
      /Left out, since their pace depends on answers: the study of limits\./,
    ])
      expect(text).toMatch(line);
  });

  it('has a line for each day, and one for all of them', () => {
    const text = renderSimulation(simulated([dayCurve(2_000, '3d')], 3));
    expect(text).toMatch(/2,000 shoppers a day for 3 days, by the day curve and in waves, seed 7/);
    expect(text.match(/^ {2} *(?:[123]|all)(?: +[\d,.]+){6}$/gm)).toHaveLength(4);
    expect(text).toContain('All shoppers use the load key');
  });

  it('shows a month of a longer time, and says where the rest is', () => {
    const text = renderSimulation(simulated([dayCurve(50, '40d')], 40));
    expect(text.match(/^ {2,}\d+(?: +[\d,.]+){6}$/gm)).toHaveLength(31);
    expect(text).toContain('and 9 more days: see --json');
  });

  it('fits into 80 columns, whatever the scenario is called', () => {
    const hostile = { name: 'x'.repeat(100), title: 'a \u001b[31mred\u202e title '.repeat(20) };
    const everybody = [...load, steady('20/s', '5s', { as: 'bystander' })];
    for (const one of [
      simulated(everybody, undefined, hostile),
      simulated([dayCurve(2_000, '3d')], 3, hostile),
    ]) {
      const text = renderSimulation(one);
      expect(Math.max(...text.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(80);
      expect(text).not.toContain('\u001b');
      expect(text).not.toContain('\u202e');
    }
  });

  it('says so where there is no shade to show', () => {
    expect(renderSimulation(simulated([steady('1/s', '3s', { traffic: 'reads' })]))).toContain(
      'No shade was selected.',
    );
  });
});
