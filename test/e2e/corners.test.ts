import { describe, expect, it } from 'vitest';
import { reason } from '../../src/checks/reasons/reason.ts';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import type { CheckId } from '../../src/vocabulary/check-ids.ts';
import type { Shade } from '../../src/wire.ts';
import { isLong } from '../effort.ts';
import { type ForeignRunOptions, runAgainst } from './foreign-run.ts';
import type { ForeignChoices } from './foreign-service.ts';
import { ForeignShop } from './foreign-shop.ts';
import { patiently, scenario, troubles } from './program.ts';

/*
 * Whole runs against honest services of another author with one peculiarity. Faults at unusual values are planted into the model
 * (test/model/planted.test.ts) and into hand-written histories (test/checks).
 */

/** Trims SKUs and composes their letters, and so takes some of them for the same. */
class SkusNormalised extends ForeignShop {
  override importShades(catalogId: string, shades: readonly Shade[]): void {
    super.importShades(
      catalogId,
      shades.map((shade) => ({
        ...shade,
        sku: shade.sku.normalize('NFC').trim(),
        name: shade.name.normalize('NFC'),
      })),
    );
  }
}

const enough = { requests: 1_000, windowMs: 60_000 };
const exclusive = { ...patiently, analytics: { freshness: '1s', exclusive: true } } as const;
const smoke: ForeignRunOptions = { run: ['smoke', '--seed', '108'], profile: exclusive };
/** Every malformed request. */
const fields: ForeignRunOptions = {
  run: [scenario('fields')],
  profile: {
    ...exclusive,
    channel: {
      path: '/sessions/{session_id}/interactions',
      auth: 'session-token',
      malformed: 'refused',
    },
  },
};
/** Others may use the accounts. */
const twoKeys: ForeignRunOptions = {
  profile: { ...patiently, analytics: { freshness: '1s' } },
  roles: ['load', 'bystander'],
};

const checkOf = ({ checks }: VerdictsJson, id: CheckId) => checks.find((check) => check.id === id);

const honest: readonly (readonly [sentence: string, choices: ForeignChoices, run: ForeignRunOptions])[] = [
  ['names of 100 characters at most', { takes: ({ name }) => name.length <= 100 }, smoke],
  ['SKUs of letters, digits and dashes alone', { takes: ({ sku }) => /^[\w-]+$/.test(sku) }, smoke],
  ['colours in capital letters alone', { takes: ({ hex }) => /^(#[0-9A-F]{6}|no colour)$/.test(hex) }, smoke],
  [
    'products of letters, digits and dashes alone',
    { opens: ({ product_id }) => /^[\w-]{1,64}$/.test(product_id) },
    smoke,
  ],
  [
    'catalogs and products in small letters alone',
    { opens: (request) => !/[A-Z]/.test(request.catalog_id + request.product_id) },
    smoke,
  ],
  [
    'no cart intent before a selection',
    { acts: (before, events) => [...before, ...events][0]?.type !== 'cart_intent' },
    smoke,
  ],
  ['SKUs trimmed and composed', { shop: () => new SkusNormalised() }, smoke],
  ['lists in pages of 20', { pages: { size: 20, by: 'cursor' } }, smoke],
  ['malformed requests rejected', {}, fields],
  ['malformed requests put right, as far as that is possible', { strictness: 'lenient' }, fields],
];

describe.runIf(isLong).concurrent('a service is not accused that has', () => {
  it.each(honest)('%s', async (_, choices, run) => {
    const { verdicts } = await runAgainst({ limit: enough, ...choices }, run);
    const failed = verdicts().checks.filter(
      ({ id, verdict }) => verdict === 'fail' && !id.startsWith('latency.'),
    );
    expect(failed).toEqual([]);
    const passed: readonly CheckId[] =
      run === fields ? ['contract.malformed-requests'] : ['contract.catalog', 'analytics.sessions'];
    for (const id of passed) expect(checkOf(verdicts(), id)?.verdict).toBe('pass');
  });

  it('two keys of one account, and histories that stand newest first', async () => {
    const { verdicts } = await runAgainst(
      { accounts: { bystander: 'load' }, historyOrder: 'at-descending' },
      twoKeys,
    );
    expect(troubles(verdicts()).filter((text) => !text.startsWith('latency'))).toEqual([]);
    expect(checkOf(verdicts(), 'analytics.conventions')?.data.reasons).toEqual(
      expect.arrayContaining([
        reason('accounts-agree'),
        reason('known-by-read', { canRead: true, status: 200 }),
      ]),
    );
    expect(checkOf(verdicts(), 'analytics.sessions')?.data.reasons).toContainEqual({
      code: 'sessions-order',
      params: { orders: expect.arrayContaining(['at-descending']) },
    });
  });
});
