import * as calls from '../../target/calls.ts';
import type { Shade } from '../../wire.ts';
import { plainSession } from '../ask/plain-session.ts';
import { contract, keepShades } from './ask-contract.ts';
import { type CatalogList, listed, smallCatalogIds, untilListed } from './contract-probes.ts';
import { type Corners, importCorners, importSizes, listCorners } from './corner-probes.ts';
import { probeShades } from './probe-shades.ts';
import type { SetupOptions } from './setup-options.ts';

/** Shades of the small batches. */
const few = 3;
/** How often the longest list is read: only the target can have delayed the fastest of these reads. */
const largeLists = 5;

/** What these probes send on the load key. */
export const importProbeCost = { imports: 6, sessions: 1, lists: 5 + largeLists } as const;

/**
 * Probes imports: the same batch again, a SKU twice in a batch, a batch of nothing, one that cannot be stored as a whole, names
 * in every length of UTF-8. `maySession`: it may open a session to see how many shades that reports.
 */
export async function probeImports(options: SetupOptions, maySession: boolean): Promise<Corners> {
  const [catalogId] = smallCatalogIds(options.tag);
  const shades = probeShades(options, 'A', few);
  keepShades(options, catalogId, shades);
  await imported(options, catalogId, 'again:import', shades);
  const again = await imported(options, catalogId, 'again:repeat', shades);
  await listedAfter(options, { catalogId, probe: 'again:list' }, again, few);
  const repeating = withOneTwice(probeShades(options, 'T', few));
  keepShades(options, catalogId, repeating);
  const twice = await imported(options, catalogId, 'twice:import', repeating);
  await listedAfter(options, { catalogId, probe: 'twice:list' }, twice, 2 * few);
  if (maySession) await openSession(options, catalogId);
  const empty = await imported(options, catalogId, 'empty:import', []);
  await listedAfter(options, { catalogId, probe: 'empty:list' }, empty, 2 * few);
  await probeMalformed(options);
  const names = namesBatch(options);
  // Imported before the names and listed after them: an import must not change another catalog, however alike their ids.
  const corners: Corners =
    options.corners === undefined
      ? { imported: [], groups: [], catalogId: undefined, skus: [] }
      : await importCorners(options, names.catalogId, names.shades[0]?.sku ?? '');
  await probeNames(options, names);
  if (options.corners === undefined) return corners;
  const found = await listCorners(options, [...corners.imported, ...(await importSizes(options))]);
  return found.has(corners.catalogId ?? '') ? corners : { ...corners, skus: [] };
}

/** Asks for the list of the full batch so often that the machine's own hiccups do not matter. */
export async function probeLargeList(options: SetupOptions, catalogId: string): Promise<void> {
  for (let n = 0; n < largeLists; n++)
    await contract(options, calls.listShades(catalogId), { credential: 'load', probe: 'large:list' });
}

async function probeMalformed(options: SetupOptions): Promise<void> {
  const catalogId = `tryon-${options.tag}-batch-malformed`;
  const [first, second, last] = probeShades(options, 'B', few);
  if (first === undefined || second === undefined || last === undefined) return;
  // The interface gives a colour a leading # and hexadecimal digits.
  const shades = [first, second, { ...last, hex: 'no colour' }];
  if (options.corners !== undefined) keepShades(options, catalogId, shades);
  await imported(options, catalogId, 'malformed:import', shades);
  await listed(options, { catalogId, probe: 'malformed:list' });
}

/** A name for each length that a letter has in UTF-8 beyond ASCII: where two bytes get through, three or four may not. */
const namesByLength = ['Rosé Doré', 'Œillet № 7', '桜色', 'Pêche 🍑'] as const;

interface NamesBatch {
  readonly catalogId: string;
  readonly shades: readonly Shade[];
}

function namesBatch(options: SetupOptions): NamesBatch {
  const plain = probeShades(options, 'N', namesByLength.length);
  const shades = plain.map((shade, index) => ({ ...shade, name: namesByLength[index] ?? shade.name }));
  return { catalogId: smallCatalogIds(options.tag)[1], shades };
}

async function probeNames(options: SetupOptions, { catalogId, shades }: NamesBatch): Promise<void> {
  keepShades(options, catalogId, shades);
  const status = await imported(options, catalogId, 'names:import', shades);
  await listedAfter(options, { catalogId, probe: 'names:list' }, status, shades.length);
}

async function imported(
  options: SetupOptions,
  catalogId: string,
  probe:
    | 'again:import'
    | 'again:repeat'
    | 'twice:import'
    | 'empty:import'
    | 'malformed:import'
    | 'names:import',
  shades: readonly Shade[],
): Promise<number | undefined> {
  const call = calls.importShades({ catalog_id: catalogId, shades: [...shades] });
  const { exchange } = await contract(options, call, { credential: 'load', probe });
  return exchange.status;
}

/** Lists a catalog: at once, or, after an import that was accepted for later, until it shows. */
async function listedAfter(
  options: SetupOptions,
  list: CatalogList,
  status: number | undefined,
  count: number,
): Promise<void> {
  if (status === 202) await untilListed(options, list, count);
  else await listed(options, list);
}

async function openSession(options: SetupOptions, catalogId: string): Promise<void> {
  const call = plainSession(options.catalogs.load, catalogId);
  const probe = { credential: 'load', probe: 'twice:create-session' } as const;
  const { grant } = (await contract(options, call, probe)).reading;
  if (grant !== undefined) options.sample.toBeRead('load', grant.session_id, grant.token);
}

/** The first shade again at the end, under another name: the batch has one entry more than shades. */
function withOneTwice(shades: readonly Shade[]): readonly Shade[] {
  return [...shades, ...shades.slice(0, 1).map((shade) => ({ ...shade, name: `${shade.name} II` }))];
}
