import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { foundProfile } from '../../../src/checks/found-profile.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { roles } from '../../../src/vocabulary/roles.ts';
import { renderedRateLimit } from '../../checks/rate-limit/rendered.ts';
import { type Saying, saying } from '../../checks/rate-limit/saying.ts';
import { isLong } from '../../effort.ts';
import { type SampleHistory, withHistory } from '../../history/sample.ts';
import { leakyThousandths } from '../../limits/services.ts';
import {
  fixedWindow,
  inPieces,
  type Limiter,
  prolongedByRefusals,
  type ServiceTraits,
  serviceBehind,
  slidingLog,
  tokenBucket,
  virtualService,
} from './services.ts';
import { type Arrival, playStudy, type StudyWorld, type VirtualService } from './world.ts';

const promised: ProfileInput = { limit_scope: 'per-key', limit_endpoints: 'together' };
const minute = { kind: 'limits', budgetMs: 60_000 } as const;

/** What is studied, and for how long: by default a sliding log of 40 in 4 s for each key, as promised, for a minute. */
interface Studied extends Partial<StudyWorld> {
  readonly traits?: ServiceTraits;
  readonly budgetMs?: number;
  /** What the profile says beside `promised`. */
  readonly told?: ProfileInput;
}

/** What a study has to come to; nothing else is looked at. */
interface Found {
  /** The codes of all probable causes. */
  readonly causes?: readonly string[];
  /** The checks of the rate limit that fail: all of them. */
  readonly failed?: readonly string[];
  /** By the ids of checks of the rate limit, without the group. */
  readonly verdicts?: Readonly<Record<string, string>>;
  /** A reason of each of some checks. */
  readonly says?: Readonly<Record<string, Saying>>;
  readonly observed?: readonly [id: string, observed: object];
}

async function played({ budgetMs = 60_000, profile = promised, told, traits, ...world }: Studied) {
  const study = { kind: 'limits', budgetMs } as const;
  const service = virtualService(traits);
  const all = { service, study, ...world, profile: { ...profile, ...told } };
  const { sample, tookMs } = await playStudy(all);
  return { sample, tookMs, results: await withHistory(sample, renderedRateLimit) };
}

/** Probable causes, by their codes. */
const causesOf = (results: readonly CheckResult[]): string[] =>
  diagnose(results).causes.map(({ cause }) => cause.code);
const checkOf = (results: readonly CheckResult[], name: string): CheckResult | undefined =>
  results.find(({ id }) => id === `rate-limit.${name}`);
const failedOf = (results: readonly CheckResult[]): string[] =>
  results.flatMap(({ id, verdict }) => (verdict === 'fail' ? id.replace('rate-limit.', '') : []));

function expectFound(
  results: readonly CheckResult[],
  { causes, failed, observed, says = {}, verdicts = {} }: Found,
): void {
  if (causes !== undefined) expect(causesOf(results)).toEqual(causes);
  if (failed !== undefined) expect(failedOf(results)).toEqual(failed);
  for (const [name, verdict] of Object.entries(verdicts))
    expect(checkOf(results, name)?.verdict, name).toBe(verdict);
  for (const [name, said] of Object.entries(says))
    expect(checkOf(results, name)?.reasons, name).toEqual(saying(said));
  if (observed !== undefined) expect(checkOf(results, observed[0])).toMatchObject({ observed: observed[1] });
}

/** `npm test` takes the rows that are `short`: the others have a cause, or a limiter, that one of these or another test has. */
interface Row {
  readonly says: string;
  readonly short?: true;
  readonly of: Studied;
  readonly finds: Found;
}
const rowsNow = (rows: readonly Row[]): Row[] => rows.filter(({ short }) => isLong || short === true);

function testRows(rows: readonly Row[]): void {
  it.each(rowsNow(rows))('$says', async ({ finds, of }) => {
    expectFound((await played(of)).results, finds);
  });
}

const found = (name: unknown, limit = 40, windowMs?: unknown): Saying => [
  'algorithm-found',
  { name, limit, ...(windowMs !== undefined && { windowMs }) },
];
const right = {
  ...{ algorithm: 'pass', limit: 'pass', window: 'pass', scope: 'pass', order: 'pass' },
};
const of100 = { told: { rate_limit: '100/6s' } } as const;
const behind = (name: string): Studied => ({
  service: serviceBehind(name, 100, 6_000),
  profile: { rate_limit: '100/6s' },
  isForeign: true,
});
const leaky: Studied = { traits: { limiter: () => leakyThousandths(1, 60) }, ...of100 };

describe('a study of a limiter of the promised size finds it out, and accuses it of nothing:', () => {
  const ofKind = (limiter: () => Limiter, name: unknown) => ({
    of: { traits: { limiter } },
    finds: { failed: [], verdicts: right, says: { algorithm: found(name, 40, 4_000) } },
  });
  const ofPieces = (limiter: () => Limiter, name: string) => ({
    of: { traits: { limiter } },
    finds: { failed: [], verdicts: { algorithm: 'pass' }, says: { algorithm: found(name) } },
  });
  const window = () => fixedWindow(40, 4_000);
  testRows([
    {
      says: 'a window that a request opens',
      short: true,
      ...ofKind(window, expect.stringMatching(/^fixed/)),
    },
    {
      says: 'a window that moves on by quarters',
      short: true,
      ...ofPieces(() => inPieces(40, 4_000, 4), 'sliding window (moves in steps)'),
    },
    {
      says: 'a block that outlasts its window, which the load does not show',
      short: true,
      ...ofKind(() => prolongedByRefusals(40, 4_000, 6_000), 'window (blocked after its first rejection)'),
    },
    {
      says: 'a queue where a token bucket is promised: it is none, and may be a slow service',
      short: true,
      of: { ...behind('queue with little room'), told: { limiter: 'token-bucket' } },
      finds: { failed: [], verdicts: { algorithm: 'inconclusive' } },
    },
    {
      says: 'one limit for all keys, where no scope is promised',
      short: true,
      of: { traits: { countedBy: () => 'all' }, profile: {} },
      finds: { failed: [], observed: ['scope', { per_key: false }] },
    },
  ]);
});

it('a study of 30 s tells from a promise of 5 per 1 s a bucket of 4 that is refilled at 5 a second', async () => {
  const limiter = () => tokenBucket(4, 800);
  const { results, tookMs } = await played({
    ...{ told: { rate_limit: '5/1s' }, budgetMs: 30_000, traits: { limiter } },
  });
  expect(tookMs).toBeLessThanOrEqual(30_000);
  const limits = ['limit', 'window', 'algorithm'];
  expect(failedOf(results).filter((name) => limits.includes(name))).toEqual(['limit']);
});

describe('a study tells', () => {
  const differs = (limiter: () => Limiter, what: string, params: object) => ({
    of: { traits: { limiter } },
    finds: {
      causes: [`${what}-differs`],
      verdicts: { [what]: 'fail' },
      says: { [what]: ['size-differs', { what, ...params }] as const },
    },
  });
  const wrong = (traits: ServiceTraits, cause: string, name: string, said: Saying) => ({
    of: { traits },
    finds: { causes: [cause], verdicts: { [name]: 'fail' }, says: { [name]: said } },
  });
  const wrongScope = (countedBy: ServiceTraits['countedBy'], cause: string, ...said: Saying) =>
    wrong({ ...(countedBy && { countedBy }) }, cause, 'scope', said);
  const each = ({ atMs, role }: Arrival): string => `${role} ${atMs}`;
  const eachIf =
    (isApart: (arrival: Arrival) => boolean) =>
    (arrival: Arrival): string =>
      isApart(arrival) ? each(arrival) : `${arrival.role}`;
  const shares = { isWrong: true };
  // One higher has the cause of one lower. Nodes, drifts and locked keys take studies of many seconds.
  testRows([
    {
      says: 'a limit one lower',
      short: true,
      ...differs(() => slidingLog(39, 4_000), 'limit', { bounds: { min: 39, max: 39 }, promised: 40 }),
    },
    { says: 'another window', ...differs(() => slidingLog(40, 5_000), 'window', { promised: 4_000 }) },
    {
      says: 'a limit by address',
      short: true,
      ...wrongScope((at) => (at.elsewhere ? 'b' : 'a'), 'limit-by-address', 'scope-address-separate', shares),
    },
    {
      says: 'a new limit for each X-Forwarded-For',
      short: true,
      ...wrongScope(
        ({ forwardedFor, role }) => `${role} ${forwardedFor}`,
        'forwarded-address-trusted',
        'scope-forwarded-trusted',
      ),
    },
    {
      says: 'a path with a slash at its end that is not limited',
      ...wrongScope(
        eachIf(({ path }) => path.includes('/shades/')),
        'limit-by-spelling',
        'scope-spelling-separate',
      ),
    },
    {
      says: 'a counter of each connection',
      short: true,
      ...wrongScope(
        eachIf(({ isNew }) => isNew),
        'limit-by-connection',
        'scope-connection-separate',
        { passed: 8, refused: 0 },
      ),
    },
    {
      says: 'an endpoint without a limit',
      short: true,
      ...wrongScope(
        eachIf(({ path }) => path.includes('/analytics/')),
        'endpoint-not-limited',
        'scope-endpoints-apart',
        { apart: ['analytics'] },
      ),
    },
    {
      says: 'no limit',
      short: true,
      ...wrong({ limiter: () => () => true }, 'limit-not-enforced', 'algorithm', [
        'algorithm-none',
        { isOver: true },
      ]),
    },
    {
      says: 'imports that count twice',
      ...wrong(
        { weight: ({ method, path }) => (method === 'POST' && path.endsWith('/shades') ? 2 : 1) },
        'requests-count-more',
        'scope',
        ['scope-endpoint-counts', { endpoint: 'import-shades', places: 2 }],
      ),
    },
    {
      says: 'a limit that shrinks by a sixth in a minute',
      ...wrong({ limiter: () => slidingLog(40, 4_000, -1 / 360) }, 'limit-drifts', 'limit', [
        'size-drifts',
        { isShrinking: true },
      ]),
    },
    {
      says: 'requests that wait past their time-out',
      short: true,
      ...wrong({ queuePerS: 4 }, 'requests-queued', 'algorithm', ['algorithm-queue']),
    },
    {
      says: 'rejected sessions stored',
      short: true,
      ...wrong({ storesRefused: true }, 'rejections-have-effects', 'no-side-effect', ['stored']),
    },
  ]);

  it('requests that wait, after a set-up of many requests to other endpoints', async () => {
    const { sample } = await played({ traits: { queuePerS: 4 } });
    const { requests = [] } = sample;
    const setUp = Array.from({ length: Math.ceil(requests.length / 10) }, (_, k) => ({
      endpoint: 'create-session' as const,
      seq: requests.length + k + 1,
      sentNs: (k + 1) * 1e5,
      answeredNs: (k + 3) * 1e5,
    }));
    const results = await withHistory({ ...sample, requests: [...setUp, ...requests] }, renderedRateLimit);
    expectFound(results, { causes: ['requests-queued'] });
  });
});

describe('a study names what the profile says wrongly of an honest service:', () => {
  // Each cause once: a limit one lower, and another rate, are above and below.
  it.each<[string, ProfileInput, string, object]>([
    ['another algorithm', { limiter: 'fixed-window' }, 'algorithm-differs', { promised: 'fixed-window' }],
    [
      'one limit for all keys',
      { limit_scope: 'shared' },
      'profile-false',
      { field: 'limit_scope', told: 'shared', found: 'per-key' },
    ],
  ])('%s', async (_, told, code, params) => {
    const { results } = await played({ told });
    const { causes } = diagnose(results);
    expect(causes.map(({ cause }) => cause.code)).toEqual([code]);
    expect(causes[0]?.cause.params).toMatchObject(params);
  });
});

describe('a study of too short a budget for any probe', () => {
  const short = { budgetMs: 14_000 } as const;
  const status = (code: number): Pick<Row, 'of' | 'finds'> => ({
    of: { ...short, traits: { refusal: { status: code } }, told: { limiter: 'sliding-log' } },
    finds: {
      failed: ['enforced'],
      says: {
        enforced: [
          'enforced-other-status',
          { stream: expect.objectContaining({ key: 'load' }) as unknown, status: code },
        ],
      },
    },
  });
  testRows([
    // 503 is among what a longer study tells, above.
    { says: 'finds that rejections have 403 instead of 429', short: true, ...status(403) },
    {
      // One wait may have been right by luck; the others are held against every limiter that is still possible.
      says: 'is spent on one advised wait',
      short: true,
      of: {
        ...short,
        service: serviceBehind('sliding log', 40, 4_000, { status: 429, headers: { 'retry-after': '4' } }),
      },
      finds: {
        verdicts: { 'retry-after': 'pass', enforced: 'pass', recovery: 'pass' },
        observed: [
          'retry-after',
          {
            'Retry-After': { values: 106, with_fitted_limiter: { values: 106, too_low: 0 } },
            waits: { waited: { admitted: 1, rejected: 0 } },
          },
        ],
      },
    },
  ]);
  it('sends a probe on the other key while the first rests', async () => {
    const { results, sample } = await played({ ...short, traits: { limiter: () => tokenBucket(40, 4_000) } });
    const probing = (sample.requests ?? []).filter(({ phase = '' }) => phase.startsWith('limits: probe'));
    expect(new Set(probing.map(({ credential }) => credential))).toEqual(new Set(['bystander']));
    expectFound(results, { says: { algorithm: found('token bucket', 40, 4_000) } });
  });
});

describe('a bucket of one request each 60 ms, as nginx without burst keeps one,', () => {
  it('is blamed for rejections below 100 per 6 s, and not the other key', async () => {
    const { results } = await played(leaky);
    const isolation = checkOf(results, 'isolation');
    expect(isolation?.observed).not.toMatchObject({ limited_on_bystander: 0 });
    expect(isolation).toMatchObject({
      verdict: expect.stringMatching(/^(pass|inconclusive)$/),
      reasons: [
        {
          code: 'isolation-own-limiter',
          params: { limiter: 'token bucket', size: { limit: 1, windowMs: expect.closeTo(60, 0) } },
        },
      ],
    });
    const failed = failedOf(results);
    expect(failed).toEqual(expect.arrayContaining(['enforced', 'wrongful']));
    const [cause] = diagnose(results).causes;
    expect(cause?.cause).toEqual({
      code: 'rate-differs',
      params: { limit: 1, windowMs: expect.closeTo(60, -1), promised: 100, promisedMs: 6_000 },
    });
    expect(cause?.checks).toEqual(expect.arrayContaining(failed.map((name) => `rate-limit.${name}`)));
  });
});

it('a window extended by rejections is blamed for its rejections', async () => {
  const { results } = await played({ ...behind('extended by rejections'), profile: promised, ...of100 });
  const explained = failedOf(results).filter((name) => /^(enforced|wrongful|recovery)$/.test(name));
  expect(explained).toContain('wrongful');
  for (const name of explained)
    expect(checkOf(results, name)?.causes?.map(({ cause }) => cause.code)).toEqual([
      'window-extended-by-rejections',
    ]);
});

const amongOthers = {
  pool: ['other-0', 'other-1'],
  study: { ...minute, otherKeysPerSecond: 20 },
} as const;

/** Names the counter of a key by the keys that are remembered: another one each time that it was forgotten in between. */
function rememberingKeys(most: number): (key?: string) => string {
  const remembered = new Map<string, number>();
  let made = 0;
  return (key = '') => {
    const counter = remembered.get(key) ?? ++made;
    remembered.delete(key);
    remembered.set(key, counter);
    const [oldest = ''] = remembered.keys();
    if (remembered.size > most) remembered.delete(oldest);
    return String(counter);
  };
}

/**
 * A service with a log of 40 per 4 s for each counter, which says what remains, and when more will. `counted`: how many
 * requests of a counter count at an instant.
 */
function telling(counterOf: (arrival: Arrival) => string): {
  readonly service: VirtualService;
  readonly counted: (counter: string, atMs: number) => number;
} {
  const admittedAtMs = new Map<string, number[]>();
  const countedAt = (counter: string, atMs: number): number[] =>
    (admittedAtMs.get(counter) ?? []).filter((ms) => ms > atMs - 4_000);
  const service = virtualService({ countedBy: counterOf });
  return {
    counted: (counter, atMs) => countedAt(counter, atMs).length,
    service: (arrival) => {
      if (arrival.authorization?.startsWith('Bearer other-') === true) return { status: 200, body: [] };
      const answer = service(arrival);
      if (answer.status === 401) return answer;
      const counter = counterOf(arrival);
      const counted = countedAt(counter, arrival.atMs);
      if (answer.status !== 429) counted.push(arrival.atMs);
      admittedAtMs.set(counter, counted);
      const headers = {
        'ratelimit-limit': '40',
        'ratelimit-remaining': String(40 - counted.length),
        'ratelimit-reset': String(Math.ceil(((counted[0] ?? arrival.atMs) + 4_000 - arrival.atMs) / 1e3)),
      };
      return { ...answer, headers };
    },
  };
}

const sentWith = ({ requests = [] }: SampleHistory, ...credentials: readonly string[]): number =>
  requests.filter(({ credential }) => credentials.includes(`${credential}`)).length;

describe('a study while other keys are in use', () => {
  const forgetful: readonly [string, number, string[]][] = [
    ['shows nothing of a limiter that forgets keys beyond 6, as long as only 4 are in use', 0, []],
    ['shows a limiter that forgets the studied key, once 12 others are in use', 20, ['admits-over-limit']],
  ];
  it.each(forgetful.filter(([, perSecond]) => isLong || perSecond > 0))(
    '%s',
    async (_, otherKeysPerSecond, expected) => {
      const counterOf = rememberingKeys(6);
      const service = virtualService({ countedBy: ({ authorization }) => counterOf(authorization) });
      const { results, sample } = await played({
        service: (arrival) => {
          if (arrival.authorization?.startsWith('Bearer other-') !== true) return service(arrival);
          counterOf(arrival.authorization);
          return { status: 200, body: [] };
        },
        pool: Array.from({ length: 12 }, (_each, n) => `other-${n}`),
        study: { ...minute, otherKeysPerSecond },
      });
      expect(sentWith(sample, 'pool') > 500).toBe(otherKeysPerSecond > 0);
      expect(causesOf(results).slice(0, 1)).toEqual(expected);
    },
  );

  const forgetting: readonly [string, boolean, string[]][] = [
    ['shows nothing of a limiter that keeps the count of every key', false, []],
    ['shows a limiter that forgets keys with a single request', true, ['remaining-wrong']],
  ];
  it.each(forgetting.filter(([, forgets]) => isLong || forgets))('%s', async (_, forgets, expected) => {
    let others = 0;
    const names = new Map<string, string>();
    const { counted, service } = telling(({ role = '' }) => names.get(role) ?? role);
    const { results, sample } = await played({
      service: (arrival) => {
        if (arrival.role === undefined && forgets && ++others % 30 === 0)
          for (const role of roles)
            if (counted(names.get(role) ?? role, arrival.atMs) === 1) names.set(role, `${role} ${others}`);
        return service(arrival);
      },
      ...amongOthers,
    });
    expect(sentWith(sample, 'twin')).toBeGreaterThan(5);
    expect(causesOf(results).slice(0, 1)).toEqual(expected);
  });

  const byRole = ({ role }: Arrival): string => `${role}`;
  const ofAccount = ({ role }: Arrival): string =>
    role === 'twin' || role === 'quota' ? 'account' : `${role}`;
  const restingKeys: readonly [string, (arrival: Arrival) => string, StudyWorld['sameKeys']][] = [
    ['have limits to themselves', byRole, {}],
    ['have the key of the load', byRole, { twin: 'load', quota: 'load' }],
    ['have the key of the bystander', byRole, { twin: 'bystander', quota: 'bystander' }],
    ['share a limit', ofAccount, {}],
    ['share the limit of the load', (at) => (at.role === 'bystander' ? 'b' : 'account'), {}],
  ];
  it.each(restingKeys.filter(([sentence]) => isLong || sentence.endsWith('of the load')))(
    'accuses of nothing where the keys that rest %s',
    async (_, counterOf, sameKeys = {}) => {
      const { service } = telling(counterOf);
      const profile: ProfileInput = { limit_endpoints: 'together' };
      const { results } = await played({ service, profile, sameKeys, ...amongOthers });
      expectFound(results, { failed: [], verdicts: { algorithm: 'pass', limit: 'pass', window: 'pass' } });
    },
  );
});

describe('a study tells whether interactions count:', () => {
  const rows: readonly [NonNullable<ServiceTraits['interactions']>, boolean | 'discover', string][] = [
    ['counted', 'discover', 'pass'],
    ['counted', true, 'pass'],
    ['counted', false, 'fail'],
    ['free', 'discover', 'pass'],
    ['free', true, 'fail'],
  ];
  it.each(rows.filter(([, told]) => isLong || told === false))(
    'they are %s where the profile says %s',
    async (interactions, told, verdict) => {
      const { sample } = await played({
        ...{ traits: { interactions }, budgetMs: 20_000 },
        told: { channel: { counts_against_rate_limit: told } },
      });
      const { profile, results } = await withHistory(sample, async (history) => ({
        results: await renderedRateLimit(history),
        profile: (await foundProfile(history)).profile,
      }));
      const code = interactions === 'free' ? 'scope-interactions-separate' : 'scope-interactions-shared';
      expectFound(results, {
        verdicts: { scope: verdict },
        says: { scope: [code, { isWrong: verdict === 'fail' }] },
        failed: verdict === 'fail' ? ['scope'] : [],
        causes: verdict === 'fail' ? ['profile-false'] : [],
      });
      expect(profile.channel).toEqual({
        counts_against_rate_limit: told === 'discover' ? interactions === 'counted' : told,
      });
    },
  );
});
