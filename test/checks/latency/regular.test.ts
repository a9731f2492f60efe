import { describe, expect, it } from 'vitest';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { checkRegular } from '../../../src/checks/latency/regular.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { Slo } from '../../../src/history/run.ts';
import { randomStream } from '../../../src/random.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const slo: Slo = { endpoint: '*', percentile: 99, max_ms: 1_000 };
/** The n-th of requests at 20 a second. */
type Load = (n: number) => Partial<SampleRequest> & { readonly tookMs?: number };

const gapMs = 50;

function judged(count: number, load: Load, bounds: readonly Slo[] = [slo]): Promise<CheckFinding[]> {
  const requests = Array.from({ length: count }, (_, n): SampleRequest => {
    const { tookMs = 5, ...request } = load(n);
    const atNs = n * gapMs * 1e6;
    return {
      endpoint: 'list-shades',
      intendedNs: atNs,
      readyNs: atNs,
      sentNs: atNs,
      answeredNs: atNs + tookMs * 1e6,
      ...request,
    };
  });
  return withHistory({ run: { slo: [...bounds] }, requests }, checkRegular);
}

const slow = { tookMs: 2_000 };
const nth = (every: number) => (n: number) => n % every === every - 1;
const random = randomStream(3, 'slow ones');
const atRandom = new Set(Array.from({ length: 15 }, () => Math.floor(random() * 1_500)));
const hundredth = nth(100);

const periodic = (params: object): object => ({
  code: 'latency-periodic',
  params: expect.objectContaining(params),
});
const notPeriodic = (params: object): object => ({
  code: 'latency-not-periodic',
  params: expect.objectContaining(params),
});

describe('a target that', () => {
  it.each<[string, number, Load, Verdict, Reason | object]>([
    [
      'answers at once passes',
      200,
      () => ({}),
      'pass',
      reason('latency-not-periodic', { slow: 0, answers: 200 }),
    ],
    [
      'holds up every hundredth request fails',
      1_200,
      (n) => (hundredth(n) ? slow : {}),
      'fail',
      periodic({
        every: 100,
        of: 'accepted request that is not an event',
        medianMs: 2_000,
        hits: 11,
        events: 11,
      }),
    ],
    [
      'holds up every hundredth request of one endpoint fails, whatever comes between',
      2_000,
      (n) => ({
        ...(n % 2 === 0 && Math.floor(n / 2) % 100 === 7 ? slow : {}),
        endpoint: n % 2 === 0 || n % 7 === 3 ? 'list-shades' : 'analytics',
        ...(n % 2 === 1 && n % 7 === 3 ? { endpoint: 'read-session' } : {}),
      }),
      'fail',
      periodic({ every: expect.toBeOneOf([100, 200]) }),
    ],
    [
      'holds up every hundredth request that the limiter lets in fails',
      2_400,
      (n) => (n % 2 === 0 ? (hundredth(n / 2) ? slow : {}) : { status: 429 }),
      'fail',
      periodic({ every: expect.toBeOneOf([100, 200]) }),
    ],
    [
      'holds up as many at random passes',
      1_500,
      (n) => (atRandom.has(n) ? slow : {}),
      'pass',
      notPeriodic({ answers: 1_500 }),
    ],
    [
      'takes long for every hundredth request, and not longer than it may, passes',
      1_200,
      (n) => (hundredth(n) ? { tookMs: 990 } : {}),
      'pass',
      reason('latency-not-periodic', { slow: 0, answers: 1_200 }),
    ],
    [
      'or whose machine stands still now and then passes, however regularly',
      1_200,
      // For 2 s from every hundredth request on, nothing is answered.
      (n) => (n % 100 < 40 ? { tookMs: 2_000 - (n % 100) * gapMs } : {}),
      'pass',
      notPeriodic({ answers: 1_200 }),
    ],
    [
      'holds up every hundredth of a few passes: that shows nothing yet',
      500,
      (n) => (hundredth(n) ? slow : {}),
      'pass',
      reason('latency-not-periodic', { slow: 5, answers: 500 }),
    ],
    [
      'answers nothing is not judged',
      5,
      () => ({ status: 429 }),
      'inconclusive',
      reason('latency-no-answer'),
    ],
  ])('%s', async (_, count, load, verdict, why) => {
    const [result] = await judged(count, load);
    expect(result?.reasons).toEqual([why]);
    expect(result?.verdict).toBe(verdict);
    expect(result?.causes?.map(({ cause }) => cause.code)).toEqual(
      verdict === 'fail' ? ['periodically-slow'] : undefined,
    );
  });

  it.each<[string, number, Slo[], Verdict | undefined, ...(readonly object[])]>([
    ['every 50th to a bound at p98', 50, [{ ...slo, percentile: 98 }], 'fail', periodic({ every: 50 })],
    [
      'every 100th to a bound at p98 only with a doubt',
      100,
      [{ ...slo, percentile: 98 }],
      'inconclusive',
      periodic({ every: 100 }),
      reason('latency-periodic-allowed'),
    ],
    [
      'every 100th to the tighter of two bounds, if that is broken',
      100,
      [
        { ...slo, percentile: 95, max_ms: 100 },
        { ...slo, percentile: 99.9 },
      ],
      'fail',
      periodic({ every: 100 }),
    ],
    ['every 20th to a median not at all', 20, [{ ...slo, percentile: 50, max_ms: 1 }], undefined],
  ])('is held for %s', async (_, every, bounds, verdict, ...reasons) => {
    const slowEvery = nth(every);
    const [result] = await judged(2_400, (n) => (slowEvery(n) ? slow : {}), bounds);
    expect(result?.verdict).toBe(verdict);
    expect(result?.reasons ?? []).toEqual(reasons);
  });

  it('is held to the bounds of the endpoint and the phase', async () => {
    const load: Load = (n) => ({ phase: n < 1_200 ? 'quiet' : 'busy', ...(hundredth(n) ? slow : {}) });
    const [busy] = await judged(1_200, load, [{ ...slo, phase: 'busy' }]);
    expect(busy?.verdict).toBe('inconclusive');
    const [other] = await judged(1_200, load, [
      { ...slo, endpoint: 'analytics' },
      { ...slo, max_ms: 5_000 },
    ]);
    expect(other?.verdict).toBe('pass');
    const [both] = await judged(1_200, load, [
      { ...slo, phase: 'quiet' },
      { ...slo, max_ms: 5_000 },
    ]);
    expect(both?.verdict).toBe('fail');
  });

  it('is not spoken of where nothing bounds it', async () => {
    expect(await judged(10, () => slow, [])).toEqual([]);
  });
});
