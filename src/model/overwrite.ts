import { type ApiCall, mayHaveEffect, type SentShade } from './call.ts';
import { isGone, type Write } from './register.ts';
import type { Model } from './stages.ts';
import type { StoredShade, World } from './world.ts';

/** What may be stored of a shade: several values where it depends on which of several imports at the same time came first. */
export function possibleShades(
  model: Model,
  world: World,
  call: ApiCall,
  row: SentShade,
  register: readonly Write<StoredShade>[],
): readonly StoredShade[] {
  const former = register.filter((each) => each.call !== call.n && !isGone(each));
  const usual = model.shade(row, former.at(-1)?.value, call);
  const before = repeated(call).get(row.sku ?? '') ?? [];
  if (usual === row && before.length === 0) return [usual];
  const over = former.filter(({ untilMs }) => untilMs <= call.fromMs);
  const latestMs = Math.max(...over.map(({ fromMs }) => fromMs));
  const last = over.filter(({ untilMs }) => untilMs >= latestMs).map(({ value }) => value);
  const bases = last.length === 0 ? [undefined] : last.slice(0, mostBases);
  const slot = model.skuSlot(row.sku ?? '', call, world);
  const others = rivalsOf(world, call).flatMap((each) =>
    (each.shades ?? []).filter(({ sku = '' }) => model.skuSlot(sku, each, world) === slot),
  );
  const alone = bases.flatMap((base) => [base, ...others.map((other) => model.shade(other, base, call))]);
  // Rows are written one after another, or the last of one batch alone.
  const inBatch = before.slice(0, Math.max(0, before.indexOf(row)));
  const earlier = [
    ...(inBatch.length > 0
      ? bases.map((base) =>
          inBatch.reduce((old: StoredShade | undefined, each) => model.shade(each, old, call), base),
        )
      : []),
    ...alone,
  ];
  const values: StoredShade[] = [];
  for (const each of earlier) {
    const value = model.shade(row, each, call);
    if (!values.some((known) => isSameShade(known, value))) values.push(value);
  }
  return values;
}

/** More alternatives than these are not followed. */
const mostBases = 4;

const isSameShade = (a: StoredShade, b: StoredShade): boolean =>
  a.name === b.name && a.hex === b.hex && a.finish === b.finish && a.sku === b.sku;

/** Every row of an import asks again. */
const rivals = new WeakMap<ApiCall, readonly ApiCall[]>();

/** The rows of an import whose SKU it has several times. */
function repeated(call: ApiCall): ReadonlyMap<string, readonly SentShade[]> {
  const known = repeats.get(call);
  if (known !== undefined) return known;
  const all = Map.groupBy(call.shades ?? [], ({ sku = '' }) => sku);
  for (const [sku, rows] of all) if (rows.length < 2) all.delete(sku);
  repeats.set(call, all);
  return all;
}

const repeats = new WeakMap<ApiCall, ReadonlyMap<string, readonly SentShade[]>>();

/** Imports into the same catalog at the same time. */
function rivalsOf({ record }: World, call: ApiCall): readonly ApiCall[] {
  const known = rivals.get(call);
  if (known !== undefined) return known;
  const all = record.filter(
    (each) =>
      each.op === 'import-shades' &&
      each.n !== call.n &&
      each.catalog === call.catalog &&
      each.fromMs < call.untilMs &&
      each.untilMs > call.fromMs &&
      mayHaveEffect(each),
  );
  rivals.set(call, all);
  return all;
}
