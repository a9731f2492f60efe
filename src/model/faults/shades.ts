import {
  type ColourChange,
  changeNames,
  changes,
  colourChangeNames,
  colourChanges,
  cutNames,
  type Folding,
  foldingNames,
  foldings,
  type TextChange,
} from '../alike.ts';
import { type ApiCall, isBadShade, isPlainShade, outcomeOf, type SentShade } from '../call.ts';
import { itemsOf, sizeOf } from '../expect.ts';
import type { Freedoms } from '../freedoms.ts';
import { goodPart, type Item, type ItemList, isOversize, type Model, mostShades } from '../stages.ts';
import type { StoredShade } from '../world.ts';
import { faultsOf } from './fault.ts';
import { optional, withoutEnd } from './sure.ts';

/** What imports store, and what lists show. */

const fault = faultsOf('shades');
const isServed = (call: ApiCall): boolean => outcomeOf(call) === 'ok' || outcomeOf(call) === 'void';
const isRefused = (call: ApiCall): boolean => outcomeOf(call) === 'refused';

/** Values that a shade may not have. */
const badValues: Readonly<Record<string, (shade: SentShade) => boolean>> = {
  'a colour that is not #RRGGBB': ({ hex, name }) => hex !== undefined && name !== undefined,
  'no name': ({ name }) => name === undefined,
};

/** What a service may refuse. */
const isUnfit = (shade: SentShade): boolean => isBadShade(shade) || !isPlainShade(shade);

/** Another choice of rows to be stored of an accepted import. */
const storing = (
  m: Model,
  choose: (rows: readonly SentShade[], call: ApiCall) => readonly SentShade[],
): Partial<Model> => ({
  imports: (rows, call, world) => choose(m.imports(rows, call, world), call),
});
/** Another answer to imports of some kind. */
const answering = (
  m: Model,
  isMeant: (call: ApiCall) => boolean,
  outcome: 'ok' | 'refused' | 'failed',
): Pick<Model, 'admits'> => ({
  admits: (right, call, world) =>
    call.op === 'import-shades' && isMeant(call) && !right.includes('unauthorized')
      ? [outcome]
      : m.admits(right, call, world),
});
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
/** Another value of a shade that is stored. */
const changing = (m: Model, change: (shade: StoredShade, earlier?: StoredShade) => StoredShade) => ({
  shade: (shade: SentShade, earlier: StoredShade | undefined, call: ApiCall): StoredShade => {
    const stored = m.shade(shade, earlier, call);
    return isBadShade(stored) ? stored : change(stored, earlier);
  },
});
const fieldsBy = <How extends TextChange>(all: readonly How[]): { field: 'name' | 'sku'; how: How }[] =>
  (['name', 'sku'] as const).flatMap((field) => all.map((how) => ({ field, how })));
/** A SKU is looked up as it is stored, and listed as it is stored. */
const storingText = (
  m: Model,
  { field, how }: { field: 'name' | 'sku'; how: TextChange },
): Partial<Model> => ({
  ...changing(m, (shade) => ({ ...shade, [field]: changes[how](shade[field] ?? '') })),
  ...(field === 'sku' && {
    skuSlot: (sku, call, world) => {
      const slot = m.skuSlot(sku, call, world);
      return call.op === 'list-shades' ? slot : changes[how](slot);
    },
  }),
});
/** What an import removes that it does not name. */
const removing = (m: Model, isMeant: (rows: number) => boolean): Pick<Model, 'after'> => ({
  after(call, world) {
    const account = m.account(call, world);
    if (
      call.op === 'import-shades' &&
      call.form === undefined &&
      isServed(call) &&
      isMeant(call.shades?.length ?? 0) &&
      account !== undefined
    ) {
      const { fromMs, n, untilMs } = call;
      for (const { writes } of world.catalog(m.place(account, call.catalog ?? '', call)).registers.values())
        if (writes.every((write) => write.call !== n))
          writes.push({ value: undefined, fromMs, untilMs, isSure: true, call: n, index: -1 });
    }
    m.after(call, world);
  },
});
const first = <T>(rows: readonly T[], keyOf: (row: T) => unknown): T[] =>
  [...new Map(rows.toReversed().map((row) => [keyOf(row), row])).values()].toReversed();

export const shadeFaults = [
  fault('skus-merged', {
    says: 'SKUs are compared {how}: of two that are then equal, one is stored.',
    behind: 'A collation, a normalisation or a column type of the store.',
    over: foldingNames.map((how) => ({ how })),
    alters: (m, { how }) => ({
      skuSlot: (sku, call, world) => foldings[how as Folding](m.skuSlot(sku, call, world)),
    }),
  }),
  fault('catalogs-merged', {
    says: 'Ids of catalogs are compared {how}: two that are then equal are one catalog.',
    behind: 'A collation, a cache key, or a path that is decoded twice.',
    over: foldingNames.map((how) => ({ how })),
    alters: (m, { how }) => ({
      place: (account, catalog, call) => m.place(account, foldings[how as Folding](catalog), call),
    }),
  }),
  fault('shade-field-changed', {
    says: 'The {field} of a shade is stored {how}.',
    behind: 'An encoding, a normalisation, or a filter against injection.',
    over: fieldsBy(changeNames),
    alters: storingText,
  }),
  fault('text-cut', {
    says: 'A long {field} of a shade is {how}.',
    behind: 'A column or a buffer with a fixed length.',
    over: fieldsBy(cutNames),
    alters: storingText,
  }),
  fault('shade-field-changed', {
    says: 'The colour of a shade is stored {how}.',
    behind: 'A colour is kept as a number, or converted between colour spaces.',
    over: colourChangeNames.map((how) => ({ field: 'hex', how })),
    alters: (m, { how }) =>
      changing(m, (shade) => ({ ...shade, hex: colourChanges[how as ColourChange](shade.hex ?? '') })),
  }),
  fault('shade-field-missing', {
    says: 'Listed shades have no {field}.',
    behind: 'The list was written before the field existed.',
    over: [{ field: 'finish' }, { field: 'hex' }, { field: 'name' }],
    alters: (m, { field }) => changing(m, (shade) => ({ ...shade, [field]: undefined })),
  }),
  fault('shade-field-changed', {
    says: 'Every shade has the finish {finish}.',
    behind: 'A default is applied where a value was sent.',
    over: ['satin', 'glossy', 'default', 'Matte', 'MATTE'].map((finish) => ({ field: 'finish', finish })),
    alters: (m, { finish }) => changing(m, (shade) => ({ ...shade, finish })),
  }),
  fault('sku-stored-twice', {
    says: 'A SKU that is imported again is listed twice.',
    behind: 'The table has no unique key on the SKU.',
    over: [{ within: 'imports' }, { within: 'one import' }],
    alters: (m, { within }) => {
      let row = 0;
      return {
        skuSlot: (sku, call, world) =>
          call.op === 'import-shades'
            ? `${m.skuSlot(sku, call, world)}\0${within === 'imports' ? call.n : row++}`
            : m.skuSlot(sku, call, world),
      };
    },
  }),
  fault('reimport-ignored', {
    says: 'An import leaves shades that exist as they are.',
    behind: 'INSERT … ON CONFLICT DO NOTHING.',
    alters: ({ free }) => ({ free: pinned(free, 'reimport', 'first') }),
  }),
  fault('import-applied-in-part', {
    says: 'A shade that is imported again keeps its old {field}.',
    behind: 'The update leaves a column out.',
    over: [{ field: 'name' }, { field: 'hex' }],
    alters: (m, { field }) =>
      changing(m, (shade, earlier) =>
        earlier === undefined ? shade : { ...shade, [field]: earlier[field as 'name'] },
      ),
  }),
  fault('import-applied-in-part', {
    says: 'An import changes only the first {most:shade} of those that exist.',
    behind: 'The update reaches the first page or the first chunk alone.',
    over: [1, 2, 5, 10, 20, 25, 50, 100, 250].map((most) => ({ most })),
    alters: (m, { most }) => ({
      imports: (rows, call, world) => {
        const account = m.account(call, world);
        const shelf = world.catalogs.get(m.place(account ?? '', call.catalog ?? '', call));
        let left = most;
        return m.imports(rows, call, world).filter(({ sku = '' }) => {
          const isOld = shelf?.of(m.skuSlot(sku, call, world)).some((each) => each.call !== call.n) === true;
          return !isOld || left-- > 0;
        });
      },
    }),
  }),
  fault('malformed-value-listed', {
    says: 'A shade with {what} is accepted and listed.',
    behind: 'A field is stored as it comes: nothing validates it.',
    over: Object.keys(badValues).map((what) => ({ what })),
    alters: (m, { what }) => {
      const isMeant = (shade: SentShade): boolean => isBadShade(shade) && badValues[what]?.(shade) === true;
      return {
        ...answering(
          m,
          (call) => {
            const bad = (call.shades ?? []).filter(isBadShade);
            return bad.length > 0 && bad.every(isMeant) && !isOversize(call);
          },
          'ok',
        ),
        imports: (rows, call, world) =>
          isServed(call)
            ? rows.filter((row) => !isBadShade(row) || isMeant(row))
            : m.imports(rows, call, world),
      };
    },
  }),
  fault('reimport-appends-name', {
    says: 'A shade that is imported again has the names one after another.',
    behind: 'Fields are merged instead of replaced.',
    alters: (m) =>
      changing(m, (shade, earlier) =>
        earlier === undefined ? shade : { ...shade, name: `${earlier.name ?? ''}${shade.name ?? ''}` },
      ),
    price: 3,
  }),
  fault('reimport-removes', {
    says: 'A shade that is imported again is removed.',
    behind: 'Delete and insert, of which the insert fails.',
    alters: (m) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        if (call.op !== 'list-shades') return shown;
        const count = (item: Item, isMeant: (write: Item['register'][number]) => boolean): number =>
          new Set(item.register.filter(isMeant).map((write) => write.call)).size;
        return {
          items: shown.items.flatMap((item) => {
            if (count(item, ({ untilMs }) => untilMs <= call.fromMs) >= 2) return [];
            return count(item, ({ fromMs }) => fromMs < call.untilMs) >= 2 ? [optional(item)] : [item];
          }),
        };
      },
    }),
    price: 2,
  }),
  fault('refused-import-stored', {
    says: 'An import that is refused stores {part}.',
    behind: 'Rows are validated while they are written, without a transaction.',
    over: [
      { part: 'the shades before the bad one' },
      { part: 'its good shades' },
      { part: 'its first 500 shades' },
    ],
    alters: (m, { part }) => ({
      imports: (rows, call, world) => {
        if (!isRefused(call)) return m.imports(rows, call, world);
        if (part === 'its first 500 shades') return rows.some(isUnfit) ? [] : rows.slice(0, mostShades);
        return part === 'its good shades'
          ? rows.filter((row) => !isUnfit(row))
          : goodPart(rows, isUnfit, mostShades);
      },
    }),
  }),
  fault('refused-import-leaves-catalog', {
    says: 'An import that is refused creates its catalog.',
    behind: 'The catalog is created before the shades are validated, outside their transaction.',
    alters: (m) => ({
      after(call, world) {
        const account = m.account(call, world);
        if (
          call.op === 'import-shades' &&
          isRefused(call) &&
          account !== undefined &&
          call.form === undefined
        ) {
          const { fromMs, n, untilMs } = call;
          const shelf = world.catalog(m.place(account, call.catalog ?? '', call));
          shelf.existence.push({ value: true, fromMs, untilMs, isSure: true, call: n, index: 0 });
        }
        m.after(call, world);
      },
    }),
  }),
  fault('import-limit-not-enforced', {
    says: 'An import of more than 500 shades is accepted, and {kept} are stored.',
    behind: 'The limit is not checked, or checked by another number.',
    over: [{ kept: 'all' }, { kept: 'the first 500' }],
    alters: (m, { kept }) => ({
      ...answering(m, isOversize, 'ok'),
      ...storing(m, (rows) => (kept === 'all' ? rows : rows.slice(0, mostShades))),
    }),
  }),
  fault('import-limit-too-low', {
    says: 'An import of more than {most:shade} is refused.',
    behind: 'A limit that is lower than the interface says, or "at least" in place of "more than".',
    over: [499, 498, 450, 400, 300, 256, 255, 250, 200, 128, 120, 100, 64, 50, 32, 25, 20, 10].map(
      (most) => ({ most }),
    ),
    alters: (m, { most }) => answering(m, ({ shades = [] }) => shades.length > most, 'refused'),
  }),
  fault('import-limit-too-low', {
    says: 'An import of more than about {kilobytes} KiB is refused.',
    behind: 'The body limit of a proxy or framework: 100 KiB and 1 MiB are usual.',
    over: [10, 16, 32, 50, 64, 100, 128].map((kilobytes) => ({ kilobytes })),
    alters: (m, { kilobytes }) =>
      answering(m, (call) => JSON.stringify(call.shades ?? []).length > kilobytes * 1_024, 'refused'),
    price: 2,
  }),
  fault('import-truncated', {
    says: 'Of an import, the first {most:shade} are stored.',
    behind: 'A loop over chunks that ends after the first.',
    over: [1, 10, 20, 25, 50, 100, 200, 250, 256, 400, 499].map((most) => ({ most })),
    alters: (m, { most }) => storing(m, (rows) => rows.slice(0, most)),
  }),
  fault('shades-missing', {
    says: 'Of an import with several shades, the {which} is not stored.',
    behind: 'An off-by-one in a loop or a slice.',
    over: [{ which: 'last' }, { which: 'first' }],
    alters: (m, { which }) =>
      storing(m, (rows) => (rows.length < 2 ? rows : which === 'last' ? rows.slice(0, -1) : rows.slice(1))),
  }),
  fault('shades-missing', {
    says: 'Of an import, every {nth} shade is not stored.',
    behind: 'The first or last row of each chunk is lost.',
    over: [10, 20, 25, 50, 64, 100, 128, 200, 250, 256].map((nth) => ({ nth })),
    alters: (m, { nth }) => storing(m, (rows) => rows.filter((_, at) => (at + 1) % nth !== 0)),
  }),
  fault('repeated-sku-refused', {
    says: 'An import in which a SKU is twice is {how}.',
    behind: 'A unique key that the import runs into.',
    over: [{ how: 'refused' }, { how: 'answered with 5xx' }],
    alters: (m, { how }) => {
      const isMeant = ({ shades = [] }: ApiCall): boolean =>
        new Set(shades.map(({ sku }) => sku)).size < shades.length;
      return answering(m, isMeant, how === 'refused' ? 'refused' : 'failed');
    },
  }),
  fault('repeated-sku-dropped', {
    says: 'Of a SKU that is twice in an import, neither is stored.',
    behind: 'Rows that conflict are sorted out together.',
    alters: (m) =>
      storing(m, (rows) => rows.filter(({ sku }) => rows.filter((other) => other.sku === sku).length === 1)),
    price: 2,
  }),
  fault('large-import-replaces', {
    says: 'An import of at least {least:shade} removes the shades that it does not name.',
    behind: 'The import was meant as a full synchronisation, or a bulk path empties the catalog first.',
    over: [{ least: 1 }, { least: 100 }, { least: 500 }],
    alters: (m, { least }) => removing(m, (rows) => rows >= least),
    price: 2,
  }),
  fault('empty-import-removes', {
    says: 'An import without shades removes those of its catalog.',
    behind: 'The import first deletes what the catalog has.',
    alters: (m) => removing(m, (rows) => rows === 0),
  }),
  fault('import-into-the-former-catalog', {
    says: 'An import goes into the catalog of the import before it.',
    behind: 'The id of the catalog is read from a variable that several requests share.',
    alters: (m) => {
      let before: string | undefined;
      const places = new Map<number, string>();
      return {
        place: (account, catalog, call) => {
          const own = m.place(account, catalog, call);
          if (call.op !== 'import-shades') return own;
          const known = places.get(call.n) ?? before ?? own;
          places.set(call.n, known);
          before = own;
          return known;
        },
      };
    },
    price: 4,
  }),
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
        after(call, world) {
          if (call.op === 'list-shades' && call.answer.status === 404) {
            const at = missed.get(key(call));
            if (at === undefined || at + 1_000 * seconds < call.fromMs) missed.set(key(call), call.untilMs);
          }
          m.after(call, world);
        },
      };
    },
    price: 2,
  }),
];

/** The freedoms of a service that has decided one of them against its promise. */
export const pinned = (free: Freedoms, name: Parameters<Freedoms['options']>[0], value: string): Freedoms =>
  free.with({ freedom: name, option: value });
