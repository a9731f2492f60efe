import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../../src/drive/ask/governor.ts';
import { freshnessPlan, mostPolls, patienceMs } from '../../src/drive/load/freshness.ts';
import { idle, type Phase, steady } from '../../src/scenario/load.ts';
import { channelSchema, type Profile, profileSchema } from '../../src/target/profile.ts';
import { planOf } from './virtual.ts';

const profile = (limit: string, freshness: string, channel: Profile['channel'] = 'none'): Profile =>
  profileSchema.parse({ rate_limit: limit, analytics: { freshness }, channel });

describe('the polls beside a load', () => {
  it('never bring any window of the rate limit near it, whatever is planned', () => {
    const rate = fc.integer({ min: 1, max: 1_400 });
    fc.assert(
      fc.property(
        fc.array(rate, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('1000/1m', '100/6s'),
        (rates, limit) => {
          const plan = planOf(
            rates.map((each): Phase => steady(`${each}/min`, '20s', { name: String(each) })),
          );
          const told = profile(limit, '1s');
          const polls = freshnessPlan(plan, told)?.instants ?? [];
          const { requests, windowMs } = told.rate_limit;
          const sent = [...plan.requests()].flatMap(({ atNs, step }) =>
            step.kind === 'interact' ? [] : [atNs],
          );
          for (const at of polls) {
            const around = (all: readonly number[], from: number): number =>
              all.filter((ns) => ns >= from && ns < from + windowMs * 1e6).length;
            for (let k = 0; k <= 10; k++) {
              const from = at - (k / 10) * windowMs * 1e6;
              expect(around(sent, from) + around(polls, from)).toBeLessThanOrEqual(requests * share + 1);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('come as often as the bound wants it, where there is room', () => {
    const plan = planOf([steady('60/min', '60s')]);
    expect(freshnessPlan(plan, profile('100000/1m', '4s'))).toMatchObject({ gapMs: 500 });
    expect(freshnessPlan(plan, profile('100000/1m', '4s'))?.instants).toHaveLength(120);
    expect(freshnessPlan(plan, profile('100/1m', '4s'))?.gapMs).toBe(12_000);
  });

  it('are none beside a load that nearly fills the limit', () => {
    const full = planOf([steady('900/min', '60s')]);
    expect(freshnessPlan(full, profile('1000/1m', '1s'))?.instants).toEqual([]);
  });

  it('count events if these spend the rate limit', () => {
    const plan = planOf([steady('300/min', '30s')], { thinkTime: 0.001 });
    const spending = channelSchema.parse({ counts_against_rate_limit: true });
    const polls = (channel: Profile['channel']): number =>
      freshnessPlan(plan, profile('600/1m', '1s', channel))?.instants.length ?? 0;
    expect(polls('none')).toBeGreaterThan(polls(spending));
  });

  it('are about the product that most sessions are opened on', () => {
    const plan = planOf([steady('600/min', '60s')]);
    const counts = new Map<string, number>();
    for (const { step } of plan.requests())
      if (step.kind === 'create-session') counts.set(step.productId, (counts.get(step.productId) ?? 0) + 1);
    const most = Math.max(...counts.values());
    expect(counts.get(freshnessPlan(plan, profile('1000/1m', '1s'))?.productId ?? '')).toBe(most);
  });

  it('are none where no session is planned', () => {
    expect(freshnessPlan(planOf([idle('5s')]), profile('1000/1m', '1s'))).toBeUndefined();
    const reads = planOf([steady('60/min', '5s', { traffic: 'reads' })]);
    expect(freshnessPlan(reads, profile('1000/1m', '1s'))).toBeUndefined();
  });

  it('are never more than are announced', () => {
    for (const limit of ['1000/1m', '100/6s', '60/2s'])
      for (const freshness of ['1s', '10s', '5m']) {
        const plan = planOf([steady('30/min', '40s')]);
        const told = profile(limit, freshness);
        const polls = freshnessPlan(plan, told)?.instants.length ?? 0;
        expect(polls).toBeLessThanOrEqual(mostPolls(told, plan.horizonNs, 2).beside);
      }
  });
});

it('patience goes beyond the bound, and not for ever', () => {
  expect([patienceMs(100), patienceMs(1_000), patienceMs(600_000)]).toEqual([2_100, 5_000, 660_000]);
});
