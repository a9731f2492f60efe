import type { AnswerSaid } from './answer.ts';
import {
  type ApiCall,
  type CallEvent,
  isBadShade,
  isLimited,
  isLost,
  isMalformed,
  keyOf,
  mayHaveEffect,
  outcomeOf,
  type SentShade,
} from './call.ts';
import { channelAccess, isNearEnd, isOver, skuPresence } from './expect-events.ts';
import { type Option, option } from './freedoms.ts';
import { possibleShades } from './overwrite.ts';
import type { Write } from './register.ts';
import { goodPart, isOversize, type Model, mostShades } from './stages.ts';
import type { CatalogShelf, LearntSession, RegisterShelf, StoredEvent, World } from './world.ts';

/** A call without an answer may take effect until then. */
const lostEffectMs = 10_000;

type WriteTime = Omit<Write<never>, 'value' | 'index'>;

/**
 * What a call changes. It is learnt when the call is sent, since a read that ends earlier may show it; the record is whole,
 * so the answer is known.
 */
export function learn(model: Model, world: World, call: ApiCall, said: AnswerSaid): void {
  world.calls.push(call);
  if (!isLimited(call)) {
    const isSure = !isLost(call) && model.isCertain(call, world);
    const time = { fromMs: call.fromMs, untilMs: effectUntilMs(model, call), isSure, call: call.n };
    if (call.op === 'import-shades') learnImport(model, world, call, time);
    if (call.op === 'create-session') learnSession(model, world, call, said, time);
    if (call.op === 'interact') learnEvents(model, world, call, time);
  }
  model.after(call, world);
}

function effectUntilMs({ promises }: Model, call: ApiCall): number {
  if (isLost(call)) return call.untilMs + lostEffectMs;
  const visibleMs = call.op === 'import-shades' ? promises.importVisibleMs : promises.eventsVisibleMs;
  return call.untilMs + (call.answer.status === 202 ? visibleMs : 0) + promises.redeliveredMs;
}

function learnImport(model: Model, world: World, call: ApiCall, time: WriteTime): void {
  const account = model.account(call, world);
  if (account === undefined || (isMalformed(call) && !mayHaveEffect(call))) return;
  const place = model.place(account, call.catalog ?? '', call);
  // What a served import stores is worked out when its catalog is read.
  const whole = mayHaveEffect(call) ? undefined : model.imports(call.shades ?? [], call, world);
  const parts: readonly { rows?: readonly SentShade[]; given?: readonly Option[] }[] =
    whole === undefined || whole.length > 0 ? [{ ...(whole && { rows: whole }) }] : refusedParts(model, call);
  for (const { given, rows } of parts) {
    if (rows?.length === 0 && !mayHaveEffect(call)) continue;
    const shelf = world.catalog(place);
    // Whether an import of nothing creates its catalog is not known.
    const isSure = time.isSure && (call.shades?.length ?? 0) > 0;
    shelf.existence.push({ ...time, value: true, index: 0, given, isSure });
    shelf.later(() =>
      storeRows(model, world, call, shelf, rows ?? model.imports(call.shades ?? [], call, world), {
        ...time,
        given,
      }),
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
    const duplicate = isFirst && isLast ? undefined : [option('duplicate', isFirst ? 'first' : 'last')];
    if (!model.free.allowAll(duplicate)) continue;
    const values = possibleShades(model, world, call, row, shelf.registers.get(slot)?.writes ?? []);
    const isOpen = duplicate !== undefined && !model.free.areSettled(duplicate);
    for (const value of values)
      shelf.open(slot, value.sku ?? row.sku).push({
        fromMs: time.fromMs,
        untilMs: time.untilMs,
        call: time.call,
        index,
        value,
        isSure: time.isSure && values.length === 1,
        given: isOpen ? [...(time.given ?? []), ...duplicate] : time.given,
      });
  }
}

function learnSession(model: Model, world: World, call: ApiCall, said: AnswerSaid, time: WriteTime): void {
  const account = model.account(call, world);
  if (account === undefined || !mayHaveEffect(call)) return;
  const { catalog = '', fromMs, locale = '', n, product = '', untilMs } = call;
  const counted = { account, key: keyOf(call), product, fromMs };
  world.counted.push({ ...counted, untilMs: time.untilMs, isSure: time.isSure });
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

function learnEvents(model: Model, world: World, call: ApiCall, time: WriteTime): void {
  const session = world.sessions.get(call.session ?? -1);
  if (session === undefined || (isMalformed(call) && !mayHaveEffect(call))) return;
  const targets = model.targets(session, call, world);
  for (const target of targets) {
    const isSure = time.isSure && targets.length === 1;
    const shelf = world.history(model.home(target));
    shelf.later(() => storeBatch(model, world, { call, session, target, shelf }, { ...time, isSure }));
  }
}

/** A batch, and where it is stored: in its session, unless a fault has another one. */
interface StoredBatch {
  readonly call: ApiCall;
  readonly session: LearntSession;
  readonly target: LearntSession;
  readonly shelf: RegisterShelf<StoredEvent>;
}

function storeBatch(model: Model, world: World, batch: StoredBatch, time: WriteTime): void {
  const { call, session } = batch;
  const { freedom, holder, isOpen } = channelAccess(model, world, call);
  const { events = [] } = call;
  const whole = model.events(events, call, world);
  const isTaken = mayHaveEffect(call) || whole.length > 0;
  const mayBeServed = isOpen || (freedom !== undefined && model.free.allows(freedom, 'taken'));
  // A credential that is not good changes nothing.
  if (!isTaken && (!mayBeServed || outcomeOf(call) === 'unauthorized')) return;
  // What was served without permission is a divergence by itself: its effect is not certain.
  const isServed = isOpen || (freedom !== undefined && model.free.is(freedom, 'taken'));
  if (isTaken) {
    const isSure = time.isSure && (isServed || !mayHaveEffect(call));
    storeEvents(model, world, batch, whole, { ...time, isSure });
    return;
  }
  const presence = new Map(events.map(({ sku }) => [sku, skuPresence(model, world, call, session, sku)]));
  const all = [...presence.values()];
  // Without a bad event, the batch was refused for another reason.
  if (all.every((each) => each === 'yes') || (holder !== undefined && isOver(model, call, holder))) return;
  const isBad = ({ sku }: CallEvent): boolean => presence.get(sku) === 'no';
  const isNear = isNearEnd(model, call, [session, holder ?? session]);
  const isSure = time.isSure && isServed && !isNear && !all.includes('maybe');
  for (const { given, rows } of [
    { rows: goodPart(events, isBad, events.length), given: [option('refusedEvents', 'before the bad')] },
    { rows: events.filter((each) => !isBad(each)), given: [option('refusedEvents', 'all good')] },
  ])
    if (model.free.allowAll(given)) storeEvents(model, world, batch, rows, { ...time, given, isSure });
}

function storeEvents(
  model: Model,
  world: World,
  { call, session, shelf, target }: StoredBatch,
  events: readonly CallEvent[],
  time: WriteTime,
): void {
  for (const [index, event] of events.entries()) {
    const slot = model.eventSlot(event.id, target, call, world);
    const earlier = shelf.of(slot);
    const isInBatch = earlier.some((each) => each.call === call.n && each.given === time.given);
    const isRepeated = isInBatch || earlier.some((each) => each.call !== call.n);
    const presence = skuPresence(model, world, call, session, event.sku);
    const isUnknown = presence === 'no' && !mayCome(model, world, call, event.sku, time.untilMs);
    const mayDrop = presence !== 'yes' && !isUnknown && model.free.allows('unknownSku', 'dropped');
    if (isUnknown && model.free.is('unknownSku', 'dropped')) continue;
    const write = {
      ...time,
      index,
      value: { ...model.event(event, call, target), session: target.n },
      given:
        isUnknown && !model.free.isSettled('unknownSku')
          ? [...(time.given ?? []), option('unknownSku', 'taken')]
          : time.given,
      isSure: time.isSure && !mayDrop,
    };
    if (!isInBatch) shelf.open(slot, event.id).push(write);
    if (model.free.allows('repeatedId', 'each')) {
      // Where the first one may be lost, the second may be the only one.
      const isSecond = earlier.every((each) => each.isSure && model.free.areSettled(each.given));
      const copies = [
        ...(isRepeated ? [{ name: '', isSure: write.isSure && isSecond }] : []),
        ...(model.promises.redeliveredMs > 0 ? [{ name: ' again', isSure: false }] : []),
      ];
      for (const { isSure, name } of copies)
        shelf
          .open(`${slot}\0${call.n} ${index}${name}`, event.id)
          .push({ ...write, isSure, given: repeated(write.given, model) });
    }
  }
}

/** What a repeated event is stored under. */
const repeated = (given: readonly Option[] | undefined, { free }: Model): readonly Option[] | undefined =>
  free.isSettled('repeatedId') ? given : [...(given ?? []), option('repeatedId', 'each')];

/** Whether an unknown SKU may be imported before a batch takes effect. */
function mayCome(
  model: Model,
  world: World,
  call: ApiCall,
  sku: string | undefined,
  untilMs: number,
): boolean {
  if (sku === undefined || untilMs <= call.untilMs) return false;
  const slot = model.skuSlot(sku, call, world);
  return world.record.some(
    (each) =>
      each.op === 'import-shades' &&
      each.fromMs < untilMs &&
      each.untilMs > call.fromMs &&
      (each.shades ?? []).some((shade) => model.skuSlot(shade.sku ?? '', call, world) === slot),
  );
}
