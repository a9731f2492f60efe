import { type ApiCall, isBadShade, isOversize, mostShades, outcomeOf, type SentShade } from '../call.ts';
import type { Presence } from '../register.ts';
import { goodPart, type Model } from '../stages.ts';
import { unfitBy } from '../text-limits.ts';
import type { World } from '../world.ts';
import { admitting, isAfter } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** Which shades of an import are stored. */

const fault = faultsOf('shades');
export const isServed = (call: ApiCall): boolean => outcomeOf(call) === 'ok' || outcomeOf(call) === 'void';
const isRefused = (call: ApiCall): boolean => outcomeOf(call) === 'refused';

/** Values that a shade may not have. */
const badValues: Readonly<Record<string, (shade: SentShade) => boolean>> = {
  'a colour that is not #RRGGBB': ({ hex, name }) => hex !== undefined && name !== undefined,
  'no name': ({ name }) => name === undefined,
};

/** Another choice of rows to be stored of an accepted import. */
export const storing = (
  m: Model,
  choose: (rows: readonly SentShade[], call: ApiCall) => readonly SentShade[],
): Partial<Model> => ({
  imports: (rows, call, world) => choose(m.imports(rows, call, world), call),
});
/** Another answer to imports of some kind. */
export const answering = (
  m: Model,
  isMeant: (call: ApiCall) => boolean,
  outcome: 'ok' | 'refused' | 'failed',
): Pick<Model, 'admits'> =>
  admitting(m, (call, allowed) =>
    call.op === 'import-shades' && isMeant(call) && !allowed.includes('unauthorized') ? [outcome] : undefined,
  );
/** What imports of a kind do beside what they say; `place`: of their catalog. */
export const besideImports = (
  m: Model,
  isMeant: (call: ApiCall) => boolean,
  effect: (call: ApiCall, place: string, world: World) => void,
): Pick<Model, 'after'> => ({
  after(call, world) {
    const account = m.account(call, world);
    if (call.op === 'import-shades' && call.form === undefined && account !== undefined && isMeant(call))
      effect(call, m.place(account, call.catalog ?? '', call), world);
  },
});
const writeOf = <Value>(value: Value, { fromMs, n, untilMs }: ApiCall, index = 0) => ({
  ...{ value, fromMs, untilMs, isSure: true, call: n, index },
});
/** What an import removes that it does not name. */
const removing = (m: Model, isMeant: (rows: number) => boolean): Pick<Model, 'after'> =>
  besideImports(
    m,
    (call) => isServed(call) && isMeant(call.shades?.length ?? 0),
    (call, place, world) => {
      for (const { writes } of world.catalog(place).registers.values())
        if (writes.every((write) => write.call !== call.n)) writes.push(writeOf(undefined, call, -1));
    },
  );
/** A SKU that is imported is taken out of every other catalog. */
const ofOneCatalog = (m: Model): Pick<Model, 'after'> =>
  besideImports(m, isServed, (call, own, world) => {
    const rows = m.imports(call.shades ?? [], call, world);
    const slots = new Set(rows.map(({ sku = '' }) => m.skuSlot(sku, call, world)));
    for (const [place, { registers }] of world.catalogs)
      for (const slot of place === own ? [] : slots)
        registers.get(slot)?.writes.push(writeOf(undefined, call));
  });
export const importFaults = [
  fault('sku-in-one-catalog', {
    says: 'A SKU that is imported into a catalog is taken out of all others.',
    behind: 'The SKU alone is the key of the table, not the SKU of a catalog.',
    alters: ofOneCatalog,
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
  fault('refused-import-stored', {
    says: 'An import that is rejected stores {part}.',
    behind: 'Rows are validated while they are written, without a transaction.',
    over: [', or the first 500', '']
      .map((more) => `the shades before the bad one${more}`)
      .concat('its good shades', 'its first 500 shades')
      .map((part) => ({ part })),
    alters: (m, { part }, { calls }) => {
      const isUnfit = unfitBy(calls);
      return {
        imports: (rows, call, world) => {
          if (!isRefused(call)) return m.imports(rows, call, world);
          if (part === 'its first 500 shades') return rows.some(isUnfit) ? [] : rows.slice(0, mostShades);
          if (part === 'its good shades') return rows.filter((row) => !isUnfit(row));
          return part.endsWith('bad one') && !rows.some(isUnfit) ? [] : goodPart(rows, isUnfit, mostShades);
        },
      };
    },
  }),
  fault('refused-import-leaves-catalog', {
    says: 'An import that is rejected creates its catalog.',
    behind: 'The catalog is created before the shades are validated, outside their transaction.',
    alters: (m) =>
      besideImports(m, isRefused, (call, place, world) => {
        world.catalog(place).existence.push(writeOf(true as const, call));
      }),
  }),
  fault('import-limit-not-enforced', {
    says: 'An import of more than 500 shades is accepted, and all are stored.',
    behind: 'The limit is not checked, or checked by another number.',
    alters: (m) => answering(m, isOversize, 'ok'),
  }),
  fault('import-truncated', {
    says: 'An import of more than 500 shades is accepted, and the first 500 are stored.',
    behind: 'The list is cut to the limit in place of a check.',
    alters: (m) => ({
      ...answering(m, isOversize, 'ok'),
      ...storing(m, (rows) => rows.slice(0, mostShades)),
    }),
  }),
  fault('import-limit-too-low', {
    says: 'An import of more than {what} is rejected.',
    behind:
      'A limit that is lower than the interface says, or the body limit of a proxy: 100 KiB and 1 MiB are usual.',
    over: [
      ...[499, 498, 450, 400, 300, 256, 255, 250, 200, 128, 120, 100, 64, 50, 32, 25, 20, 10].map((most) => ({
        ...{ what: `${most} shades`, most, of: 'shades' },
      })),
      ...[10, 16, 32, 50, 64, 100, 128].map((most) => ({ what: `${most} KiB`, most, of: 'KiB' })),
    ],
    alters: (m, { most, of }) =>
      answering(
        m,
        ({ shades = [] }) =>
          (of === 'shades' ? shades.length : Buffer.byteLength(JSON.stringify(shades)) / 1_024) > most,
        'refused',
      ),
  }),
  fault('import-ignored', {
    says: 'An import that repeats an earlier one within {seconds} s changes nothing, whatever came between.',
    behind: 'A filter for repeated requests, by a hash of the body.',
    over: [1, 2, 5, 10, 60].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => {
      const isAlike = (a: ApiCall, b: ApiCall): boolean =>
        a.catalog === b.catalog &&
        a.shades?.length === b.shades?.length &&
        JSON.stringify(a.shades) === JSON.stringify(b.shades);
      const repeats = (call: ApiCall, world: World): Presence =>
        isAfter(
          call,
          world,
          (each) =>
            each.op === 'import-shades' &&
            outcomeOf(each) === 'ok' &&
            call.fromMs - each.untilMs < 1_000 * seconds &&
            isAlike(each, call),
        );
      return {
        imports: (rows, call, world) => (repeats(call, world) === 'yes' ? [] : m.imports(rows, call, world)),
        isCertain: (call, world) =>
          m.isCertain(call, world) && (call.op !== 'import-shades' || repeats(call, world) !== 'maybe'),
      };
    },
    price: 2,
  }),
  fault('shades-missing', {
    says: 'Of an import in chunks of {size:shade}, one that repeats a SKU of an earlier one is not stored.',
    behind: 'Each chunk is a statement, and a unique key breaks it off.',
    over: [100, 50, 10, 20, 25, 64, 128, 200, 250].map((size) => ({ size })),
    alters: (m, { size }) =>
      storing(m, (rows) => {
        const seen = new Set<string | undefined>();
        const chunks = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
          rows.slice(at * size, (at + 1) * size),
        );
        return chunks.flatMap((chunk) => {
          if (chunk.some(({ sku }) => seen.has(sku))) return [];
          for (const { sku } of chunk) seen.add(sku);
          return chunk;
        });
      }),
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
];
