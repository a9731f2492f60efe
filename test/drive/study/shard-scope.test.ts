import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import type { Diagnosed } from '../../../src/checks/diagnosis/diagnosis.ts';
import { Governor } from '../../../src/drive/ask/governor.ts';
import { SessionSample } from '../../../src/drive/ask/sample.ts';
import type { Clock } from '../../../src/drive/clock/clock.ts';
import { newProgress } from '../../../src/drive/load/load.ts';
import { Ledger } from '../../../src/drive/record/ledger.ts';
import { Recorder } from '../../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../../src/drive/record/statistics.ts';
import { tryShardScope } from '../../../src/drive/study/shard-scope.ts';
import type { RequestRecord } from '../../../src/history/record.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import { randomStream } from '../../../src/random.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';
import { steady } from '../../../src/scenario/load.ts';
import { TargetClient } from '../../../src/target/client.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { eachRole, type Role, roles } from '../../../src/vocabulary/roles.ts';
import { meantToExceed } from '../../checks/rate-limit/launched.ts';
import { renderedRateLimit } from '../../checks/rate-limit/rendered.ts';
import { rowsOf } from '../../effort.ts';
import { withHistory } from '../../history/sample.ts';
import { scaledLoad } from '../../limits/simulate.ts';
import { planOf, SharedClock } from '../virtual.ts';
import { fixedWindow, type Limiter, slidingLog, tokenBucket } from './services.ts';
import { dispatcher, type VirtualService } from './world.ts';

/** The launch scenario at a tenth of its length: 100 requests in 6 s are promised. */
const factor = 10;
const promised = { rate_limit: '100/6s' } as const;
const profile = profileSchema.parse(promised);
const limiters = {
  'sliding window': () => slidingLog(100, 6_000),
  'fixed window': () => fixedWindow(100, 6_000),
  'token bucket': () => tokenBucket(100, 6_000),
} as const;

/** The names of the counters that a request with a key from a shard is counted in. */
type Counters = (role: string, shard: number) => readonly string[];

interface Case {
  readonly counters: Counters;
  readonly of: number;
  readonly scope?: 'per-key' | 'discover';
  readonly limiter?: () => Limiter;
  /** By the number of the shard. */
  readonly address?: (shard: number) => string;
  /** A shard that stands still, after the first burst and until all volleys are over. */
  readonly stalled?: number;
  readonly requestsLeft?: number;
}

/** The launch load of some shards in virtual time, and what they try after it; judged as one run. */
async function launched({
  address = (shard) => `10.0.0.${shard}`,
  counters,
  limiter = limiters['sliding window'],
  of,
  scope = 'per-key',
  requestsLeft = Number.POSITIVE_INFINITY,
  stalled,
}: Case): Promise<CheckResult[]> {
  const clock = new SharedClock();
  const each = new Map<string, Limiter>();
  const passes = (role: string, shard: number, atMs: number): boolean =>
    counters(role, shard)
      .map((name) => {
        const own = each.get(name) ?? limiter();
        each.set(name, own);
        return own(atMs);
      })
      .every((passed) => passed);
  const requests: RequestRecord[] = [];
  const startMs = loadOf(of, (role, shard, atMs, seq) => {
    const [sentNs, answeredNs] = [(atMs - 1) * 1e6, (atMs + 1) * 1e6];
    requests.push({
      ...{ seq, stage: 'load', phase: 'overload', credential: role, endpoint: 'list-shades' },
      ...{ intendedNs: sentNs, readyNs: sentNs, sentNs, answeredNs },
      status: passes(role, shard, atMs) ? 200 : 429,
    });
  });
  const catalogs = eachRole((role) => generateCatalog({ seed: 1, tag: `t${role}`, products: 1 }));
  // What goes past the limit is what matters here, and that nothing of it is sent again.
  const plan = { ...planOf([steady('4000/min', '6s')]), horizonNs: 0 };
  const shards = Array.from({ length: of }, (_, n) => n + 1);
  const tries = shards.map(async (shard) => {
    const fromNs = (startMs + 1.3 * 6_000 + 500) * 1e6;
    const own = shard === stalled ? standingStill(clock, fromNs, 4e9) : clock;
    const service: VirtualService = ({ atMs, role }) =>
      passes(role ?? '', shard, atMs) ? { status: 200, body: [] } : { status: 429 };
    await tryShardScope({
      ...{ catalogs, plan, profile, shard, clock: own },
      startNs: startMs * 1e6,
      client: new TargetClient(
        new URL('http://127.0.0.1:1/v1'),
        dispatcher(clock, service, randomStream(shard, 'network'), { elsewhere: false, isNew: false }),
        clock.nowNs,
        undefined,
      ),
      keys: Object.fromEntries(roles.map((role) => [role, { value: `key-${role}`, from: 'test' }])),
      scenario: { checks: ['rate-limit'], study: [] },
      recorder: new Recorder({
        writer: {
          request: (record) => requests.push({ ...record, seq: requests.length + 1 }),
          interaction: () => undefined,
          answer: () => undefined,
        },
        ...{ profile, secrets: [], statistics: new LiveStatistics() },
      }),
      sample: new SessionSample(10, randomStream(shard, 'sample')),
      ledger: new Ledger(),
      loadCap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
      governors: eachRole(() => new Governor(own, profile.rate_limit)),
      mayGoOn: () => true,
      noteEnd: () => undefined,
      progress: newProgress(),
      requestsLeft: () => requestsLeft,
    });
  });
  await clock.play(Promise.all(tries));
  const states: RunInfo['shards'] = shards.map((shard) => ({
    ...{ state: 'whole', clock_error_ns: 5e6, address: address(shard) },
  }));
  return withHistory(
    { profile: { ...promised, limit_scope: scope }, requests, run: meantToExceed },
    (history) => renderedRateLimit({ ...history, run: { ...history.run, shards: states } }),
  );
}

/** A machine whose waits end late from an instant on, for some time. */
function standingStill(clock: SharedClock, fromNs: number, forNs: number): Clock {
  return {
    ...{ zeroEpochMs: clock.zeroEpochMs, nowNs: clock.nowNs },
    until: (ns) => clock.until(ns > fromNs ? Math.max(ns, fromNs + forNs) : ns),
  };
}

/** Sends the load of the shards in turn, and a little with the bystander's key. Returns when it is over. */
function loadOf(of: number, send: (role: Role, shard: number, atMs: number, seq: number) => void): number {
  let fromMs = 2;
  let seq = 0;
  for (const { ms, requests } of scaledLoad(factor)) {
    for (let n = 0; n < requests; n++) {
      const isBystander = n % 20 === 10;
      send(isBystander ? 'bystander' : 'load', 1 + (seq % of), fromMs + (n * ms) / requests, ++seq);
    }
    fromMs += ms;
  }
  return fromMs;
}

const byKey: Counters = (role) => [role];
const byAddress: Counters = (_, shard) => [`${shard}`];

function causesOf(results: readonly CheckResult[]): readonly Diagnosed['cause'][] {
  return diagnose(results).causes.map(({ cause }) => cause);
}

function scopeOf(results: readonly CheckResult[]): CheckResult | undefined {
  return results.find(({ id }) => id === 'rate-limit.scope');
}

describe('several shards with addresses of their own', () => {
  const byPair: Counters = (role, shard) => [`${role} ${shard}`];
  const byBoth: Counters = (role, shard) => [role, `${shard}`];
  const address = (keys: string): unknown => ({ code: 'limit-by-address', params: { keys } });
  /** With the cause of what fails, under a profile that promises a limit by key and under one that leaves it open. */
  const services: readonly [string, Counters, readonly [unknown, unknown]][] = [
    ['by key', byKey, [undefined, undefined]],
    ['by address', byAddress, [address('together'), address('together')]],
    ['for each key at each address', byPair, [address('apart'), address('apart')]],
    ['by key, and another one by address', byBoth, [address('limited-too'), address('limited-too')]],
    ['for all', () => ['all'], [{ code: 'limit-shared-by-keys', params: {} }, undefined]],
  ];
  const usual = ['by key', 'by address', 'by key, and another one by address'];
  const rows = services.flatMap(([name, counters, causes]) =>
    Object.entries(limiters).flatMap(([kind, limiter]) =>
      [2, 4].flatMap((of) =>
        (['per-key', 'discover'] as const).map((scope, at) => ({
          ...{ name, kind, of, scope, counters, limiter },
          isUsual: of === 4 && kind === 'sliding window' && scope === 'discover' && usual.includes(name),
          causes: [causes[at]].filter((cause) => cause !== undefined),
        })),
      ),
    ),
  );
  it.each(rowsOf(rows, ({ isUsual }) => isUsual))(
    'name a limit $name ($kind, $of shards, $scope), and nothing else',
    async ({ causes, counters, limiter, of, scope }) => {
      const results = await launched({ counters, limiter, of, scope });
      expect(causesOf(results)).toEqual(causes);
      expect(scopeOf(results)?.verdict).toBe(causes.length === 0 ? 'pass' : 'fail');
    },
  );

  const lateRows = Object.entries(limiters).flatMap(([kind, limiter]) =>
    [1, 2].map((stalled) => ({ kind, limiter, stalled })),
  );
  it.each(rowsOf(lateRows, ({ kind, stalled }) => kind === 'token bucket' && stalled === 1))(
    'accuse no limit by key while shard $stalled stands still ($kind)',
    async ({ limiter, stalled }) => {
      expect(causesOf(await launched({ counters: byKey, limiter, of: 2, stalled }))).toEqual([]);
    },
  );

  it('do not say that addresses make no difference where both sent from one', async () => {
    const scope = scopeOf(await launched({ counters: byKey, of: 2, address: () => '10.0.0.1' }));
    expect(scope?.reasons.map(({ code }) => code)).toEqual(['scope-keys-separate', 'scope-one-address']);
  });

  it('try nothing where the caps leave too little for it', async () => {
    expect(scopeOf(await launched({ counters: byKey, of: 2, requestsLeft: 500 }))).toBeUndefined();
  });
});
