import { describe, expect, it } from 'vitest';
import { checkQuota } from '../../../src/checks/quota.ts';
import type { CheckResult, Verdict } from '../../../src/checks/verdict.ts';
import type { ProfileInput, Role } from '../../../src/target/profile.ts';
import { withHistory } from '../../history/sample.ts';
import { redelivering, type ServiceTraits, slidingLog, virtualService } from './services.ts';
import { playStudy } from './world.ts';

const told: ProfileInput = {
  data_scope: 'per-key',
  quota: { sessions: 20, fresh: true, twin: 'other-account' },
};

async function study(
  traits: ServiceTraits,
  profile: ProfileInput = told,
  roles: readonly Role[] = ['load', 'quota', 'twin', 'bystander'],
  twiceOneIn = Number.POSITIVE_INFINITY,
): Promise<(id: string) => CheckResult | undefined> {
  const service = virtualService({ limiter: () => slidingLog(100, 4_000), quota: 20, ...traits });
  const { sample } = await playStudy({
    service: redelivering(service, twiceOneIn),
    profile: { rate_limit: '100/4s', ...profile },
    roles,
    study: { kind: 'quota', race: 16 },
  });
  const results = await withHistory(sample, checkQuota);
  return (id) => results.find((each) => each.id === id);
}

describe('a study of the session quota', () => {
  it('confirms a quota that holds to the session, in sequence and in a race', async () => {
    const result = await study({});
    for (const id of ['quota.edge', 'quota.race', 'quota.consumption', 'quota.sharing', 'quota.precedence'])
      expect(result(id), id).toMatchObject({ verdict: 'pass' });
  });

  it('finds a quota that nobody told, and races for it on the twin', async () => {
    const result = await study({}, {});
    expect(result('quota.edge')?.explanation).toMatch(/Found out: 20 sessions/);
    expect(result('quota.race')).toMatchObject({ verdict: 'pass', observed: { key: 'twin', admitted: 20 } });
    expect(result('quota.consumption')).toMatchObject({ verdict: 'pass' });
  });

  it('races on the quota key itself where there is no twin', async () => {
    const result = await study({}, told, ['load', 'quota', 'bystander']);
    expect(result('quota.race')).toMatchObject({ verdict: 'pass', observed: { key: 'quota', admitted: 20 } });
  });

  it.each<[string, ProfileInput, number, edgeUnlessSaid: Verdict]>([
    ['all are', told, 1, 'fail'],
    ['one in four is', told, 4, 'fail'],
    ['one in four is, and nobody has told the quota', { quota: { fresh: true } }, 4, 'inconclusive'],
  ])(
    'accuses nobody where requests may be delivered twice, and %s',
    async (_, profile, oneIn, unlessSaid) => {
      const ids = ['edge', 'closed', 'race', 'consumption', 'sharing', 'precedence'] as const;
      const all: readonly Role[] = ['load', 'quota', 'twin', 'bystander'];
      const result = await study({}, { ...profile, redeliveries: 1 }, all, oneIn);
      const verdicts = ids.map((id) => [id, result(`quota.${id}`)?.verdict]);
      expect(Object.fromEntries(verdicts)).toEqual({
        edge: 'inconclusive',
        closed: 'pass',
        race: 'inconclusive',
        consumption: 'inconclusive',
        sharing: 'pass',
        precedence: 'pass',
      });
      const unsaid = await study({}, profile, all, oneIn);
      expect(unsaid('quota.edge')).toMatchObject({ verdict: unlessSaid });
    },
  );

  it.each<[string, ServiceTraits, string, RegExp]>([
    ['one too many', { quota: 21 }, 'quota.edge', /21 sessions were admitted, 1 more/],
    ['an overshoot in a race', { countsAfterMs: 3 }, 'quota.race', /more than the quota of 20/],
    [
      'reads that are counted as sessions',
      { alsoSpends: ({ role, method, atMs }) => role === 'quota' && method === 'GET' && atMs < 1_000 },
      'quota.consumption',
      /were counted as sessions/,
    ],
    [
      'a quota that another account spends',
      { quotaBy: ({ role }) => (role === 'load' ? 'load' : 'all') },
      'quota.sharing',
      /shared with that of the quota key, and the profile says other-account/,
    ],
    [
      'a refusal that varies with both spent',
      { first: (n) => (n % 2 === 0 ? 402 : 429) },
      'quota.precedence',
      /402 34 times, 429 34 times/,
    ],
  ])('tells %s', async (_, traits, id, words) => {
    const result = await study(traits);
    expect(result(id)).toMatchObject({ verdict: 'fail', explanation: expect.stringMatching(words) });
  });

  it('says that keys share a quota, and accuses nobody, where the profile leaves it open', async () => {
    const result = await study(
      { quotaBy: ({ role }) => (role === 'load' || role === 'bystander' ? `${role}` : 'account') },
      { quota: { sessions: 20, fresh: true } },
    );
    expect(result('quota.sharing')).toMatchObject({
      verdict: 'pass',
      explanation: expect.stringContaining('shared with'),
    });
    expect(result('quota.race')).toMatchObject({ verdict: 'inconclusive' });
  });

  it('ends when 429 stands in for 402', async () => {
    const service = virtualService({ limiter: () => slidingLog(100, 4_000), quota: 20 });
    const { sample } = await playStudy({
      service: (arrival) => {
        const answer = service(arrival);
        return answer.status === 402 ? { status: 429 } : answer;
      },
      profile: { rate_limit: '100/4s', ...told },
      study: { kind: 'quota', race: 16 },
    });
    const results = await withHistory(sample, checkQuota);
    expect(results.find(({ id }) => id === 'quota.status')).toMatchObject({
      verdict: 'fail',
      explanation: expect.stringContaining('in place of 402'),
    });
  });
});
