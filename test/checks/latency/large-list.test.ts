import { describe, expect, it } from 'vitest';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { checkLargeList } from '../../../src/checks/latency/large-list.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { Slo } from '../../../src/history/run.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const bounds: readonly Slo[] = [
  { endpoint: '*', percentile: 99, max_ms: 1_000 },
  { endpoint: 'list-shades', percentile: 99, max_ms: 500, phase: 'under the limit' },
  { endpoint: 'create-session', percentile: 99, max_ms: 10 },
];

function list(tookMs: number, request: Partial<SampleRequest> = {}): SampleRequest {
  return {
    endpoint: 'list-shades',
    intendedNs: 0,
    sentNs: 0,
    answeredNs: tookMs * 1e6,
    ...request,
  };
}

/** Lists of 500 shades that took so long, after ordinary ones of 50 in 4 ms. */
function judged(
  tookMs: readonly number[],
  slo: readonly Slo[] = bounds,
  request: Partial<SampleRequest> = {},
  more: readonly SampleRequest[] = [],
): Promise<CheckFinding[]> {
  const large = { probe: 'large:list', stage: 'setup', count: 500, ...request } as const;
  return withHistory(
    {
      run: { slo: [...slo] },
      requests: [
        ...[3, 4, 5].map((ms) => list(ms, { count: 50 })),
        ...tookMs.map((ms) => list(ms, large)),
        ...more,
      ],
    },
    checkLargeList,
  );
}

const whole = { shades: 500, pageOf: null };
const kept = (fastestMs: number, medianMs: number, lists: number): Reason =>
  reason('large-list-kept', { list: whole, fastestMs, medianMs, lists, boundMs: 500 });
const ordinary = reason('large-list-ordinary', { shades: 50, medianMs: 4 });

describe('the list of a catalog as large as one import makes it', () => {
  it('is not judged by lists that hold less than was imported', async () => {
    const batch: SampleRequest = { endpoint: 'import-shades', probe: 'batch-max', items: 500 };
    const [result] = await judged([10, 11, 12], bounds, { count: 20 }, [batch]);
    expect(result?.verdict).toBe('inconclusive');
    expect(result?.reasons).toEqual([reason('large-list-cut', { shades: 20, imported: 500 })]);
  });

  it('is not held to a bound on a median, which half of all lists may be over', async () => {
    expect(await judged([800, 801, 802], [{ endpoint: '*', percentile: 50, max_ms: 500 }])).toEqual([]);
  });

  it.each<[string, readonly number[], Verdict, ...(readonly Reason[])]>([
    [
      'may take ten times as long for ten times as many shades',
      [40, 41, 42, 43, 44],
      'pass',
      kept(40, 42, 5),
      ordinary,
    ],
    ['may take all the time there is', [500, 500, 500], 'pass', kept(500, 500, 3), ordinary],
    [
      'must not take longer than lists may',
      [1_010, 1_002, 1_003, 1_020, 1_001],
      'fail',
      reason('large-list-slow', { list: whole, fastestMs: 1_001, medianMs: 1_003, lists: 5, boundMs: 500 }),
      ordinary,
    ],
    ['may be held up now and then', [20, 21, 22, 4_000, 5_000], 'pass', kept(20, 22, 5), ordinary],
    [
      'is not judged where something held up most of them',
      [20, 21, 800, 4_000, 5_000],
      'inconclusive',
      reason('large-list-in-doubt', { list: whole, fastestMs: 20, medianMs: 800, lists: 5, boundMs: 500 }),
      ordinary,
    ],
    ['is not judged where it was not asked for', [], 'inconclusive', reason('large-list-unanswered')],
  ])('%s', async (_, tookMs, verdict, ...reasons) => {
    const [result] = await judged(tookMs);
    expect(result).toMatchObject({ verdict, reasons });
    expect(result?.causes?.map(({ cause }) => cause)).toEqual(
      verdict === 'fail'
        ? [{ code: 'slow-by-size', params: { items: 500, tookMs: 1_003, boundMs: 500 } }]
        : undefined,
    );
  });

  it('is not judged where it was not answered', async () => {
    const [result] = await judged([5, 5], bounds, { status: 404 });
    expect(result?.verdict).toBe('inconclusive');
  });

  it('is not spoken of where no list is bounded', async () => {
    expect(await judged([5_000], bounds.slice(2))).toEqual([]);
  });
});

it('is held to the bound by its pages where the target answers in pages, and what they take together is said', async () => {
  const pages = [1, 2, 3, 4, 5].map((page) =>
    list(10 * page, { probe: page === 1 ? 'batch-max:list' : 'next-page', count: 100 }),
  );
  const large = [20, 21, 22].map((ms) => list(ms, { probe: 'large:list', count: 100 }));
  const [result] = await withHistory(
    {
      run: { slo: [...bounds] },
      requests: [...pages, ...large],
      answers: [1, 2, 3, 4, 5].map((seq) => ({
        seq,
        endpoint: 'list-shades' as const,
        query: {},
        body: [],
        ...(seq === 1 ? {} : { pageOf: 1 }),
      })),
    },
    checkLargeList,
  );
  expect(result).toMatchObject({
    titleParams: { isPaged: true, boundMs: 500 },
    verdict: 'pass',
    reasons: [
      reason('large-list-kept', {
        list: { shades: 100, pageOf: 500 },
        fastestMs: 20,
        medianMs: 21,
        lists: 3,
        boundMs: 500,
      }),
      reason('large-list-pages', { pages: 5, tookMs: 150 }),
    ],
  });
});
