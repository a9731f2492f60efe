import { describe, expect, it } from 'vitest';
import { checkRegular } from '../../../src/checks/latency/regular.ts';
import type { CheckResult, Verdict } from '../../../src/checks/verdict.ts';
import type { Slo } from '../../../src/history/run.ts';
import { randomStream } from '../../../src/random.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const slo: Slo = { endpoint: '*', percentile: 99, max_ms: 1_000 };
/** The n-th of requests at 20 a second. */
type Load = (n: number) => Partial<SampleRequest> & { readonly tookMs?: number };

const gapMs = 50;

function judged(count: number, load: Load, bounds: readonly Slo[] = [slo]): Promise<CheckResult[]> {
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

describe('a target that', () => {
  it.each<[string, number, Load, Verdict, RegExp]>([
    [
      'answers at once passes',
      200,
      () => ({}),
      'pass',
      /^0 of 200 answers took longer than the scenario's bound/,
    ],
    [
      'holds up every hundredth request fails',
      1_200,
      (n) => (hundredth(n) ? slow : {}),
      'fail',
      /^Every 100th request of the interface is over the bound, at 2,000 ms \(median\), .*: 11 of 11 such answers/,
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
      /^Every (100th|200th) request/,
    ],
    [
      'holds up every hundredth request that the limiter lets in fails',
      2_400,
      (n) => (n % 2 === 0 ? (hundredth(n / 2) ? slow : {}) : { status: 429 }),
      'fail',
      /^Every (100th|200th) request/,
    ],
    [
      'holds up as many at random passes',
      1_500,
      (n) => (atRandom.has(n) ? slow : {}),
      'pass',
      /of 1,500 answers took longer than the scenario's bound, in no regular distance/,
    ],
    [
      'takes long for every hundredth request, and not longer than it may, passes',
      1_200,
      (n) => (hundredth(n) ? { tookMs: 990 } : {}),
      'pass',
      /^0 of 1,200/,
    ],
    [
      'or whose machine stands still now and then passes, however regularly',
      1_200,
      // For 2 s from every hundredth request on, nothing is answered.
      (n) => (n % 100 < 40 ? { tookMs: 2_000 - (n % 100) * gapMs } : {}),
      'pass',
      /answers took longer than the scenario's bound, in no regular distance/,
    ],
    [
      'holds up every hundredth of a few passes: that shows nothing yet',
      500,
      (n) => (hundredth(n) ? slow : {}),
      'pass',
      /^5 of 500/,
    ],
    ['answers nothing is not judged', 5, () => ({ status: 429 }), 'inconclusive', /no answer to measure/],
  ])('%s', async (_, count, load, verdict, explanation) => {
    const [result] = await judged(count, load);
    expect(result?.explanation).toMatch(explanation);
    expect(result?.verdict).toBe(verdict);
    expect(result?.causes?.map(({ cause }) => cause.code)).toEqual(
      verdict === 'fail' ? ['periodically-slow'] : undefined,
    );
  });

  it.each<[string, number, Slo[], Verdict | undefined, RegExp]>([
    ['every 50th to a bound at p98', 50, [{ ...slo, percentile: 98 }], 'fail', /^Every 50th request/],
    [
      'every 100th to a bound at p98 only with a doubt',
      100,
      [{ ...slo, percentile: 98 }],
      'inconclusive',
      /^Every 100th request .* The percentiles of the scenario let such a share pass\.$/,
    ],
    [
      'every 100th to the tighter of two bounds, if that is broken',
      100,
      [
        { ...slo, percentile: 95, max_ms: 100 },
        { ...slo, percentile: 99.9 },
      ],
      'fail',
      /^Every 100th request/,
    ],
    ['every 20th to a median not at all', 20, [{ ...slo, percentile: 50, max_ms: 1 }], undefined, /^$/],
  ])('is held for %s', async (_, every, bounds, verdict, explanation) => {
    const slowEvery = nth(every);
    const [result] = await judged(2_400, (n) => (slowEvery(n) ? slow : {}), bounds);
    expect(result?.verdict).toBe(verdict);
    expect(result?.explanation ?? '').toMatch(explanation);
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
