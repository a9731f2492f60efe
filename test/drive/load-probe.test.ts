import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askedWithBadKey,
  limitProbeInstants,
  loadProbeInstants,
  mostLoadProbes,
  probeLoaded,
} from '../../src/drive/load/load-probe.ts';
import { firstWindow, startWithRoom } from '../../src/drive/load/pace.ts';
import type { RequestRecord } from '../../src/history/record.ts';
import { idle, type Phase, shoppers, steady, together } from '../../src/scenario/load.ts';
import { usualChannel } from '../../src/target/profile.ts';
import { recording } from './recording.ts';
import { clientOf, planOf, VirtualClock } from './virtual.ts';

const perMinute = { requests: 1_000, windowMs: 60_000 };
const reads = { traffic: 'reads' } as const;

describe('a bad key is tried', () => {
  const seconds = (load: readonly Phase[], limit = perMinute): number[] =>
    loadProbeInstants(planOf(load), limit).map((ns) => ns / 1e9);

  it('while more is planned than the limit lets in, and at no other time', () => {
    const load = [
      steady('900/min', '60s', { name: 'under', ...reads }),
      steady('1500/min', '60s', { name: 'over', ...reads }),
      idle('60s'),
    ];
    const instants = seconds(load);
    expect(instants).toHaveLength(20);
    expect(Math.min(...instants)).toBeGreaterThan(60);
    expect(Math.max(...instants)).toBeLessThan(120);
  });

  it('not while shoppers come as they like, nor under the limit', () => {
    expect(seconds([shoppers('3000/min', '60s')])).toEqual([]);
    expect(seconds([steady('1000/min', '60s', reads)])).toEqual([]);
  });

  it('a few times only, however long the load is', () => {
    const instants = seconds([steady('1200/min', '60m', reads)]);
    expect(instants).toHaveLength(mostLoadProbes);
    expect(Math.max(...instants)).toBeGreaterThan(3_500);
  });

  it('often enough in a short window to be there in time', () => {
    const instants = seconds([steady('120/s', '1s', reads)], { requests: 60, windowMs: 2_000 });
    expect(instants).toEqual([0.125, 0.375, 0.625, 0.875]);
  });

  it('in order where several phases are over the limit at once', () => {
    const over = (name: string): Phase => steady('1500/min', '60s', { name, ...reads });
    const instants = seconds([together(over('one'), over('other'))]);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(instants.length).toBeLessThanOrEqual(mostLoadProbes);
  });
});

describe('analytics are asked for at the limit', () => {
  const seconds = (load: readonly Phase[]): number[] =>
    limitProbeInstants(planOf(load), perMinute).map((ns) => ns / 1e9);

  it('in the phase that goes furthest past it, however short', () => {
    const instants = seconds([
      steady('900/min', '60s', { name: 'under', ...reads }),
      steady('1500/min', '60s', { name: 'over', ...reads }),
      steady('4000/min', '15s', { name: 'far over', ...reads }),
    ]);
    expect(instants).toHaveLength(30);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(instants[0]).toBeGreaterThanOrEqual(120);
    expect(instants.at(-1)).toBeLessThan(135);
  });

  it('not under the limit, nor while only another key is beyond it', () => {
    expect(seconds([steady('1000/min', '60s', reads)])).toEqual([]);
    expect(seconds([steady('2000/min', '60s', { ...reads, as: 'bystander' })])).toEqual([]);
  });
});

/** Goes beside a load that was to be asked at some seconds, of a target that answers after a while. */
async function accompanied(
  atSeconds: readonly number[],
  latencyMs: number,
  untilSeconds = Number.POSITIVE_INFINITY,
): Promise<{ readonly requests: readonly RequestRecord[]; readonly authorizations: readonly unknown[] }> {
  const clock = new VirtualClock();
  const { recorder, requests } = recording();
  const authorizations: unknown[] = [];
  const client = clientOf(clock, ({ authorization }) => {
    authorizations.push(authorization);
    return { afterMs: latencyMs, status: 401 };
  });
  const going = probeLoaded({
    question: askedWithBadKey('c1'),
    instants: atSeconds.map((second) => second * 1e9),
    startNs: 0,
    ...{ clock, client },
    recorder,
    spend: () => true,
    mayGoOn: () => clock.nowNs() < untilSeconds * 1e9,
  });
  await clock.play(going);
  return { requests, authorizations };
}

describe('what goes beside the load', () => {
  it('asks when it is due, with a key that was never issued, and is no part of the plan', async () => {
    const { authorizations, requests } = await accompanied([1, 2, 3], 10);
    expect(requests.map(({ sentNs }) => (sentNs ?? 0) / 1e9)).toEqual([1, 2, 3]);
    expect(new Set(authorizations)).toEqual(new Set(['Bearer tryon-probe-key-that-was-never-issued']));
    for (const request of requests) {
      expect(request).toMatchObject({
        stage: 'companion',
        credential: 'bad',
        probe: 'loaded:bad-key',
        status: 401,
      });
      expect(request.planned).toBeUndefined();
    }
  });

  it('has one request under way at a time, and leaves out what is overdue then', async () => {
    const { requests } = await accompanied([1, 2, 3, 4, 5, 6], 2_500);
    const spans = requests.map(({ answeredNs = 0, sentNs = 0 }) => [sentNs / 1e9, answeredNs / 1e9]);
    expect(spans).toEqual([
      [1, 3.5],
      [3.5, 6],
      [6, 8.5],
    ]);
  });

  it('stops with the load', async () => {
    const { requests } = await accompanied([1, 2, 300], 10, 2.5);
    expect(requests).toHaveLength(2);
  });
});

const limit = { requests: 100, windowMs: 1_000 };
const evenly = (count: number, everyMs: number): number[] =>
  Array.from({ length: count }, (_, n) => n * everyMs * 1e6);
const instants = fc
  .array(fc.nat({ max: 1_500 }), { maxLength: 70 })
  .map((all) => all.toSorted((a, b) => a - b).map((ms) => ms * 1e6));

describe('a load that comes after set-up', () => {
  it.each<[string, sent: number[], planned: number[], startMs: number]>([
    ['at once where both have room in a window', evenly(40, 10), evenly(50, 20), 390],
    ['at once where nothing was sent before', [], evenly(99, 10), 390],
    ['when the windows of set-up have room again', evenly(60, 5), evenly(90, 11), 571],
    ['a window after set-up where the load alone fills it', evenly(60, 5), evenly(100, 0), 1_295],
  ])('starts %s', (_, sent, planned, startMs) => {
    expect(startWithRoom(390e6, sent, planned, limit) / 1e6).toBe(startMs);
  });

  it('never fills a window with more than the limit, and starts no later than a window after set-up', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 99 }), (sent, count) => {
        const nowNs = 1_500e6;
        const planned = evenly(count, 1_000 / (count + 1));
        const startNs = startWithRoom(nowNs, sent, planned, limit);
        const all = [...sent, ...planned.map((ns) => startNs + ns)];
        for (const from of all) {
          // A window ends just before its length is over.
          const within = all.filter((ns) => ns >= from && ns < from + limit.windowMs * 1e6);
          expect(within.length).toBeLessThanOrEqual(limit.requests);
        }
        expect(startNs).toBeLessThanOrEqual(Math.max(nowNs, (sent.at(-1) ?? 0) + limit.windowMs * 1e6));
      }),
    );
  });
});

describe('what a load sends in its first window', () => {
  const plan = planOf([steady('50/s', '3s')]);

  it('is what spends the limit of its key', () => {
    expect(firstWindow(plan, usualChannel, 990e6, 100)).toHaveLength(50);
    const counted = { ...usualChannel, counts_against_rate_limit: true };
    expect(firstWindow(plan, counted, 990e6, 100)?.length).toBeGreaterThan(50);
  });

  it('is not known to one where the plan alone goes beyond the limit', () => {
    expect(firstWindow(plan, usualChannel, 990e6, 49)).toBeUndefined();
  });
});
