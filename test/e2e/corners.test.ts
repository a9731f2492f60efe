import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Interaction, Shade } from '../../src/wire.ts';
import { isLong, rowsOf } from '../effort.ts';
import { type ForeignChoices, startForeignService } from './foreign-service.ts';
import { type ForeignSession, ForeignShop } from './foreign-shop.ts';
import { atMost, patiently, profileArguments, readVerdicts, temporaryFolder, tryon } from './program.ts';

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

const gate = atMost(2);

/** A smoke run against a service with these choices; its verdicts. */
async function smoke(choices: ForeignChoices): Promise<ReturnType<typeof readVerdicts>> {
  return gate(async () => {
    const service = await startForeignService({ limit: { requests: 1_000, windowMs: 60_000 }, ...choices });
    const out = join(temporaryFolder(), 'run');
    try {
      const profile = profileArguments({ ...patiently, analytics: { freshness: '1s', exclusive: true } });
      await tryon(
        [
          'run',
          'smoke',
          '--seed',
          '108',
          '--target',
          service.baseUrl,
          '--key',
          'load=LOAD',
          '--out',
          out,
          ...profile,
        ],
        {
          env: { LOAD: service.keys.load },
        },
      );
      return readVerdicts(out);
    } finally {
      await service.close();
    }
  });
}

describe('a fault at an unusual value is found', () => {
  const faults: readonly [string, ForeignChoices, string, string][] = [
    ['names cut at 255 bytes', { shop: () => new NamesCut() }, 'contract.catalog', 'text-cut'],
    ['SKUs compared without case', { shop: () => new SkusWithoutCase() }, 'contract.catalog', 'skus-merged'],
    [
      'catalogs compared without case',
      { shop: () => new CatalogsWithoutCase() },
      'contract.catalog',
      'catalogs-merged',
    ],
    [
      'the 65th event of a session lost',
      { shop: () => new HistoryOf64() },
      'contract.history',
      'history-cut',
    ],
  ];
  it.each(rowsOf(faults, ([, , , cause]) => cause === 'history-cut'))(
    '%s',
    async (_, choices, check, cause) => {
      const verdicts = await smoke(choices);
      expect(verdicts.checks.find(({ id }) => id === check)?.verdict).toBe('fail');
      expect(verdicts.diagnosis[0]?.cause).toBe(cause);
    },
  );
});

describe.runIf(isLong)('a fault at an unusual value', () => {
  it('is found: further sessions of a product with characters of URLs do not count', async () => {
    const { checks, diagnosis } = await smoke({ shop: () => new CountsOnce() });
    expect(checks.find(({ id }) => id === 'contract.totals')?.verdict).toBe('fail');
    expect(diagnosis.map(({ cause }) => cause)).toEqual(['sessions-counted-in-part']);
  });
});

describe.runIf(isLong)('a service that leaves such values out is not accused', () => {
  const honest: readonly [string, ForeignChoices][] = [
    ['names of 100 characters at most', { takes: ({ name }) => name.length <= 100 }],
    ['SKUs of letters, digits and dashes alone', { takes: ({ sku }) => /^[\w-]+$/.test(sku) }],
    ['colours in capital letters alone', { takes: ({ hex }) => /^(#[0-9A-F]{6}|no colour)$/.test(hex) }],
    [
      'products of letters, digits and dashes alone',
      { opens: ({ product_id }) => /^[\w-]{1,64}$/.test(product_id) },
    ],
    [
      'catalogs and products in small letters alone',
      { opens: (request) => !/[A-Z]/.test(request.catalog_id + request.product_id) },
    ],
    [
      'no cart intent before a selection',
      { acts: (before, events) => [...before, ...events][0]?.type !== 'cart_intent' },
    ],
    ['SKUs trimmed and composed', { shop: () => new SkusNormalised() }],
    ['lists in pages of 20', { pages: { size: 20, by: 'cursor' } }],
  ];
  it.each(honest)('%s', async (_, choices) => {
    const verdicts = await smoke(choices);
    expect(
      verdicts.checks.filter(({ id, verdict }) => verdict === 'fail' && !id.startsWith('latency.')),
    ).toEqual([]);
    expect(verdicts.checks.find(({ id }) => id === 'contract.catalog')?.verdict).toBe('pass');
    expect(verdicts.checks.find(({ id }) => id === 'analytics.sessions')?.verdict).toBe('pass');
  });
});
