import { describe, expect, it } from 'vitest';
import { reason } from '../../src/checks/reasons/reason.ts';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import type { CheckId } from '../../src/vocabulary/check-ids.ts';
import type { Interaction, Shade } from '../../src/wire.ts';
import { isLong } from '../effort.ts';
import { type ForeignRunOptions, runAgainst } from './foreign-run.ts';
import type { ForeignChoices } from './foreign-service.ts';
import { type ForeignSession, ForeignShop } from './foreign-shop.ts';
import { patiently, scenario, troubles } from './program.ts';

/*
 * Whole runs against services of another author with one peculiarity. In `npm test`, the same faults are planted into the
 * model (test/model/planted.test.ts) and into hand-written histories (test/checks).
 */

/** Names are kept in a column of 255 bytes. */
class NamesCut extends ForeignShop {
  override importShades(catalogId: string, shades: readonly Shade[]): void {
    const cut = (name: string): string =>
      Buffer.from(name)
        .subarray(0, 255)
        .toString()
        .replace(/\ufffd$/, '');
    super.importShades(
      catalogId,
      shades.map((shade) => ({ ...shade, name: cut(shade.name) })),
    );
  }
}

/** SKUs are compared as a collation does that ignores case. */
class SkusWithoutCase extends ForeignShop {
  override importShades(catalogId: string, shades: readonly Shade[]): void {
    const kept = [...(this.catalogs.get(catalogId)?.values() ?? []), ...shades];
    const bySku = new Map(kept.map((shade) => [shade.sku.toLowerCase(), shade]));
    this.catalogs.set(catalogId, new Map([...bySku.values()].map((shade) => [shade.sku, shade])));
  }
}

/** Catalogs are compared so. */
class CaseMap<Value> extends Map<string, Value> {
  override get(key: string): Value | undefined {
    return super.get(key.toLowerCase());
  }
  override set(key: string, value: Value): this {
    return super.set(key.toLowerCase(), value);
  }
}
class CatalogsWithoutCase extends ForeignShop {
  override readonly catalogs = new CaseMap<Map<string, Shade>>();
}

/** A history holds 64 events; what comes later is acknowledged and lost. */
class HistoryOf64 extends ForeignShop {
  override act(session: ForeignSession, interactions: readonly Interaction[], receivedMs: number): number {
    const accepted = super.act(session, interactions, receivedMs);
    session.acts.splice(64);
    return accepted;
  }
}

/** A row of counts is made with the id of its product, and updated with the decoded id: only the first session counts. */
class CountsOnce extends ForeignShop {
  override readonly sessions = new (class extends Map<string, ForeignSession> {
    override *values(): MapIterator<ForeignSession> {
      const products = new Set<string>();
      for (const session of super.values()) {
        const { product_id: productId } = session.request;
        if (!productId.includes('%2F') || !products.has(productId)) yield session;
        products.add(productId);
      }
      return undefined;
    }
  })();
}

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

interface Faulty {
  readonly sentence: string;
  readonly choices: ForeignChoices;
  readonly run: ForeignRunOptions;
  readonly check: CheckId;
  readonly cause: string;
}

const faults: readonly Faulty[] = [
  {
    sentence: 'names cut at 255 bytes',
    choices: { shop: () => new NamesCut() },
    run: smoke,
    check: 'contract.catalog',
    cause: 'text-cut',
  },
  {
    sentence: 'SKUs compared without case',
    choices: { shop: () => new SkusWithoutCase() },
    run: smoke,
    check: 'contract.catalog',
    cause: 'skus-merged',
  },
  {
    sentence: 'catalogs compared without case',
    choices: { shop: () => new CatalogsWithoutCase() },
    run: smoke,
    check: 'contract.catalog',
    cause: 'catalogs-merged',
  },
  {
    sentence: 'the 65th event of a session lost',
    choices: { shop: () => new HistoryOf64() },
    run: smoke,
    check: 'contract.history',
    cause: 'history-cut',
  },
  {
    sentence: 'further sessions of a product with characters of URLs not counted',
    choices: { shop: () => new CountsOnce() },
    run: smoke,
    check: 'contract.totals',
    cause: 'sessions-counted-in-part',
  },
  {
    sentence: 'a field used before it was looked at',
    choices: {
      sabotage: ({ method, url = '' }, response) => {
        const isFault = method === 'GET' && /sessions\/%zz$/.test(url);
        if (isFault) response.writeHead(500).end();
        return isFault;
      },
    },
    run: fields,
    check: 'contract.malformed-requests',
    cause: 'malformed-request-fails',
  },
  {
    sentence: 'a connection ended by a path that cannot be decoded',
    choices: {
      sabotage: ({ socket, url = '' }) => {
        const isBroken = /sessions\/%(zz|ff)?$/.test(url);
        if (isBroken) socket.destroy();
        return isBroken;
      },
    },
    run: fields,
    check: 'contract.availability',
    cause: 'requests-unanswered',
  },
];

describe.runIf(isLong).concurrent('a fault at an unusual value is found:', () => {
  it.each(faults)('$sentence', async ({ cause, check, choices, run }) => {
    const { verdicts } = await runAgainst({ limit: enough, ...choices }, run);
    expect(checkOf(verdicts(), check)?.verdict).toBe('fail');
    expect(verdicts().diagnosis[0]?.cause).toBe(cause);
  });

  it('analytics that pool accounts which cannot read each other’s sessions', async () => {
    const { verdicts } = await runAgainst({ pooledAnalytics: true }, twoKeys);
    expect(checkOf(verdicts(), 'analytics.conventions')?.data.reasons).toEqual(
      expect.arrayContaining([
        reason('known-by-read', { canRead: false, status: 404 }),
        reason('account-leak', { isPromised: false }),
      ]),
    );
  });
});

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
