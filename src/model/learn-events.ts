import { type ApiCall, type CallEvent, isBadEvent, isMalformed, mayHaveEffect, outcomeOf } from './call.ts';
import { channelAccess, isNearEnd, isOver, ofUnknownSku, skuPresences } from './expect-events.ts';
import { type Option, option } from './freedoms.ts';
import type { ReadSpan, Write, WriteTime } from './register.ts';
import { effectUntilMs, goodPart, type Model, mayBeTooLarge } from './stages.ts';
import type { LearntSession, RegisterShelf, StoredEvent, World } from './world.ts';

/** What a batch of events changes. */
export function learnEvents(model: Model, world: World, call: ApiCall, time: WriteTime): void {
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
  const presenceOf = skuPresences(model, world, call, session);
  const all = events.map(({ sku }) => presenceOf(sku));
  // Without a bad event, the batch was refused for another reason.
  const isFlawed = events.some(isBadEvent);
  if (
    (!isFlawed && all.every((each) => each === 'yes')) ||
    (holder !== undefined && isOver(model, call, holder))
  )
    return;
  const isUnknown = (event: CallEvent): boolean => presenceOf(event.sku) === 'no';
  const isBad = (event: CallEvent): boolean =>
    isBadEvent(event) || (isUnknown(event) && !model.free.allows(ofUnknownSku(event), 'taken'));
  const isNear = isNearEnd(model, call, [session, holder ?? session]);
  const isOpenSku = events.some((each) => isUnknown(each) && !model.free.isSettled(ofUnknownSku(each)));
  const isCertain = !isOpenSku && !all.includes('maybe') && !mayBeTooLarge(model, call);
  const isSure = time.isSure && isServed && !isNear && isCertain;
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
  const seen = new Set<string>();
  const presenceOf = skuPresences(model, world, call, session);
  for (const [index, event] of events.entries()) {
    const slot = model.eventSlot(event.id, target, call, world);
    const earlier = shelf.of(slot).filter(({ given }) => model.free.allowAll(given));
    const isInBatch = seen.has(slot);
    seen.add(slot);
    const presence = presenceOf(event.sku);
    const isUnknown = presence === 'no' && !mayCome(model, world, call, event.sku, time.untilMs);
    const mayDrop = presence !== 'yes' && !isUnknown && model.free.allows(ofUnknownSku(event), 'dropped');
    if (isUnknown && model.free.is(ofUnknownSku(event), 'dropped')) continue;
    const write = {
      ...time,
      index,
      ...(mayDrop && model.promises.redeliveredMs > 0 && { mayBeLater: true }),
      value: { ...model.event(event, call, target), session: target.n },
      given:
        isUnknown && !model.free.isSettled(ofUnknownSku(event))
          ? [...(time.given ?? []), option(ofUnknownSku(event), 'taken')]
          : time.given,
      isSure: time.isSure && !mayDrop,
    };
    if (!isInBatch) shelf.open(slot, event.id).push(write);
    const copy = { ...write, ...seenBeside(earlier, write) };
    for (const { isSure, name, under } of copiesOf(model, world, call, { event, write, earlier, isInBatch }))
      if (model.free.allowAll(under))
        shelf
          .open(`${slot}\0${call.n} ${index}${name}`, event.id)
          .push({ ...copy, isSure, given: withOpen(write.given, under, model) });
  }
}

/** When an event shows beside another one of its id: once both are seen. An earlier one may be seen later. */
function seenBeside(earlier: readonly Write<StoredEvent>[], write: Write<StoredEvent>): ReadSpan {
  const { fromMs, untilMs } = write;
  if (earlier.length === 0) return { fromMs, untilMs };
  return {
    fromMs: Math.max(fromMs, Math.min(...earlier.map((each) => each.fromMs))),
    untilMs: Math.max(untilMs, Math.min(...earlier.map((each) => each.untilMs))),
  };
}

interface RepeatedEvent {
  readonly event: CallEvent;
  readonly write: Write<StoredEvent>;
  readonly earlier: readonly Write<StoredEvent>[];
  readonly isInBatch: boolean;
}

/** A further element for an event whose id is not new: what it depends on. */
interface EventCopy {
  readonly name: '' | ' again';
  readonly isSure: boolean;
  readonly under: readonly Option[];
}

function copiesOf(
  model: Model,
  world: World,
  call: ApiCall,
  { earlier, event, isInBatch, write }: RepeatedEvent,
): readonly EventCopy[] {
  const again = [option('repeatedId', 'each')];
  const redelivered: readonly EventCopy[] =
    model.promises.redeliveredMs > 0 ? [{ name: ' again', isSure: false, under: again }] : [];
  // A batch that is delivered twice is two batches.
  const others = earlier.filter((each) => each.call !== call.n || each.fromMs !== write.fromMs);
  if (others.length === 0 && !isInBatch) return redelivered;
  const isKnown = (each: Write<unknown>): boolean => each.isSure && model.free.areSettled(each.given);
  // Where the first one may be lost, the second may be the only one.
  const isSure = write.isSure && earlier.every(isKnown);
  if (!isInBatch) return [{ name: '', isSure, under: again }, ...redelivered];
  const inBatch = option('idInBatch', 'each');
  if (others.some((each) => isKnown(each) && each.untilMs <= write.fromMs))
    return [{ name: '', isSure, under: [...again, inBatch] }, ...redelivered];
  // Where another batch with the id may come first, all of this one may be repeats.
  const isDue =
    model.free.is('repeatedId', 'each') || (others.length === 0 && !hasRival(model, world, call, event.id));
  return [{ name: '', isSure: isSure && isDue, under: [inBatch] }, ...redelivered];
}

/** Whether another batch for the session, with the same id of an event, may take effect at the same time. */
function hasRival(model: Model, world: World, call: ApiCall, id: string): boolean {
  const untilMs = effectUntilMs(model, call);
  return world.known.some(
    (each) =>
      each.op === 'interact' &&
      each.n !== call.n &&
      each.session === call.session &&
      each.fromMs < untilMs &&
      effectUntilMs(model, each) > call.fromMs &&
      (each.events ?? []).some((event) => event.id === id),
  );
}

/** What a write depends on: the options whose freedoms are not settled. */
function withOpen(
  given: readonly Option[] | undefined,
  under: readonly Option[],
  { free }: Model,
): readonly Option[] | undefined {
  const open = under.filter(({ freedom }) => !free.isSettled(freedom));
  return open.length === 0 ? given : [...(given ?? []), ...open];
}

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
