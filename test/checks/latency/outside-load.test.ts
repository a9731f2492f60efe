import { describe, expect, it } from 'vitest';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import { checkOutsideLoad } from '../../../src/checks/latency/outside-load.ts';
import { randomStream } from '../../../src/random.ts';
import { times } from '../../effort.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const slo = [{ endpoint: '*', percentile: 99, max_ms: 1_000 }];

/** Set-up, one request after another: each list of a few catalogs, sessions of two keys, and what else is given. */
function setUp(tookMs: (request: SampleRequest, n: number) => number): SampleRequest[] {
  const asked: SampleRequest[] = [
    ...Array.from({ length: 6 }, (_, round) => round).flatMap((round) =>
      ['a', 'b', 'c', 'd', 'e'].map(
        (catalogId): SampleRequest => ({
          endpoint: 'list-shades',
          credential: 'load',
          catalogId,
          probe: round === 0 ? 'import:list' : 'kept:list',
        }),
      ),
    ),
    // Of the same names, and of another account.
    ...['a', 'b', 'c', 'a', 'b', 'c'].map(
      (catalogId, n): SampleRequest => ({
        endpoint: 'list-shades',
        credential: 'bystander',
        catalogId,
        probe: n < 3 ? 'other:list' : 'explored',
      }),
    ),
    ...Array.from(
      { length: 60 },
      (_, n): SampleRequest => ({
        endpoint: 'read-session',
        credential: n % 15 === 0 ? 'bystander' : 'load',
        sessionId: `s${n}`,
      }),
    ),
  ];
  let atMs = 0;
  return asked.map((request, n) => {
    const startMs = atMs;
    const took = tookMs(request, n);
    atMs += took + 10;
    return {
      stage: 'setup',
      ...request,
      intendedNs: startMs * 1e6,
      sentNs: startMs * 1e6,
      answeredNs: (startMs + took) * 1e6,
    };
  });
}

function judged(requests: readonly SampleRequest[], bounds = slo): Promise<CheckFinding | undefined> {
  return withHistory(
    { requests, run: { slo: bounds } },
    async (history) => (await checkOutsideLoad(history))[0],
  );
}

describe('requests outside the load', () => {
  it.each<[string, (request: SampleRequest, n: number) => number, string[]]>([
    ['are quick', () => 2, []],
    [
      'of one key are slow each time',
      ({ credential }) => (credential === 'bystander' ? 1_500 : 2),
      ['slow-by-value'],
    ],
    [
      'for the first list of a catalog are slow',
      ({ probe }) => (probe === 'import:list' ? 2_500 : 3),
      ['first-list-slow'],
    ],
    [
      'for the first list of a catalog are slow, also of one whose name another account used before',
      ({ probe }) => (probe === 'import:list' || probe === 'other:list' ? 2_500 : 3),
      ['first-list-slow'],
    ],
    [
      'to one catalog are slow each time',
      ({ catalogId }) => (catalogId === 'c' ? 1_200 : 3),
      ['slow-by-value'],
    ],
    ['are slow twice, which may be chance', (_, n) => (n === 30 || n === 45 ? 3_000 : 2), []],
    ['are slow now and then', (_, n) => (n % 7 === 0 ? 3_000 : 2), []],
    ['are all slow, which is for the bounds on the load', () => 1_500, []],
    [
      'of one key are slower, and within the bound',
      ({ credential }) => (credential === 'bystander' ? 900 : 2),
      [],
    ],
  ])('%s', async (_, tookMs, causes) => {
    const finding = await judged(setUp(tookMs));
    expect(finding?.causes?.map(({ cause: { code } }) => code) ?? []).toEqual(causes);
    expect(finding?.verdict).toBe(causes.length > 0 ? 'fail' : 'pass');
  });

  it('are not judged without a bound', async () => {
    expect(
      await judged(
        setUp(() => 1_500),
        [],
      ),
    ).toBeUndefined();
  });

  it('are not slow for a reason where chance alone decides', async () => {
    for (let seed = 1; seed <= times(20, 200); seed++) {
      const random = randomStream(seed, 'outside');
      const share = 0.3 * random();
      const finding = await judged(setUp(() => (random() < share ? 1_500 : 2)));
      expect(finding?.verdict, `seed ${seed}`).toBe('pass');
    }
  });
});
