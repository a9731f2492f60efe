import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../src/checks/causes/cause.ts';
import type { QuotaCall } from '../../src/checks/quota/log.ts';
import { whyQuota } from '../../src/checks/quota/rows.ts';
import { type Random, randomStream } from '../../src/random.ts';

const quota = 20;

/** An account that a test keeps in its own way: whether a request for a session is admitted at an instant. */
interface PlantedAccount {
  readonly limit?: number;
  /** How many sessions are requested in the race. */
  readonly race?: number;
  readonly costs?: number;
  readonly lastsMs?: number;
  readonly lateMs?: number;
  /** After so long without a new session all are forgotten. */
  readonly restMs?: number;
  /** What a session costs in the race. */
  readonly raceCosts?: number;
  /** What another request does to the units that are spent. */
  readonly units?: Readonly<Record<string, number>>;
  /** A session of another account. */
  readonly ofOthers?: number;
  /** Malformed sessions, and reads after them. */
  readonly malformed?: number;
  readonly readsAfter?: number;
}

/** A few sessions, other requests, sessions up to the edge, a race over it, and some more; with jitter by the seed. */
function played(
  {
    costs = 1,
    lastsMs = Infinity,
    lateMs = 0,
    limit = quota,
    malformed = 5,
    ofOthers = 0,
    race = 12,
    raceCosts = costs,
    readsAfter = 0,
    restMs = Infinity,
    units = {},
  }: PlantedAccount,
  random: Random,
): QuotaCall[] {
  const spent: { readonly atMs: number; readonly by: number }[] = [];
  const calls: QuotaCall[] = [];
  let nowMs = 1_000;
  const send = (
    sent: string | undefined,
    atMs: number,
    tookMs: number,
    role: QuotaCall['role'] = 'quota',
  ): void => {
    const last = spent.findLast(({ by }) => by > 0);
    if (last !== undefined && atMs - last.atMs > restMs) spent.length = 0;
    const isRacing = tookMs >= 20;
    const used = spent.reduce(
      (sum, each) => (each.atMs + lateMs < atMs && each.atMs + lastsMs > atMs ? sum + each.by : sum),
      0,
    );
    const meetsQuota = sent === 'create-session 422' && used + costs > limit;
    const what = meetsQuota ? 'create-session 402' : sent;
    const isIn = what === undefined && (role !== 'quota' || Math.max(0, used) + costs <= limit);
    const by =
      what === undefined
        ? isIn
          ? role === 'quota'
            ? isRacing
              ? raceCosts
              : costs
            : ofOthers
          : 0
        : (units[what] ?? 0);
    if (by > 0 || used > 0) spent.push({ atMs, by });
    const status = what === undefined ? (isIn ? 201 : 402) : Number(what.split(' ')[1]);
    calls.push({
      ...{
        seq: calls.length + 1,
        role,
        isAttempt: what === undefined,
        isOfEdge: true,
        port: undefined,
        status,
      },
      what: what ?? `create-session ${status}`,
      ...{ atNs: Math.floor(atMs) * 1e6, sentNs: (atMs - 0.1) * 1e6, answeredNs: (atMs + tookMs) * 1e6 },
      outcome: what === undefined ? (isIn ? 'admitted' : 'refused') : meetsQuota ? 'refused' : 'other',
    });
  };
  const paced = (what?: string, role?: QuotaCall['role']): void => {
    nowMs += 40 + 20 * random();
    send(what, nowMs, 2 + 5 * random(), role);
  };
  const times = (count: number, what?: string, role?: QuotaCall['role']): void => {
    for (let n = 0; n < count; n++) paced(what, role);
  };
  times(3, undefined, 'load');
  times(7);
  for (const [what, count] of [
    ['list-shades 200', 5],
    ['create-session 404', 6],
    ['create-session 422', malformed],
    ['import-shades 200', 4],
    ['list-shades 200', readsAfter],
  ] as const)
    times(count, what);
  nowMs += 2_000;
  times(quota - 7 - 4);
  nowMs += 100;
  for (let n = 0; n < race; n++) send(undefined, nowMs + n * 0.001, 20);
  nowMs += 100;
  times(15);
  return calls.toSorted((a, b) => a.sentNs - b.sentNs);
}

/** Each way to keep an account, and the cause that has to be among the cheapest. */
const rows: readonly [string, PlantedAccount, CauseCode][] = [
  ['one session more', { limit: quota + 1 }, 'quota-differs'],
  ['one session fewer', { limit: quota - 1 }, 'quota-differs'],
  ['another plan', { limit: quota + 3 }, 'check-then-increment'],
  ['no quota', { limit: 1_000 }, 'quota-not-enforced'],
  ['checked, then counted', { lateMs: 5 }, 'check-then-increment'],
  ['counted late', { lateMs: 180 }, 'quota-exceeded'],
  ['counted late, in a race of many', { lateMs: 180, race: 200 }, 'quota-exceeded'],
  ['sessions that count for a while', { lastsMs: 900 }, 'quota-comes-back'],
  ['sessions that are forgotten after a rest', { restMs: 1_500 }, 'quota-forgotten'],
  ['sessions at the same time that cost twice', { raceCosts: 2 }, 'quota-counts-races-twice'],
  ['reads that are counted', { units: { 'list-shades 200': 1 } }, 'quota-counts-other-requests'],
  ['failed sessions that are counted', { units: { 'create-session 404': 1 } }, 'quota-counts-other-requests'],
  [
    'failed sessions of every status that are counted',
    { units: { 'create-session 404': 1, 'create-session 422': 1 } },
    'quota-counts-other-requests',
  ],
  ['failed sessions that give back', { units: { 'create-session 404': -1 } }, 'quota-given-back'],
  ['sessions of other accounts', { ofOthers: 1 }, 'quota-counts-other-accounts'],
  ['two units a session', { costs: 2 }, 'quota-session-costs'],
];

describe.each([1, 2, 3, 4, 5])('an account of seed %i that is kept with', (seed) => {
  it.each(rows)('%s is told by its answers', (_, account, cause) => {
    const calls = played(account, randomStream(seed, 'quota'));
    const codes = whyQuota({ calls, keys: ['quota'], quota, isFresh: true }).map((each) => each.cause.code);
    expect(codes).toContain(cause);
  });

  it('malformed sessions that are counted until they meet the quota is not told as reads after it', () => {
    const account = { units: { 'create-session 422': 1 }, malformed: 30, readsAfter: 40 };
    const calls = played(account, randomStream(seed, 'quota'));
    const why = whyQuota({ calls, keys: ['quota'], quota, isFresh: true });
    const told = why.map(({ cause }) =>
      cause.code === 'quota-counts-other-requests' ? cause.params.requests : [],
    );
    expect(told[0]).toEqual(['create-session 422']);
    expect(told).not.toContainEqual(['list-shades 200']);
  });

  it('its promise needs no explanation', () => {
    const calls = played({}, randomStream(seed, 'quota'));
    expect(whyQuota({ calls, keys: ['quota'], quota, isFresh: true })).toEqual([]);
  });
});
