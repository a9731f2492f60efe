import { cornerCatalogIds, invalidColours, oneShadeCatalogs } from '../../corners/sessions.ts';
import { type CornerShade, cornerGroups, pairedShades } from '../../corners/shades.ts';
import { isOpenText } from '../../corners/texts.ts';
import * as calls from '../../target/calls.ts';
import { contract, keepShades, placeOf } from './ask-contract.ts';
import { listed, untilListed } from './contract-probes.ts';
import { largeCatalog } from './corner-cost.ts';
import { probeShades } from './probe-shades.ts';
import type { SetupOptions } from './setup-options.ts';

/** A catalog that a probe imported, and what became of it. */
interface ProbedCatalog {
  readonly catalogId: string;
  readonly shades: readonly CornerShade[];
  readonly status: number | undefined;
  /** Its list may lack the shades, so it does not wait for them. */
  readonly mayLack?: true;
}

/** What the probes leave for the list that comes after other imports. */
export interface Corners {
  readonly imported: readonly ProbedCatalog[];
  /** The groups of shades that were accepted. */
  readonly groups: readonly string[];
  /** SKUs that a session may select, of the catalog that holds most of them. */
  readonly catalogId: string | undefined;
  readonly skus: readonly string[];
}

/**
 * Imports shades with unusual values: all in one batch, or, where that is rejected, in groups that may each be rejected alone, and
 * then what was accepted in one catalog.
 * `namesCatalog`: an id that the catalog's own differs from in case only; `sharedSku`: a SKU of that catalog.
 */
export async function importCorners(
  options: SetupOptions,
  namesCatalog: string,
  sharedSku: string,
): Promise<Corners> {
  const { profile, tag } = options;
  const groups = cornerGroups(tag, profile.finishes);
  const shared: CornerShade = {
    sku: sharedSku,
    name: 'Corner of another catalog',
    hex: '#102030',
    finish: profile.finishes[0] ?? 'matte',
  };
  const whole = await imported(options, namesCatalog.toUpperCase(), [
    shared,
    ...groups.flatMap(({ shades }) => shades),
  ]);
  const done = [whole];
  const accepted = new Set(isAccepted(whole) ? groups.map(({ name }) => name) : []);
  if (isRejected(whole)) {
    // A batch that is rejected leaves nothing behind.
    await listed(options, { catalogId: whole.catalogId, probe: 'corners:list' });
    for (const { name, shades } of groups) {
      const one = await imported(options, `tryon-${tag}-corner-${name}`, shades);
      done.push(one);
      if (isAccepted(one)) accepted.add(name);
    }
    // For shoppers, who use one catalog.
    const rest = groups.filter(({ name }) => accepted.has(name)).flatMap(({ shades }) => shades);
    if (accepted.size > 1) done.push(await imported(options, `tryon-${tag}-corner-accepted`, rest));
  }
  const usable = done.filter(isAccepted).toSorted((a, b) => b.shades.length - a.shades.length)[0];
  return {
    imported: done.filter(isAccepted),
    groups: [...accepted],
    catalogId: usable?.catalogId,
    skus: usable?.shades.map(({ sku }) => sku).filter((sku) => !isOpenText(sku)) ?? [],
  };
}

/** Lists what was accepted, once other imports came after it. @returns the catalogs whose lists have shades. */
export async function listCorners(
  options: SetupOptions,
  all: readonly ProbedCatalog[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { catalogId, mayLack, shades, status } of all) {
    const list = { catalogId, probe: 'corners:list' } as const;
    const count =
      status === 202 && mayLack !== true
        ? await untilListed(options, list, shades.length)
        : await listed(options, list);
    if (count > 0) found.add(catalogId);
  }
  return found;
}

/** Batches of no shade and of one. */
export async function importSizes(options: SetupOptions): Promise<readonly ProbedCatalog[]> {
  const { tag } = options;
  await imported(options, `tryon-${tag}-corner-none`, []);
  for (const catalogId of oneShadeCatalogs(`tryon-${tag}`)) {
    const one = await imported(options, catalogId, probeShades(options, 'U', 1));
    if (!isRejected(one)) return [one].filter(isAccepted);
  }
  return [];
}

/** Imports and lists what is too much for set-up: ids, colours, pairs of values, large batches and a catalog of over 1,000 shades. */
export async function probeFurtherImports(options: SetupOptions, groups: readonly string[]): Promise<void> {
  const done = await importUnusual(options);
  if (options.corners !== 'single') done.push(...(await importPairs(options, groups)));
  for (const place of [0, 1]) await probeInvalidAt(options, place);
  done.push(await importAtOnce(options));
  done.push(await imported(options, `tryon-${options.tag}-corner-499`, probeShades(options, 'V', 499)));
  if (options.corners === 'long') {
    const catalogId = `tryon-${options.tag}-corner-large`;
    const parts: ProbedCatalog[] = [];
    for (const [place, count] of largeCatalog.entries())
      parts.push(await imported(options, catalogId, probeShades(options, `L${place}`, count)));
    const shades = parts.flatMap((part) => part.shades);
    if (parts.every(isAccepted)) done.push({ catalogId, shades, status: parts.at(-1)?.status });
  }
  await listCorners(options, done.filter(isAccepted));
}

/** Values of two fields that meet in one shade. */
async function importPairs(options: SetupOptions, groups: readonly string[]): Promise<ProbedCatalog[]> {
  const { profile, tag } = options;
  const shades = pairedShades(tag, profile.finishes, groups);
  if (shades.length === 0 || shades.length > 500) return [];
  return [await imported(options, `tryon-${tag}-corner-pairs`, shades)].filter(isAccepted);
}

/** Ids of catalogs, and colours that are none. */
async function importUnusual(options: SetupOptions): Promise<ProbedCatalog[]> {
  const { tag } = options;
  const done: ProbedCatalog[] = [];
  for (const [place, catalogId] of cornerCatalogIds(`tryon-${tag}`).entries())
    done.push(await imported(options, catalogId, probeShades(options, `I${place}`, 1)));
  for (const [place, hex] of invalidColours().entries()) {
    const batch = probeShades(options, `H${place}`, 1).map((shade) => ({ ...shade, hex }));
    const one = await imported(options, `tryon-${tag}-corner-colour-${place}`, batch);
    // A list has to hold colours: what is none in any notation is not asked for.
    if (/^#[\da-f]{3,8}$/i.test(hex)) done.push({ ...one, mayLack: true });
  }
  return done.filter(isAccepted);
}

/** A batch with one invalid shade at a place, of which nothing may be left where it is rejected. */
async function probeInvalidAt(options: SetupOptions, place: number): Promise<void> {
  const catalogId = `tryon-${options.tag}-corner-invalid-${place}`;
  const shades = probeShades(options, `X${place}`, 3);
  const batch = shades.map((shade, at) => (at === place ? { ...shade, hex: 'no colour' } : shade));
  const { status } = await imported(options, catalogId, batch);
  if (isRejected({ status })) await listed(options, { catalogId, probe: 'corners:list' });
}

/** Two batches at the same time into one catalog, which has the shades of both afterwards. */
async function importAtOnce(options: SetupOptions): Promise<ProbedCatalog> {
  const catalogId = `tryon-${options.tag}-corner-at-once`;
  const batches = ['P', 'Q'].map((letter) => probeShades(options, letter, 20));
  for (const shades of batches) keepShades(options, catalogId, shades);
  const replies = await options.asker.askAtOnce(
    batches.map((shades) => ({
      ...placeOf(options),
      call: calls.importShades({ catalog_id: catalogId, shades: [...shades] }),
      credential: 'load',
      probe: 'corners:import',
    })),
  );
  const statuses = replies.map(({ exchange }) => exchange.status);
  const status = statuses.every((each) => isAccepted({ status: each })) ? statuses[0] : undefined;
  return { catalogId, shades: batches.flat(), status };
}

async function imported(
  options: SetupOptions,
  catalogId: string,
  shades: readonly CornerShade[],
): Promise<ProbedCatalog> {
  keepShades(options, catalogId, shades);
  const call = calls.importShades({ catalog_id: catalogId, shades: [...shades] });
  const { exchange } = await contract(options, call, { credential: 'load', probe: 'corners:import' });
  return { catalogId, shades, status: exchange.status };
}

function isAccepted({ status }: Pick<ProbedCatalog, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function isRejected({ status }: Pick<ProbedCatalog, 'status'>): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
