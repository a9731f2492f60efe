import { describe, expect, it } from 'vitest';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { checkQuota } from '../../../src/checks/quota.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { Profile, ProfileInput } from '../../../src/target/profile.ts';
import type { Role } from '../../../src/vocabulary/roles.ts';
import { rowsOf } from '../../effort.ts';
import { withHistory } from '../../history/sample.ts';
import { redelivering, type ServiceTraits, slidingLog, virtualService } from './services.ts';
import { playStudy } from './world.ts';

const told: ProfileInput = {
  data_scope: 'per-key',
  quota: { sessions: 20, fresh: true, twin: 'other-account' },
};

const found20 = (...keys: string[]): Reason =>
  reason('quota-edge-found', { admitted: { min: 20, max: 20 }, keys });

async function study(
  traits: ServiceTraits,
  profile: ProfileInput = told,
  roles: readonly Role[] = ['load', 'quota', 'twin', 'bystander'],
  twiceOneIn = Number.POSITIVE_INFINITY,
  sameKeys: Partial<Record<Role, Role>> = {},
  isForeign = false,
): Promise<((id: string) => CheckFinding | undefined) & { readonly causes: readonly string[] }> {
  const service = virtualService({ limiter: () => slidingLog(100, 4_000), quota: 20, ...traits });
  const { sample } = await playStudy({
    service: redelivering(service, twiceOneIn),
    profile: { rate_limit: '100/4s', ...profile },
    roles,
    sameKeys,
    isForeign,
    study: { kind: 'quota', race: 16 },
  });
  const results = await withHistory(sample, checkQuota);
  return Object.assign((id: string) => results.find((each) => each.id === id), {
    causes: diagnose(results.map(render)).causes.map(({ cause }) => cause.code),
  });
}

describe('a study of the session quota', () => {
  it('confirms a quota that holds to the session, in sequence and in a race', async () => {
    const result = await study({});
    for (const id of ['quota.edge', 'quota.race', 'quota.consumption', 'quota.sharing', 'quota.precedence'])
      expect(result(id), id).toMatchObject({ verdict: 'pass' });
  });

  it('finds a quota that is not in the profile, and races for it on the twin', async () => {
    const result = await study({}, {});
    expect(result('quota.edge')?.reasons).toEqual([found20('quota')]);
    expect(result('quota.race')).toMatchObject({
      verdict: 'pass',
      observed: { key: 'twin', 'created in all': 20 },
    });
    expect(result('quota.consumption')).toMatchObject({ verdict: 'pass' });
  });

  it('races on the quota key itself where there is no twin', async () => {
    const result = await study({}, told, ['load', 'quota', 'bystander']);
    expect(result('quota.race')).toMatchObject({
      verdict: 'pass',
      observed: { key: 'quota', 'created in all': 20 },
    });
  });

  it.each<[string, ProfileInput, number, edgeUnlessSaid: Verdict]>([
    ['all are', told, 1, 'fail'],
    ['one in four is', told, 4, 'fail'],
    ['one in four is, and nobody has told the quota', { quota: { fresh: true } }, 4, 'inconclusive'],
  ])(
    'accuses no target if requests may be delivered twice, and %s',
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

  it.each<[string, ServiceTraits, string, Reason | object, cause: string]>([
    [
      'one too few',
      { quota: 19 },
      'quota.edge',
      reason('quota-edge-early', { admitted: { min: 19, max: 19 }, quota: 20, keys: ['quota'] }),
      'quota-differs',
    ],
    [
      'one too many',
      { quota: 21 },
      'quota.edge',
      reason('quota-edge-over', { admitted: 21, quota: 20, keys: ['quota'] }),
      'quota-differs',
    ],
    [
      'an overshoot in a race',
      { countsAfterMs: 3 },
      'quota.race',
      { code: 'quota-race-over', params: expect.objectContaining({ quota: 20, keys: ['twin'] }) },
      'check-then-increment',
    ],
    [
      'reads that are counted as sessions',
      {
        alsoSpends: ({ role, path, method }) =>
          role === 'quota' && method === 'GET' && path.includes('/sessions/'),
      },
      'quota.consumption',
      { code: 'quota-consumption-counted', params: expect.objectContaining({ quota: 20 }) },
      'quota-counts-other-requests',
    ],
    [
      'malformed sessions that are counted, though they get 422',
      {
        alsoSpends: ({ role, path, body }) =>
          role === 'quota' && path.endsWith('/sessions') && body !== '' && !body.includes('locale'),
      },
      'quota.consumption',
      { code: 'quota-consumption-counted', params: expect.objectContaining({ quota: 20 }) },
      'quota-counts-other-requests',
    ],
    [
      'a quota that another account spends',
      { quotaBy: ({ role }) => (role === 'load' ? 'load' : 'all') },
      'quota.sharing',
      reason('quota-sharing-contradicts', { key: 'twin', isShared: true, told: 'other-account' }),
      'quota-shared-by-accounts',
    ],
    [
      'an answer that varies with both spent',
      { first: (n) => (n % 2 === 0 ? 402 : 429) },
      'quota.precedence',
      reason('quota-precedence-varies', { statuses: '402 34 times, 429 34 times' }),
      'refusal-order-varies',
    ],
  ])('tells %s', async (_, traits, id, why, cause) => {
    const result = await study(traits);
    expect(result.causes).toEqual([cause]);
    expect(result(id)?.verdict).toBe('fail');
    expect(result(id)?.reasons).toContainEqual(expect.objectContaining(why));
  });

  it('tells a quota so small that it is spent by the first sessions from one that other requests spend', async () => {
    const result = await study({ quota: 7 }, { ...told, quota: { ...told.quota, sessions: 60 } });
    expect(result('quota.edge')?.verdict).toBe('fail');
    expect(result.causes).toEqual(['quota-differs']);
  });

  it('tells a quota that comes back from a race, which is larger than the quota and gets all of it', async () => {
    const profile = { ...told, quota: { ...told.quota, sessions: 12 } };
    const result = await study({ quota: 12, countsForMs: 1_000 }, profile, ['load', 'quota', 'bystander']);
    expect(result('quota.race')?.verdict).toBe('fail');
    expect(result.causes).toEqual(['quota-comes-back']);
  });

  it.each(rowsOf([0.5, 3.5, 7.5, 9.5, 11.5, 14.5], (seconds) => seconds === 7.5))(
    'accuses nothing of a quota that renews after %s s, as the profile says',
    async (atS) => {
      const anchor = `2026-05-01T12:00:${String(Math.floor(atS)).padStart(2, '0')}`;
      const renews = { every: '1d', anchor } as const;
      const profile = { ...told, clock_skew_bound: '700ms', quota: { ...told.quota, renews } };
      const result = await study({ renewsAtMs: atS * 1e3, first: () => 402 }, profile);
      const ids = ['edge', 'closed', 'race', 'consumption', 'precedence'] as const;
      expect(ids.filter((id) => result(`quota.${id}`)?.verdict === 'fail')).toEqual([]);
    },
  );

  // As much is given back as was spent by then: that may have been any kind of request.
  it('tells failed sessions that give quota back', async () => {
    const profile = { ...told, quota: { ...told.quota, sessions: 12 } };
    const result = await study({ quota: 12, givesBack: true }, profile);
    expect(result('quota.edge')?.verdict).toBe('fail');
    expect(result.causes).toEqual(['quota-given-back']);
    expect(result('quota.edge')?.causes?.map((each) => each.cause)).toContainEqual({
      code: 'quota-given-back',
      params: { requests: ['create-session 404'] },
    });
  });

  describe('of an account that other keys belong to, too,', () => {
    const of =
      (...keys: readonly Role[]): NonNullable<ServiceTraits['quotaBy']> =>
      ({ role }) =>
        role !== undefined && keys.includes(role) ? 'quota' : `${role}`;
    const fresh = { sessions: 20, fresh: true } as const;
    const ids = ['edge', 'closed', 'status', 'race', 'consumption', 'sharing', 'precedence'] as const;
    const allPass = Object.fromEntries(ids.map((id) => [id, 'pass']));

    it.each<[string, NonNullable<ServiceTraits['quotaBy']>, ProfileInput, raceOn: string]>([
      [
        'a twin, as the profile says',
        of('quota', 'twin'),
        { quota: { ...fresh, twin: 'same-account' } },
        'quota and twin',
      ],
      ['a twin, and the profile says all but that', of('quota', 'twin'), { quota: fresh }, 'quota and twin'],
      [
        'a twin, on an account that may have been used before',
        of('quota', 'twin'),
        { quota: { sessions: 20, twin: 'same-account' } },
        'quota and twin',
      ],
      [
        'a twin, while the profile says that no other keys share an account',
        of('quota', 'twin'),
        { data_scope: 'per-key', quota: { ...fresh, twin: 'same-account' } },
        'quota and twin',
      ],
      ['a bystander', of('quota', 'bystander'), { quota: { ...fresh, twin: 'other-account' } }, 'twin'],
      ['the load key and the bystander', of('quota', 'load', 'bystander'), { quota: fresh }, 'twin'],
      [
        'every key',
        of('quota', 'twin', 'load', 'bystander'),
        { quota: fresh },
        'quota and load and twin and bystander',
      ],
    ])('counts the sessions of %s', async (_, quotaBy, profile, raceOn) => {
      const result = await study({ quotaBy }, profile);
      const verdicts = ids.map((id) => [id, result(`quota.${id}`)?.verdict]);
      expect(Object.fromEntries(verdicts)).toEqual(allPass);
      expect(result('quota.race')).toMatchObject({ observed: { key: raceOn } });
    });

    it('accuses nothing else of a session that a key spent against the promise', async () => {
      const result = await study(
        { quotaBy: of('quota', 'twin') },
        { quota: { ...fresh, twin: 'other-account' } },
      );
      expect(result('quota.sharing')).toMatchObject({ verdict: 'fail' });
      expect(result('quota.edge')).toMatchObject({ verdict: 'fail' });
      expect(result('quota.consumption')).toMatchObject({ verdict: 'inconclusive' });
    });

    it.each<[string, boolean, Profile['quota']['twin'], string]>([
      [
        'the service counts wrongly, where it is the run’s own',
        false,
        'other-account',
        'quota-shared-by-accounts',
      ],
      ['the profile is wrong, where it is somebody’s', true, 'other-account', 'profile-false'],
    ])('takes it that %s', async (_, isForeign, twin, cause) => {
      const profile = { quota: { ...fresh, twin } };
      const result = await study(
        { quotaBy: of('quota', 'twin') },
        profile,
        undefined,
        undefined,
        {},
        isForeign,
      );
      expect(result.causes).toEqual([cause]);
    });

    it('races on the quota key alone where the twin is that very key, which shows nothing of a second one', async () => {
      const result = await study({}, { quota: fresh }, undefined, undefined, { twin: 'quota' });
      const verdicts = ids.map((id) => [id, result(`quota.${id}`)?.verdict]);
      expect(Object.fromEntries(verdicts)).toEqual(allPass);
      expect(result('quota.race')).toMatchObject({
        observed: { key: 'quota and twin', 'created in all': 20 },
      });
      expect(result('quota.sharing')?.reasons).toContainEqual(
        reason('quota-sharing-same-key', { key: 'twin' }),
      );
    });

    it('says why there was no race if the twin shares a quota of unknown size', async () => {
      const result = await study({ quotaBy: of('quota', 'twin') }, {});
      expect(result('quota.edge')?.reasons).toEqual([found20('quota', 'twin')]);
      expect(result('quota.race')).toMatchObject({
        verdict: 'inconclusive',
        reasons: [reason('quota-race-unsaid', { fields: ['quota.sessions', 'quota.twin: same-account'] })],
      });
    });

    it.each<[string, ServiceTraits, string, Reason | object]>([
      [
        'an overshoot in a race of both keys',
        { countsAfterMs: 3 },
        'quota.race',
        { code: 'quota-race-over', params: expect.objectContaining({ quota: 20, keys: ['quota', 'twin'] }) },
      ],
      [
        'a quota of each key',
        { quotaBy: of('quota') },
        'quota.sharing',
        reason('quota-sharing-contradicts', { key: 'twin', isShared: false, told: 'same-account' }),
      ],
    ])('tells %s', async (_, traits, id, why) => {
      const profile: ProfileInput = { quota: { ...fresh, twin: 'same-account' } };
      const result = await study({ quotaBy: of('quota', 'twin'), ...traits }, profile);
      expect(result(id)?.verdict).toBe('fail');
      expect(result(id)?.reasons).toContainEqual(expect.objectContaining(why));
    });
  });

  it.each<[string, ProfileInput, Verdict]>([
    [
      'of other accounts, as the profile says of the twin and the answers show of the rest',
      { quota: { sessions: 20, fresh: true, twin: 'other-account' } },
      'fail',
    ],
    ['of other accounts, as the answers show', { quota: { sessions: 20, fresh: true } }, 'fail'],
    [
      'of other accounts, on an account that may have been used before',
      { quota: { sessions: 20 } },
      'inconclusive',
    ],
  ])(
    'tells a quota spent by what ought to spend nothing from sessions on keys %s',
    async (_, profile, verdict) => {
      const traits: ServiceTraits = {
        alsoSpends: ({ role, body }) => role === 'quota' && body.includes('unknown'),
      };
      const result = await study(traits, profile);
      expect(result('quota.edge')).toMatchObject({ verdict });
      expect(result('quota.consumption')).toMatchObject({ verdict });
    },
  );

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
      reasons: [expect.objectContaining({ code: 'quota-status-429' })],
    });
  });
});
