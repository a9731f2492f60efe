import type { AnswerSaid } from './answer.ts';
import {
  type ApiCall,
  isBadShade,
  isLimited,
  isLost,
  isMalformed,
  isOversize,
  keyOf,
  mayHaveEffect,
  mostShades,
  type SentShade,
} from './call.ts';
import { type Option, option } from './freedoms.ts';
import { learnEvents } from './learn-events.ts';
import { possibleShades } from './overwrite.ts';
import type { WriteTime } from './register.ts';
import { effectUntilMs, goodPart, hasBadShade, hasOtherFinish, type Model } from './stages.ts';
import type { CatalogShelf, StoredShade, World } from './world.ts';

/**
 * What a call changes. It is learnt when the call is sent, since a read that ends earlier may show it; the record is whole,
 * so the answer is known.
 */
export function learn(model: Model, world: World, call: ApiCall, said: AnswerSaid): void {
  world.learning(() => learnCall(model, world, call, said));
}

function learnCall(model: Model, world: World, call: ApiCall, said: AnswerSaid): void {
  world.calls.push(call);
  world.byNumber.set(call.n, call);
  if (!isLimited(call)) {
    const isSure = !isLost(call) && model.isCertain(call, world);
    const time = { fromMs: call.fromMs, untilMs: effectUntilMs(model, call), isSure, call: call.n };
    if (call.op === 'import-shades')
      learnImport(model, world, call, said, { ...time, placedMs: model.placedMs(call) });
    if (call.op === 'create-session') learnSession(model, world, call, said, time);
    if (call.op === 'interact') learnEvents(model, world, call, time);
  }
  model.after(call, world);
  model.notes(call, world);
}

function learnImport(model: Model, world: World, call: ApiCall, said: AnswerSaid, time: WriteTime): void {
  const account = model.account(call, world);
  if (account === undefined || (isMalformed(call) && !mayHaveEffect(call))) return;
  const place = model.place(account, call.catalog ?? '', call);
  // What a served import stores is worked out when its catalog is read.
  const whole = mayHaveEffect(call) ? undefined : model.imports(call.shades ?? [], call, world);
  const parts: readonly { rows?: readonly SentShade[]; given?: readonly Option[] }[] =
    whole === undefined || whole.length > 0
      ? // What got no answer may have been refused.
        [{ ...(whole && { rows: whole }) }, ...(isLost(call) ? refusedParts(model, call) : [])]
      : refusedParts(model, call);
  const unsure = world.texts.leftOutOf(call, said);
  for (const { given, rows } of parts) {
    if (rows?.length === 0 && !mayHaveEffect(call)) continue;
    const shelf = world.catalog(place);
    // Whether an import of nothing creates its catalog is not known, unless it is promised.
    const creates = (call.shades?.length ?? 0) > 0 || model.promises.createsEmpty;
    const isSure = time.isSure && creates === true;
    if (creates !== false) shelf.existence.push({ ...time, value: true, index: 0, given, isSure });
    shelf.later(() => {
      const stored = rows ?? model.imports(call.shades ?? [], call, world);
      storeRows(model, world, call, shelf, stored, unsure, { ...time, given });
    });
    if (mayHaveEffect(call) && hasBadShade(call)) learnMended(model, world, call, shelf, time);
  }
}

/** A service that takes an import with a bad shade may leave that shade out, or put it right. */
function learnMended(model: Model, world: World, call: ApiCall, shelf: CatalogShelf, time: WriteTime): void {
  const { mendsShades } = model.promises;
  if (mendsShades === false) return;
  const isSure = time.isSure && mendsShades === true;
  for (const [index, shade] of (call.shades ?? []).entries()) {
    const { sku } = shade;
    if (!isBadShade(shade)) continue;
    if (sku === undefined)
      for (const certainty of model.promises.redeliveredMs > 0 ? [time.isSure, false] : [time.isSure])
        shelf.unnamed.push({ ...time, index, value: undefined, isSure: certainty });
    else
      shelf.later(() =>
        shelf
          .open(model.skuSlot(sku, call, world), sku)
          .push({ ...time, index, isSure, value: { ...shade, isMended: true } }),
      );
  }
}

/** What a refused import may have stored all the same, by the options that are left. */
function refusedParts(
  { free }: Model,
  call: ApiCall,
): readonly { readonly rows: readonly SentShade[]; readonly given?: readonly Option[] }[] {
  const { shades = [] } = call;
  const most = isOversize(call) ? mostShades : shades.length;
  return [
    { rows: goodPart(shades, isBadShade, most), given: [option('refusedImport', 'before the bad')] },
    { rows: shades.filter((each) => !isBadShade(each)), given: [option('refusedImport', 'all good')] },
  ].filter(({ given }) => free.allowAll(given));
}

function storeRows(
  model: Model,
  world: World,
  call: ApiCall,
  shelf: CatalogShelf,
  rows: readonly SentShade[],
  unsure: ReadonlySet<SentShade>,
  time: WriteTime,
): void {
  const slots = rows.map(({ sku }) => model.skuSlot(sku ?? '', call, world));
  const isEach = new Set(slots).size === slots.length;
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  if (!isEach)
    for (const [index, slot] of slots.entries()) {
      if (!first.has(slot)) first.set(slot, index);
      last.set(slot, index);
    }
  for (const [index, row] of rows.entries()) {
    if (row.sku === undefined) continue;
    const slot = slots[index] ?? '';
    const isFirst = isEach || first.get(slot) === index;
    const isLast = isEach || last.get(slot) === index;
    if (!isFirst && !isLast) continue;
    const duplicate = isFirst && isLast ? [] : [option('duplicate', isFirst ? 'first' : 'last')];
    if (!model.free.allowAll(duplicate)) continue;
    const values = possibleShades(model, world, call, row, shelf.registers.get(slot)?.writes ?? []);
    const push = (value: StoredShade, under: readonly Option[]): void => {
      if (!model.free.allowAll(under)) return;
      shelf.open(slot, value.sku ?? row.sku ?? '').push({
        fromMs: time.fromMs,
        untilMs: time.untilMs,
        ...(time.placedMs !== undefined && { placedMs: time.placedMs }),
        call: time.call,
        index,
        value,
        isSure: time.isSure && values.length === 1 && !unsure.has(row),
        given:
          under.length > 0 && !model.free.areSettled(under) ? [...(time.given ?? []), ...under] : time.given,
      });
    };
    for (const value of values)
      if (hasOtherFinish(model, row) && value.finish === row.finish) {
        // It may be listed as another one.
        push(value, [...duplicate, option('otherFinish', 'taken')]);
        push({ ...value, isOfOtherFinish: true }, [...duplicate, option('otherFinish', 'changed')]);
      } else push(value, duplicate);
  }
}

function learnSession(model: Model, world: World, call: ApiCall, said: AnswerSaid, time: WriteTime): void {
  const account = model.account(call, world);
  if (account === undefined || !mayHaveEffect(call) || !model.opens(call, world)) return;
  const { catalog = '', fromMs, locale = '', n, product = '', untilMs } = call;
  const counted = { account, key: keyOf(call), product, fromMs };
  world.counted.push({ ...counted, n, untilMs: time.untilMs, isSure: time.isSure });
  if (model.promises.redeliveredMs > 0)
    world.counted.push({ ...counted, untilMs: time.untilMs, isSure: false });
  if (said.outcome !== 'ok') return;
  const { expires_at: expires, session_id: id, shade_count: count, token } = said.fields;
  world.sessions.set(n, {
    ...{ n, account, catalog, product, locale, fromMs, untilMs },
    id: String(id),
    key: call.by.kind === 'key' ? call.by.key : '',
    expiresMs: typeof expires === 'number' ? expires : Number.NaN,
    shadeCount: typeof count === 'number' ? count : undefined,
    token: typeof token === 'string' ? token : undefined,
  });
}
