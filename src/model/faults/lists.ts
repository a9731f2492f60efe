import { saidBy } from '../answer.ts';
import type { ApiCall, SentShade } from '../call.ts';
import { sizeOf } from '../expect.ts';
import type { Item, ItemList, Model } from '../stages.ts';
import type { StoredShade } from '../world.ts';
import { admitting, boundsOf, isLater, optional, otherwise } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** What a list of shades shows. */

const fault = faultsOf('shades');
/** Another choice of elements in a list of shades. */
export const listing = (
  m: Model,
  choose: (items: readonly Item[], call: ApiCall) => ItemList,
  op: ApiCall['op'] = 'list-shades',
): Pick<Model, 'shows'> => ({
  shows: (list, call, world) => {
    const shown = m.shows(list, call, world);
    return call.op === op ? choose(shown.items, call) : shown;
  },
});
const first = <T>(rows: readonly T[], keyOf: (row: T) => unknown): T[] =>
  [...new Map(rows.toReversed().map((row) => [keyOf(row), row])).values()].toReversed();

/** The first lists that lack something tell how long one may be. */
const mostLists = 5;

/** How long shades are as JSON. */
function sizesOf(shades: readonly SentShade[] = [], of: 'characters' | 'bytes') {
  const sizes = shades.map(({ finish, hex, name, sku }) => {
    const text = JSON.stringify({ sku, name, hex, finish });
    return of === 'bytes' ? Buffer.byteLength(text) : text.length;
  });
  return { largest: Math.max(0, ...sizes), whole: sizes.reduce((sum, each) => sum + each, 0) };
}

export const listFaults = [
  fault('shades-missing', {
    says: 'A list shows {what}, and does not say that there are more.',
    behind: 'A page size, a query limit, a number of pages that is rounded down, or an off-by-one.',
    over: (evidence) => [
      ...boundsOf(evidence, [10, 20, 25, 30, 50, 64, 100, 128, 200, 250, 256, 400, 499, 500, 512, 1_000]).map(
        (most) => ({ what: `at most ${most}`, most, page: 1 }),
      ),
      ...[10, 20, 25, 50, 100, 200, 250].map((page) => ({ what: `whole pages of ${page}`, page, most: 0 })),
      { what: 'one shade less than it has', page: 0, most: 0 },
    ],
    alters: (m, { most, page }) =>
      listing(m, (items) => {
        if (most > 0) return { items, size: most };
        const [least, size] = sizeOf(items).map((count) =>
          page === 0 ? Math.max(0, count - 1) : count > page ? count - (count % page) : count,
        );
        return least === size && size !== undefined
          ? { items, size }
          : { items: items.map((each) => optional(each)) };
      }),
  }),
  fault('shades-missing', {
    says: 'A list ends at a size of about {size} ({of}), and does not say that there is more.',
    behind: 'A buffer or an answer of a fixed size.',
    over: ({ calls, divergences }) => {
      const lacking = new Set(divergences.flatMap(({ call, kind }) => (kind === 'missing' ? [call] : [])));
      const lists = calls.filter(({ n }) => lacking.has(n)).slice(0, mostLists);
      return (['characters', 'bytes'] as const).map((of) => ({
        ...{ of, size: Math.max(0, ...lists.map((call) => sizesOf(saidBy(call).shades, of).whole)) },
      }));
    },
    alters: (m, { of, size }) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        const values = shown.items.flatMap(({ may }) => may.findLast(({ value }) => value)?.value ?? []);
        const { largest, whole } = sizesOf(values as readonly SentShade[], of);
        if (call.op !== 'list-shades' || size === 0 || whole <= size + largest) return shown;
        const { shades = [] } = saidBy(call);
        const isMeant = Math.abs(sizesOf(shades, of).whole - size) <= largest;
        return { ...shown, size: isMeant ? shades.length : 0 };
      },
    }),
    // The size is any number, taken from the answers themselves.
    price: 4,
  }),
  fault('shades-missing', {
    says: 'A list in pages shows some shades twice, and leaves out as many others.',
    behind: 'Each page is a separate query, sorted by a column that many rows have in common.',
    alters: (m) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        const { shades = [] } = saidBy(call);
        const isPaged = call.op === 'list-shades' && call.answer.isPaged === true;
        const [least, most] = sizeOf(shown.items);
        if (!isPaged || shades.length < least || shades.length > most) return shown;
        const byName = new Map(shown.items.map((item) => [item.name, item]));
        return { items: shades.flatMap(({ sku = '' }) => byName.get(sku) ?? []) };
      },
    }),
    price: 2,
  }),
  fault('shades-missing', {
    says: 'A list of pages of {size:shade} leaves out what has the {field} of the last shade of a page.',
    behind: 'A page begins after a value of the last one that others have, too.',
    over: [10, 20, 25, 50, 100, 200, 250].flatMap((size) => [
      { size, field: 'name' },
      { size, field: 'hex' },
    ]),
    alters: (m, { field, size }) =>
      listing(m, (items) => {
        const shownOf = (item: Item | undefined): string =>
          (item?.may.findLast(({ value }) => value !== undefined)?.value as StoredShade | undefined)?.[
            field as 'hex'
          ] ?? '';
        let left = items.toSorted((a, b) => (shownOf(a) < shownOf(b) ? -1 : shownOf(a) > shownOf(b) ? 1 : 0));
        const kept: Item[] = [];
        while (left.length > 0) {
          const page = left.slice(0, size);
          kept.push(...page);
          left = left.filter((item) => shownOf(item) > shownOf(page.at(-1)));
        }
        return { items: kept };
      }),
    price: 2,
  }),
  fault('shades-alike-missing', {
    says: 'Of shades with the same {field}, a list shows the first alone.',
    behind: 'Duplicates are removed by the wrong column.',
    over: [{ field: 'hex' }, { field: 'name' }],
    alters: (m, { field }) =>
      listing(m, (items) => ({
        items: first(items, ({ may, name }) =>
          String((may.at(-1)?.value as StoredShade)?.[field as 'hex'] ?? name).toLowerCase(),
        ),
      })),
  }),
  fault('foreign-shades', {
    says: '{what} the shades of {whose}, too.',
    behind: 'The query lacks the catalog, or the account.',
    over: ['Lists show', 'New sessions count'].flatMap((what) =>
      ['the other catalogs of its account', 'its catalog in other accounts'].map((whose) => ({
        what,
        whose,
      })),
    ),
    alters: (m, { what, whose }) => ({
      reads: (account, catalog, call, world) => {
        const own = m.reads(account, catalog, call, world);
        const isMeant = what.startsWith('Lists') ? call.op === 'list-shades' : call.op.endsWith('session');
        const catalogOf = (place: string): string => place.slice(place.indexOf(' '));
        if (!isMeant || !own.some((place) => world.catalogs.has(place))) return own;
        const others = [...world.catalogs.keys()].filter((place) =>
          whose.endsWith('account')
            ? place.startsWith(`${account} `)
            : own.some((each) => catalogOf(each) === catalogOf(place)),
        );
        return [...new Set([...own, ...others])];
      },
    }),
    price: 2,
  }),
  fault('unknown-id-answered', {
    says: 'A catalog that does not exist {what}.',
    behind: 'No row is taken for an empty list, or the catalog is not looked up, or without its account.',
    over: [
      { what: 'is listed as an empty one', op: 'list-shades' },
      { what: 'is good for a session', op: 'create-session' },
    ],
    alters: (m, { op }) =>
      admitting(m, (call, allowed) => (call.op === op && allowed.join() === 'missing' ? ['ok'] : undefined)),
  }),
  fault('catalog-not-found', {
    says: 'A catalog is not found from {seconds} s after its last import on{unless}.',
    behind: 'A cache with an expiry stands where a store should, or a job removes what seems unused.',
    over: [5, 4, 3, 2, 1, 10, 30].flatMap((seconds) =>
      ['', ', unless a session was opened for it'].map((unless) => ({ seconds, unless })),
    ),
    alters: (m, { seconds, unless }) =>
      otherwise(
        m,
        (call, world) => {
          const account = m.account(call, world);
          const isMeant = call.op === 'list-shades' || call.op === 'create-session';
          if (!isMeant || account === undefined) return 'no';
          const place = m.place(account, call.catalog ?? '', call);
          const all = world.catalogs.get(place)?.existence ?? [];
          const since = all.findLast(({ untilMs }) => untilMs <= call.fromMs);
          const isUsed = [...world.sessions.values()].some(
            (each) => each.fromMs < call.fromMs && m.place(each.account, each.catalog, call) === place,
          );
          if (since === undefined || (unless !== '' && isUsed)) return 'no';
          // A job comes by now and then.
          const [isOld, isSure] = [0, 1].map((more) => isLater(call, since, 1_000 * (seconds + more)));
          return isOld === 'yes' && isSure !== 'yes' ? 'maybe' : (isOld ?? 'no');
        },
        'missing',
      ),
    price: 2,
  }),
];
