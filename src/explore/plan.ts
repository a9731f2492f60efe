import type { CallRequest } from '../model/call.ts';
import { diceOf } from './dice.ts';
import { CallDrawer, withoutBad } from './draw.ts';
import { oddCall, overlap, overlapOfShades } from './odd.ts';
import { catalogPool, idForms, importSizes, otherFinishes, productPool } from './pools.ts';
import type { CallGroup, ExplorerKeys } from './sent.ts';

/** What an exploration is made of. */
export interface ExplorerOptions {
  readonly seed: number;
  readonly calls: number;
  readonly keys: ExplorerKeys;
  /** Begins every id, so that a run meets no other. */
  readonly tag: string;
  readonly epochMs: number;
}

/** Of all calls, those that read everything once more at the end. */
const sweepShare = 0.14;
/** Of all calls, those with a wrong credential or form. */
const oddShare = 0.2;
const overlapShare = 0.12;

/** The weights of the kinds of calls, and how much a seed may change one. */
const weights = {
  imported: 13,
  listed: 14,
  created: 11,
  acted: 20,
  again: 5,
  shown: 16,
  totalled: 4,
} as const;
const bents = [0.5, 1, 1, 2.5] as const;

/** Imports at the limit of the interface. */
const cornerSizes = [500, 501, 499] as const;

/** The calls of an exploration: groups that are sent one after another, those of a group at once. Pure. */
export function planCalls(options: ExplorerOptions): CallGroup[] {
  const { calls, keys, seed, tag } = options;
  const dice = diceOf(seed);
  const drawer = new CallDrawer(dice, keys, tag, options.epochMs);
  const groups: CallGroup[] = opening(drawer, keys);
  const kinds = (Object.keys(weights) as (keyof typeof weights)[])
    .filter((kind) => drawer.hasChannel || (kind !== 'acted' && kind !== 'again'))
    .map((value) => ({ value, weight: Math.round(2 * weights[value] * dice.pick(bents)) }));
  let odd = 0;
  const last = calls * (1 - sweepShare);
  const corners = [...cornerSizes];
  while (drawer.count < last) {
    // The limit of an import is never left to chance.
    const [size] = corners;
    if (
      size !== undefined &&
      drawer.count > (last * (cornerSizes.length - corners.length + 1)) / (cornerSizes.length + 2)
    ) {
      corners.shift();
      groups.push([drawer.send(drawer.imported({ size, isClean: true }))], [drawer.send(drawer.listed())]);
      continue;
    }
    const isOddDue = odd < oddShare * drawer.count;
    if (isOddDue) odd += 1;
    const group = isOddDue
      ? [drawer.send(oddCall(drawer))]
      : dice.odds(overlapShare)
        ? overlap(drawer)
        : [drawer.send(drawer[dice.weighed(kinds)]())];
    groups.push(group, ...following(drawer, group, dice.odds));
  }
  return [...groups, ...sweep(drawer, keys, calls)];
}

/** The most shades in an import beside a load: its latencies are measured. */
const mostBeside = 30;
const sizesBeside = importSizes.filter((size) => size <= mostBeside);
/** Several at once, and a list after them. */
const mostInStep = 6;

/** Calls beside a load: about shades alone, so that no session of the explorer is in a quota or in analytics. Pure. */
export function planBesideLoad({ calls, epochMs, keys, seed, tag }: ExplorerOptions): CallGroup[] {
  const dice = diceOf(seed);
  const drawer = new CallDrawer(dice, keys, tag, epochMs);
  const groups: CallGroup[] = [];
  const imported = (): CallRequest => drawer.send(drawer.imported({ size: dice.deal(sizesBeside) }));
  const listed = (): CallGroup => [drawer.send(drawer.listed())];
  for (const part of [atOnce(drawer, keys.accounts), absent(drawer, keys.accounts, 2)]) groups.push(...part);
  while (drawer.count + mostInStep <= calls - drawer.catalogs.length) {
    const isTogether = dice.odds(overlapShare);
    groups.push(isTogether ? overlapOfShades(drawer, sizesBeside) : dice.odds(0.5) ? [imported()] : listed());
    if (isTogether || dice.odds(0.5)) groups.push(listed());
  }
  const reads = keys.accounts.flatMap(([key = '']) =>
    drawer.catalogs.map((catalog): CallGroup => [drawer.send(drawer.listed(key, catalog))]),
  );
  return [...groups, ...reads];
}

/** Catalogs and sessions of each account to begin with. */
function opening(drawer: CallDrawer, keys: ExplorerKeys): CallGroup[] {
  const { accounts } = keys;
  const groups: CallGroup[] = [];
  // Some are of the first account alone.
  for (const [at, catalog] of drawer.catalogs.slice(0, 6).entries())
    for (const [account, [key = '']] of accounts.slice(0, 2).entries())
      if (account === 0 || [0, 2, 3].includes(at))
        groups.push([
          drawer.send(drawer.imported({ key, catalog, size: account === 0 ? 30 : 12, isClean: true })),
        ]);
  return [
    ...groups,
    ...atOnce(drawer, accounts),
    ...alone(drawer, keys),
    ...absent(drawer, accounts, sizeOfRepeat),
    ...openings(drawer, keys),
  ];
}

/** Imports into one catalog at the same time, and one that is sent again: never left to chance. */
function atOnce(drawer: CallDrawer, [[key = ''] = []]: ExplorerKeys['accounts']): CallGroup[] {
  const [catalog = ''] = drawer.catalogs;
  const imported = (size: number): CallRequest =>
    drawer.send(drawer.imported({ key, catalog, size, isClean: true }));
  const listed = (): CallGroup => [drawer.send(drawer.listed(key, catalog))];
  const [first, second] = [12, 12].map((size) => drawer.imported({ key, catalog, size, isClean: true }));
  const again = [first, second, first].flatMap((request) => (request ? [[drawer.send(request)]] : []));
  return [[5, 12].map(imported), listed(), [2, 2, 2, 2].map(imported), listed(), ...again, listed()];
}

/**
 * Changes of shades that nothing else changes, so that what they have at last shows the order in which imports took effect. Three each: of
 * two consumers that take jobs in turn, a slow one then has the second of three. And shades that change in one field alone; the finish
 * to one that is not promised, where a single one is.
 */
function alone(drawer: CallDrawer, { accounts, finishes = [] }: ExplorerKeys): CallGroup[] {
  const [[key = ''] = []] = accounts;
  const catalog = drawer.catalogs.at(-1) ?? '';
  const imported = (sku: string, values?: Parameters<CallDrawer['importedAs']>[3]): CallRequest =>
    drawer.send(drawer.importedAs(key, catalog, sku, values));
  const [finish] = otherFinishes.filter((each) => !finishes.includes(each));
  return [
    ...['order-1', 'order-1', 'order-1', 'order-2', 'order-2', 'order-2'].map((sku) => imported(sku)),
    ...[imported('other-name'), imported('other-name', { kept: 'hex' })],
    ...[imported('other-hex'), imported('other-hex', { kept: 'name' })],
    ...(finishes.length === 1 ? [imported('other-finish'), imported('other-finish', { finish })] : []),
  ].map((request) => [request]);
}

/** More than a chunk: the SKU that it repeats is in an earlier one. */
const sizeOfRepeat = 120;

/** A catalog that is asked for before it exists, and one that only a refused import names. */
function absent(drawer: CallDrawer, [[key = ''] = []]: ExplorerKeys['accounts'], size: number): CallGroup[] {
  const [, never, , late] = drawer.catalogs.toReversed();
  return [
    drawer.listed(key, late),
    drawer.imported({
      key,
      ...(late !== undefined && { catalog: late }),
      size,
      isClean: true,
      isTwice: true,
    }),
    drawer.imported({ key, ...(never !== undefined && { catalog: never }), size: 12, isBad: true }),
    drawer.listed(key, late),
    drawer.listed(key, never),
  ].map((request) => [drawer.send(request)]);
}

/** Sessions of each key, and what is never left to chance with them. */
function openings(drawer: CallDrawer, { accounts, channel, refusesMalformed }: ExplorerKeys): CallGroup[] {
  const [catalog, ofFirst] = drawer.catalogs;
  const groups: CallGroup[] = accounts.flat().map((key) => [drawer.send(drawer.created(key, catalog))]);
  // Of the first account alone is this catalog.
  for (const [key = ''] of accounts.slice(1))
    groups.push([drawer.send(drawer.listed(key, ofFirst))], [drawer.send(drawer.created(key, ofFirst))]);
  const [key = ''] = accounts[0] ?? [];
  const equal = drawer.created(key, catalog);
  groups.push(
    [equal, equal].map((request) => drawer.send(request)),
    [drawer.send(equal)],
  );
  const [session] = drawer.sessions;
  if (session === undefined) return groups;
  groups.push(...idForms.map((form) => [drawer.send(drawer.shown(session, form))]));
  if (!drawer.hasChannel) return groups;
  // Enough selections of one SKU for a number of two digits.
  const [sku] = session.skus;
  const batch = (): CallRequest => drawer.send(drawer.acted(session, 4, false, false, sku));
  const wrong = (isFlawed: boolean): CallRequest => drawer.send(drawer.acted(session, 3, true, isFlawed));
  const shown = (): CallGroup => [drawer.send(drawer.shown(session))];
  groups.push([batch(), batch(), batch()], shown());
  const altered = { kind: 'near token', of: session.n, form: 'with other last characters' } as const;
  if (channel === 'token') groups.push([drawer.send({ ...drawer.acted(session, 1, false), by: altered })]);
  const repeated = drawer.acted(session, 2, false);
  groups.push(
    [repeated, repeated, repeated].map((request) => drawer.send(request)),
    [wrong(false)],
    ...(refusesMalformed === true ? [[wrong(true)]] : []),
    shown(),
  );
  return groups;
}

/** What often follows: the valid part of a batch that was wrong, and reads of what was written. */
function following(
  drawer: CallDrawer,
  group: CallGroup,
  odds: (probability: number) => boolean,
): CallGroup[] {
  const groups: CallGroup[] = [];
  const [only] = group;
  if (group.length === 1 && only?.op === 'interact' && only.form === undefined) {
    const good = withoutBad(only);
    const { length = 0 } = good.events ?? [];
    if (length > 0 && length < (only.events?.length ?? 0) && odds(0.7)) groups.push([drawer.send(good)]);
  }
  const wrote = group.some(
    ({ op }) => op === 'import-shades' || op === 'interact' || op === 'create-session',
  );
  if (wrote && odds(0.5) && drawer.sessions.length > 0) groups.push([drawer.send(drawer.readOf(group))]);
  if (wrote && odds(0.12)) groups.push([drawer.send(odds(0.5) ? drawer.listed() : drawer.shown())]);
  return groups;
}

const fewTotals = 4;

/** At last everything is read once more: what was acknowledged has to be there. */
function sweep(drawer: CallDrawer, { accounts }: ExplorerKeys, calls: number): CallGroup[] {
  const firstKeys = accounts.map(([key = '']) => key);
  const richest = drawer.sessions.toSorted((a, b) => b.ids.length - a.ids.length);
  const asked = totals(drawer.products, firstKeys).map((request) => () => request);
  const reads: (() => CallRequest)[] = [
    // A few calls have room for some of each kind.
    ...asked.slice(0, fewTotals),
    ...drawer.catalogs.flatMap((catalog) => firstKeys.map((key) => () => drawer.listed(key, catalog))),
    ...asked.slice(fewTotals),
    ...richest.map((session) => () => drawer.shown(session)),
  ];
  return reads.slice(0, Math.max(0, calls - drawer.count)).map((read) => [drawer.send(read())]);
}

/** Every product, asked for by each account. */
const totals = (products: readonly string[], keys: readonly string[]): readonly CallRequest[] =>
  products.flatMap((product) =>
    keys.map((key): CallRequest => ({ op: 'analytics', by: { kind: 'key', key }, product })),
  );

const lists = (catalogs: readonly string[], keys: readonly string[]): readonly CallRequest[] =>
  catalogs.flatMap((catalog) =>
    keys.map((key): CallRequest => ({ op: 'list-shades', by: { kind: 'key', key }, catalog })),
  );

/** What is read again where it was late: in the end it has to be right. */
export type LateReads = Readonly<Record<'analytics' | 'list-shades', readonly CallGroup[]>>;

export function planLateReads(tag: string, { accounts }: ExplorerKeys): LateReads {
  const keys = accounts.map(([key = '']) => key);
  const apart = (requests: readonly CallRequest[]): CallGroup[] => requests.map((request) => [request]);
  return {
    analytics: apart(totals(productPool(tag), keys)),
    'list-shades': apart(lists(catalogPool(tag), keys)),
  };
}
