import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, sampleRun } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
import { type Change, judged } from './target.ts';

async function resultOf(id: string, change: Change): Promise<CheckResult | undefined> {
  const results = await judged(change);
  const others = results.filter((each) => each.id !== id && each.verdict === 'fail');
  expect(others).toEqual([]);
  return results.find((each) => each.id === id);
}

function failedOf(results: readonly CheckResult[]): string[] {
  return results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

/** What the bystander's key got when it asked for a session and the catalog of the load key. */
function bystander(session: Partial<SampleRequest>, list: Partial<SampleRequest>): SampleRequest[] {
  const common = { stage: 'setup', credential: 'bystander' } as const;
  return [
    {
      endpoint: 'read-session',
      probe: 'tenancy:read-session',
      sessionId: 'canary',
      ...common,
      ...session,
    },
    {
      endpoint: 'list-shades',
      probe: 'tenancy:list-shades',
      catalogId: 'c1',
      ...common,
      ...list,
    },
  ];
}
/** What the bystander's key got over a connection that no other key was used on. */
function alone(status: number): SampleRequest {
  return {
    ...{ stage: 'setup', credential: 'bystander', endpoint: 'read-session', sessionId: 'canary' },
    ...{ probe: 'tenancy:own-connection', status },
  };
}
const seen = { status: 200 };
const unseen = { status: 404 };

describe("another's key", () => {
  it.each<[string, readonly SampleRequest[], ProfileInput, Verdict, Said, ...CauseCode[]]>([
    [
      'that sees nothing is another account as far as anybody can tell',
      bystander(unseen, unseen),
      {},
      'pass',
      said('tenancy-separate', { isCatalogVisible: false }),
    ],
    [
      'that sees everything is one of the same account, if nobody says otherwise',
      bystander(seen, seen),
      {},
      'pass',
      saidAll(said('tenancy-visible', { what: ['session', 'catalog'] }), said('tenancy-one-account')),
    ],
    [
      'that sees everything over a connection that the load key has used, and nothing over a new one',
      [...bystander(seen, seen), alone(404)],
      {},
      'fail',
      said('tenancy-by-connection'),
      'key-of-connection',
    ],
    [
      'that sees everything over any connection is one of the same account',
      [...bystander(seen, seen), alone(200)],
      {},
      'pass',
      said('tenancy-one-account'),
    ],
    [
      'that sees the session and no catalog is suspicious, if nobody says whose it is',
      bystander(seen, unseen),
      {},
      'inconclusive',
      saidAll(said('tenancy-visible', { what: ['session'] }), said('tenancy-catalog-hidden')),
    ],
    [
      'that sees catalogs of others sees no session',
      bystander(unseen, seen),
      {},
      'pass',
      said('tenancy-separate', { isCatalogVisible: true }),
    ],
    [
      'that sees the session breaks the promise that each key has its own',
      bystander(seen, unseen),
      { data_scope: 'per-key' },
      'fail',
      saidAll(said('tenancy-visible', { what: ['session'] }), said('tenancy-promised-separate')),
      'accounts-not-separate',
    ],
    [
      'that sees both breaks it as well',
      bystander(seen, seen),
      { data_scope: 'per-key' },
      'fail',
      said('tenancy-visible', { what: ['session', 'catalog'] }),
      'profile-false',
    ],
    [
      'that sees the catalog breaks it as well',
      bystander(unseen, seen),
      { data_scope: 'per-key' },
      'fail',
      saidAll(said('tenancy-visible', { what: ['catalog'] }), said('tenancy-promised-separate')),
      'accounts-not-separate',
    ],
    [
      'that gets 403 has been told that there is something',
      bystander({ status: 403 }, unseen),
      { data_scope: 'per-key' },
      'fail',
      said('tenancy-status', { status: 403 }),
      'foreign-session-refused-otherwise',
    ],
    [
      'that gets 403 may be one without the right to read, if nobody says whose it is',
      bystander({ status: 403 }, unseen),
      {},
      'inconclusive',
      said('tenancy-status', { status: 403 }),
    ],
    [
      'that gets no answer says nothing',
      bystander({ lost: 'timeout' }, unseen),
      { data_scope: 'per-key' },
      'inconclusive',
      said('tenancy-unclear', { got: { lost: 'timeout' } }),
    ],
    [
      'that was refused for the rate says nothing',
      bystander({ status: 429 }, unseen),
      { data_scope: 'per-key' },
      'inconclusive',
      said('tenancy-unclear', { got: { status: 429 } }),
    ],
    [
      'sees what all keys share',
      bystander(seen, seen),
      { data_scope: 'shared' },
      'pass',
      said('tenancy-shared'),
    ],
    [
      'that does not see it breaks the promise that all keys share it',
      bystander(unseen, unseen),
      { data_scope: 'shared' },
      'fail',
      said('tenancy-not-shared', { status: 404 }),
      'profile-false',
    ],
  ])('%s', async (_, more, profile, verdict, why, ...causes) => {
    const result = await resultOf('contract.tenancy', { more, profile });
    expectSaid(result, why);
    expect(result?.verdict).toBe(verdict);
    expect(causeCodes([result])).toEqual(causes);
  });

  it('that gets 500 is a server error, and says nothing of accounts', async () => {
    const results = await judged({
      more: bystander({ status: 500 }, unseen),
      profile: { data_scope: 'per-key' },
    });
    expectSaid(
      results.find(({ id }) => id === 'contract.tenancy'),
      said('tenancy-status', { status: 500 }),
    );
    expect(failedOf(results)).toEqual(['contract.errors']);
    expect(causeCodes(results)).toEqual(['server-errors']);
  });

  it('that is answered for a session that does not exist sees what is made up, and no other account', async () => {
    const results = await judged({
      more: bystander(seen, unseen),
      profile: { data_scope: 'per-key' },
      requests: { 'unknown-session': { status: 200 } },
    });
    expect(failedOf(results)).toEqual(['contract.tenancy', 'contract.not-found']);
    expect(causeCodes(results)).toEqual(['unknown-id-answered']);
  });

  it('is not spoken of where there was none', async () => {
    expect(await resultOf('contract.tenancy', {})).toBeUndefined();
  });
});

/** A load of so many requests a minute, of which the profile promises 1,000. */
function load(peakPerMinute: number): Change['run'] {
  const phase: RunInfo['phases'][number] = {
    name: 'load',
    role: 'load',
    unit: 'requests',
    pace: `${peakPerMinute}/min`,
    start_ns: 0,
    end_ns: 60e9,
    peak_per_minute: peakPerMinute,
  };
  return { ...sampleRun, phases: [phase] };
}

/** Requests with a bad key beside the load, and what each got. */
function tried(...statuses: readonly (number | 'lost')[]): SampleRequest[] {
  return statuses.map((status) => ({
    endpoint: 'list-shades',
    stage: 'companion',
    credential: 'bad',
    probe: 'loaded:bad-key',
    ...(status === 'lost' ? { lost: 'timeout' } : { status }),
  }));
}

describe('a key that was never issued, while more arrives than the limit lets in,', () => {
  it.each<[string, readonly SampleRequest[], Verdict, Said, ...CauseCode[]]>([
    ['is refused', tried(401, 401, 401), 'pass', said('auth-under-load-401', { rejected: 3, requests: 3 })],
    [
      'may meet the limiter first',
      tried(401, 429, 429),
      'pass',
      said('auth-under-load-401', { rejected: 1, requests: 3 }),
    ],
    [
      'is let in',
      tried(401, 401, 200, 401),
      'fail',
      said('auth-under-load-status', { statuses: [200], wrong: 1, answers: 4 }),
      'key-not-checked-under-load',
    ],
    [
      'is let in as somebody who does not have what it asks for',
      tried(401, 404),
      'fail',
      said('auth-under-load-status', { statuses: [404], wrong: 1, answers: 2 }),
      'key-not-checked-under-load',
    ],
    [
      'says nothing where there were server errors and no answers only',
      tried(503, 'lost'),
      'inconclusive',
      said('auth-under-load-unclear', { requests: 2 }),
    ],
    [
      'says nothing where the limiter always came first',
      tried(429, 429),
      'inconclusive',
      said('auth-under-load-unclear', { requests: 2 }),
    ],
    ['says nothing where none was tried', [], 'inconclusive', said('auth-under-load-not-tried')],
  ])('%s', async (_, more, verdict, why, ...causes) => {
    const result = await resultOf('contract.auth-under-load', { more, run: load(1_500) });
    expectSaid(result, why);
    expect(result?.verdict).toBe(verdict);
    expect(causeCodes([result])).toEqual(causes);
  });

  it('is not spoken of where the load never got there', async () => {
    expect(await resultOf('contract.auth-under-load', { run: load(900) })).toBeUndefined();
  });
});

it.each<[string, alone: number, CauseCode]>([
  ['over connections that a key was used on, and over no other', 401, 'key-of-connection'],
  ['over any connection', 200, 'key-not-checked'],
])('a request without a key that is served %s', async (_, status, cause) => {
  const result = await resultOf('contract.auth', {
    requests: { 'no-key:list-shades': { status: 200 } },
    more: [
      {
        ...{ endpoint: 'list-shades', probe: 'no-key:own-connection', stage: 'setup' },
        ...{ credential: 'none', status },
      },
    ],
  });
  expect(result?.verdict).toBe('fail');
  expect(causeCodes([result])).toEqual([cause]);
});
