import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../src/checks/causes/cause.ts';
import { checkGenerator, isGeneratorBound } from '../../src/checks/generator.ts';
import { reason } from '../../src/checks/reasons/reason.ts';
import type { EventRecord } from '../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../history/sample.ts';

const ms = 1e6;
const second = 1e9;

function sent(lagMs: number, index: number): SampleRequest {
  const readyNs = index * 100 * ms;
  return {
    endpoint: 'list-shades',
    planned: index,
    intendedNs: readyNs,
    readyNs,
    sentNs: readyNs + lagMs * ms,
    answeredNs: readyNs + (lagMs + 5) * ms,
  };
}

function self(atNs: number, loopDelayMaxMs: number, gcMs = 1): EventRecord {
  return { kind: 'self', atNs, loopDelayMaxMs, gcMs, cpuMs: 100, inFlight: 3, sendLagMaxMs: 2 };
}

/** 100 requests in 10 s, of which the last `late` were sent 60 ms after they were due. */
function run(late: number, more: Partial<SampleHistory> = {}): SampleHistory {
  return {
    run: { planned_requests: 100 },
    profile: { send_lag_bound: '50ms' },
    requests: Array.from({ length: 100 }, (_, index) => sent(index < 100 - late ? 1 : 60, index)),
    events: [self(second, 4), self(2 * second, 7)],
    ...more,
  };
}

const onTime = run(0);
/** The cause that each check names, though it blames no target. */
const lateness: Readonly<Record<string, CauseCode>> = {
  'generator.send-lag': 'generator-late',
  'generator.stalls': 'generator-stalled',
  'generator.sockets': 'in-flight-bound-reached',
};

describe('the generator', () => {
  it.each<[string, SampleHistory, string]>([
    ['that sent in time is fine', onTime, ''],
    ['that was late once in a hundred is fine', run(1), ''],
    ['that was late twice in a hundred is bound', run(2), 'generator.send-lag'],
    [
      'that waited for an earlier answer is not late',
      run(0, { requests: [...(onTime.requests ?? []), { ...sent(1, 100), intendedNs: 0 }] }),
      '',
    ],
    ['that may be late by its profile is fine', run(2, { profile: { send_lag_bound: '80ms' } }), ''],
    [
      'that stalled for more than five times that is bound',
      run(0, { events: [self(second, 251)] }),
      'generator.stalls',
    ],
    [
      'that collected garbage for more than five times that is bound',
      run(0, { events: [self(second, 4, 251)] }),
      'generator.stalls',
    ],
    ['that stalled for just that is fine', run(0, { events: [self(second, 250)] }), ''],
    [
      'that stalled after the load is fine',
      run(0, { events: [self(second, 4), self(60 * second, 4000)] }),
      '',
    ],
    [
      'that had too many requests in flight is bound',
      run(0, {
        requests: [...(onTime.requests ?? []), { endpoint: 'list-shades', notSent: 'in-flight-bound' }],
      }),
      'generator.sockets',
    ],
    ...(['no-socket', 'no-room'] as const).map((why): [string, SampleHistory, string] => [
      `that had ${why === 'no-room' ? 'no memory left for an answer' : 'no socket left for a request'} is bound`,
      run(0, {
        requests: [
          ...(onTime.requests ?? []),
          { endpoint: 'list-shades', ...(why === 'no-room' ? { lost: why } : { notSent: why }) },
        ],
      }),
      'generator.sockets',
    ]),
    [
      'that was refused a connection is fine: that is the target',
      run(0, {
        requests: [...(onTime.requests ?? []), { endpoint: 'list-shades', notSent: 'no-connection' }],
      }),
      '',
    ],
    [
      'whose shoppers lost patience is fine',
      run(0, { requests: [...(onTime.requests ?? []), { endpoint: 'list-shades', notSent: 'patience' }] }),
      '',
    ],
  ])('%s', async (sentence, sample, bound) => {
    const results = await withHistory(sample, checkGenerator);
    expect(results.filter(isGeneratorBound).map((result) => result.id)).toEqual(bound === '' ? [] : [bound]);
    for (const result of results) {
      expect(result.verdict).toBe(result.id === bound ? 'inconclusive' : 'pass');
      expect(result.causes?.map(({ cause }) => cause.code)).toEqual(
        result.id !== bound
          ? undefined
          : [/no (socket|memory)/.test(sentence) ? 'generator-limit-reached' : lateness[bound]],
      );
    }
  });

  it('that did nothing is inconclusive, and not bound', async () => {
    const results = await withHistory({ run: { planned_requests: 4 } }, checkGenerator);
    expect(results.map((result) => result.verdict)).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
    expect(results.filter(isGeneratorBound)).toEqual([]);
  });

  it('says which requests were late', async () => {
    const [lag] = await withHistory(run(2), checkGenerator);
    expect(lag).toMatchObject({
      observed: { p50: 1, p99: 60, max: 60 },
      evidence: [{ what: 'sent late', seqs: [99, 100], total: 2 }],
    });
    expect(lag?.reasons).toEqual([reason('send-lag-over', { p99Ms: 60, boundMs: 50 })]);
  });

  it('with several workers is as good as the one that was held up the longest, and says which', async () => {
    const workers = [1, 2, 3].flatMap((worker): EventRecord[] =>
      [1, 2].map((n) => ({ ...self(n * second, worker === 2 && n === 2 ? 300 : 3), worker })),
    );
    const results = await withHistory(
      run(0, { run: { planned_requests: 100 }, events: [self(second, 4), self(2 * second, 4), ...workers] }),
      checkGenerator,
    );
    const stalls = results.find(({ id }) => id === 'generator.stalls');
    expect(stalls).toMatchObject({
      verdict: 'inconclusive',
      observed: {
        'seconds watched': 2,
        'longest event-loop delay, ms': 300,
        'held up the longest': 'worker 2',
      },
      reasons: [
        reason('stalls-seen', { boundMs: 250, seconds: 1 }),
        reason('stalls-of-worker', { name: '2' }),
      ],
    });
  });
});
