import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { limiterNames } from '../../src/commands/options.ts';
import { makePlan, type Plan } from '../../src/plan/plan.ts';
import { dayCurve, exhaustQuota, type Phase, steady, together } from '../../src/scenario/load.ts';
import { shopperSettingsSchema } from '../../src/scenario/shoppers/settings.ts';
import type { AnalyticsNumbers } from '../../src/simulate/analytics.ts';
import { plannedOf, play, type ShopperCounts, type SimulationOutcome } from '../../src/simulate/play.ts';
import type { ServiceModel } from '../../src/simulate/service.ts';
import { catalog, planOf } from '../drive/virtual.ts';

const model: ServiceModel = {
  limiter: 'sliding-log',
  rateLimit: { requests: 1_000, windowMs: 60_000 },
  limitScope: 'per-key',
  limitEndpoints: 'together',
  quotas: {},
  channel: 'free',
  analytics: { shadesPerSession: 'distinct', sessionsAveraged: 'all', topShades: 1_000, decimals: 12 },
};

function planOfDays(perDay: number, days: number, seed: number, thinkTime = 1): Plan {
  return makePlan({
    seed,
    load: [dayCurve(perDay, `${days}d`)],
    catalogs: { load: catalog, quota: catalog, twin: catalog, bystander: catalog },
    shoppers: shopperSettingsSchema.parse({ thinkTime }),
    quota: undefined,
  });
}

function playDays(
  perDay: number,
  days: number,
  seed: number,
  changed: Partial<ServiceModel> = {},
): SimulationOutcome {
  return play({ plan: planOfDays(perDay, days, seed), catalog, days, model: { ...model, ...changed } });
}

function playLoad(load: readonly Phase[], changed: Partial<ServiceModel> = {}): SimulationOutcome {
  return play({ plan: planOf(load), catalog, days: 0, model: { ...model, ...changed } });
}

/** Requests of one kind, by what became of them, over all keys. */
function fatesOf({ requests }: SimulationOutcome, kind: string): object {
  const rows = requests.filter((row) => row.kind === kind);
  const sum = (select: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((total, row) => total + select(row), 0);
  return {
    planned: sum(plannedOf),
    admitted: sum(({ admitted }) => admitted),
    limited: sum(({ limited }) => limited),
    overQuota: sum(({ overQuota }) => overQuota),
    notSent: sum(({ noChannel, noSession }) => noChannel + noSession),
  };
}

/** The totals that a set of answers gives together. */
function totalsOf(answers: readonly AnalyticsNumbers[]): object {
  const bySku = new Map<string, number>();
  for (const { top_shades } of answers)
    for (const { sku, selections } of top_shades) bySku.set(sku, (bySku.get(sku) ?? 0) + selections);
  return {
    sessions: answers.reduce((sum, each) => sum + each.total_sessions, 0),
    shades: Math.round(
      answers.reduce((sum, each) => sum + each.avg_shades_per_session * each.total_sessions, 0),
    ),
    intents: Math.round(answers.reduce((sum, each) => sum + each.cart_intent_rate * each.total_sessions, 0)),
    bySku: Object.fromEntries([...bySku].sort()),
  };
}

const limits = fc.record({
  limiter: fc.constantFrom(...limiterNames),
  rateLimit: fc.record({
    requests: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.integer({ min: 1_000, max: 600_000 }),
  }),
  quotas: fc.oneof(fc.constant({}), fc.record({ load: fc.integer({ min: 1, max: 500 }) })),
  channel: fc.constantFrom('free' as const, 'spends-rate' as const, 'none' as const),
});

describe('days that are played', () => {
  it('lose no request: each planned one is admitted, rejected, or not sent, kind by kind', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), limits, (seed, changed) => {
        const planned: Record<string, number> = {};
        for (const { step } of planOfDays(150, 2, seed).requests())
          planned[step.kind] = (planned[step.kind] ?? 0) + 1;
        const outcome = playDays(150, 2, seed, changed);
        expect(
          Object.fromEntries(outcome.requests.map((counts) => [counts.kind, plannedOf(counts)])),
        ).toEqual(planned);
      }),
      { numRuns: 30 },
    );
  });

  it('add up: days and products each give the whole, and a session opened is a session counted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), limits, (seed, changed) => {
        const { all, days, products } = playDays(150, 3, seed, changed);
        const whole = totalsOf([all.analytics]);
        expect(totalsOf(days.map(({ analytics }) => analytics))).toEqual(whole);
        expect(totalsOf(products.map(({ analytics }) => analytics))).toEqual(whole);
        for (const { analytics, shoppers } of [all, ...days])
          expect(analytics.total_sessions).toBe(shoppers.opened);
        for (const fate of ['opened', 'limited', 'overQuota'] as const satisfies (keyof ShopperCounts)[])
          expect(days.reduce((sum, { shoppers }) => sum + shoppers[fate], 0)).toBe(all.shoppers[fate]);
      }),
      { numRuns: 30 },
    );
  });

  it('end the sessions exactly where the quota does, and say when that was', () => {
    const open = playDays(2_000, 2, 7);
    const capped = playDays(2_000, 2, 7, { quotas: { load: 3_000 } });
    expect(open.quotaSpentNs).toBeUndefined();
    expect(capped.all.shoppers).toEqual({
      opened: 3_000,
      limited: 0,
      overQuota: open.all.shoppers.opened - 3_000,
    });
    const creations = [...planOfDays(2_000, 2, 7).requests()].filter(
      ({ step }) => step.kind === 'create-session',
    );
    expect(capped.quotaSpentNs).toBe(creations[2_999]?.atNs);
    expect(capped.days[0]?.analytics.total_sessions).toBe(open.days[0]?.analytics.total_sessions);
  });

  it('credit a session with all its events to the day of its creation, also those after midnight', () => {
    const plan = planOfDays(5_000, 2, 3, 20);
    const creations = new Map<number, number>();
    let lateActs = 0;
    const selections = [0, 0];
    for (const { atNs, shopper, step } of plan.requests()) {
      const day = Math.floor(atNs / 86_400e9);
      if (step.kind === 'create-session') creations.set(shopper, day);
      if (step.kind !== 'interact') continue;
      const created = creations.get(shopper) ?? Number.NaN;
      for (const { type } of step.events) {
        if (type !== 'shade_selected') continue;
        selections[created] = (selections[created] ?? 0) + 1;
        if (day !== created) lateActs++;
      }
    }
    expect(lateActs).toBeGreaterThan(0);
    const { days } = play({ plan, catalog, days: 2, model });
    const counted = days.map(({ analytics }) =>
      analytics.top_shades.reduce((sum, each) => sum + each.selections, 0),
    );
    expect(counted).toEqual(selections);
  });

  it('remember of all shoppers those alone who are still there: at the end, whom the end cuts off', () => {
    const plan = planOfDays(5_000, 1, 3, 20);
    const there = new Set<number>();
    let most = 0;
    for (const { last, shopper, step } of plan.requests()) {
      if (step.kind === 'create-session') there.add(shopper);
      if (last) there.delete(shopper);
      most = Math.max(most, there.size);
    }
    const { unfinished } = play({ plan, catalog, days: 1, model });
    expect(unfinished).toBe(there.size);
    expect(unfinished).toBeGreaterThan(0);
    expect(most).toBeLessThan(150);
  });

  it('are the same whatever the clock of the machine says: none is asked', () => {
    const before = playDays(500, 1, 1);
    const noClock = (): never => {
      throw new Error('a clock was asked');
    };
    vi.spyOn(Date, 'now').mockImplementation(noClock);
    vi.spyOn(performance, 'now').mockImplementation(noClock);
    try {
      expect(playDays(500, 1, 1)).toEqual(before);
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe('a load that is played', () => {
  const burst = steady('100/s', '1s', { traffic: 'sessions' });
  const reads = steady('100/s', '1s', { traffic: 'reads', as: 'bystander' });
  const rateLimit = { requests: 60, windowMs: 60_000 };

  it.each([
    ['each key its own limit', 'per-key', 60, 60],
    ['all keys one limit', 'shared', 30, 30],
  ] as const)('gives %s', (_sentence, limitScope, sessions, lists) => {
    const outcome = playLoad([together(burst, reads)], { rateLimit, limitScope });
    expect(fatesOf(outcome, 'create-session')).toMatchObject({ planned: 100, admitted: sessions });
    expect(fatesOf(outcome, 'list-shades')).toMatchObject({ planned: 100, admitted: lists });
  });

  it('gives each endpoint its own limit where the profile says so', () => {
    const mixed = together(burst, steady('100/s', '1s', { traffic: 'reads' }));
    for (const [limitEndpoints, sessions, lists] of [
      ['together', 30, 30],
      ['apart', 60, 60],
    ] as const) {
      const outcome = playLoad([mixed], { rateLimit, limitEndpoints });
      expect(fatesOf(outcome, 'create-session')).toMatchObject({ admitted: sessions });
      expect(fatesOf(outcome, 'list-shades')).toMatchObject({ admitted: lists });
    }
  });

  it('spends the quota key’s plan alone, to the session, and analytics show the load key’s sessions alone', () => {
    const outcome = playLoad([together(burst, exhaustQuota({ rate: '10/s', beyond: 7 }))], {
      quotas: { quota: 10 },
    });
    expect(outcome.requests).toMatchObject([
      { role: 'load', admitted: 100, overQuota: 0 },
      { role: 'quota', admitted: 10, overQuota: 7 },
    ]);
    expect(outcome.all.shoppers).toEqual({ opened: 110, limited: 0, overQuota: 7 });
    expect(outcome.all.analytics.total_sessions).toBe(100);
    expect(outcome.quotaSpentNs).toBe(0.9e9);
  });

  it('answers 429 before 402, and a 429 spends no quota', () => {
    const outcome = playLoad([burst], {
      rateLimit: { requests: 20, windowMs: 60_000 },
      quotas: { load: 15 },
    });
    expect(outcome.all.shoppers).toEqual({ opened: 15, limited: 80, overQuota: 5 });
    expect(outcome.firstLimitedNs).toBe(0.2e9);
  });

  it('lets events spend the rate limit where the profile says so', () => {
    const load = [steady('10/s', '10s')];
    const slow = { requests: 30, windowMs: 1_000 };
    expect(fatesOf(playLoad(load, { rateLimit: slow }), 'interact')).toMatchObject({ limited: 0 });
    const spending = playLoad(load, { rateLimit: { requests: 12, windowMs: 1_000 }, channel: 'spends-rate' });
    expect(spending.requests.find(({ kind }) => kind === 'interact')?.limited).toBeGreaterThan(0);
  });

  it('names the fullest of its windows, including rejected requests', () => {
    const outcome = playLoad([steady('1/s', '60s'), burst], { rateLimit });
    expect(outcome.busiest).toEqual({ requests: 100, startNs: 60e9 });
  });
});
