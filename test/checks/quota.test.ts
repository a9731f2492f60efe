import { describe, expect, it } from 'vitest';
import { render } from '../../src/checks/core/render.ts';
import type { CheckResult, Verdict } from '../../src/checks/core/verdict.ts';
import { diagnose } from '../../src/checks/diagnosis/diagnose.ts';
import { checkQuota } from '../../src/checks/quota.ts';
import { quotaOrder } from '../../src/checks/rate-limit/study/judge-order.ts';
import { type Reason, reason } from '../../src/checks/reasons/reason.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import type { Credential } from '../../src/vocabulary/requests.ts';
import type { Role } from '../../src/vocabulary/roles.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../history/sample.ts';

const quota = 5;
const key = { from: 'env QUOTA', fingerprint: '01234567' };
const told: ProfileInput = { quota: { sessions: quota, fresh: true } };
/** The same, behind something that may deliver each request twice. */
const twice: ProfileInput = { ...told, redeliveries: 1 };

/** An attempt on a key, by default the quota key, that was answered with a status, or lost. */
function attempt(outcome: number | 'lost', credential: Credential = 'quota'): SampleRequest {
  const base = { endpoint: 'create-session', credential, productId: 'p', phase: 'quota' } as const;
  if (outcome === 'lost') return { ...base, lost: 'timeout' };
  return { ...base, status: outcome, ...(outcome < 300 ? { sessionId: 's', count: 1 } : {}) };
}

function repeat(outcome: number | 'lost', times: number, credential?: Credential): SampleRequest[] {
  return Array.from({ length: times }, () => attempt(outcome, credential));
}

const reads: readonly SampleRequest[] = [
  { endpoint: 'read-session', probe: 'after-quota:read-session', credential: 'quota', stage: 'settle' },
  { endpoint: 'list-shades', probe: 'after-quota:list-shades', credential: 'quota', stage: 'settle' },
  { endpoint: 'analytics', probe: 'after-quota:analytics', credential: 'quota', stage: 'settle' },
];

/** The same, where the session that is read was created with an `expires_at`. */
function readsOf(status: number, expiresAt: string): SampleRequest[] {
  const created = { ...attempt(201, 'load'), sessionId: 'of-load', stage: 'setup', expiresAt } as const;
  return [
    created,
    ...reads.map((read, place) => (place === 0 ? { ...read, status, sessionId: 'of-load' } : read)),
  ];
}

function besideReads(imported: number, events: number): SampleRequest[] {
  const common = { credential: 'quota', stage: 'settle' } as const;
  return [
    { ...common, endpoint: 'import-shades', probe: 'after-quota:import-shades', status: imported },
    { ...common, endpoint: 'interact', probe: 'after-quota:interact', credential: 'session', status: events },
  ];
}

interface Case {
  readonly attempts: readonly SampleRequest[];
  readonly profile?: ProfileInput;
  readonly reads?: readonly SampleRequest[];
  /** What analytics say of the quota phase's product; by default what was admitted. */
  readonly counted?: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Other keys that were given; `same`: one is the quota key itself. */
  readonly others?: Partial<Record<Role, 'own' | 'same'>>;
}

function history(given: Case): SampleHistory {
  const requests = [...given.attempts, ...(given.reads ?? reads)].map((request, index) => ({
    intendedNs: index * 100e6,
    ...request,
  }));
  const admitted = given.attempts.filter((request) => (request.status ?? 500) < 300).length;
  const asked = requests.findIndex((request) => request.probe === 'after-quota:analytics');
  return {
    run: {
      quota_attempts: 8,
      keys: {
        quota: key,
        ...Object.fromEntries(
          Object.entries(given.others ?? {}).map(([role, is]) => [
            role,
            is === 'same' ? key : { ...key, fingerprint: role },
          ]),
        ),
      },
    },
    profile: given.profile ?? told,
    requests,
    answers: [
      {
        seq: asked + 1,
        endpoint: 'analytics',
        query: given.query ?? { start_date: '2026-05-01', end_date: '2026-05-01', product_id: 'p' },
        body: { total_sessions: given.counted ?? admitted },
      },
    ],
  };
}

async function judged(given: Case): Promise<Readonly<Record<string, CheckResult>>> {
  const results = await withHistory(history(given), checkQuota);
  return Object.fromEntries(results.map((result) => [result.id, render(result)]));
}

function verdictsOf(results: Readonly<Record<string, CheckResult>>): readonly (Verdict | undefined)[] {
  return ['edge', 'closed', 'status', 'reads', 'no-side-effect'].map(
    (name) => results[`quota.${name}`]?.verdict,
  );
}

const P = 'pass';
const F = 'fail';
const I = 'inconclusive';

describe('a quota of 5', () => {
  it.each<[string, Case, readonly Verdict[]]>([
    //                                                                                edge closed status reads none stored
    [
      'that admits 5 and then answers 402 passes',
      { attempts: [...repeat(201, 5), ...repeat(402, 3)] },
      [P, P, P, P, P],
    ],
    [
      'that admits 6 fails at its edge alone',
      { attempts: [...repeat(200, 6), ...repeat(402, 3)] },
      [F, P, P, P, P],
    ],
    [
      'that admits 4 fails on a fresh account',
      { attempts: [...repeat(200, 4), ...repeat(402, 3)] },
      [F, P, P, P, P],
    ],
    [
      'that admits 4 is not accused when a malformed request without an answer may have taken the last one',
      {
        attempts: [{ ...attempt('lost'), probe: 'quota:malformed' }, ...repeat(200, 4), ...repeat(402, 3)],
      },
      [I, P, P, P, P],
    ],
    [
      'that admits 4 is not accused when others may have used it',
      { attempts: [...repeat(200, 4), ...repeat(402, 3)], profile: { quota: { sessions: 5 } } },
      [I, P, P, P, P],
    ],
    [
      'that admits 6 is accused whoever used it',
      { attempts: [...repeat(200, 6), ...repeat(402, 3)], profile: { quota: { sessions: 5 } } },
      [F, P, P, P, P],
    ],
    [
      'that says nothing of a session that may have expired, and is not found',
      { attempts: [...repeat(201, 5), ...repeat(402, 3)], reads: readsOf(404, '2026-05-01T12:00:00Z') },
      [P, P, P, I, P],
    ],
    [
      'after which a session is gone that has not expired fails',
      { attempts: [...repeat(201, 5), ...repeat(402, 3)], reads: readsOf(404, '2026-05-01T13:00:00Z') },
      [P, P, P, F, P],
    ],
    ['that is never enforced fails at its edge', { attempts: repeat(200, 8) }, [F, I, I, I, I]],
    ['that was not reached is inconclusive', { attempts: repeat(200, 4) }, [I, I, I, I, I]],
    [
      'that opens again after a 402 fails',
      { attempts: [...repeat(200, 4), attempt(402), attempt(200), attempt(402)] },
      [P, F, P, P, P],
    ],
    [
      'that refuses with 429 far below the rate limit fails',
      { attempts: [...repeat(200, 5), ...repeat(429, 3)] },
      [I, I, F, I, P],
    ],
    [
      'is not accused of the 429s of a key that the rate limit rejected before, and for good',
      {
        attempts: [
          ...repeat(200, 4),
          attempt(429),
          attempt(200, 'twin'),
          attempt(402, 'twin'),
          ...repeat(429, 3),
        ],
        profile: { quota: { ...told.quota, twin: 'same-account' } },
        reads: [],
      },
      [P, P, P, I, I],
    ],
    ['that refuses with 403 fails', { attempts: [...repeat(200, 5), ...repeat(403, 3)] }, [I, I, F, I, P]],
    [
      'that refuses with 402 and 500 fails',
      { attempts: [...repeat(200, 5), attempt(402), attempt(500)] },
      [I, P, F, P, P],
    ],
    [
      'whose attempts were rate limited is not accused of the 429s',
      {
        attempts: [...repeat(200, 5), attempt(402), attempt(429), attempt(402)],
        profile: { ...told, rate_limit: '3/1m' },
      },
      [P, P, P, P, P],
    ],
    [
      'that was met by a lost attempt is not certain at its edge',
      { attempts: [...repeat(200, 4), attempt('lost'), ...repeat(402, 2)] },
      [I, P, P, P, P],
    ],
    [
      'that refuses one too early for certain, lost attempts and all, fails',
      { attempts: [...repeat(200, 3), attempt('lost'), ...repeat(402, 2)] },
      [F, P, P, P, P],
    ],
    ['that was not tried is inconclusive', { attempts: [], query: {} }, [I, I, I, I, I]],
  ])('%s', async (_, given, verdicts) => {
    expect(verdictsOf(await judged(given))).toEqual(verdicts);
  });

  it.each<[string, Case, readonly Verdict[]]>([
    //                                                                                edge closed status reads none stored
    [
      'that admits 3 is not accused, as 2 more may have been made besides',
      { attempts: [...repeat(200, 3), ...repeat(402, 3)], profile: twice, counted: 5 },
      [I, P, P, P, I],
    ],
    [
      'that admits 1 fails, for that makes 3 at most',
      { attempts: [...repeat(200, 1), ...repeat(402, 5)], profile: twice },
      [F, P, P, P, P],
    ],
    [
      'whose analytics count more than all deliveries can have made fails',
      { attempts: [...repeat(200, 3), ...repeat(402, 3)], profile: twice, counted: 10 },
      [I, P, P, P, F],
    ],
    [
      'that a lost attempt met is not accused if its deliveries may have made the rest',
      { attempts: [...repeat(200, 1), attempt('lost'), ...repeat(402, 2)], profile: twice, counted: 1 },
      [I, P, P, P, P],
    ],
  ])('of requests that may be delivered twice, %s', async (_, given, verdicts) => {
    const results = await judged(given);
    expect(verdictsOf(results)).toEqual(verdicts);
    for (const name of ['quota.edge', 'quota.no-side-effect'])
      if (results[name]?.verdict === I)
        expect(results[name]?.reasons).toContainEqual(reason('redelivered', { deliveries: 2 }));
  });

  it.each<[string, Case, string, Verdict, Reason]>([
    [
      'a read that needs quota',
      { attempts: [...repeat(200, 5), attempt(402)], reads: reads.map((read) => ({ ...read, status: 402 })) },
      'quota.reads',
      F,
      reason('quota-reads-rejected', {
        reads: reads.map(({ endpoint }) => ({ endpoint, got: { status: 402 } })),
      }),
    ],
    [
      'a read without an answer',
      { attempts: [...repeat(200, 5), attempt(402)], reads: reads.map((read) => ({ ...read, status: 429 })) },
      'quota.reads',
      I,
      reason('quota-reads-untried', {
        reads: reads.map(({ endpoint }) => ({ endpoint, got: { status: 429 } })),
      }),
    ],
    [
      'refused sessions that are counted',
      { attempts: [...repeat(200, 5), ...repeat(402, 3)], counted: 8 },
      'quota.no-side-effect',
      F,
      reason('stored', { told: 8, most: 5, how: 'admitted' }),
    ],
    [
      'a session too few, which is for the analytics checks',
      { attempts: [...repeat(200, 5), ...repeat(402, 3)], counted: 4 },
      'quota.no-side-effect',
      I,
      reason('stored-too-few', { told: 4, least: 5 }),
    ],
    [
      'a lost attempt that was admitted',
      { attempts: [...repeat(200, 4), attempt('lost'), ...repeat(402, 3)], counted: 5 },
      'quota.no-side-effect',
      P,
      reason('not-stored', { told: 5, rejected: 3, status: 402, ofStatus: 3 }),
    ],
    [
      'analytics of all products',
      { attempts: [...repeat(200, 5), ...repeat(402, 3)], query: {} },
      'quota.no-side-effect',
      I,
      reason('stored-unanswered'),
    ],
    [
      'an unknown quota',
      { attempts: [...repeat(200, 5), ...repeat(402, 3)], profile: {} },
      'quota.edge',
      I,
      reason('quota-edge-found', { admitted: { min: 5, max: 5 }, keys: ['quota'] }),
    ],
    [
      'an unknown quota that was not reached',
      { attempts: repeat(200, 5), profile: {} },
      'quota.edge',
      I,
      reason('quota-edge-unreached', { attempts: 5, admitted: { min: 5, max: 5 }, keys: ['quota'] }),
    ],
    [
      'an unknown quota that refuses with 403',
      { attempts: [...repeat(200, 3), ...repeat(403, 3)], profile: {} },
      'quota.status',
      F,
      reason('quota-status-other', { answers: [{ status: 403, count: 3 }] }),
    ],
  ])('with %s is judged by that', async (_, given, id, verdict, why) => {
    const result = (await judged(given))[id];
    expect(result).toMatchObject({ verdict, reasons: [why] });
  });

  it.each<[string, ProfileInput, Verdict]>([
    ['is told from a wrong status, where the profile allows it', { server_errors: 0.2 }, 'pass'],
    ['is one, where it does not', {}, 'fail'],
  ])('a 5xx by chance in place of 402 %s', async (_, profile, verdict) => {
    const attempts = [...repeat(200, 5), ...repeat(402, 4), ...repeat(503, 1), ...repeat(402, 4)];
    const result = (await judged({ attempts, profile: { quota: { sessions: 5 }, ...profile } }))[
      'quota.status'
    ];
    expect(result?.verdict).toBe(verdict);
    if (verdict === 'pass')
      expect(result?.reasons).toContainEqual(reason('explored-left-out', { answers: 1 }));
  });

  it.each<[string, Case, readonly string[]]>([
    [
      'a session after a 402',
      { attempts: [...repeat(200, 4), attempt(402), attempt(200), attempt(402)] },
      ['quota-reopens'],
    ],
    [
      'another status in place of 402',
      { attempts: [...repeat(200, 5), ...repeat(403, 3)] },
      ['quota-status-wrong'],
    ],
    [
      'reads that need quota',
      { attempts: [...repeat(200, 5), attempt(402)], reads: reads.map((read) => ({ ...read, status: 402 })) },
      ['quota-blocks-reads'],
    ],
    [
      'imports and events that need quota',
      { attempts: [...repeat(200, 5), attempt(402)], reads: [...reads, ...besideReads(402, 402)] },
      ['quota-blocks-reads'],
    ],
    [
      'refused sessions that are counted',
      { attempts: [...repeat(200, 5), ...repeat(402, 3)], counted: 8 },
      ['rejections-have-effects'],
    ],
    ['nothing wrong', { attempts: [...repeat(200, 5), attempt(402)] }, []],
  ])('with %s has that for its cause', async (_, given, causes) => {
    const { causes: found } = diagnose(Object.values(await judged(given)));
    expect(found.map(({ cause }) => cause.code)).toEqual(causes);
  });

  it.each([
    ['an import and an empty batch that are accepted', 202],
    // The batch is empty, which is no fault of the quota.
    ['an empty batch that is rejected as such', 422],
  ])('affects neither: %s', async (_, status) => {
    const given: Case = {
      attempts: [...repeat(200, 5), attempt(402)],
      reads: [...reads, ...besideReads(200, status)],
    };
    const { 'quota.reads': result } = await judged(given);
    expect(result?.verdict).toBe('pass');
    expect(result).toMatchObject({ reasons: [{ params: { reads: 3, imports: 1, events: true } }] });
  });

  it('is not judged by a 409 to an import of SKUs that the catalog has', async () => {
    const given: Case = {
      attempts: [...repeat(200, 5), attempt(402)],
      reads: [...reads, ...besideReads(409, 204)],
    };
    const { 'quota.reads': result } = await judged(given);
    expect(result?.verdict).toBe('pass');
    expect(result).toMatchObject({ reasons: [{ params: { reads: 3, imports: 0, events: true } }] });
  });

  it('is not blamed for a session admitted while the first 402 was still on its way', async () => {
    const given: Case = {
      attempts: [
        ...repeat(200, 4),
        { ...attempt(402), intendedNs: 1000e6, sentNs: 1000e6, answeredNs: 1300e6 },
        { ...attempt(200), intendedNs: 1200e6, sentNs: 1200e6, answeredNs: 1250e6 },
      ],
    };
    expect((await judged(given))['quota.closed']).toMatchObject({ verdict: 'pass' });
  });
});

describe('a quota of 5 that renews ten minutes after the start', () => {
  /** Attempts from so many seconds on, 0.1 s apart. */
  const at = (seconds: number, attempts: readonly SampleRequest[]): SampleRequest[] =>
    attempts.map((each, n) => ({ ...each, intendedNs: seconds * 1e9 + n * 100e6 }));
  const renews = { every: '1h', anchor: '2026-05-01T12:10' } as const;
  const renewing: ProfileInput = { quota: { sessions: quota, fresh: true, renews } };
  const all = [...repeat(200, 5), attempt(402)];

  it.each<[string, Pick<Case, 'attempts' | 'profile'>, readonly Verdict[]]>([
    //                                                                            edge closed
    ['may open 5 sessions before, and 5 after', { attempts: [...at(100, all), ...at(650, all)] }, [P, P]],
    ['does not count those before', { attempts: [...at(100, repeat(200, 3)), ...at(650, all)] }, [P, P]],
    [
      'is spent until then',
      { attempts: [...at(100, all), ...at(400, repeat(200, 2)), ...at(650, all)] },
      [F, F],
    ],
    ['is spent again after 5', { attempts: [...at(100, all), ...at(650, [...all, attempt(200)])] }, [F, F]],
    ['is no larger afterwards', { attempts: [...at(100, all), ...at(650, [attempt(200), ...all])] }, [F, P]],
    ['is not smaller afterwards', { attempts: at(650, [...repeat(200, 4), attempt(402)]) }, [F, P]],
    [
      'is not accused for a session that may count on either side',
      { attempts: [...at(601, repeat(200, 1)), ...at(650, [...repeat(200, 4), attempt(402)])] },
      [I, P],
    ],
    [
      'reopens, where the profile does not say that it renews',
      { attempts: [...at(100, all), ...at(650, all)], profile: told },
      [F, F],
    ],
  ])('%s', async (_sentence, given, expected) => {
    const results = await judged({ profile: renewing, ...given, reads: at(700, reads) });
    expect(verdictsOf(results).slice(0, 2)).toEqual(expected);
    // Each profile here says that the account is fresh.
    expect(results['quota.edge']?.reasons.map(({ code }) => code)).not.toContain('quota-not-fresh');
  });

  it.each<[string, ProfileInput, Verdict]>([
    ['is not over quota afterwards, so that 429 comes', renewing, P],
    ['is over quota, where the profile does not say that it renews', told, F],
  ])('%s', async (_sentence, profile, expected) => {
    const ofStudy = { credential: 'quota', stage: 'study', phase: 'limits: precedence' } as const;
    const volleys = [402, 402, 402, 429, 429, 429].flatMap((status, n): SampleRequest[] => {
      const intendedNs = (n < 3 ? 590 : 610) * 1e9 + n * 50e6;
      const control = {
        ...ofStudy,
        endpoint: 'list-shades',
        probe: 'scope:control',
        status: 429,
        intendedNs,
      } as const;
      const session = { ...ofStudy, endpoint: 'create-session', probe: 'precedence:create-session' } as const;
      return [control, ...[1, 2, 3, 4].map(() => ({ ...session, status, intendedNs })), control];
    });
    const spent = at(500, all).map((each) => ({ ...each, phase: 'quota: to the edge' }));
    const run = { studies: [{ kind: 'quota' as const, budget_ms: 1 }] };
    const [order] = await withHistory(
      { run, profile: { ...profile, rate_limit: '10/60s' }, requests: [...spent, ...volleys] },
      (found) => quotaOrder(found, 429),
    );
    expect(order?.verdict).toBe(expected);
  });

  it('has passes that tell what they leave out', async () => {
    const results = await judged({
      profile: renewing,
      attempts: [...at(100, all), ...at(650, [...all, attempt(402)])],
      reads: at(700, reads),
    });
    for (const id of ['quota.edge', 'quota.closed'])
      expect(results[id]?.reasons).toContainEqual(
        reason('quota-renewed', { atMs: [Date.parse('2026-05-01T12:10Z')], leftOut: 6 }),
      );
  });
});

describe('with sessions on other keys, a quota of 5', () => {
  const fresh = { sessions: 5, fresh: true } as const;
  const same: ProfileInput = { quota: { ...fresh, twin: 'same-account' } };
  const other: ProfileInput = { quota: { ...fresh, twin: 'other-account' } };
  const open: ProfileInput = { quota: fresh };
  const four = [...repeat(201, 4), attempt(402)];
  const exactOn = (...keys: string[]): Reason => reason('quota-edge-exact', { quota: 5, keys });
  const early = (sessions: number, ...keys: string[]): Reason =>
    reason('quota-edge-early', { admitted: { min: sessions, max: sessions }, quota: 5, keys });

  it.each<[string, Case, Verdict, ...(readonly Reason[])]>([
    [
      'that the twin spends counts its session without an answer as one or none',
      { attempts: [attempt('lost', 'twin'), ...four], profile: same },
      I,
      reason('quota-edge-unclear', {
        admitted: { min: 4, max: 5 },
        unclear: 1,
        quota: 5,
        keys: ['quota', 'twin'],
      }),
    ],
    [
      'that the twin spends is overspent by the sessions of both',
      { attempts: [attempt(200, 'twin'), attempt(200, 'twin'), ...four], profile: same },
      F,
      reason('quota-edge-over', { admitted: 6, quota: 5, keys: ['quota', 'twin'] }),
    ],
    [
      'that the twin does not spend, as the profile says, ended early whatever was opened on it',
      { attempts: [attempt(200, 'twin'), ...four], profile: other },
      F,
      early(4, 'quota'),
    ],
    [
      'that the twin spends although the profile says that it does not ended early, and the cause is named',
      { attempts: [attempt(200, 'twin'), ...four, attempt(402, 'twin')], profile: other },
      F,
      early(4, 'quota'),
      reason('quota-spent-against-promise', { keys: ['twin'] }),
    ],
    [
      'ended early where another key opened sessions from then on, as that has a quota of its own',
      { attempts: [attempt(200, 'load'), ...four, attempt(200, 'load')], profile: open },
      F,
      early(4, 'quota'),
    ],
    [
      'is in doubt where nothing shows whose quota another key spends, and its sessions make up for the rest',
      { attempts: [attempt(200, 'load'), ...four], profile: open },
      I,
      early(4, 'quota'),
      reason('quota-rest-on-key', { key: 'load', sessions: { min: 1, max: 1 } }),
      reason('quota-keys-unknown', { fields: ['data_scope'] }),
    ],
    [
      'is not in doubt where more was opened on that key than the rest: no sum of them makes five',
      { attempts: [...repeat(200, 30, 'load'), ...four], profile: open },
      F,
      early(4, 'quota'),
    ],
    [
      'is not in doubt where the profile says that no keys share an account',
      { attempts: [attempt(200, 'load'), ...four], profile: { ...open, data_scope: 'per-key' } },
      F,
      early(4, 'quota'),
    ],
    [
      'that another key only seems to spend is not overspent for certain',
      {
        attempts: [attempt(200, 'bystander'), ...repeat(200, 5), attempt(402), attempt(402, 'bystander')],
        profile: open,
      },
      I,
      exactOn('quota'),
      reason('quota-likely-keys', { keys: ['bystander'], fields: ['data_scope'] }),
    ],
    [
      'spent by the load on the very key counts what the load opened',
      { attempts: [...repeat(200, 3, 'load'), ...repeat(200, 2), attempt(402)], others: { load: 'same' } },
      P,
      exactOn('quota', 'load'),
    ],
  ])('%s', async (_, given, verdict, ...reasons) => {
    const others = { load: 'own', twin: 'own', bystander: 'own' } as const;
    const result = (await judged({ others, ...given }))['quota.edge'];
    expect(result).toMatchObject({ verdict, reasons });
  });

  it('fails to stay closed where a key of the same account opens a session after a 402', async () => {
    const attempts = [attempt(200, 'twin'), ...four, attempt(200, 'twin')];
    const results = await judged({ attempts, profile: same, others: { twin: 'own' } });
    expect(results['quota.closed']).toMatchObject({ verdict: F, observed: { 'admitted after a 402': 1 } });
  });
});

describe('another key that is refused with 402 once the quota of 5 is spent, as its own may be by chance,', () => {
  const seen: SampleRequest = {
    endpoint: 'read-session',
    probe: 'quota:twin-session',
    credential: 'quota',
    status: 200,
  };
  const spent = (times: number, role: Role): SampleRequest[] => [
    attempt(201, role),
    ...repeat(201, times),
    attempt(402),
    attempt(402, role),
  ];

  it.each<[string, readonly SampleRequest[], ProfileInput, Verdict]>([
    [
      'is not accused where its account may have been used before',
      spent(5, 'twin'),
      { quota: { sessions: 5, twin: 'other-account' } },
      I,
    ],
    [
      'is not accused on a fresh account that had all of its sessions for itself',
      spent(5, 'bystander'),
      { data_scope: 'per-key', quota: { sessions: 5, fresh: true } },
      I,
    ],
    [
      'is accused on a fresh account that ended early by just its sessions',
      spent(4, 'bystander'),
      { data_scope: 'per-key', quota: { sessions: 5, fresh: true } },
      F,
    ],
    [
      'is not accused where the session of a third key explains the early end as well',
      [attempt(201, 'load'), ...spent(4, 'bystander'), attempt(402, 'load')],
      { quota: { sessions: 5, fresh: true, twin: 'other-account' } },
      I,
    ],
    ['shares it where the quota key sees its session', [seen, ...spent(3, 'twin')], {}, P],
    ['is unclear where all keys see all sessions', [seen, ...spent(3, 'twin')], { data_scope: 'shared' }, I],
    ['is unclear where nothing else shows it', spent(3, 'twin'), {}, I],
  ])('%s', async (_, attempts, profile, verdict) => {
    const tried = (['load', 'twin', 'bystander'] as const).filter((role) =>
      attempts.some(({ credential }) => credential === role),
    );
    const others = Object.fromEntries(tried.map((role) => [role, 'own' as const]));
    const given = history({ attempts, profile, others });
    const results = await withHistory(
      { ...given, run: { ...given.run, studies: [{ kind: 'quota', budget_ms: 1 }] } },
      checkQuota,
    );
    const result = results.find(({ id }) => id === 'quota.sharing');
    expect(result?.verdict).toBe(verdict);
  });
});

it('without a key for it every quota check is inconclusive and says so', async () => {
  const results = await withHistory({ run: { quota_attempts: 9 } }, checkQuota);
  expect(results).toHaveLength(5);
  for (const result of results) {
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      reasons: [reason('quota-without-key')],
    });
  }
});

it('a run that does not try the quota is not judged by it', async () => {
  expect(await withHistory({ run: { keys: { quota: key } } }, checkQuota)).toEqual([]);
});
