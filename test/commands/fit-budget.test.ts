import { describe, expect, it } from 'vitest';
import { durationInWords } from '../../src/commands/run/announce.ts';
import { assertBudget, fitBudget } from '../../src/commands/run/fit-budget.ts';
import { openForeign, type Target } from '../../src/commands/run/open-target.ts';
import { type PlannedRun, planRun } from '../../src/commands/run/plan-run.ts';
import { prepare } from '../../src/commands/run/prepare.ts';
import { budgetOf, mostOf } from '../../src/drive/budget.ts';
import { loadScenario, type ScenarioFile, shippedNames } from '../../src/scenario/files.ts';
import { parseDurationMs } from '../../src/vocabulary/quantities.ts';
import { rowsOf } from '../effort.ts';

const acceptance = await loadScenario('acceptance');
const limits = await loadScenario('limits');

function target(): Target {
  const key = ['load=A', 'quota=B', 'bystander=C'];
  return openForeign({ target: 'http://127.0.0.1:1/v1', key, quota: 200 }, { A: 'a', B: 'b', C: 'c' });
}

function leftOut(budget: string | undefined, maxRequests?: number): string[] {
  const fitted = fitBudget(acceptance, { budget, 'max-requests': maxRequests }, target());
  return fitted.leftOut.map(({ name }) => name);
}

describe('the acceptance scenario', () => {
  const budgets: readonly [sentence: string, string | undefined, number | undefined, string[]][] = [
    ['is whole without a budget', undefined, undefined, []],
    ['is whole in 10 minutes', '10m', undefined, []],
    ['leaves the kind of limiter out in 6 minutes', '6m', undefined, ['limiter']],
    [
      'leaves out what takes longest, not what is last, in 3 minutes',
      '3m',
      undefined,
      ['rate-limit', 'limiter'],
    ],
    ['asks of shoppers and quota alone in 2 minutes', '2m', undefined, ['rate-limit', 'audit', 'limiter']],
    ['leaves out what has no room in its requests', '10m', 20_000, ['limiter']],
  ];
  it.each(rowsOf(budgets, (_, place) => place === 3 || place === 5))(
    '%s',
    (_sentence, budget, maxRequests, expected) => {
      expect(leftOut(budget, maxRequests)).toEqual(expected);
    },
  );

  it('says what it leaves out, for which checks, and why', () => {
    const [first] = fitBudget(acceptance, { budget: '6m' }, target()).leftOut;
    expect(first).toMatchObject({ name: 'limiter', checks: ['rate-limit'] });
    expect(first?.why).toMatch(
      /^it needs about 7 min and up to [\d,]+ requests, more than the budget of 6 min leaves\.$/,
    );
  });

  it('has no room for anything in 20 seconds, which is a usage error', () => {
    expect(() => leftOut('20s')).toThrow(
      /acceptance: part shoppers: it needs .* more than the budget of 20 s leaves; no other part fits/,
    );
  });
});

describe('any other scenario', () => {
  it.each([
    ['leaves the study of the limiter what the rest of the run leaves', '10m', [], 'quota limits'],
    ['leaves the quota out where that would be too short', '6m', ['quota'], 'limits'],
  ])('%s', (_sentence, budget, without, kinds) => {
    const { leftOut: out, scenario } = fitBudget(limits, { budget }, target());
    expect(out.map(({ name }) => name)).toEqual(without);
    expect(scenario.study.map(({ kind }) => kind).join(' ')).toBe(kinds);
    const { totalMs } = budgetOf(prepare(scenario, target(), { seed: 1 }), scenario, target().profile);
    expect(totalMs).toBeLessThan(parseDurationMs(budget));
    expect(totalMs).toBeGreaterThan(parseDurationMs(budget) - 10_000);
  });

  it('fills a budget that is shorter than a window of the limit, and announces no more', async () => {
    const args = { budget: '40s', scenario: '', verbose: false, yes: true };
    const run = planRun(target(), args, { file: await loadScenario('smoke'), seed: 1, wanted: 1 });
    expect(run.budget.totalMs).toBeLessThanOrEqual(36_000);
    expect(run.exploration?.groups.flat().length).toBeGreaterThan(400);
  });

  const told = ['3m', '6m', '10m'].flatMap((budget) =>
    ['acceptance', 'analytics', 'capacity', 'explore', 'launch', 'limits', 'smoke'].map(
      (name) => [name, budget] as const,
    ),
  );
  it.each(rowsOf(told, ([name, budget]) => budget === '3m' && /^(acceptance|limits)$/.test(name)))(
    'announces no more time for %s than its budget of %s',
    async (name, budget) => {
      const file = await loadScenario(name);
      const args = { budget, scenario: name, verbose: false, yes: true };
      const run = { file, seed: 1, wanted: 1 };
      try {
        const planned = planRun(target(), args, run);
        const [, minutes] = /(?:about|up to) ([\d.]+) minutes?/.exec(durationInWords(planned.budget)) ?? [];
        expect(Number(minutes ?? 1) * 60_000).toBeLessThanOrEqual(parseDurationMs(budget));
      } catch (error) {
        expect(String(error)).toMatch(/is too short for/);
      }
    },
  );

  it('announces no more requests than --max-requests, and the time until then', async () => {
    const args = { 'max-requests': 1_000, scenario: '', verbose: false, yes: true };
    const { budget } = planRun(target(), args, { file: await loadScenario('launch'), seed: 1, wanted: 1 });
    expect(Math.max(...budget.rows.map(({ requests }) => requests))).toBe(1_000);
    expect(budget.totalMs).toBeLessThan(60_000);
  });

  it.each([
    ['capacity', '40s', /40 s is too short .* 18 steps of 2 s .* 65 % of the budget\. Set 7\ds or more$/],
    [
      'limits',
      '90s',
      /1 min 30 s is too short .* take a window \(60 s\), and before that a rest .* Set 21\ds or more$/,
    ],
  ])('%s rejects %s as too short, and says what it needs', async (name, budget, says) => {
    const scenario = await loadScenario(name);
    expect(() => fitBudget(scenario, { budget }, target())).toThrow(says);
  });

  it.each([
    ['capacity', '80s'],
    ['limits', '220s'],
    ['analytics-audit', '10s'],
  ])('%s takes %s', async (name, budget) => {
    const scenario = await loadScenario(name);
    expect(() => fitBudget(scenario, { budget }, target())).not.toThrow();
  });

  it.each(rowsOf(['1m', '2m', '5m', '1h'], (budget) => budget === '2m'))(
    'gives %s to the explorer where there is no such study',
    async (budget) => {
      const explore = await loadScenario('explore');
      const { exploreCalls, scenario } = fitBudget(explore, { budget }, target(), 1);
      const prepared = prepare(scenario, target(), { seed: 1, exploreCalls });
      const { totalMs } = budgetOf(prepared, scenario, target().profile);
      const drawn = prepared.exploration?.groups.flat().length ?? 0;
      const ms = parseDurationMs(budget);
      expect(totalMs).toBeLessThanOrEqual(ms);
      // Up to 700 a minute, but for what comes before; and no more than are soon judged.
      expect(drawn).toBeGreaterThan(Math.min(3_500, 650 * (ms / 60_000 - 0.5)));
      expect(drawn).toBeLessThan(4_050);
    },
  );

  it('rejects a budget that leaves the explorer no time', async () => {
    const explore = await loadScenario('explore');
    expect(() => fitBudget(explore, { budget: '6s' }, target())).toThrow(
      /6 s is too short for scenario explore: the explorer has no time for 100 calls/,
    );
  });

  it('rejects one without a use, and an invalid one', async () => {
    const { scenario: smoke, ...file } = await loadScenario('smoke');
    const unexplored = { ...file, scenario: { ...smoke, explore: 0 } };
    expect(() => assertBudget(unexplored, { budget: '7m' })).toThrow(
      /smoke has neither parts, nor a study with a budget, nor the explorer/,
    );
    // Its clock is moved, so the explorer sends nothing.
    const days = await loadScenario('analytics-days');
    expect(() => fitBudget(days, { budget: '7m' }, target())).toThrow(/analytics-days has neither parts/);
    expect(() => assertBudget(limits, { budget: 'soon' })).toThrow(/--budget: expected a duration .*"soon"/);
  });
});

const scaledNames = await shippedNames();

describe('a scaled run', () => {
  const plannedAt = (file: ScenarioFile, scale: number) => {
    const args = { scale, scenario: file.scenario.name, verbose: false, yes: true };
    return planRun(target(), args, { file, seed: 1, wanted: 1, tag: 'scaled' });
  };
  const scales = scaledNames.flatMap((name) => [0.2, 0.5].map((scale) => [name, scale] as const));
  it.each(rowsOf(scales, ([name, scale]) => scale === 0.2 && /^(launch|limits)$/.test(name)))(
    'of %s at %d announces less; its rates, windows and quotas are those of the whole',
    async (name, scale) => {
      const file = await loadScenario(name);
      const [whole, scaled] = [plannedAt(file, 1), plannedAt(file, scale)];
      const cost = ({ budget }: PlannedRun) => [mostOf(budget, 'requests'), budget.totalMs] as const;
      expect(cost(scaled)[0]).toBeLessThan(cost(whole)[0]);
      expect(cost(scaled)[1]).toBeLessThanOrEqual(cost(whole)[1]);
      expect(scaled.target.profile).toEqual(whole.target.profile);
      expect(scaled.quotaAttempts).toBe(whole.quotaAttempts);
      const rates = ({ plan }: PlannedRun) =>
        plan.phases.map(({ phase }) => phase.segments.map(({ durationMs: _, ...rate }) => rate));
      expect(rates(scaled)).toEqual(rates(whole));
    },
  );

  it.each([
    ['launch', 0.2, ['past-limit', 'keys-past-limit', 'over-time', 'calls-beside-load']],
    ['launch', 0.7, []],
    ['limits', 0.05, []],
    ['acceptance', 0.1, ['past-limit', 'keys-past-limit', 'over-time']],
    ['smoke', 0.2, []],
  ])('of %s at %d says what it tells no more', async (name, scale, expected) => {
    const { leftOut } = plannedAt(await loadScenario(name), scale);
    expect(leftOut.map((each) => each.name)).toEqual(expected);
    for (const { why } of leftOut) expect(why).toMatch(/^at scale [\d.]+,? .+; --scale [\d.]+ is enough\.$/);
  });

  it('tells what it leaves out at the scale that it names', async () => {
    const file = await loadScenario('launch');
    for (const { name, why } of plannedAt(file, 0.1).leftOut) {
      const enough = Number(/--scale ([\d.]+)/.exec(why)?.[1]);
      expect(plannedAt(file, enough).leftOut.map((each) => each.name)).not.toContain(name);
      expect(plannedAt(file, enough - 0.01).leftOut.map((each) => each.name)).toContain(name);
    }
  });

  it('gives no study less than it needs, nor more than it has', async () => {
    const file = await loadScenario('capacity');
    const studyS = (scale: number) => Math.round(plannedAt(file, scale).budget.studyMs / 1e3);
    expect([1, 0.5, 0.2, 0.01].map(studyS)).toEqual([150, 75, 62, 62]);
    const [study] = file.scenario.study;
    if (study?.kind !== 'capacity') throw new Error('no study of capacity');
    const short = { ...file, scenario: { ...file.scenario, study: [{ ...study, budgetMs: 40_000 }] } };
    expect(plannedAt(short, 0.2).budget.studyMs).toBe(40_000);
  });

  it('that has a budget as well is a usage error', async () => {
    const file = await loadScenario('capacity');
    expect(() => assertBudget(file, { budget: '5m', scale: 0.5 })).toThrow(
      /--scale and --budget .* give one of them/,
    );
  });

  it('plays whole days, and the middle of a midnight', async () => {
    const phases = async (name: string) =>
      plannedAt(await loadScenario(name), 0.2).plan.phases.flatMap((placed) =>
        placed.phase.calendar !== undefined ? [{ placed, calendar: placed.phase.calendar }] : [],
      );
    const [month] = await phases('analytics-month');
    expect(month?.calendar.days).toBe(7);
    const [midnight] = await phases('analytics-days');
    const lastsMs = ((midnight?.placed.endNs ?? 0) - (midnight?.placed.startNs ?? 0)) / 1e6;
    expect(lastsMs).toBeCloseTo(2_000);
    expect((midnight?.calendar.fromEpochMs ?? 0) + lastsMs / 2).toBe(Date.parse('2028-02-29'));
  });
});
