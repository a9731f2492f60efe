import { describe, expect, it } from 'vitest';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { checkConnections, checkNeighbours } from '../../../src/checks/latency/paired.ts';
import { randomStream } from '../../../src/random.ts';
import { crossedEndpoints } from '../../../src/vocabulary/crossed.ts';
import type { Endpoint } from '../../../src/vocabulary/requests.ts';
import { times } from '../../effort.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

function took(
  endpoint: Endpoint,
  probe: string,
  ms: number,
  more: Partial<SampleRequest> = {},
): SampleRequest {
  return { endpoint, probe, stage: 'settle', intendedNs: 0, sentNs: 0, answeredNs: ms * 1e6, ...more };
}

/** Service times of new sessions: alone, and while analytics work. */
interface Times {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

async function judged(
  { alone, beside }: Times,
  more: readonly SampleRequest[] = [],
): Promise<CheckFinding[]> {
  const requests = [
    ...alone.map((ms) => took('create-session', 'crossed:alone', ms)),
    ...beside.flatMap((ms) => [
      took('analytics', 'crossed:working', 300),
      took('create-session', 'crossed:analytics', ms),
    ]),
    ...more,
  ];
  return withHistory({ requests }, checkNeighbours);
}

describe('an endpoint while another one works', () => {
  it.each<[string, Times, Verdict]>([
    ['as fast as alone passes', { alone: [4, 5], beside: [5] }, 'pass'],
    [
      'slower by less than 50 ms passes',
      { alone: [4, 4, 4, 4, 4, 4], beside: [50, 51, 52, 53, 50, 51] },
      'pass',
    ],
    [
      'slower by less than a factor of 2 passes',
      { alone: [200, 200, 200, 200, 200], beside: [390, 395, 390, 395, 399] },
      'pass',
    ],
    ['slow each time but one passes', { alone: [4, 5, 4], beside: [300, 290, 6] }, 'pass'],
    ['as slow as alone on a busy machine passes', { alone: [4, 240], beside: [300, 310] }, 'pass'],
    ['slow each of two times is in doubt', { alone: [4, 5, 4], beside: [300, 290] }, 'inconclusive'],
    [
      'slow each of six times fails',
      { alone: [4, 5, 4, 6, 4, 5], beside: [300, 290, 310, 280, 300, 299] },
      'fail',
    ],
    ['that was never asked alone is not judged', { alone: [], beside: [300] }, 'inconclusive'],
  ])('%s', async (_, times, verdict) => {
    const [finding] = await judged(times);
    expect(finding?.verdict, JSON.stringify(finding?.observed)).toBe(verdict);
    expect(finding?.causes?.map(({ cause }) => cause) ?? []).toEqual(
      verdict === 'fail'
        ? [
            {
              code: 'endpoints-wait',
              params: { waiting: ['create-session'], working: ['analytics'], aloneMs: 6, besideMs: 280 },
            },
          ]
        : [],
    );
  });

  it('that gets no answer in time is slow', async () => {
    const lost = Array.from({ length: 6 }, () =>
      took('create-session', 'crossed:analytics', 30_000, { lost: 'timeout' }),
    );
    const [finding] = await judged({ alone: [4, 5, 4, 4, 4], beside: [] }, lost);
    expect(finding?.verdict).toBe('fail');
  });

  it('is judged for each two endpoints, and the pass says how many', async () => {
    const requests = crossedEndpoints.flatMap((endpoint) => [
      took(endpoint, 'crossed:alone', 4),
      ...crossedEndpoints
        .filter((each) => each !== endpoint)
        .map((working) => took(endpoint, `crossed:${working}`, 5)),
    ]);
    const [finding] = await withHistory({ requests }, checkNeighbours);
    expect(finding?.reasons).toEqual([{ code: 'neighbours-free', params: { pairs: 20, mostWaitMs: 1 } }]);
  });

  it('excludes no wait that there is, and on a quiet target nearly all longer ones', async () => {
    for (let seed = 1; seed <= times(20, 200); seed++) {
      const random = randomStream(seed, 'spread');
      const waitMs = seed % 2 === 0 ? 1 : 0;
      // Service times of 2 ms and more, with a spread of half a millisecond.
      const ms = (): number => 2 - 0.5 * Math.log(1 - random());
      const requests = crossedEndpoints.flatMap((endpoint) => [
        took(endpoint, 'crossed:alone', ms()),
        took(endpoint, 'crossed:alone', ms()),
        ...Array.from({ length: 40 }, () => took(endpoint, 'other', ms())),
        ...crossedEndpoints
          .filter((each) => each !== endpoint)
          .map((working) => took(endpoint, `crossed:${working}`, ms() + waitMs)),
      ]);
      const [finding] = await withHistory({ requests }, checkNeighbours);
      expect(finding?.verdict, `seed ${seed}`).toBe('pass');
      const [free] = finding?.reasons ?? [];
      const mostWaitMs = free?.code === 'neighbours-free' ? free.params.mostWaitMs : Number.NaN;
      expect(mostWaitMs, `seed ${seed}`).toBeGreaterThanOrEqual(waitMs);
      expect(mostWaitMs, `seed ${seed}`).toBeLessThan(waitMs + 10);
    }
  });

  it('is not judged where no pair was asked', async () => {
    expect(await withHistory({ requests: [took('analytics', 'empty-period', 4)] }, checkNeighbours)).toEqual(
      [],
    );
  });
});

describe('the first request of a new connection', () => {
  const reads = (first: readonly number[], next: readonly number[]): SampleRequest[] => [
    ...first.map((ms) => took('read-session', 'connection:first', ms)),
    ...next.map((ms) => took('read-session', 'connection:next', ms)),
  ];

  it.each<[string, readonly number[], readonly number[], Verdict]>([
    ['as fast as the next passes', [3, 4, 2, 3, 3, 5], [3, 2, 2, 2, 2, 3], 'pass'],
    ['slow on all but one connection passes', [300, 300, 300, 300, 300, 5], [3, 2, 2, 2, 2, 3], 'pass'],
    ['slower by less than 50 ms passes', [40, 40, 40, 40, 40, 40], [3, 2, 2, 2, 2, 3], 'pass'],
    ['slow on each connection fails', [300, 310, 305, 301, 340, 300], [3, 2, 2, 2, 2, 3], 'fail'],
    ['is not judged by a few connections', [300, 310, 305], [3, 2, 2], 'inconclusive'],
  ])('%s', async (_, first, next, verdict) => {
    const [finding] = await withHistory({ requests: reads(first, next) }, checkConnections);
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.causes?.map(({ cause: { code } }) => code) ?? []).toEqual(
      verdict === 'fail' ? ['new-connections-slow'] : [],
    );
  });

  it('is not judged where no connection was opened for it', async () => {
    expect(await withHistory({ requests: [took('analytics', 'empty-period', 4)] }, checkConnections)).toEqual(
      [],
    );
  });
});
