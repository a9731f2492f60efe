import { describe, expect, it } from 'vitest';
import { checkContract } from '../../../src/checks/contract.ts';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import { cornerGroups } from '../../../src/corners/shades.ts';
import type { Shade } from '../../../src/wire.ts';
import { withHistory } from '../../history/sample.ts';

const catalogId = 'TRYON-1-BATCH-NAMES';
const everything: readonly Shade[] = cornerGroups('1', ['matte']).flatMap(({ shades }) => shades);
const other: Shade = { sku: 'other-1', name: 'Other', hex: '#010203', finish: 'matte' };

/** The finding on the catalogs, where the batch of unusual values is listed as `keep` leaves it. */
async function judged(
  keep: (shades: readonly Shade[]) => readonly Shade[],
  { listStatus = 200, status = 200, sent = everything } = {},
): Promise<CheckFinding> {
  const recorded = [
    ...sent.map((shade) => ({ catalogId, ...shade })),
    { catalogId: catalogId.toLowerCase(), ...other },
  ].map(({ sku, name, hex, finish, catalogId: id }) => ({
    catalogId: id,
    productId: '',
    productName: '',
    sku,
    name,
    hex,
    finish,
  }));
  const plain = { catalogId: 'plain', productId: 'p', productName: 'P' };
  const shade: Shade = { sku: 'plain-1', name: 'Plain', hex: '#445566', finish: 'matte' };
  const findings = await withHistory(
    {
      run: { catalogs: [{ id: 'plain', role: 'load', shades: 1 }] },
      requests: [
        { endpoint: 'import-shades', stage: 'setup', catalogId: 'plain', items: 1 },
        { endpoint: 'list-shades', stage: 'setup', catalogId: 'plain', probe: 'import:list', count: 1 },
        {
          endpoint: 'import-shades',
          stage: 'setup',
          catalogId,
          items: sent.length,
          probe: 'corners:import',
          status,
        },
        {
          endpoint: 'import-shades',
          stage: 'setup',
          catalogId: catalogId.toLowerCase(),
          items: 1,
          probe: 'names:import',
        },
        { endpoint: 'list-shades', stage: 'setup', catalogId, probe: 'corners:list', status: listStatus },
      ],
      answers: [
        { seq: 2, endpoint: 'list-shades', query: { catalog_id: 'plain' }, body: [shade] },
        ...(listStatus === 200
          ? [
              {
                seq: 5,
                endpoint: 'list-shades',
                query: { catalog_id: catalogId },
                body: [...keep(sent)],
              } as const,
            ]
          : []),
      ],
      catalog: [...recorded, { ...plain, ...shade, hex: shade.hex }],
    },
    checkContract,
  );
  const found = findings.find(({ id }) => id === 'contract.catalog');
  if (found === undefined) throw new Error('no finding');
  return found;
}

function codes({ causes = [] }: CheckFinding): string[] {
  return causes.map(({ cause }) => cause.code);
}

/** A colour of six digits, with those of its opacity. */
const opaque = (hex: string): string => (hex.length === 7 ? `${hex}FF` : hex);

describe('a list of unusual values', () => {
  it('that is as it was accepted passes', async () => {
    expect(await judged((shades) => shades)).toMatchObject({ verdict: 'pass' });
  });

  it('passes in any order, and with colours in another notation', async () => {
    const changed = await judged((shades) =>
      shades.toReversed().map((shade) => ({ ...shade, hex: shade.hex.toLowerCase() })),
    );
    expect(changed.verdict).toBe('pass');
  });

  it('passes with an opacity of 100 % behind each colour, which is remarked', async () => {
    const changed = await judged((shades) => shades.map((shade) => ({ ...shade, hex: opaque(shade.hex) })));
    expect(changed.verdict).toBe('pass');
    expect(changed.reasons?.map(({ code }) => code)).toContain('colours-in-other-notation');
  });

  it('with names cut at 255 bytes fails, and says where they are cut', async () => {
    const cut = await judged((shades) =>
      shades.map((shade) => ({ ...shade, name: Buffer.from(shade.name).subarray(0, 255).toString() })),
    );
    expect(cut.verdict).toBe('fail');
    expect(codes(cut)).toEqual(['text-cut']);
    expect(cut.causes?.[0]?.cause.params).toMatchObject({ field: 'name', bytes: 255 });
  });

  it('with SKUs cut at 255 characters fails', async () => {
    const cut = await judged((shades) => shades.map((shade) => ({ ...shade, sku: shade.sku.slice(0, 255) })));
    expect(codes(cut)).toEqual(['text-cut']);
    expect(cut.causes?.[0]?.cause.params).toMatchObject({ field: 'sku', characters: 255 });
  });

  it('with one of two SKUs that differ in case fails', async () => {
    const merged = await judged((shades) => [
      ...new Map(shades.map((shade) => [shade.sku.toLowerCase(), shade])).values(),
    ]);
    expect(merged.verdict).toBe('fail');
    expect(codes(merged)).toEqual(['skus-merged']);
  });

  it('with the shades of a catalog whose id differs in case fails', async () => {
    const mixed = await judged((shades) => [...shades, other]);
    expect(mixed.verdict).toBe('fail');
    expect(codes(mixed)).toEqual(['catalogs-merged']);
  });

  it.each<[string, (sku: string) => string]>([
    ['composes letters', (sku) => sku.normalize('NFC')],
    ['decomposes letters', (sku) => sku.normalize('NFD')],
    ['trims', (sku) => sku.trim()],
  ])('of a service that %s in SKUs and merges what is then alike passes', async (_, kept) => {
    const finding = await judged((shades) => [
      ...new Map(shades.map((shade) => [kept(shade.sku), { ...shade, sku: kept(shade.sku) }])).values(),
    ]);
    expect(finding.verdict).toBe('pass');
  });

  it('that has one of two such SKUs alone passes trimmed', async () => {
    const alone = everything.filter(({ sku }) => !sku.startsWith('space-') || sku.endsWith(' '));
    const trimmed = (shades: readonly Shade[]): Shade[] =>
      shades.map((shade) => ({ ...shade, sku: shade.sku.trim() }));
    expect((await judged(trimmed, { sent: alone })).verdict).toBe('pass');
  });

  it('that lacks a number, which reads as another one, fails', async () => {
    const finding = await judged((shades) =>
      shades.map((shade) => (shade.sku === '007' ? { ...shade, sku: '7' } : shade)),
    );
    expect(finding.verdict).toBe('fail');
    expect(finding.causes?.[0]?.cause).toEqual({
      code: 'shade-field-changed',
      params: { field: 'sku', sent: '007', got: '7' },
    });
  });

  it.each<[string, string, string, (shades: readonly Shade[]) => readonly Shade[]]>([
    [
      'a colour of each that several have',
      'hex',
      'repeated',
      (shades) => [...new Map(shades.toReversed().map((shade) => [shade.hex, shade])).values()],
    ],
    [
      'no SKU that looks like a number',
      'sku',
      'number-look',
      (shades) => shades.filter(({ sku }) => Number.isNaN(Number(sku)) || String(Number(sku)) === sku),
    ],
  ])('with %s fails, and says what those that it lacks have in common', async (_, field, of, keep) => {
    const finding = await judged(keep);
    expect(finding.verdict).toBe('fail');
    expect(finding.causes).toContainEqual(
      expect.objectContaining({
        cause: { code: 'shades-alike-missing', params: expect.objectContaining({ field, of }) },
      }),
    );
  });

  it('that lacks shades by chance says nothing in common', async () => {
    for (let lost = 1; lost < 12; lost++) {
      const finding = await judged((shades) => shades.filter((_, n) => (n * 7) % 23 >= lost));
      expect(codes(finding), `${lost} of 23`).not.toContain('shades-alike-missing');
    }
  });

  it.each<[string, string, (hex: string) => readonly string[], 'pass' | 'fail']>([
    ['that is left out although the batch was accepted is not judged', '#ABC', () => [], 'pass'],
    ['that is listed as it was sent passes', '#ABCDE', (hex) => [hex], 'pass'],
    ['that is listed with six digits passes', '#ABC', () => ['#AABBCC'], 'pass'],
    ['that has lost its opacity passes', '#ABCD', () => ['#AABBCC'], 'pass'],
    ['that has lost its opacity in two digits passes', '#ABCDEF12', () => ['#ABCDEF'], 'pass'],
    ['that is listed as another one fails', '#ABC', () => ['#0ABC00'], 'fail'],
    ['that is listed as another one without opacity fails', '#ABCD', () => ['#0A0B0C'], 'fail'],
  ])('of a colour in another notation %s', async (_, hex, listed, verdict) => {
    const sent = [{ sku: 'h-1', name: 'H', hex, finish: 'matte' }];
    const keep = (shades: readonly Shade[]): Shade[] =>
      shades.flatMap((shade) => listed(shade.hex).map((got) => ({ ...shade, hex: got })));
    expect((await judged(keep, { sent })).verdict).toBe(verdict);
    if (listed(hex).length === 0)
      expect((await judged(keep, { sent, listStatus: 404 })).verdict).toBe('pass');
  });

  it('of a batch that was rejected is not judged, and the pass says so', async () => {
    const finding = await judged((shades) => shades, { status: 422, listStatus: 404 });
    expect(finding.verdict).toBe('pass');
    expect(finding.reasons.map(({ code }) => code)).toContain('corner-batches-rejected');
  });

  it('of a batch that was rejected, and stored all the same, fails', async () => {
    const finding = await judged((shades) => shades.slice(0, 5), { status: 422 });
    expect(finding.verdict).toBe('fail');
    expect(codes(finding)).toEqual(['refused-import-stored']);
    const foreign = await judged(() => [other], { status: 422 });
    expect(foreign.verdict).toBe('pass');
  });

  it('of a batch that got a server error fails', async () => {
    const finding = await judged((shades) => shades, { status: 500 });
    expect(finding.verdict).toBe('fail');
    expect(codes(finding)).toEqual(['server-errors']);
  });
});
