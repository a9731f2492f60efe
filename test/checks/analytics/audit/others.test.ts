import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../../src/checks/core/verdict.ts';
import type { SessionAnalytics } from '../../../../src/wire.ts';
import { catalog } from '../../../drive/virtual.ts';
import type { AccountAct, AccountSession } from './account.ts';
import { judged, noon, type PlayOptions, type Spoil } from './play.ts';

/** Sessions of today alone, as on an account that this run has just begun to use: `shades` in each, a cart in every third. */
function sessionsOf(
  product: string,
  count: number,
  shades: number,
  createdMs = (n: number): number => noon - 3_600_000 + n * 1_000,
): AccountSession[] {
  return Array.from({ length: count }, (_, n) => {
    const atMs = createdMs(n);
    const acts = Array.from(
      { length: shades + (n % 2) },
      (_unused, k): AccountAct => ({ type: 'shade_selected', sku: 'ABCDEFGH'.charAt(k), atMs }),
    );
    const cart: AccountAct[] = n % 3 === 0 ? [{ type: 'cart_intent', sku: 'A', atMs }] : [];
    return { product, createdMs: atMs, acts: [...acts, ...cart] };
  });
}

const known = [...sessionsOf('told', 150, 3), ...sessionsOf('other', 60, 2)];
const few = sessionsOf('hidden', 3, 6);
const many = Array.from({ length: 4 }, (_, n) => sessionsOf(`earlier ${n}`, 100, 1 + n)).flat();
/** Somebody opens a session every second while the audit asks, of a product that is known or of one that is not. */
const live = [
  ...sessionsOf('told', 6, 3, (n) => noon + n * 2_000),
  ...sessionsOf('hidden', 6, 2, (n) => noon + 1_000 + n * 2_000),
];

/** The means of products, each of which counts alike however many sessions it has. */
const unweighted: Spoil = (body, { ask, query }) => {
  if (query.product_id !== undefined) return body;
  const products = [
    catalog.products[0]?.id ?? '',
    'told',
    'other',
    'hidden',
    'earlier 0',
    'earlier 1',
    'earlier 2',
    'earlier 3',
  ];
  const filled = [...products, 'tryon-test-audit']
    .map((product_id) => ask({ ...query, product_id }))
    .filter(({ total_sessions }) => total_sessions > 0);
  const meanOf = (of: (each: SessionAnalytics) => number): number =>
    filled.length === 0
      ? 0
      : Math.round((1e4 * filled.reduce((sum, each) => sum + of(each), 0)) / filled.length) / 1e4;
  return {
    ...body,
    avg_shades_per_session: meanOf((each) => each.avg_shades_per_session),
    cart_intent_rate: meanOf((each) => each.cart_intent_rate),
  };
};

const profile: NonNullable<PlayOptions['profile']> = {
  products: ['told', 'other'],
  sessions_averaged: 'all',
  cart_intent: 'ever',
};

async function averages(options: Partial<PlayOptions>): Promise<CheckResult | undefined> {
  const verdicts = await judged({ sessions: known, profile, ...options });
  return verdicts.get('analytics.audit-averages');
}

describe('averages of an account', () => {
  it.each<[string, PlayOptions['sessions']]>([
    ['without sessions, where the audit opens two more than its own', []],
    ['with three sessions of a product that is not known', few],
    ['whose sessions are all of today and of known products', known],
    ['with a few sessions of a product that is not known', [...known, ...few]],
    ['with more sessions of products that are not known than of those that are', [...known, ...many]],
    ['that others use meanwhile', [...known, ...few, ...live]],
  ])('%s', async (_, sessions) => {
    expect(await averages({ sessions })).toMatchObject({ verdict: 'pass' });
    const convicted = await averages({ sessions, spoil: unweighted });
    expect(convicted?.verdict).not.toBe('pass');
    // The sessions of others may explain the whole, unless they are few.
    if (sessions.length < known.length + many.length) expect(convicted).toMatchObject({ verdict: 'fail' });
  });

  it('with a few sessions of a product that is not known passes every check, though the profile tells nothing', async () => {
    const verdicts = await judged({ sessions: [...known, ...few], profile: { products: ['told', 'other'] } });
    expect([...verdicts.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  });

  it('that others use meanwhile passes what compares numbers of sessions', async () => {
    const verdicts = await judged({ sessions: [...known, ...few, ...live], profile });
    for (const id of ['adjacent-periods', 'widening', 'products', 'product-filter', 'averages', 'session'])
      expect(verdicts.get(`analytics.audit-${id}`), id).toMatchObject({ verdict: 'pass' });
  });

  it('stay open where others have opened more sessions than a mean of the run can show against', async () => {
    const sessions = [...known, ...many, ...live];
    expect(await averages({ sessions })).toMatchObject({
      verdict: 'inconclusive',
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'audit-averages-unknown-products' })]),
    });
  });
});
