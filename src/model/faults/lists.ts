import type { ApiCall } from '../call.ts';
import { itemsOf, sizeOf } from '../expect.ts';
import type { Item, ItemList, Model } from '../stages.ts';
import type { StoredShade } from '../world.ts';
import { optional, withoutEnd } from './certainty.ts';
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

export const listFaults = [
  fault('shades-missing', {
    says: 'A list shows at most {most:shade}, and does not say that there are more.',
    behind: 'A page size or a query limit.',
    over: [10, 20, 25, 30, 50, 64, 100, 128, 200, 250, 256, 400, 499, 500, 512, 1_000].map((most) => ({
      most,
    })),
    alters: (m, { most }) => listing(m, (items) => ({ items, size: most })),
  }),
  fault('shades-missing', {
    says: 'A list leaves its {which} shade out.',
    behind: 'An off-by-one in a page or an offset.',
    over: [{ which: 'first' }, { which: 'last' }],
    alters: (m, { which }) =>
      listing(m, (items) => withoutEnd(items, which as 'first', sizeOf(items)[1] - 1)),
  }),
  fault('shades-missing', {
    says: 'Of more than {size:shade}, a list shows whole pages of {size} alone.',
    behind: 'The number of pages is rounded down.',
    over: [10, 20, 25, 50, 100, 200, 250].map((size) => ({ size })),
    alters: (m, { size }) =>
      listing(m, (items) => {
        const [least, most] = sizeOf(items).map((count) => (count > size ? count - (count % size) : count));
        return least === most && least !== undefined
          ? { items, size: least }
          : { items: items.map(optional) };
      }),
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
    says: 'A list also shows the shades of {whose}.',
    behind: 'The query lacks the catalog, or the account.',
    over: [{ whose: 'the other catalogs of its account' }, { whose: 'its catalog in other accounts' }],
    alters: (m, { whose }) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        const account = m.account(call, world);
        if (call.op !== 'list-shades' || account === undefined) return shown;
        const own = m.place(account, call.catalog ?? '', call);
        const isMeant = (place: string): boolean =>
          place !== own &&
          (whose.endsWith('account')
            ? place.startsWith(`${account} `)
            : place.slice(place.indexOf(' ')) === own.slice(own.indexOf(' ')));
        const others = [...world.catalogs].filter(([place]) => isMeant(place));
        const span = m.span(call, world);
        return {
          items: [
            ...shown.items,
            ...others.flatMap(([, { registers }]) => itemsOf<StoredShade>(m, registers, span, 'reimport')),
          ],
        };
      },
    }),
    price: 2,
  }),
  fault('unknown-id-answered', {
    says: 'A catalog that does not exist is listed as an empty one.',
    behind: 'No row is taken for an empty list.',
    alters: (m) => ({
      admits: (right, call, world) =>
        call.op === 'list-shades' && right.join() === 'missing' ? ['ok'] : m.admits(right, call, world),
    }),
  }),
  fault('unknown-id-answered', {
    says: 'A session is opened for a catalog that does not exist.',
    behind: 'The catalog is not looked up, or without its account.',
    alters: (m) => ({
      admits: (right, call, world) =>
        call.op === 'create-session' && right.join() === 'missing' ? ['ok'] : m.admits(right, call, world),
    }),
  }),
  fault('absence-remembered', {
    says: 'A catalog that was asked for before it existed stays unknown for {seconds} s.',
    behind: 'A cache keeps the answer 404.',
    over: [1, 2, 5, 10, 30, 300].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => {
      const missed = new Map<string, number>();
      const key = ({ by, catalog }: ApiCall): string =>
        `${m.promises.accounts[by.kind === 'key' ? by.key : ''] ?? ''} ${catalog ?? ''}`;
      return {
        admits: (right, call, world) => {
          const at = missed.get(key(call));
          const isKept = at !== undefined && at <= call.fromMs && call.fromMs < at + 1_000 * seconds;
          return call.op === 'list-shades' && isKept && right.join() === 'ok'
            ? ['missing']
            : m.admits(right, call, world);
        },
        after(call) {
          if (call.op === 'list-shades' && call.answer.status === 404) {
            const at = missed.get(key(call));
            if (at === undefined || at + 1_000 * seconds < call.fromMs) missed.set(key(call), call.untilMs);
          }
        },
      };
    },
    price: 2,
  }),
];
