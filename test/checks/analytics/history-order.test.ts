import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { foundProfile } from '../../../src/checks/found-profile.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import type { HistoryOrder } from '../../../src/vocabulary/analytics.ts';
import { causeCodes } from '../cause-codes.ts';
import { stated } from './run.ts';
import { checkedAnalytics, codesOf, saying } from './saying.ts';
import { Scene } from './scene.ts';

type Order = 'arrival' | 'at' | 'arrival, newest first' | 'at, newest first' | 'shade';
type Promised = NonNullable<NonNullable<ProfileInput['session_history']>['order']>;

/** Instants of a shopper's clock in seconds, one for each delivery. */
type Delivered = readonly number[];
const inTurn: Delivered = [1, 2, 3];
/** The second delivery carries what happened first, as a shopper's device sends it that was offline. */
const late: Delivered = [2, 1, 3];

/** A session of one act a delivery, in shades B, C and A, that is read back in an order. */
function delivered(scene: Scene, seconds: Delivered, order: Order): void {
  const session = scene.session('lipstick') ?? '';
  const at = new Map(
    seconds.flatMap((second, n) => {
      const instant = `2026-05-01T12:00:0${second}Z`;
      return scene
        .act(session, [['B', 'C', 'A'][n] ?? ''], { at: instant })
        .map((id) => [id, instant] as const);
    }),
  );
  scene.pause(11_000);
  scene.read(session, (body) => {
    const entries = body.interactions.map((entry) => ({ ...entry, at: at.get(entry.id ?? '') ?? '' }));
    const sorted =
      order === 'shade'
        ? entries.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
        : order.startsWith('at')
          ? entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
          : entries;
    return { ...body, interactions: order.endsWith('newest first') ? sorted.toReversed() : sorted };
  });
}

function run(histories: readonly (readonly [Delivered, Order])[]): Scene {
  const scene = new Scene();
  for (const [seconds, order] of histories) delivered(scene, seconds, order);
  return scene;
}

async function judged(scene: Scene, order: Promised = 'discover'): Promise<CheckResult | undefined> {
  const profile = { analytics: stated, session_history: { order } };
  return (await scene.judge(checkedAnalytics, { profile })).find(({ id }) => id === 'analytics.sessions');
}

describe('histories', () => {
  it.each<[string, readonly (readonly [Delivered, Order])[], Promised, readonly HistoryOrder[] | null]>([
    ['in order of arrival pass', [[late, 'arrival']], 'discover', null],
    ["in order of the events' own instants pass, and that is said", [[late, 'at']], 'discover', ['at']],
    ['newest first by arrival pass', [[late, 'arrival, newest first']], 'discover', ['arrival-descending']],
    ['newest first by their instants pass', [[late, 'at, newest first']], 'discover', ['at-descending']],
    ['that fit either order pass with arrival promised', [[inTurn, 'at']], 'arrival', null],
    ['that fit either order pass with the instants promised', [[inTurn, 'arrival']], 'at', null],
    [
      'pass newest first, where only arrival is promised',
      [[late, 'arrival, newest first']],
      'arrival',
      ['arrival-descending'],
    ],
  ])('%s', async (_, histories, order, orders) => {
    const result = await judged(run(histories), order);
    expect(codesOf(result)).toContain('sessions-agree');
    const said = result?.reasons?.filter(({ code }) => code === 'sessions-order');
    expect(said).toEqual(orders === null ? [] : [{ code: 'sessions-order', params: { orders } }]);
    expect(result?.verdict).toBe('pass');
  });

  it.each<[string, readonly (readonly [Delivered, Order])[], Promised, unknown, CauseCode]>([
    [
      'in an order of neither kind fail',
      [[inTurn, 'shade']],
      'discover',
      saying('sessions-no-order'),
      'history-order-wrong',
    ],
    [
      'some by arrival and some by instants fail',
      [
        [late, 'arrival'],
        [late, 'at'],
      ],
      'discover',
      saying('sessions-orders-vary'),
      'history-order-wrong',
    ],
    [
      'some oldest first and some newest first fail',
      [
        [inTurn, 'arrival'],
        [inTurn, 'arrival, newest first'],
      ],
      'discover',
      saying('sessions-orders-vary'),
      'history-order-wrong',
    ],
    [
      'by instants, where arrival is promised, fail',
      Array.from({ length: 3 }, () => [late, 'at'] as const),
      'arrival',
      saying('sessions-order-otherwise', { orders: ['at'], promised: 'arrival' }),
      'profile-false',
    ],
    [
      'by arrival, where instants are promised, fail',
      Array.from({ length: 3 }, () => [late, 'arrival'] as const),
      'at',
      saying('sessions-order-otherwise', { orders: ['arrival'], promised: 'at' }),
      'profile-false',
    ],
    [
      'of which one alone shows another order than is promised fail, and do not show that all have it',
      [[late, 'at']],
      'arrival',
      saying('sessions-order-otherwise', { orders: ['at'], promised: 'arrival' }),
      'history-order-wrong',
    ],
  ])('%s', async (_, histories, order, said, cause) => {
    const result = await judged(run(histories), order);
    expect(result?.reasons?.[0]).toEqual(saying('sessions-differ', { kind: 'order' }));
    expect(result?.reasons).toContainEqual(said);
    expect(result).toMatchObject({ verdict: 'fail' });
    expect(causeCodes([result])[0]).toBe(cause);
    expect(result?.evidence[0]?.seqs.length).toBeGreaterThan(0);
  });

  it.each<[string, Delivered, Order, Promised | undefined]>([
    ['is written into the profile that was found', late, 'at', 'at'],
    ['is written likewise, newest first', late, 'arrival, newest first', 'arrival'],
    ['is left open where either fits', inTurn, 'at', undefined],
  ])('their order %s', async (_, seconds, order, written) => {
    const { profile } = await run([[seconds, order]]).judge(foundProfile, { profile: { analytics: stated } });
    expect(profile.session_history?.order).toBe(written);
  });
});
