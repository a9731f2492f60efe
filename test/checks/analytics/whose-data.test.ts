import { describe, expect, it } from 'vitest';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { accountsText } from '../../../src/checks/reasons/analytics/words.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import type { SampleRequest } from '../../history/sample.ts';
import type { NaiveSession } from './naive.ts';
import { stated } from './run.ts';
import { checkedAnalytics, saying } from './saying.ts';
import { Scene } from './scene.ts';

type Key = 'load' | 'quota' | 'bystander';

/** Each key whose data another one sees, beside that one: whose account it is of. */
type Owners = Partial<Record<Key, Key>>;
const apart: Owners = {};
const pooled: Owners = { quota: 'load', bystander: 'load' };
const mixed: Owners = { bystander: 'load' };

/** What the target counts as the sessions of each key. */
const countedAs = (owners: Owners) => (sessions: readonly NaiveSession[]) =>
  sessions.flatMap((session) => {
    const owner = (key: Key): Key => owners[key] ?? key;
    return (['load', 'quota', 'bystander'] as const)
      .filter((key) => owner(key) === owner(session.credential as Key))
      .map((credential) => ({ ...session, credential }));
  });

/** Sessions on three keys, and analytics of the load key's product and of all, asked with each of the keys. */
function run(owners: Owners, before: readonly SampleRequest[] = []): Scene {
  const scene = new Scene();
  scene.requests.push(...before);
  for (const credential of ['load', 'quota', 'bystander'] as const)
    scene.askRaw({ credential }, scene.honest({ credential }), 'baseline');
  scene.visit('lipstick', ['L1', 'L2', '+L1']);
  scene.visit('lipstick', ['L1']);
  scene.visit('blush', ['B1'], 'quota');
  scene.act(scene.session('liner', { credential: 'bystander' }), ['E1', 'E2', 'E3']);
  scene.pause(12_000);
  for (const credential of ['load', 'quota', 'bystander'] as const)
    for (const product of [undefined, 'lipstick'])
      scene.ask(
        { credential, ...(product === undefined ? {} : { product }) },
        { counted: countedAs(owners) },
      );
  return scene;
}

/** The bystander's key asks for a session that the load key has read. */
function readByBystander(status: number): SampleRequest[] {
  const asked = { endpoint: 'read-session', stage: 'setup', sessionId: 'canary' } as const;
  return [
    { ...asked, probe: 'canary:read-session', credential: 'load', sentNs: 1e6 },
    { ...asked, probe: 'tenancy:read-session', credential: 'bystander', status, sentNs: 2e6 },
  ];
}

async function judged(scene: Scene, profile: ProfileInput = {}): Promise<Map<string, CheckResult>> {
  const { analytics, ...rest } = profile;
  const results = await scene.judge(checkedAnalytics, {
    profile: { analytics: { ...stated, ...analytics }, ...rest },
  });
  return new Map(results.map((result) => [result.id, result]));
}

/** That the profile says so of all keys. */
const says = (scope: string): unknown => saying('known-by-profile', { field: 'data_scope', value: scope });

/** That the nearest conventions have these accounts. */
const sharing = (...account: Key[][]): unknown =>
  saying('conventions-otherwise', { convention: 'account', values: [accountsText(account)] });

describe('whose data a key sees', () => {
  it.each<[string, Owners, readonly SampleRequest[], ProfileInput, Verdict, unknown[], cause?: string]>([
    [
      'is its own where reads and analytics say so',
      apart,
      readByBystander(404),
      {},
      'pass',
      [saying('accounts-agree'), saying('known-by-read', { canRead: false, status: 404 })],
    ],
    [
      'is its own as the profile promises',
      apart,
      [],
      { data_scope: 'per-key' },
      'pass',
      [saying('accounts-agree'), says('per-key')],
    ],
    [
      'is shared as the profile promises',
      pooled,
      [],
      { data_scope: 'shared' },
      'pass',
      [saying('accounts-agree'), says('shared')],
    ],
    [
      'is shared where nobody says otherwise, and that is said',
      pooled,
      [],
      {},
      'pass',
      [saying('accounts-shown-by-analytics-alone')],
    ],
    [
      'is that of one account for some keys and not for others',
      mixed,
      readByBystander(200),
      {},
      'pass',
      [saying('accounts-agree'), saying('known-by-read', { canRead: true })],
    ],
    [
      'is a leak where analytics pool what the profile promises to keep apart',
      pooled,
      [],
      { data_scope: 'per-key' },
      'fail',
      [
        sharing(['load', 'quota', 'bystander']),
        says('per-key'),
        saying('account-leak', { isPromised: true }),
      ],
      'analytics-pool-accounts',
    ],
    [
      'is a leak where analytics pool what reads keep apart, though the profile leaves it open',
      pooled,
      readByBystander(404),
      {},
      'fail',
      [
        sharing(['load', 'quota', 'bystander']),
        saying('known-by-read', { canRead: false, status: 404 }),
        saying('account-leak', { isPromised: false }),
      ],
      'analytics-pool-accounts',
    ],
    [
      'is a leak for two keys alone',
      mixed,
      readByBystander(404),
      {},
      'fail',
      [sharing(['load', 'bystander'], ['quota']), saying('known-by-read', { canRead: false })],
      'analytics-pool-accounts',
    ],
    [
      'breaks the promise to share where analytics keep keys apart',
      apart,
      [],
      { data_scope: 'shared' },
      'fail',
      [sharing(['load'], ['quota'], ['bystander']), says('shared')],
      'profile-false',
    ],
    [
      'has two answers where reads share what analytics keep apart',
      apart,
      readByBystander(200),
      {},
      'fail',
      [saying('accounts-contradict'), saying('known-by-read', { canRead: true })],
      'accounts-not-separate',
    ],
    [
      'is not settled by a read that got no clear answer',
      pooled,
      readByBystander(503),
      {},
      'pass',
      [saying('accounts-shown-by-analytics-alone')],
    ],
  ])('%s', async (_, owners, before, profile, verdict, said, cause) => {
    const results = await judged(run(owners, before), profile);
    const found = results.get('analytics.conventions');
    expect(found?.reasons).toEqual(expect.arrayContaining(said));
    expect(found?.verdict).toBe(verdict);
    const { causes, unexplained } = diagnose([...results.values()]);
    expect(causes.map((each) => each.cause.code)).toEqual(cause === undefined ? [] : [cause]);
    expect(unexplained).toEqual([]);
    if (verdict === 'pass') expect(results.get('analytics.total-sessions')?.verdict).toBe('pass');
  });

  it('is a leak whoever else uses the accounts, as products of the run show', async () => {
    const results = await judged(run(pooled), { data_scope: 'per-key', analytics: { exclusive: false } });
    expect(results.get('analytics.conventions')?.verdict).toBe('fail');
    expect(results.get('analytics.total-sessions')?.reasons).toEqual(
      expect.arrayContaining([
        saying('answer-total', {
          query: 'lipstick (bystander key)',
          returned: 2,
          expected: { min: 0, max: 0 },
        }),
      ]),
    );
    expect(results.get('analytics.total-sessions')?.causes?.map(({ cause }) => cause.code)).toEqual([
      'analytics-pool-accounts',
    ]);
  });

  it.each<[string, SampleRequest[], Verdict]>([
    ['is not what a key counts whose quota is another than that of the quota key', [], 'fail'],
    [
      'may be, where keys read each other’s sessions: then a quota is that of a key',
      readByBystander(200),
      'pass',
    ],
  ])('%s', async (_, before, verdict) => {
    const scene = run(pooled, before);
    // Between the quota key's only session and the bystander's.
    const opened = scene.requests.find(
      ({ credential, endpoint }) => credential === 'quota' && endpoint === 'create-session',
    )?.sentNs;
    scene.requests.push({
      endpoint: 'create-session',
      credential: 'quota',
      status: 402,
      sentNs: (opened ?? 0) + 6e6,
    });
    const found = (await judged(scene)).get('analytics.conventions');
    expect(found?.verdict).toBe(verdict);
    if (verdict === 'fail')
      expect(found?.reasons).toContainEqual(saying('known-by-quota', { key: 'bystander' }));
  });

  it('is not asked with one key alone, and that is said', async () => {
    const scene = new Scene();
    scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(12_000);
    scene.ask({ product: 'lipstick' });
    const found = (await judged(scene)).get('analytics.conventions');
    expect(found?.reasons).toContainEqual(saying('accounts-not-tried', { key: 'load' }));
    expect(found?.verdict).toBe('pass');
  });
});
