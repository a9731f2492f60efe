import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { foundProfile } from '../../../src/checks/found-profile.ts';
import { checkRateLimit } from '../../../src/checks/rate-limit.ts';
import type { CheckResult } from '../../../src/checks/verdict.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { withHistory } from '../../history/sample.ts';
import { leakyThousandths } from '../../limits/services.ts';
import {
  fixedWindow,
  inLumps,
  inPieces,
  inTurns,
  lockingOut,
  prolongedByRefusals,
  redelivering,
  type ServiceTraits,
  serviceBehind,
  slidingLog,
  tokenBucket,
  virtualService,
} from './services.ts';
import { playStudy } from './world.ts';

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
  return withHistory(sample, checkRateLimit);
}

/** Probable causes, by their codes. */
function causes(results: readonly CheckResult[]): string[] {
  return diagnose(results).causes.map(({ cause }) => cause.code);
}

function verdicts(results: readonly CheckResult[]): Record<string, string> {
  return Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]));
}

describe('a study of the limiter', () => {
  it.each([
    ['a sliding log', () => slidingLog(40, 4_000), /sliding window of 40 per 4 s/],
    ['a window opened by its first request', () => fixedWindow(40, 4_000), /fixed window.* of 40 per 4 s/],
    ['a token bucket', () => tokenBucket(40, 4_000), /token bucket of 40/],
  ])('finds out %s of the promised size, and accuses it of nothing', async (_, limiter, words) => {
    const results = await study({ limiter });
    const algorithm = results.find(({ id }) => id === 'rate-limit.algorithm');
    expect(algorithm).toMatchObject({ verdict: 'pass', explanation: expect.stringMatching(words) });
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(verdicts(results)).toMatchObject({
      'rate-limit.limit': 'pass',
      'rate-limit.window': 'pass',
      'rate-limit.scope': 'pass',
      'rate-limit.order': 'pass',
    });
  });

  it.each<[string, ServiceTraits]>(
    rowsOf(
      [
        ['for each key', {}],
        ['for all keys together', { countedBy: () => 'all' }],
      ],
      ([sentence]) => sentence === 'for each key',
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
      const results = await withHistory(sample, checkRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({
        verdict: 'inconclusive',
        observed: { per_key: null },
      });
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')?.explanation).toMatch(
        /^It is a token bucket of 1 per 6\d(\.\d+)? ms/,
      );
    },
  );

  it('blames a bucket of one request each 60 ms for what it refuses below 100 per 6 s, and not the other key', async () => {
    const { sample } = await playStudy({
      service: virtualService({ limiter: () => leakyThousandths(1, 60) }),
      profile: { ...promised, rate_limit: '100/6s' },
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, checkRateLimit);
    const isolation = results.find(({ id }) => id === 'rate-limit.isolation');
    expect(isolation?.observed).not.toMatchObject({ limited_on_bystander: 0 });
    expect(isolation).toMatchObject({
      verdict: expect.stringMatching(/^(pass|inconclusive)$/),
      explanation: expect.stringMatching(
        /^The bystander was refused .*own requests came closer together than it admits/,
      ),
    });
    const failed = results.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['rate-limit.enforced', 'rate-limit.wrongful']),
    );
    for (const { id, explanation } of failed)
      if (/enforced|wrongful|recovery/.test(id))
        expect(explanation).toMatch(
          /Probable cause \(.*rate-limit\.algorithm\): the limiter admits 1 request every 6\d(\.\d+)? ms and no burst\.$/,
        );
  });

  it('blames a window extended by rejections for what it refuses', async () => {
    const { sample } = await playStudy({
      service: serviceBehind('extended by refusals', 100, 6_000, { status: 429 }),
      profile: { ...promised, rate_limit: '100/6s' },
      isForeign: true,
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, checkRateLimit);
    const explained = results.filter(
      ({ id, verdict }) => verdict === 'fail' && /\.(enforced|wrongful|recovery)$/.test(id),
    );
    expect(explained.map(({ id }) => id)).toContain('rate-limit.wrongful');
    for (const { explanation } of explained)
      expect(explanation).toMatch(
        /Probable cause \(rate-limit\.algorithm\): the limiter is a window extended by rejections of 100 per 6 s, which each rejection restarts\.$/,
      );
  });

  const servers: readonly [string, string, number, RegExp, Readonly<Record<string, string>>?][] = [
    ['nginx with delay', 'queue with little room', 1, /a queue that refuses when it is full/],
    [
      'HAProxy with the denial after the tracking',
      'sliding counter, opened by a request, refused count',
      1,
      /^It is a sliding counter whose windows a request opens, and that counts refused requests too/,
    ],
    [
      '@fastify/rate-limit with continueExceeding',
      'extended by refusals',
      1,
      /^It is a window extended by rejections of 100/,
    ],
    [
      '@fastify/rate-limit with continueExceeding, whose waits take two windows,',
      'extended by refusals',
      1,
      /^It is a window extended by rejections of 100/,
      { 'retry-after': '6' },
    ],
  ];
  // Waits that advise two windows are the harder case of the same limiter.
  it.each(rowsOf(servers, ([sentence]) => !sentence.endsWith('continueExceeding')))(
    'tells what %s does within ten windows',
    async (_, name, seed, words, headers = {}) => {
      const { sample } = await playStudy({
        service: serviceBehind(name, 100, 6_000, { status: 429, headers }),
        profile: { rate_limit: '100/6s' },
        isForeign: true,
        seed,
        study: { kind: 'limits', budgetMs: 60_000 },
      });
      const results = await withHistory(sample, checkRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')?.explanation).toMatch(words);
    },
  );

  it('spends a budget of eight windows on probes before it spends it on waits that refusals advise', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '5' } };
    const { sample } = await playStudy({
      service: serviceBehind('sliding counter', 100, 6_000, refusal),
      profile: { rate_limit: '100/6s' },
      isForeign: true,
      study: { kind: 'limits', budgetMs: 48_000 },
    });
    const results = await withHistory(sample, checkRateLimit);
    expect(results.find(({ id }) => id === 'rate-limit.algorithm')?.explanation).toMatch(
      /^It is a sliding counter of/,
    );
  });

  // 503 is among what a longer study tells, below.
  it.each(rowsOf([503, 403], (status) => status === 403))(
    'tells within three and a half windows, too few for any probe, that refusals come with %i in place of 429',
    async (status) => {
      const { sample } = await playStudy({
        service: virtualService({ limiter: () => slidingLog(40, 4_000), refusal: { status } }),
        profile: { ...promised, limiter: 'sliding-log' },
        study: { kind: 'limits', budgetMs: 14_000 },
      });
      const results = await withHistory(sample, checkRateLimit);
      expect(results.find(({ id }) => id === 'rate-limit.enforced')).toMatchObject({
        verdict: 'fail',
        explanation: expect.stringContaining(`load was refused with ${status} instead of 429`),
      });
      expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
        'rate-limit.enforced',
      ]);
    },
  );

  it('spends a budget too short for any probe on the wait that a refusal advises', async () => {
    const { sample } = await playStudy({
      service: serviceBehind('sliding log', 40, 4_000, { status: 429, headers: { 'retry-after': '4' } }),
      profile: promised,
      study: { kind: 'limits', budgetMs: 14_000 },
    });
    const results = await withHistory(sample, checkRateLimit);
    expect(results.find(({ id }) => id === 'rate-limit.retry-after')).toMatchObject({ verdict: 'pass' });
    expect(verdicts(results)).toMatchObject({ 'rate-limit.enforced': 'pass', 'rate-limit.recovery': 'pass' });
  });

  const pieces: readonly [string, () => ReturnType<typeof slidingLog>, RegExp][] = [
    [
      'a window that moves on by tenths',
      () => inPieces(40, 4_000, 10),
      /sliding window that moves on by pieces of 40/,
    ],
    [
      'a window that moves on by quarters',
      () => inPieces(40, 4_000, 4),
      /sliding window that moves on by pieces of 40/,
    ],
    ['lumps of half a second', () => inLumps(40, 4_000, 500), /token bucket refilled every 0.5 s of 40/],
    ['lumps of two seconds', () => inLumps(40, 4_000, 2_000), /token bucket refilled every 2 s of 40/],
  ];
  it.each(rowsOf(pieces, ([sentence]) => /quarters|half a second/.test(sentence)))(
    'tells %s from a breach, where no kind is promised',
    async (_, limiter, words) => {
      const results = await study({ limiter });
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')).toMatchObject({
        verdict: 'pass',
        explanation: expect.stringMatching(words),
      });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );

  const prolonged: readonly [string, () => ReturnType<typeof slidingLog>, RegExp][] = [
    [
      'a block that outlasts its window',
      () => prolongedByRefusals(40, 4_000, 6_000),
      /block for a time of 40 per 4 s/,
    ],
    [
      'a window that refusals prolong',
      () => prolongedByRefusals(40, 4_000),
      /window extended by rejections of 40 per 4 s/,
    ],
  ];
  // A window extended by rejections is found by two of the studies above, too.
  it.each(rowsOf(prolonged, ([sentence]) => sentence.startsWith('a block')))(
    'measures the window of %s, which its load does not show',
    async (_, limiter, words) => {
      const results = await study({ limiter });
      expect(results.find(({ id }) => id === 'rate-limit.algorithm')).toMatchObject({
        explanation: expect.stringMatching(words),
      });
    },
  );

  const wrongs: readonly [string, ServiceTraits, string, RegExp, cause: string][] = [
    [
      'a limit one lower',
      { limiter: () => slidingLog(39, 4_000) },
      'rate-limit.limit',
      /39.*40 is promised/,
      'limit-differs',
    ],
    [
      'a limit one higher',
      { limiter: () => slidingLog(41, 4_000) },
      'rate-limit.limit',
      /41.*40 is promised/,
      'limit-differs',
    ],
    [
      'another window',
      { limiter: () => slidingLog(40, 5_000) },
      'rate-limit.window',
      /ms, and 4,000 ms is promised/,
      'window-differs',
    ],
    [
      'one limit for all keys',
      { countedBy: () => 'all' },
      'rate-limit.scope',
      /Another key is refused/,
      'limit-shared-by-keys',
    ],
    [
      'a limit by address',
      { countedBy: ({ elsewhere }) => (elsewhere ? 'b' : 'a') },
      'rate-limit.scope',
      /from another address/,
      'limit-by-address',
    ],
    [
      'a new limit for whoever writes X-Forwarded-For',
      { countedBy: ({ role, forwardedFor }) => `${role} ${forwardedFor}` },
      'rate-limit.scope',
      /X-Forwarded-For gives the key a new limit/,
      'forwarded-address-trusted',
    ],
    [
      'an endpoint without a limit',
      { countedBy: ({ role, path, atMs }) => (path.includes('/analytics/') ? `${role} ${atMs}` : `${role}`) },
      'rate-limit.scope',
      /analytics passes while list-shades is at its limit/,
      'endpoint-not-limited',
    ],
    [
      '503 in place of 429',
      { refusal: { status: 503 } },
      'rate-limit.algorithm',
      /503 in place of 429/,
      'rejection-status-wrong',
    ],
    [
      'no limit',
      { limiter: () => () => true },
      'rate-limit.algorithm',
      /No limit was found/,
      'limit-not-enforced',
    ],
    [
      'two nodes that count by themselves',
      { countedBy: inTurns(2) },
      'rate-limit.limit',
      /: 2 times as much, as where several nodes/,
      'counters-per-node',
    ],
    [
      'an endpoint whose requests count twice',
      { weight: ({ path }) => (path.includes('/analytics/') ? 2 : 1) },
      'rate-limit.wrongful',
      /refusals on load/,
      'refused-below-limit',
    ],
    [
      'a key that is locked out for ever',
      { limiter: () => lockingOut(40, 4_000, 50) },
      'rate-limit.recovery',
      /was still refused 3 times when every limiter of 40 per 4 s would have recovered/,
      'key-stays-refused',
    ],
    [
      'requests that wait until nobody waits for them',
      { queuePerS: 4 },
      'rate-limit.algorithm',
      /requests are not refused: they wait/,
      'requests-queued',
    ],
    [
      'refused sessions stored',
      { storesRefused: true },
      'rate-limit.no-side-effect',
      /refused ones were stored/,
      'rejections-have-effects',
    ],
  ];
  // One higher has the cause of one lower.
  it.each(rowsOf(wrongs, ([sentence]) => sentence !== 'a limit one higher'))(
    'tells %s',
    async (_, traits, id, words, cause) => {
      const results = await study(traits);
      expect(causes(results)).toEqual([cause]);
      expect(results.find((each) => each.id === id)).toMatchObject({
        verdict: 'fail',
        explanation: expect.stringMatching(words),
      });
    },
  );

  it.each<[string, NonNullable<ServiceTraits['countedBy']>, object]>([
    ['one limit for all keys', () => 'all', { per_key: false }],
    [
      'a limit for each endpoint',
      ({ role, path, method }) => `${role} ${method} ${path.split('/')[1]?.split('?')[0]}`,
      { per_endpoint: true },
    ],
  ])('reports %s, and accuses nobody, where no scope is promised', async (_, countedBy, observed) => {
    const results = await study({ countedBy }, {});
    expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({ observed });
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

  it.each(rowsOf([1, 5], (oneIn) => oneIn === 5))(
    'accuses nobody, and takes nothing for known, where the profile says that requests like one in %i are delivered twice',
    async (oneIn) => {
      const judged = async (profile: ProfileInput): Promise<readonly CheckResult[]> => {
        const { sample } = await playStudy({
          service: redelivering(virtualService(), oneIn),
          profile,
          study: { kind: 'limits', budgetMs: 60_000 },
        });
        return withHistory(sample, checkRateLimit);
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

  it.each([
    ['held against the target by one who has the keys to himself', {}, 'fail'],
    ['reported as such where others may use the keys', { shared_keys: true }, 'inconclusive'],
  ] as const)('unexplained consumption is %s', async (_, more, verdict) => {
    const strangersAtMs = Array.from({ length: 4_000 }, (_, k) => k * 40 * (1 + 0.9 * Math.sin(k)));
    const { sample } = await playStudy({
      service: virtualService({ strangersAtMs: strangersAtMs.toSorted((a, b) => a - b) }),
      profile: { ...promised, ...more },
      isForeign: true,
      study: { kind: 'limits', budgetMs: 60_000 },
    });
    const results = await withHistory(sample, checkRateLimit);
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
    RegExp,
  ][] = [
    ['counted', 'discover', 'pass', /Interactions are refused .* they spend it\./],
    ['counted', true, 'pass', /they spend it\./],
    ['counted', false, 'fail', /they spend it, and the profile says that they do not\./],
    ['free', 'discover', 'pass', /Interactions pass .* they do not spend it\./],
    ['free', true, 'fail', /they do not spend it, and the profile says that they do\./],
  ];
  it.each(rowsOf(interactionRows, ([, told, verdict]) => told === 'discover' || verdict === 'fail'))(
    'tells that interactions are %s where the profile says %s',
    async (interactions, told, verdict, words) => {
      const { sample } = await playStudy({
        service: virtualService({ interactions }),
        profile: { ...promised, channel: { counts_against_rate_limit: told } },
        study: { kind: 'limits', budgetMs: 20_000 },
      });
      const { profile, results } = await withHistory(sample, async (history) => ({
        results: await checkRateLimit(history),
        profile: (await foundProfile(history)).profile,
      }));
      expect(results.find(({ id }) => id === 'rate-limit.scope')).toMatchObject({
        verdict,
        explanation: expect.stringMatching(words),
      });
      expect(results.filter((each) => each.verdict === 'fail' && each.id !== 'rate-limit.scope')).toEqual([]);
      expect(causes(results)).toEqual(verdict === 'fail' ? ['profile-false'] : []);
      expect(profile.channel).toEqual({
        counts_against_rate_limit: told === 'discover' ? interactions === 'counted' : told,
      });
    },
  );

  it.each<[string, ProfileInput, string, object]>([
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
  ])('names what the profile says wrongly of an honest service: %s', async (_, told, cause, params) => {
    const results = await study({ limiter: () => slidingLog(40, 4_000) }, { ...promised, ...told });
    const found = diagnose(results).causes;
    expect(found.map((each) => each.cause.code)).toEqual([cause]);
    expect(found[0]?.cause.params).toMatchObject(params);
  });

  it('ends within its budget', async () => {
    const { tookMs } = await playStudy({
      service: virtualService({ limiter: () => slidingLog(40, 4_000) }),
      study: { kind: 'limits', budgetMs: 30_000 },
    });
    expect(tookMs).toBeLessThanOrEqual(30_000);
  });
});
