import { type CornerShade, cornerGroups, groupCount } from '../../corners/shades.ts';
import { isOpenText } from '../../corners/texts.ts';
import * as calls from '../../target/calls.ts';
import { contract } from './ask-contract.ts';
import { listed, untilListed } from './lists.ts';
import type { SetupOptions } from './setup-options.ts';

/** What set-up found out about unusual shades. */
export interface Corners {
  /** SKUs that a session may select, of the catalog that holds most of them. */
  readonly catalogId: string | undefined;
  readonly skus: readonly string[];
}

export const noCorners: Corners = { catalogId: undefined, skus: [] };

/** The most that `importCorners` sends: all at once, or else each group, and then those that were accepted. */
export const cornerImportCost = { imports: 2 + groupCount, lists: 1 } as const;

/** A catalog that was imported, and what became of it. */
interface ProbedCatalog {
  readonly catalogId: string;
  readonly shades: readonly CornerShade[];
  readonly status: number | undefined;
}

/**
 * Imports shades with unusual values, which shoppers then use: all in one batch, or, where that is rejected, in groups that may
 * each be rejected alone, and then what was accepted in one catalog.
 */
export async function importCorners(options: SetupOptions): Promise<Corners> {
  const { profile, tag } = options;
  const groups = cornerGroups(tag, profile.finishes);
  const done = [
    await imported(
      options,
      `tryon-${tag}-corners`,
      groups.flatMap(({ shades }) => shades),
    ),
  ];
  if (done.some(isRejected)) {
    const accepted = new Set<string>();
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
  if (usable === undefined) return noCorners;
  const { catalogId, shades, status } = usable;
  const list = { catalogId, probe: 'corners:list' } as const;
  const count =
    status === 202 ? await untilListed(options, list, shades.length) : await listed(options, list);
  if (count === 0) return noCorners;
  return { catalogId, skus: shades.map(({ sku }) => sku).filter((sku) => !isOpenText(sku)) };
}

async function imported(
  options: SetupOptions,
  catalogId: string,
  shades: readonly CornerShade[],
): Promise<ProbedCatalog> {
  const wire = calls.importShades({ catalog_id: catalogId, shades: [...shades] });
  const call = { op: 'import-shades', by: { kind: 'key', key: 'load' }, catalog: catalogId, shades } as const;
  const asked = { credential: 'load', probe: 'corners:import' } as const;
  const { exchange } = await contract(options, wire, asked, { call });
  return { catalogId, shades, status: exchange.status };
}

function isAccepted({ status }: Pick<ProbedCatalog, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function isRejected({ status }: Pick<ProbedCatalog, 'status'>): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
