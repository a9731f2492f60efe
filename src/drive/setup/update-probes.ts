import * as calls from '../../target/calls.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Shade } from '../../wire.ts';
import type { Question } from '../ask/ask.ts';
import { plainSession } from '../ask/plain-session.ts';
import { contract, keepShades, placeOf } from './ask-contract.ts';
import { listed, smallCatalogIds, untilListed } from './contract-probes.ts';
import { followPages } from './pages.ts';
import { probeShades } from './probe-shades.ts';
import type { SetupOptions } from './setup-options.ts';

/** Shades of the first import: more than a usual page, so that an import that reaches one page only is seen. */
const first = 120;
/** Shades that only the second import has: with them, `shade_count` has to change. */
const added = 2;
/** Imports at the same time, and the shades of each. */
const together = { imports: 3, shades: 4 } as const;
/** Shades of a last import: more than a bulk path begins with, where small imports take another. */
const large = 110;
/** Lists at the same time: each takes a separate connection, which may have a separate state. */
const connections = 2;

/** What these probes send on the load key. */
export const updateCost = {
  imports: 3 + together.imports,
  sessions: 2,
  lists: 2 * connections + 2,
  /** Lists that wait for imports which got 202. */
  waits: 4,
  /** Lists at the end of the run. */
  kept: 4,
} as const;

/** The catalog of these probes. */
function updateCatalogId(tag: string): string {
  return `tryon-${tag}-update`;
}

/**
 * Imports a catalog, and then the same SKUs with other values, with lists on several connections after each: what one
 * connection has written, all have to show. Comes right after an import that was too large, which must not matter.
 */
export async function probeUpdates(options: SetupOptions): Promise<void> {
  const { tag } = options;
  const small = first + added + together.imports * together.shades;
  const count = small + large;
  const shades = probeShades(options, 'U', count);
  const updated = shades.slice(0, first + added).map(
    (shade, place): Shade => ({
      ...shade,
      name: `${shade.name} II`,
      hex: shades[place + 1]?.hex ?? '#000000',
      finish: shades[place + 1]?.finish ?? shade.finish,
    }),
  );
  await importOne(options, 'update:import', shades.slice(0, first));
  await listAtOnce(options, 'update:before', first);
  await openSession(options);
  await importOne(options, 'update:again', updated);
  await listAtOnce(options, 'update:after', first + added);
  await openSession(options);
  const batches = Array.from({ length: together.imports }, (_, n) =>
    shades.slice(first + added + n * together.shades, first + added + (n + 1) * together.shades),
  );
  const replies = await options.asker.askAtOnce(
    batches.map((batch) => importing(options, 'together:import', batch)),
  );
  const list = { catalogId: updateCatalogId(tag), probe: 'together:list' } as const;
  if (replies.some(({ exchange }) => exchange.status === 202)) await untilListed(options, list, small);
  else await listed(options, list);
  const whole = { ...list, probe: 'update:large-list' } as const;
  const { exchange } = await options.asker.ask(importing(options, 'update:large', shades.slice(small)));
  if (exchange.status === 202) await untilListed(options, whole, count);
  else await listed(options, whole);
}

/**
 * After everything: the same catalogs hold the same shades, whatever has happened since. They are listed at the same moment, each
 * answer to its own question.
 */
export async function listKept(options: SetupOptions): Promise<void> {
  if (!options.probes || !options.roles.includes('load')) return;
  const { catalogs, tag } = options;
  const ids = [catalogs.load.id, updateCatalogId(tag), ...smallCatalogIds(tag)];
  const replies = await options.asker.askAtOnce(ids.map((id) => listing(options, id, 'kept:list')));
  for (const [place, catalogId] of ids.entries()) {
    const reply = replies[place];
    if (reply !== undefined) await followPages(options, reply, catalogId, 'load');
  }
}

function listing(options: SetupOptions, catalogId: string, probe: Probe): Question {
  return {
    call: calls.listShades(catalogId),
    ...placeOf(options),
    credential: 'load',
    probe,
    keeps: true,
  };
}

/** A question that imports shades; all of them are remembered, to compare them with the lists. */
function importing(options: SetupOptions, probe: Probe, shades: readonly Shade[]): Question {
  const catalogId = updateCatalogId(options.tag);
  keepShades(options, catalogId, shades);
  return {
    call: calls.importShades({ catalog_id: catalogId, shades: [...shades] }),
    ...placeOf(options),
    credential: 'load',
    probe,
  };
}

async function importOne(options: SetupOptions, probe: Probe, shades: readonly Shade[]): Promise<void> {
  const { exchange } = await options.asker.ask(importing(options, probe, shades));
  if (exchange.status !== 202) return;
  const list = { catalogId: updateCatalogId(options.tag), probe: 'update:before' } as const;
  await untilListed(
    options,
    probe === 'update:import' ? list : { ...list, probe: 'update:after' },
    shades.length,
  );
}

async function listAtOnce(options: SetupOptions, probe: Probe, count: number): Promise<void> {
  const catalogId = updateCatalogId(options.tag);
  const question = listing(options, catalogId, probe);
  const replies = await options.asker.askAtOnce(Array.from({ length: connections }, () => question));
  for (const reply of replies)
    if ((reply.reading.count ?? count) < count) await followPages(options, reply, catalogId, 'load');
}

async function openSession(options: SetupOptions): Promise<void> {
  if (!options.probeSessions) return;
  const call = plainSession(options.catalogs.load, updateCatalogId(options.tag));
  await contract(options, call, { credential: 'load', probe: 'update:create-session' });
}
