import { type ApiCall, type CallEvent, hasBadEvent, isMalformed, type Outcome } from './call.ts';
import { type Expected, nothing } from './expected.ts';
import { refusable, repeatsIn } from './refusals.ts';
import { anyOf, isGone, mayShow, type Presence, presenceOf, type ReadSpan } from './register.ts';
import { type Model, mayBeTooLarge } from './stages.ts';
import { entry, type LearntSession, type World } from './world.ts';

/** What may be answered to a batch of events. */

/** How far a credential opens the channel of a session. */
export function channelAccess(
  model: Model,
  world: World,
  call: ApiCall,
): {
  readonly isOpen: boolean;
  readonly freedom?: 'otherToken' | 'keyOnChannel';
  readonly holder?: LearntSession;
} {
  const asked = world.sessions.get(call.session ?? -1);
  if (asked === undefined) return { isOpen: false };
  const account = model.account(call, world);
  const isOwners = account !== undefined && model.sees(account, asked, call);
  if (model.promises.channel === 'key') return { isOpen: isOwners, holder: asked };
  const holder = model.holder(call, world);
  if (holder !== undefined) {
    if (model.reaches(holder, asked, world)) return { isOpen: true, holder };
    return { isOpen: false, freedom: 'otherToken', holder };
  }
  // The key of another account opens nothing, whatever the channel takes.
  return isOwners ? { isOpen: false, freedom: 'keyOnChannel', holder: asked } : { isOpen: false };
}

/** Whether a session that a call needs may be over while it is under way: its own, or that of its token. */
export const isNearEnd = (model: Model, call: ApiCall, needed: readonly LearntSession[]): boolean =>
  needed.some((each) => call.untilMs > model.endsMs(each) - model.promises.clockSkewMs);

/** Whether it certainly is over when a call is sent. */
export const isOver = (model: Model, call: ApiCall, holder: LearntSession): boolean =>
  call.fromMs > model.endsMs(holder) + model.promises.clockSkewMs;

/** How a channel says no: the interface does not show it. */
const notLet: readonly Outcome[] = ['unauthorized', 'missing', 'refused'];

export function ofEvents(model: Model, world: World, call: ApiCall): Expected {
  const { freedom, holder, isOpen } = channelAccess(model, world, call);
  const session = world.sessions.get(call.session ?? -1);
  if (session === undefined || holder === undefined) return { ...nothing, outcomes: notLet };
  const isPast = isOver(model, call, holder);
  if (isPast && model.free.is('expired', 'refused')) return { ...nothing, outcomes: notLet };
  const batch = ofBatch(model, world, call, session);
  const isNear = isNearEnd(model, call, [holder, session]);
  const outcomes: readonly Outcome[] = isNear
    ? [...new Set<Outcome>([...batch.outcomes, ...notLet])]
    : batch.outcomes;
  // What is refused near the end of a session may be refused for that.
  const settled = (settles: Expected['settles'] = []): Pick<Expected, 'settles'> => ({
    settles: isNear
      ? settles.flatMap(({ freedom, shownBy: { ok } }) => (ok ? [{ freedom, shownBy: { ok } }] : []))
      : settles,
  });
  // A batch that cannot be read may be refused as one without a good token is.
  const isTold = !batch.outcomes.includes('unauthorized');
  if (isPast && isOpen && isTold && !model.free.isSettled('expired')) {
    // A refusal settles nothing: sessions that are removed by and by are taken until then.
    return { ...batch, outcomes, settles: [{ freedom: 'expired', shownBy: { ok: ['taken'] } }] };
  }
  const served = { ...batch, outcomes, ...settled(batch.settles) };
  if (isOpen) return served;
  if (freedom === undefined || !model.free.allows(freedom, 'taken')) return { ...nothing, outcomes: notLet };
  const isTaken = model.free.is(freedom, 'taken');
  if (isTaken) return served;
  const settles = isTold ? settled([{ freedom, shownBy: { ok: ['taken'], unauthorized: ['refused'] } }]) : {};
  return { ...batch, outcomes: [...new Set<Outcome>([...outcomes, ...notLet])], ...settles };
}

function ofBatch(model: Model, world: World, call: ApiCall, session: LearntSession): Expected {
  if (isMalformed(call)) return { ...nothing, outcomes: notLet };
  if (hasBadEvent(call)) return { ...nothing, outcomes: ['refused', 'missing'] };
  const { events = [] } = call;
  const presenceOfSku = skuPresences(model, world, call, session);
  const presence = events.map(({ sku }) => presenceOfSku(sku));
  const numbers = model.numbers({ accepted: acceptedOf(model, world, call, session, presence) }, call, world);
  const plain = { ...nothing, numbers };
  const notTaken: readonly Outcome[] = ['ok', 'refused', 'missing'];
  const isLarge = mayBeTooLarge(model, call);
  const taken: readonly Outcome[] = isLarge ? ['ok', 'refused'] : ['ok'];
  const history = world.histories.get(model.home(session));
  const repeatsOf = (some: readonly CallEvent[]): Presence => {
    const slots = some.map(({ id }) => model.eventSlot(id, session, call, world));
    return new Set(slots).size < slots.length
      ? 'yes'
      : repeatsIn(model, history, slots, call, world, 'knownId');
  };
  const all = repeatsOf(events);
  const unknown = events.filter((_, at) => presence[at] === 'no');
  const reasons = [...new Set(unknown.map(ofUnknownSku))].map(
    (freedom) => ({ freedom, applies: 'yes' }) as const,
  );
  const mayBeLeftOut = (each: CallEvent, at: number): boolean =>
    presence[at] !== 'yes' && model.free.allows(ofUnknownSku(each), 'dropped');
  const known = events.filter((_, at) => presence[at] === 'yes');
  // An event that is left out for its SKU need not count as a repeat.
  const isOnce = events.some(mayBeLeftOut) && repeatsOf(known) !== 'yes';
  const applies = all === 'yes' && isOnce ? 'maybe' : all;
  const why = [...reasons, { freedom: 'knownId', applies } as const];
  if (unknown.length > 0 || known.length === events.length)
    return { ...plain, ...refusable(model, taken, why) };
  if (isLarge || model.free.isSettled('skus')) return { ...plain, outcomes: notTaken };
  const live = model.span(call, world);
  const isNow = events.every(({ sku }) => skuPresenceIn(model, world, call, session, sku, live) === 'yes');
  if (!isNow) return { ...plain, outcomes: notTaken };
  // Only the shades at the creation can be a reason to refuse what the catalog has now.
  const shownBy = { refused: ['creation'], missing: ['creation'] };
  const isOther = applies !== 'no' && model.free.allows('knownId', 'refused');
  return { ...plain, outcomes: notTaken, ...(!isOther && { settles: [{ freedom: 'skus', shownBy }] }) };
}

/** What decides of an event whose SKU is unknown. */
export const ofUnknownSku = ({ type }: CallEvent): 'unknownSku' | 'unknownCartSku' =>
  type === 'cart_intent' ? 'unknownCartSku' : 'unknownSku';

/** Whether an event of a session may name a SKU: by the freedom, its catalog has it now, or had it at its creation. Each SKU is looked up once. */
export function skuPresences(
  model: Model,
  world: World,
  call: ApiCall,
  session: LearntSession,
): (sku: string | undefined) => Presence {
  const live = model.span(call, world);
  const under = (sku: string | undefined, option: 'live' | 'creation'): Presence =>
    skuPresenceIn(model, world, call, session, sku, option === 'live' ? live : session);
  const first = model.free.allows('skus', 'live') ? 'live' : 'creation';
  const isSettled = model.free.isSettled('skus');
  const known = new Map<string | undefined, Presence>();
  return (sku) =>
    entry(known, sku, () => {
      const presence = under(sku, first);
      return presence === 'no' || isSettled || under(sku, 'creation') === presence ? presence : 'maybe';
    });
}

/** Whether the catalog of a session shows a SKU. An event without one needs none. */
function skuPresenceIn(
  model: Model,
  world: World,
  call: ApiCall,
  { account, catalog }: LearntSession,
  sku: string | undefined,
  span: ReadSpan,
): Presence {
  if (sku === undefined) return 'yes';
  const all = model.reads(account, catalog, { ...call, catalog }, world).map((place) => {
    const shelf = world.catalogs.get(place);
    const writes = shelf?.of(model.skuSlot(sku, call, world)) ?? [];
    return presenceOf(mayShow(writes, span, model.free, 'reimport'));
  });
  return anyOf(all);
}

/** How many events of a batch may be counted as accepted. */
function acceptedOf(
  model: Model,
  world: World,
  call: ApiCall,
  session: LearntSession,
  presence: readonly Presence[],
): readonly [least: number, most: number] {
  const { events = [] } = call;
  const shelf = world.histories.get(model.home(session));
  const seen = new Set<string>();
  let least = 0;
  let most = 0;
  for (const [at, { id }] of events.entries()) {
    const slot = model.eventSlot(id, session, call, world);
    if (seen.has(slot)) continue;
    seen.add(slot);
    const before = (shelf?.of(slot) ?? []).filter(
      (each) => each.call !== call.n && each.fromMs < call.untilMs && !isGone(each),
    );
    const isKnown = before.some(
      ({ given, isSure, untilMs }) => isSure && given === undefined && untilMs <= call.fromMs,
    );
    if (!isKnown) most += 1;
    if (before.length === 0 && presence[at] === 'yes') least += 1;
  }
  const isOnce = model.free.is('repeatedId', 'once') && model.free.is('idInBatch', 'once');
  const isNewOnly = model.free.is('accepted', 'new') && isOnce;
  return [least, isNewOnly ? most : events.length];
}
