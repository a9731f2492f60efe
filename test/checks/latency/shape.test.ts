import { describe, expect, it } from 'vitest';
import { checkSlo } from '../../../src/checks/latency/slo.ts';
import type { CheckResult } from '../../../src/checks/verdict.ts';
import type { Slo } from '../../../src/history/run.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const slo: Slo = { endpoint: '*', percentile: 99, max_ms: 1_000 };
const gapMs = 50;

/** 400 requests at 20 a second; `tookMs`: what the n-th took, or that it was lost. */
function judged(tookMs: (n: number) => number | 'lost', bound = slo): Promise<CheckResult> {
  const requests = Array.from({ length: 400 }, (_, n): SampleRequest => {
    const atNs = n * gapMs * 1e6;
    const took = tookMs(n);
    return {
      endpoint: 'list-shades',
      intendedNs: atNs,
      readyNs: atNs,
      sentNs: atNs,
      ...(took === 'lost' ? { lost: 'timeout' } : { answeredNs: atNs + took * 1e6 }),
    };
  });
  return withHistory({ run: { slo: [bound] }, requests }, (history) => checkSlo(history, bound, 1));
}

/** From the 100th request on, for 3 s, nothing is answered. */
const stall = (n: number): number => (n >= 100 && n < 160 ? 3_000 - (n - 100) * gapMs + 5 : 5);

describe('what was over a bound', () => {
  it.each<[string, (n: number) => number | 'lost', RegExp, ...causes: string[]]>([
    [
      'in a stall is said to have waited for it',
      stall,
      /Nothing at all was answered for 3\.05 s, from 5\.0 s .* 41 of the 41 over the bound waited for that: .* stood still\.$/,
      'target-stood-still',
    ],
    [
      'in a stall that lost some as well',
      (n) => (n === 110 ? 'lost' : stall(n)),
      /1 request without an answer count.* stood still\.$/,
      'target-stood-still',
    ],
    [
      'since more came than could be answered is said to have grown',
      (n) => 20 + n * 12,
      /It grew as long as the load lasted, in 5 parts of it 488, 1448, 2408, 3368, 4328 ms \(medians\): the target did not keep up\.$/,
      'does-not-keep-up',
    ],
    [
      'one by one is said to have been late by itself',
      (n) => (n % 57 === 3 ? 2_000 : 5),
      /7 of 7 requests over the bound took so long by themselves, while others came and went in a fraction of it\.$/,
      'periodically-slow',
      'single-requests-slow',
    ],
    [
      'in no plain shape is not given one',
      (n) => (n % 2 === 0 ? 1_500 : 900),
      /^The p99 is 1,500 ms, over the bound of 1,000 ms\.$/,
      'slow-answers',
    ],
  ])('%s', async (_, tookMs, explanation, ...named) => {
    const { causes, explanation: said, verdict } = await judged(tookMs);
    expect(causes?.map(({ cause }) => cause.code)).toEqual(named);
    expect(verdict).toBe('fail');
    expect(said).toMatch(explanation);
  });

  it('names every so manieth request only where they are equally far from each other', async () => {
    const { causes } = await judged((n) => ([20, 77, 300].includes(n) || n % 113 === 5 ? 2_000 : 5));
    expect(causes?.map(({ cause }) => cause.code)).toEqual(['single-requests-slow']);
  });

  it('in a pause that one request alone waited in is no stall', async () => {
    const { explanation } = await judged((n) => (n === 399 ? 2_000 : 5), { ...slo, percentile: 100 });
    expect(explanation).toBe('The maximum is 2,000 ms, over the bound of 1,000 ms.');
  });

  it('is not looked for where the bound was kept', async () => {
    const { explanation, verdict } = await judged((n) => (n === 200 ? 2_000 : 5));
    expect([verdict, explanation]).toEqual(['pass', 'The p99 of 400 samples is 5 ms, within 1,000 ms.']);
  });
});
