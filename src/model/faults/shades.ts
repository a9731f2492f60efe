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
import { type ApiCall, isBadShade, type SentShade } from '../call.ts';
import { itemsOf } from '../expect.ts';
import type { Freedoms } from '../freedoms.ts';
import type { Divergence } from '../judge.ts';
import { type Presence, presenceOf } from '../register.ts';
import type { Model } from '../stages.ts';
import type { StoredShade } from '../world.ts';
import { faultsOf } from './fault.ts';
import { answering, storing } from './imports.ts';

/** What is stored of a shade. */

const fault = faultsOf('shades');
/** Another value of a shade that is stored. */
const changing = (m: Model, change: (shade: StoredShade, earlier?: StoredShade) => StoredShade) => ({
  shade: (shade: SentShade, earlier: StoredShade | undefined, call: ApiCall): StoredShade => {
    const stored = m.shade(shade, earlier, call);
    return isBadShade(stored) ? stored : change(stored, earlier);
  },
});
const textFields = { name: ['name'], sku: ['sku'], 'name and SKU': ['name', 'sku'] } as const;
type TextFields = keyof typeof textFields;
const fieldsBy = <How extends TextChange>(all: readonly How[]): { field: TextFields; how: How }[] =>
  (['name', 'sku', 'name and SKU'] as const).flatMap((field) => all.map((how) => ({ field, how })));
/** A SKU is looked up as it is stored, and listed as it is stored. */
const storingText = (m: Model, { field, how }: { field: TextFields; how: TextChange }): Partial<Model> => ({
  ...changing(m, (shade) => {
    const changed = textFields[field].map((each) => [each, changes[how](shade[each] ?? '')] as const);
    return { ...shade, ...Object.fromEntries(changed) };
  }),
  ...(field !== 'name' && {
    skuSlot: (sku, call, world) => {
      const slot = m.skuSlot(sku, call, world);
      return call.op === 'list-shades' ? slot : changes[how](slot);
    },
  }),
});
/** Values that all shades of a record may have: those that its answers show wrongly, or what was sent. */
function constantsIn(calls: readonly ApiCall[], divergences: readonly Divergence[]) {
  const values =
    divergences.length > 0
      ? divergences.map(({ got }) => (got as SentShade | undefined)?.finish)
      : calls.flatMap(({ shades = [] }) => shades.map(({ finish }) => finish));
  const most = [...new Set(values)].flatMap((value) => value ?? []).slice(0, 5);
  return [...new Set([...most, 'default'])].map((value) => ({ field: 'finish', value }));
}

/** What a guess of types makes of a text, in the words of an answer that is read: what is no text is in brackets, null is nothing. */
function guessed(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return text;
  if (text === 'null') return undefined;
  if (text === 'true' || text === 'false') return `(${text})`;
  return Number.isNaN(Number(text)) ? text : `(${Number(text)})`;
}

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
  fault('catalog-not-found', {
    says: '{what} looks for its catalog by an id {how}{found}; imports do not.',
    behind:
      'A query is decoded twice, or compares ids by a collation that the store of imports does not have.',
    over: foldingNames.flatMap((how) =>
      ['A list', 'A new session'].flatMap((what) =>
        ['', ' (the first that is equal)'].map((found) => ({ what, how, found })),
      ),
    ),
    alters: (m, { found, how, what }) => ({
      reads: (account, catalog, call, world) => {
        const own = m.reads(account, catalog, call, world);
        if (call.op !== (what === 'A list' ? 'list-shades' : 'create-session')) return own;
        const fold = foldings[how];
        if (found === '') return m.reads(account, fold(catalog), call, world);
        const start = m.place(account, '', call);
        const isEqual = (place: string): boolean =>
          place.startsWith(start) && fold(place.slice(start.length)) === fold(catalog);
        return [[...world.catalogs.keys()].find(isEqual) ?? own[0] ?? ''];
      },
    }),
  }),
  fault('shade-field-changed', {
    says: 'The {field} of a shade is stored {how}.',
    behind: 'An encoding, a normalisation, or a filter against injection.',
    over: fieldsBy(changeNames),
    alters: storingText,
  }),
  fault('shade-field-changed', {
    says: 'A {field} that reads as a number, a boolean or null is listed as that.',
    behind: 'An importer guesses the types of columns.',
    over: [{ field: 'name' }, { field: 'sku' }, { field: 'name and SKU' }] as const,
    alters: (m, { field }) =>
      changing(m, (shade) => {
        const changed = textFields[field].map((each) => [each, guessed(shade[each])] as const);
        return { ...shade, ...Object.fromEntries(changed) };
      }),
  }),
  fault('shades-missing', {
    says: 'A shade is not stored whose SKU is the name of what every object has.',
    behind: 'A plain object stands where a map should: `constructor` is found in it before it is stored.',
    alters: (m) => storing(m, (rows) => rows.filter(({ sku = '' }) => !(sku in {}))),
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
  fault('shade-field-changed', {
    says: 'All shades of an import have the {field} of its {which} shade.',
    behind: 'A variable that the rows of an import share.',
    over: (['finish', 'hex', 'name'] as const).flatMap((field) => [
      { field, which: 'last' },
      { field, which: 'first' },
    ]),
    alters: (m, { field, which }) =>
      storing(m, (rows) => {
        const source = rows.at(which === 'last' ? -1 : 0);
        return rows.map((row) => ({ ...row, [field]: source?.[field] }));
      }),
  }),
  fault('shade-field-missing', {
    says: 'Listed shades have no {field}.',
    behind: 'The list was written before the field existed.',
    over: [{ field: 'finish' }, { field: 'hex' }, { field: 'name' }],
    alters: (m, { field }) => changing(m, (shade) => ({ ...shade, [field]: undefined })),
  }),
  fault('shade-field-changed', {
    says: 'Every shade has the {field} {value}.',
    behind: 'A constant or a default stands where a value was sent: an enumeration with a fallback does so.',
    over: ({ calls, divergences }) => constantsIn(calls, divergences),
    alters: (m, { field, value }) => changing(m, (shade) => ({ ...shade, [field]: value })),
  }),
  fault('sku-stored-twice', {
    says: 'A SKU that is sent again in {within} is listed twice, and counted {counted}.',
    behind: 'The table has no unique key on the SKU.',
    over: ['another import', 'any import'].flatMap((within) => [
      { within, counted: 'twice' },
      { within, counted: 'once' },
    ]),
    alters: (m, { counted, within }) => {
      let row = 0;
      return {
        skuSlot: (sku, call, world) =>
          call.op === 'import-shades'
            ? `${m.skuSlot(sku, call, world)}\0${within === 'another import' ? call.n : row++}`
            : m.skuSlot(sku, call, world),
        ...(counted === 'once' && countedOnce(m)),
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
    over: [{ field: 'name' }, { field: 'hex' }, { field: 'finish' }],
    alters: (m, { field }) =>
      changing(m, (shade, earlier) =>
        earlier === undefined ? shade : { ...shade, [field]: earlier[field as 'name'] },
      ),
  }),
  fault('import-applied-in-part', {
    says: 'A shade that is imported again with the {field} that it has is left as it is.',
    behind: 'What has changed is told by one column.',
    over: [{ field: 'name' }, { field: 'hex' }],
    alters: (m, { field }) =>
      changing(m, (shade, earlier) =>
        earlier !== undefined && earlier[field as 'name'] === shade[field as 'name'] ? earlier : shade,
      ),
  }),
  fault('repeated-sku-refused', {
    says: 'An import in which a SKU is twice is answered with 5xx.',
    behind: 'A unique key that the import runs into.',
    alters: (m) =>
      answering(m, ({ shades = [] }) => new Set(shades.map(({ sku }) => sku)).size < shades.length, 'failed'),
  }),
];

/** The shades of a catalog are counted by their SKUs. */
const countedOnce = (m: Model): Pick<Model, 'numbers'> => ({
  numbers: (numbers, call, world) => {
    const shown = m.numbers(numbers, call, world);
    const account = m.account(call, world);
    if (call.op !== 'create-session' || account === undefined) return shown;
    const shelf = world.catalogs.get(m.place(account, call.catalog ?? '', call));
    const items = itemsOf(m, shelf?.registers ?? new Map(), m.span(call, world), 'reimport');
    const count = (isMeant: (presence: Presence) => boolean): number =>
      new Set(items.filter(({ may }) => isMeant(presenceOf(may))).map(({ name }) => name)).size;
    return { ...shown, shade_count: [count((each) => each === 'yes'), count((each) => each !== 'no')] };
  },
});

/** The freedoms of a service that has decided one of them against its promise. */
export const pinned = (free: Freedoms, name: Parameters<Freedoms['options']>[0], value: string): Freedoms =>
  free.with({ freedom: name, option: value });
