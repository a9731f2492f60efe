import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/drive/record/ledger.ts';
import type { InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import { exhaustQuota, type Phase, ramp, shoppers, steady, together } from '../../src/scenario/load.ts';
import { type Behaviour, healthy, simulate } from './virtual.ts';

/** Loads of every kind of traffic, alone, one after another and side by side. */
const loads: Readonly<Record<string, readonly Phase[]>> = {
  journeys: [steady('900/min', '8s')],
  'journeys so fast that they have lanes': [steady('100/s', '3s')],
  'shoppers who come at random': [shoppers('300/min', '8s')],
  'sessions, then reads ever faster': [
    steady('10/s', '4s', { traffic: 'sessions' }),
    ramp('5/s', '40/s', '4s', { traffic: 'reads' }),
  ],
  'several at once, and a race for the last of the quota': [
    together(steady('600/min', '6s'), shoppers('200/min', '6s'), exhaustQuota({ rate: '600/min', race: 6 })),
    steady('10/s', '2s'),
  ],
};

/** All that a request was, but for ids that depend on who came first at the target. */
interface Sent {
  readonly record: Partial<RequestRecord>;
  readonly acts: readonly Partial<InteractionRecord>[];
}

interface Driven {
  /** By its place in the plan. */
  readonly requests: ReadonlyMap<number, Sent>;
  /** Bodies that came to the target, in the order of their text. */
  readonly bodies: readonly string[];
  readonly records: number;
}

/** Drives a load in virtual time: all of it, or what falls to one of several workers. */
async function drive(load: readonly Phase[], seed: number, index = 0, of = 1): Promise<Driven> {
  const bodies: string[] = [];
  const watched: Behaviour = (request) => {
    bodies.push(`${request.method} ${request.path.replace(/s\d+/, 's…')} ${request.body}`);
    return healthy()(request);
  };
  const { interactions, requests } = await simulate(load, watched, {
    seed,
    shoppers: { thinkTime: 0.1 },
    traffic: { shard: { index, of } },
  });
  return {
    bodies: bodies.toSorted(),
    records: requests.length,
    requests: new Map(
      requests.map((request) => [
        request.planned ?? -1,
        {
          record: { ...request, seq: 0, sessionId: undefined, bytes: undefined },
          acts: interactions
            .filter(({ seq }) => seq === request.seq)
            .map((act) => ({ ...act, seq: 0, sessionId: '' })),
        },
      ]),
    ),
  };
}

describe('a plan that several workers share', () => {
  it.each(Object.entries(loads))(
    'is driven once and as one would: %s, for any seed and number of workers',
    async (_what, load) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 5 }), async (seed, of) => {
          const alone = await drive(load, seed);
          const shared = await Promise.all(
            Array.from({ length: of }, (_, index) => drive(load, seed, index, of)),
          );
          const sum = shared.reduce((total, { records }) => total + records, 0);
          expect(sum).toBe(alone.records);
          const union = shared.flatMap(({ requests }) => [...requests]).toSorted(([a], [b]) => a - b);
          expect(union).toEqual([...alone.requests].toSorted(([a], [b]) => a - b));
          expect(shared.flatMap(({ bodies }) => bodies).toSorted()).toEqual(alone.bodies);
        }),
        { numRuns: 4 },
      );
    },
  );

  it('keeps every shopper with one of them, and leaves none of them idle', async () => {
    const shared = await Promise.all(
      [0, 1, 2].map((index) => drive([steady('900/min', '10s')], 7, index, 3)),
    );
    const owners = shared.map(
      ({ requests }) => new Set([...requests.values()].map(({ record }) => record.shopper)),
    );
    for (const own of owners) expect(own.size).toBeGreaterThan(5);
    expect(new Set(owners.flatMap((own) => [...own])).size).toBe(owners.reduce((n, own) => n + own.size, 0));
  });

  it.each<[string, { requests: number; sessions: number }, number, number]>([
    ['a cap on sessions', { requests: Number.POSITIVE_INFINITY, sessions: 7 }, 7, 100],
    ['a cap on requests', { requests: 31, sessions: Number.POSITIVE_INFINITY }, 31, 100],
  ])('keeps %s to the request over all of them', async (_what, cap, sent, planned) => {
    const ledger = new Ledger();
    const load = [steady('600/min', '10s', { traffic: 'sessions' })];
    const driven = [0, 1, 2].map((index) =>
      simulate(load, healthy(), { traffic: { ledger, cap, shard: { index, of: 3 } } }),
    );
    const requests = (await Promise.all(driven)).flatMap((each) => each.requests);
    expect(requests).toHaveLength(planned);
    expect(requests.filter(({ status }) => status === 200)).toHaveLength(sent);
    expect(requests.filter(({ notSent }) => notSent === 'stopped')).toHaveLength(planned - sent);
    expect(ledger.stopped).toBe('cap');
  });
});
