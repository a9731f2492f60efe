import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { foundProfile } from '../../../src/checks/found-profile.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { roles } from '../../../src/vocabulary/roles.ts';
import { renderedRateLimit } from '../../checks/rate-limit/rendered.ts';
import { type Saying, saying } from '../../checks/rate-limit/saying.ts';
import { isLong, rowsOf } from '../../effort.ts';
import { withHistory } from '../../history/sample.ts';
import { leakyThousandths } from '../../limits/services.ts';
import {
  fixedWindow,
  inPieces,
  inTurns,
  type Limiter,
  lockingOut,
  prolongedByRefusals,
  redelivering,
  type ServiceTraits,
  serviceBehind,
  slidingLog,
  tokenBucket,
  virtualService,
  withIntervalRefill,
} from './services.ts';
import { type Arrival, playStudy, type StudyWorld, type VirtualService } from './world.ts';

const promised: ProfileInput = { limit_scope: 'per-key', limit_endpoints: 'together' };

async function study(
  traits: ServiceTraits,
  profile: ProfileInput = promised,
): Promise<readonly CheckResult[]> {
  const { sample } = await playStudy({
    service: virtualService(traits),
    profile,
    study: { kind: 'limits', budgetMs: 60_000 },
  });
  return withHistory(sample, renderedRateLimit);
}

/** Probable causes, by their codes. */
function causes(results: readonly CheckResult[]): string[] {
  return diagnose(results).causes.map(({ cause }) => cause.code);
}

function verdicts(results: readonly CheckResult[]): Record<string, string> {
  return Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]));
}

/** Nodes that each count for themselves. The connections that are kept lead to the first, new ones to each in turn. */
function nodesByConnection(nodes: number): NonNullable<ServiceTraits['countedBy']> {
  let opened = 0;
  return ({ isNew, role }) => `${role} ${isNew ? ++opened % nodes : 0}`;
}

const amongOthers = {
  pool: ['other-0', 'other-1'],
  study: { kind: 'limits', budgetMs: 60_000, otherKeysPerSecond: 20 },
} as const;

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

describe('a study of the limiter', () => {
  const kept: readonly [string, () => Limiter, unknown][] = [
    ['a sliding log', () => slidingLog(40, 4_000), 'sliding window'],
    [
      'a window opened by its first request',
      () => fixedWindow(40, 4_000),
      expect.stringMatching(/^fixed window/),
    ],
    ['a token bucket', () => tokenBucket(40, 4_000), 'token bucket'],
  ];
  it.each(rowsOf(kept, ([sentence]) => sentence.startsWith('a window')))(
    'finds out %s of the promised size, and accuses it of nothing',
    async (_, limiter, name) => {
      const results = await study({ limiter });
      const algorithm = results.find(({ id }) => id === 'rate-limit.algorithm');
      const found = saying(['algorithm-found', { name, limit: 40, windowMs: 4_000 }]);
      expect(algorithm).toMatchObject({ verdict: 'pass', reasons: found });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(verdicts(results)).toMatchObject({
        'rate-limit.limit': 'pass',
        'rate-limit.window': 'pass',
        'rate-limit.scope': 'pass',
        'rate-limit.order': 'pass',
      });
    },
  );

  it.each(
    rowsOf<[string, () => Limiter, failing: string[]]>(
      [
        ['a bucket of 4 that is refilled at 5 a second', () => tokenBucket(4, 800), ['rate-limit.limit']],
        ['a sliding log of 4', () => slidingLog(4, 1_000), ['rate-limit.limit']],
        ['a fixed window of 4', () => fixedWindow(4, 1_000), ['rate-limit.limit']],
        ['a bucket of 5', () => tokenBucket(5, 1_000), []],
        ['a sliding log of 5', () => slidingLog(5, 1_000), []],
        ['a fixed window of 5', () => fixedWindow(5, 1_000), []],
      ],
      (_, place) => place === 0,
    ),
  )('tells from a promise of 5 per 1 s %s', async (_, limiter, failing) => {
    const { sample, tookMs } = await playStudy({
      service: virtualService({ limiter }),
      profile: { ...promised, rate_limit: '5/1s' },
      study: { kind: 'limits', budgetMs: 30_000 },
    });
    expect(tookMs).toBeLessThanOrEqual(30_000);
    const results = await withHistory(sample, renderedRateLimit);
    const limits = ['rate-limit.limit', 'rate-limit.window', 'rate-limit.algorithm'];
    const failed = results.filter(({ id, verdict }) => verdict === 'fail' && limits.includes(id));
    expect(failed.map(({ id }) => id)).toEqual(failing);
  });

  const forgetful: readonly [string, number, string[]][] = [
    ['nothing of a limiter that forgets keys beyond 6, as long as only 4 are in use', 0, []],
    ['a limiter that forgets the studied key, once 12 others are in use', 20, ['admits-over-limit']],
  ];
  it.each(rowsOf(forgetful, ([, perSecond]) => perSecond > 0))(
    'shows %s',
    async (_, otherKeysPerSecond, expected) => {
      const remembered = new Map<string, number>();
      let made = 0;
      /** Names the counter of a key; another one each time that the key was forgotten in between. */
      const counterOf = (key = ''): string => {
        const counter = remembered.get(key) ?? ++made;
        remembered.delete(key);
        remembered.set(key, counter);
        const [oldest = ''] = remembered.keys();
        if (remembered.size > 6) remembered.delete(oldest);
        return String(counter);
      };
      const service = virtualService({ countedBy: ({ authorization }) => counterOf(authorization) });
      const { sample } = await playStudy({
        service: (arrival) => {
          if (arrival.authorization?.startsWith('Bearer other-') !== true) return service(arrival);
          counterOf(arrival.authorization);
          return { status: 200, body: [] };
        },
        profile: promised,
        pool: Array.from({ length: 12 }, (_each, n) => `other-${n}`),
        study: { kind: 'limits', budgetMs: 60_000, otherKeysPerSecond },
      });
      const others = (sample.requests ?? []).filter(({ credential }) => credential === 'pool');
      expect(others.length > 500).toBe(otherKeysPerSecond > 0);
      expect(causes(await withHistory(sample, renderedRateLimit)).slice(0, 1)).toEqual(expected);
    },
  );

  const forgetting: readonly [string, boolean, string[]][] = [
    ['nothing of a limiter that keeps the count of every key', false, []],
    ['a limiter that forgets keys with a single request', true, ['remaining-wrong']],
  ];
  it.each(rowsOf(forgetting, ([, forgets]) => forgets))(
    'shows %s, while others are in use',
    async (_, forgets, expected) => {
      let others = 0;
      const names = new Map<string, string>();
      const { counted, service } = telling(({ role = '' }) => names.get(role) ?? role);
      const { sample } = await playStudy({
        service: (arrival) => {
          if (arrival.role === undefined && forgets && ++others % 30 === 0)
            for (const role of roles)
              if (counted(names.get(role) ?? role, arrival.atMs) === 1) names.set(role, `${role} ${others}`);
          return service(arrival);
        },
        profile: promised,
        ...amongOthers,
      });
      const seldom = (sample.requests ?? []).filter(({ credential }) => credential === 'twin');
      expect(seldom.length).toBeGreaterThan(5);
      expect(causes(await withHistory(sample, renderedRateLimit)).slice(0, 1)).toEqual(expected);
    },
  );

  it.runIf(isLong)(
    'holds keys that rest against the limiter found, where each has a promised limit to itself',
    async () => {
      const held = async (
        limit_scope: 'discover' | 'per-key',
      ): Promise<{ held: number; resting: number }> => {
        const { service } = telling(({ role = '' }) => role);
        const { sample } = await playStudy({ service, profile: { limit_scope }, ...amongOthers });
        const results = await withHistory(sample, renderedRateLimit);
        const { observed } = results.find(({ id }) => id === 'rate-limit.headers-remaining') ?? {};
        const [, values] = /"with_fitted_limiter":\{"values":(\d+)/.exec(JSON.stringify(observed)) ?? [];
        const resting = (sample.requests ?? []).filter(
          ({ credential }) => credential === 'twin' || credential === 'quota',
        );
        return { held: Number(values), resting: resting.length };
      };
      const [promised, open] = [await held('per-key'), await held('discover')];
      expect(promised.held - open.held).toBe(promised.resting);
    },
  );

  const restingKeys: readonly [string, (arrival: Arrival) => string, StudyWorld['sameKeys']][] = [
    ['have limits to themselves', ({ role = '' }) => role, {}],
    ['have the key of the load', ({ role = '' }) => role, { twin: 'load', quota: 'load' }],
    ['have the key of the bystander', ({ role = '' }) => role, { twin: 'bystander', quota: 'bystander' }],
    ['share a limit', ({ role = '' }) => (role === 'twin' || role === 'quota' ? 'account' : role), {}],
  ];
  it.each(rowsOf(restingKeys, ([sentence]) => sentence === 'have the key of the load'))(
    'accuses of nothing where the keys that rest %s',
    async (_, counterOf, sameKeys = {}) => {
      const { service } = telling(counterOf);
      const profile: ProfileInput = { limit_endpoints: 'together' };
      const { sample } = await playStudy({ service, profile, sameKeys, ...amongOthers });
      const results = await withHistory(sample, renderedRateLimit);
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );

  it.each<[string, ServiceTraits]>(
    rowsOf(
      [
        ['for each key', {}],
        ['for all keys together', { countedBy: () => 'all' }],
      ],
      () => false,
    ),
  )(
    'names a bucket of one request each 60 ms %s, as nginx without burst keeps one, and does not guess whose it is',
    async (_, traits) => {
      const { sample } = await playStudy({
        service: virtualService({ limiter: () => leakyThousandths(1, 60), ...traits }),
        profile: { rate_limit: '100/6s' },
        // By this seed keys were taken to share the limit, and the bucket was refuted.
        seed: 4,
        study: { kind: 'limits', budgetMs: 60_000 },
      });
      const results = await withHistory(sample, renderedRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({
        verdict: 'inconclusive',
        observed: { per_key: null },
      });
      const algorithm = results.find(({ id }) => id === 'rate-limit.algorithm');
      // To a millisecond: the limiter counts whole ones.
      const size = { limit: 1, windowMs: expect.closeTo(60, -0.3) as unknown };
      expect(algorithm?.reasons).toEqual(saying(['algorithm-found', { name: 'token bucket', ...size }]));
    },
  );

  it('blames a bucket of one request per 60 ms for rejections below 100 per 6 s, and not the other key', async () => {
    const { sample } = await playStudy({
      service: virtualService({ limiter: () => leakyThousandths(1, 60) }),
      profile: { ...promised, rate_limit: '100/6s' },
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, renderedRateLimit);
    const isolation = results.find(({ id }) => id === 'rate-limit.isolation');
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
    const failed = results.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['rate-limit.enforced', 'rate-limit.wrongful']),
    );
    const [cause] = diagnose(results).causes;
    expect(cause?.cause).toEqual({
      code: 'rate-differs',
      params: { limit: 1, windowMs: expect.closeTo(60, -1), promised: 100, promisedMs: 6_000 },
    });
    expect(cause?.checks).toEqual(expect.arrayContaining(failed.map(({ id }) => id)));
  });

  it('blames a window extended by rejections for its rejections', async () => {
    const { sample } = await playStudy({
      service: serviceBehind('extended by rejections', 100, 6_000, { status: 429 }),
      profile: { ...promised, rate_limit: '100/6s' },
      isForeign: true,
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, renderedRateLimit);
    const explained = results.filter(
      ({ id, verdict }) => verdict === 'fail' && /\.(enforced|wrongful|recovery)$/.test(id),
    );
    expect(explained.map(({ id }) => id)).toContain('rate-limit.wrongful');
    for (const { reasons = [] } of explained)
      expect(reasons.slice(-2)).toEqual([
        {
          code: 'study-finds',
          params: {
            limiter: 'window extended by rejections',
            size: { limit: 100, windowMs: 6_000, refillPerS: null },
            confidence: null,
          },
        },
        { code: 'study-finds-restarts', params: {} },
      ]);
  });

  const queues: readonly [string, ProfileInput, Readonly<Record<string, string>>][] = [
    ['of the promised size keeps the promise', {}, { algorithm: 'pass', limit: 'pass', window: 'pass' }],
    [
      'of another size is doubtful, since the arrival of a request that waits is assumed',
      { rate_limit: '120/6s' },
      { algorithm: 'pass', limit: 'inconclusive', window: 'pass' },
    ],
    [
      'is no token bucket, if one is promised, and may be a slow service',
      { limiter: 'token-bucket' },
      { algorithm: 'inconclusive' },
    ],
  ];
  // What promises no size keeps the promise all the same.
  it.each(rowsOf(queues, ([sentence]) => sentence.startsWith('is no token bucket')))(
    'a queue that rejects when full, %s',
    async (_, profile, expected) => {
      const { sample } = await playStudy({
        service: serviceBehind('queue with little room', 100, 6_000),
        profile: { rate_limit: '100/6s', ...profile },
        isForeign: true,
        study: { kind: 'limits', budgetMs: 60_000 },
      });
      const found = verdicts(await withHistory(sample, renderedRateLimit));
      for (const [name, verdict] of Object.entries(expected))
        expect(found[`rate-limit.${name}`], name).toBe(verdict);
      expect(Object.values(found)).not.toContain('fail');
    },
  );

  it.runIf(isLong)(
    'spends a budget of eight windows on probes before it spends it on advised waits',
    async () => {
      const refusal = { status: 429, headers: { 'retry-after': '5' } };
      const { sample } = await playStudy({
        service: serviceBehind('sliding counter', 100, 6_000, refusal),
        profile: { rate_limit: '100/6s' },
        isForeign: true,
        study: { kind: 'limits', budgetMs: 48_000 },
      });
      const results = await withHistory(sample, renderedRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')?.reasons).toEqual(
        saying(['algorithm-found', { name: 'sliding counter' }]),
      );
    },
  );

  // 503 is among what a longer study tells, below.
  it.each(rowsOf([503, 403], (status) => status === 403))(
    'finds within three and a half windows, too few for any probe, that rejections have %i instead of 429',
    async (status) => {
      const { sample } = await playStudy({
        service: virtualService({ limiter: () => slidingLog(40, 4_000), refusal: { status } }),
        profile: { ...promised, limiter: 'sliding-log' },
        study: { kind: 'limits', budgetMs: 14_000 },
      });
      const results = await withHistory(sample, renderedRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.enforced')).toMatchObject({
        verdict: 'fail',
        reasons: [{ code: 'enforced-other-status', params: { stream: { key: 'load' }, status } }],
      });
      expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
        'rate-limit.enforced',
      ]);
    },
  );

  it('spends a budget too short for any probe on one advised wait', async () => {
    const { sample } = await playStudy({
      service: serviceBehind('sliding log', 40, 4_000, { status: 429, headers: { 'retry-after': '4' } }),
      profile: promised,
      study: { kind: 'limits', budgetMs: 14_000 },
    });
    const results = await withHistory(sample, renderedRateLimit);
    // One wait may have been right by luck; the others are held against every limiter that is still possible.
    expect(results.find(({ id }) => id === 'rate-limit.retry-after')).toMatchObject({
      verdict: 'pass',
      observed: {
        'Retry-After': { values: 106, with_fitted_limiter: { values: 106, too_low: 0 } },
        waits: { waited: { admitted: 1, rejected: 0 } },
      },
    });
    expect(verdicts(results)).toMatchObject({ 'rate-limit.enforced': 'pass', 'rate-limit.recovery': 'pass' });
  });

  it('sends a probe on the other key while the first rests, with a budget too short for any other', async () => {
    const { sample } = await playStudy({
      service: virtualService({ limiter: () => tokenBucket(40, 4_000) }),
      profile: promised,
      study: { kind: 'limits', budgetMs: 14_000 },
    });
    const probing = (sample.requests ?? []).filter(({ phase = '' }) => phase.startsWith('limits: probe'));
    expect(new Set(probing.map(({ credential }) => credential))).toEqual(new Set(['bystander']));
    const results = await withHistory(sample, renderedRateLimit);
    const found = results.find(({ id }) => id === 'rate-limit.algorithm');
    expect(found?.reasons).toEqual(
      saying(['algorithm-found', { name: 'token bucket', limit: 40, windowMs: 4_000 }]),
    );
  });

  const pieces: readonly [string, () => ReturnType<typeof slidingLog>, string][] = [
    ['a window that moves on by tenths', () => inPieces(40, 4_000, 10), 'sliding window (moves in steps)'],
    ['a window that moves on by quarters', () => inPieces(40, 4_000, 4), 'sliding window (moves in steps)'],
    [
      'a refill every half second',
      () => withIntervalRefill(40, 4_000, 500),
      'token bucket refilled every 0.5 s',
    ],
    [
      'a refill every two seconds',
      () => withIntervalRefill(40, 4_000, 2_000),
      'token bucket refilled every 2 s',
    ],
  ];
  it.each(rowsOf(pieces, ([sentence]) => /quarters|half a second/.test(sentence)))(
    'tells %s from a breach, where no kind is promised',
    async (_, limiter, name) => {
      const results = await study({ limiter });
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')).toMatchObject({
        verdict: 'pass',
        reasons: saying(['algorithm-found', { name, limit: 40 }]),
      });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );

  const prolonged: readonly [string, () => ReturnType<typeof slidingLog>, string][] = [
    [
      'a block that outlasts its window',
      () => prolongedByRefusals(40, 4_000, 6_000),
      'window (blocked after its first rejection)',
    ],
    [
      'a window that rejections prolong',
      () => prolongedByRefusals(40, 4_000),
      'window extended by rejections',
    ],
  ];
  // A window extended by rejections is found by two of the studies above, too.
  it.each(rowsOf(prolonged, ([sentence]) => sentence.startsWith('a block')))(
    'measures the window of %s, which its load does not show',
    async (_, limiter, name) => {
      const results = await study({ limiter });
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')).toMatchObject({
        reasons: saying(['algorithm-found', { name, limit: 40, windowMs: 4_000 }]),
      });
    },
  );

  const wrongs: readonly [string, ServiceTraits, string, Saying, cause: string][] = [
    [
      'a limit one lower',
      { limiter: () => slidingLog(39, 4_000) },
      'rate-limit.limit',
      ['size-differs', { what: 'limit', bounds: { min: 39, max: 39 }, promised: 40 }],
      'limit-differs',
    ],
    [
      'a limit one higher',
      { limiter: () => slidingLog(41, 4_000) },
      'rate-limit.limit',
      ['size-differs', { what: 'limit', bounds: { min: 41, max: 41 }, promised: 40 }],
      'limit-differs',
    ],
    [
      'another window',
      { limiter: () => slidingLog(40, 5_000) },
      'rate-limit.window',
      ['size-differs', { what: 'window', promised: 4_000 }],
      'window-differs',
    ],
    [
      'one limit for all keys',
      { countedBy: () => 'all' },
      'rate-limit.scope',
      ['scope-keys-shared', { isWrong: true }],
      'limit-shared-by-keys',
    ],
    [
      'a limit by address',
      { countedBy: ({ elsewhere }) => (elsewhere ? 'b' : 'a') },
      'rate-limit.scope',
      ['scope-address-separate', { isWrong: true }],
      'limit-by-address',
    ],
    [
      'a new limit for each X-Forwarded-For',
      { countedBy: ({ role, forwardedFor }) => `${role} ${forwardedFor}` },
      'rate-limit.scope',
      ['scope-forwarded-trusted'],
      'forwarded-address-trusted',
    ],
    [
      'a new limit for each Forwarded',
      { countedBy: ({ role, forwarded }) => `${role} ${forwarded}` },
      'rate-limit.scope',
      ['scope-forwarded-trusted'],
      'forwarded-address-trusted',
    ],
    [
      'a path with a slash at its end that is not limited',
      { countedBy: ({ role, path, atMs }) => (path.includes('/shades/') ? `${role} ${atMs}` : `${role}`) },
      'rate-limit.scope',
      ['scope-spelling-separate'],
      'limit-by-spelling',
    ],
    [
      'a counter of each connection',
      { countedBy: ({ role, isNew, atMs }) => (isNew ? `${role} ${atMs}` : `${role}`) },
      'rate-limit.scope',
      ['scope-connection-separate', { passed: 8, refused: 0 }],
      'limit-by-connection',
    ],
    [
      'nodes that get connections in turn',
      { countedBy: nodesByConnection(3) },
      'rate-limit.scope',
      ['scope-connection-separate', { passed: 6, refused: 2 }],
      'limit-by-connection',
    ],
    [
      'an endpoint without a limit',
      { countedBy: ({ role, path, atMs }) => (path.includes('/analytics/') ? `${role} ${atMs}` : `${role}`) },
      'rate-limit.scope',
      ['scope-endpoints-apart', { apart: ['analytics'] }],
      'endpoint-not-limited',
    ],
    [
      '503 in place of 429',
      { refusal: { status: 503 } },
      'rate-limit.algorithm',
      ['algorithm-status', { status: 503 }],
      'rejection-status-wrong',
    ],
    [
      'no limit',
      { limiter: () => () => true },
      'rate-limit.algorithm',
      ['algorithm-none', { isOver: true }],
      'limit-not-enforced',
    ],
    [
      'two nodes that count by themselves',
      { countedBy: inTurns(2) },
      'rate-limit.limit',
      ['size-of-nodes', { nodes: 2 }],
      'counters-per-node',
    ],
    [
      'imports that count twice',
      { weight: ({ method, path }) => (method === 'POST' && path.endsWith('/shades') ? 2 : 1) },
      'rate-limit.scope',
      ['scope-requests-uneven', { limit: 40 }],
      'requests-count-unevenly',
    ],
    [
      'a limit that shrinks by a sixth in a minute',
      { limiter: () => slidingLog(40, 4_000, -1 / 360) },
      'rate-limit.limit',
      ['size-drifts', { isShrinking: true }],
      'limit-drifts',
    ],
    [
      'analytics queries that are rejected at the limit, and never count',
      { weight: ({ path }) => (path.includes('/analytics/') ? 0 : 1) },
      'rate-limit.scope',
      ['scope-requests-uneven', { limit: 40 }],
      'requests-count-unevenly',
    ],
    [
      'a key that is locked out for ever',
      { limiter: () => lockingOut(40, 4_000, 50) },
      'rate-limit.recovery',
      ['recovery-rejected'],
      'key-stays-refused',
    ],
    [
      'requests that wait past their time-out',
      { queuePerS: 4 },
      'rate-limit.algorithm',
      ['algorithm-queue'],
      'requests-queued',
    ],
    [
      'rejected sessions stored',
      { storesRefused: true },
      'rate-limit.no-side-effect',
      ['stored'],
      'rejections-have-effects',
    ],
  ];
  // One higher has the cause of one lower. Nodes, drifts and locked keys take studies of many seconds.
  it.each(
    rowsOf(
      wrongs,
      ([sentence]) =>
        !/one higher$|never count$|^two nodes|^nodes that|Forwarded$|shrinks|^a key that is locked|^503|slash at its end|^one limit for all|^another window|count twice$/.test(
          sentence,
        ),
    ),
  )('tells %s', async (_, traits, id, said, cause) => {
    const results = await study(traits);
    expect(causes(results)).toEqual([cause]);
    expect(results.find((each) => each.id === id)).toMatchObject({
      verdict: 'fail',
      reasons: saying(said),
    });
  });

  const afterSetUp: readonly [string, ServiceTraits, string][] = [
    ['requests that wait', { queuePerS: 4 }, 'requests-queued'],
    ['no limit', { limiter: () => () => true }, 'limit-not-enforced'],
  ];
  it.each(rowsOf(afterSetUp, ([sentence]) => sentence === 'requests that wait'))(
    'tells %s after a set-up of many requests to other endpoints',
    async (_, traits, cause) => {
      const { sample } = await playStudy({
        service: virtualService(traits),
        profile: promised,
        study: { kind: 'limits', budgetMs: 60_000 },
      });
      const { requests = [] } = sample;
      const setUp = Array.from({ length: Math.ceil(requests.length / 10) }, (__, k) => ({
        endpoint: 'create-session' as const,
        seq: requests.length + k + 1,
        sentNs: (k + 1) * 1e5,
        answeredNs: (k + 3) * 1e5,
      }));
      const results = await withHistory({ ...sample, requests: [...setUp, ...requests] }, renderedRateLimit);
      expect(causes(results)).toEqual([cause]);
    },
  );

  const scopes: readonly [string, NonNullable<ServiceTraits['countedBy']>, object][] = [
    ['one limit for all keys', () => 'all', { per_key: false }],
    [
      'a limit for each endpoint',
      ({ role, path, method }) => `${role} ${method} ${path.split('/')[1]?.split('?')[0]}`,
      { per_endpoint: true },
    ],
  ];
  it.each(rowsOf(scopes, (_, place) => place === 0))(
    'reports %s, and accuses nobody, where no scope is promised',
    async (_, countedBy, observed) => {
      const results = await study({ countedBy }, {});
      expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({ observed });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );

  it.each(rowsOf([1, 5], () => false))(
    'accuses no target and concludes nothing if the profile says that requests like one in %i are delivered twice',
    async (oneIn) => {
      const judged = async (profile: ProfileInput): Promise<readonly CheckResult[]> => {
        const { sample } = await playStudy({
          service: redelivering(virtualService(), oneIn),
          profile,
          study: { kind: 'limits', budgetMs: 60_000 },
        });
        return withHistory(sample, renderedRateLimit);
      };
      const results = await judged({ ...promised, redeliveries: 1 });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(verdicts(results)).toMatchObject({
        'rate-limit.algorithm': 'inconclusive',
        'rate-limit.limit': 'inconclusive',
        'rate-limit.window': 'inconclusive',
      });
      expect((await judged(promised)).map(({ verdict }) => verdict)).toContain('fail');
    },
  );

  const held = [
    ['held against the target by one who has the keys to himself', {}, 'fail'],
    ['reported as such where others may use the keys', { shared_keys: true }, 'inconclusive'],
  ] as const;
  it.each(rowsOf(held, () => false))('unexplained consumption is %s', async (_, more, verdict) => {
    const strangersAtMs = Array.from({ length: 4_000 }, (_, k) => k * 40 * (1 + 0.9 * Math.sin(k)));
    const { sample } = await playStudy({
      service: virtualService({ strangersAtMs: strangersAtMs.toSorted((a, b) => a - b) }),
      profile: { ...promised, ...more },
      isForeign: true,
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, renderedRateLimit);
    expect(results.find(({ id }) => id === 'rate-limit.wrongful')).toMatchObject({ verdict });
    expect(results.filter((each) => each.id === 'rate-limit.others').map((each) => each.verdict)).toEqual(
      verdict === 'fail' ? [] : ['inconclusive'],
    );
    expect(causes(results)).toEqual(verdict === 'fail' ? ['other-users-of-key'] : []);
    if (verdict === 'inconclusive') expect(results.filter((each) => each.verdict === 'fail')).toEqual([]);
  });

  const interactionRows: readonly [
    NonNullable<ServiceTraits['interactions']>,
    boolean | 'discover',
    string,
    Saying,
  ][] = [
    ['counted', 'discover', 'pass', ['scope-interactions-shared', { isWrong: false }]],
    ['counted', true, 'pass', ['scope-interactions-shared', { isWrong: false }]],
    ['counted', false, 'fail', ['scope-interactions-shared', { isWrong: true }]],
    ['free', 'discover', 'pass', ['scope-interactions-separate', { isWrong: false }]],
    ['free', true, 'fail', ['scope-interactions-separate', { isWrong: true }]],
  ];
  it.each(rowsOf(interactionRows, ([, told]) => told === false))(
    'tells that interactions are %s where the profile says %s',
    async (interactions, told, verdict, said) => {
      const { sample } = await playStudy({
        service: virtualService({ interactions }),
        profile: { ...promised, channel: { counts_against_rate_limit: told } },
        study: { kind: 'limits', budgetMs: 20_000 },
      });
      const { profile, results } = await withHistory(sample, async (history) => ({
        results: await renderedRateLimit(history),
        profile: (await foundProfile(history)).profile,
      }));
      expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({
        verdict,
        reasons: saying(said),
      });
      expect(results.filter((each) => each.verdict === 'fail' && each.id !== 'rate-limit.scope')).toEqual([]);
      expect(causes(results)).toEqual(verdict === 'fail' ? ['profile-false'] : []);
      expect(profile.channel).toEqual({
        counts_against_rate_limit: told === 'discover' ? interactions === 'counted' : told,
      });
    },
  );

  const toldWrong: readonly [string, ProfileInput, string, object][] = [
    [
      'another limit',
      { rate_limit: '44/4s' },
      'limit-differs',
      { least: 40, most: 40, promised: 44, windowMs: 4_000 },
    ],
    ['another limit and window', { rate_limit: '20/2s' }, 'rate-differs', { limit: 40, promised: 20 }],
    ['another algorithm', { limiter: 'fixed-window' }, 'algorithm-differs', { promised: 'fixed-window' }],
    [
      'one limit for all keys',
      { limit_scope: 'shared' },
      'profile-false',
      { field: 'limit_scope', told: 'shared', found: 'per-key' },
    ],
    [
      'a limit for each endpoint',
      { limit_endpoints: 'apart' },
      'profile-false',
      { field: 'limit_endpoints', told: 'apart', found: 'together' },
    ],
  ];
  // Each cause once: the other rows differ in the field alone; a limit one lower is above.
  it.each(rowsOf(toldWrong, ([sentence]) => !/limit and window|each endpoint|another limit$/.test(sentence)))(
    'names what the profile says wrongly of an honest service: %s',
    async (_, told, cause, params) => {
      const results = await study({ limiter: () => slidingLog(40, 4_000) }, { ...promised, ...told });
      const found = diagnose(results).causes;
      expect(found.map((each) => each.cause.code)).toEqual([cause]);
      expect(found[0]?.cause.params).toMatchObject(params);
    },
  );
});
