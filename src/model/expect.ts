import { type ApiCall, hasNoBody, isBadShade, isMalformed, isPlainShade, type Outcome } from './call.ts';
import { type FreedomName, freedomOptions } from './freedoms.ts';
import { isGone, mayShow, type Presence, presenceOf, type ReadSpan } from './register.ts';
import {
  type FieldValues,
  type Item,
  type ItemList,
  isOversize,
  type Model,
  type NumberRanges,
} from './stages.ts';
import type { LearntSession, StoredEvent, StoredShade, World } from './world.ts';

/**
 * What may be answered to a call, as far as the world is known. One function for the judge, the simulator and the
 * explainer: whatever it leaves out, none of them can see.
 */
export interface Expected {
  readonly outcomes: readonly Outcome[];
  readonly shades?: ItemList<StoredShade>;
  readonly events?: ItemList<StoredEvent>;
  readonly fields: FieldValues;
  readonly numbers: NumberRanges;
  /** Ranges of a number under the options of a freedom: what is shown settles it. */
  readonly under?: {
    readonly number: string;
    readonly freedom: FreedomName;
    readonly ranges: NumberRanges;
  };
  /** What the outcome settles: the options of a freedom that an outcome shows. */
  readonly settles?: {
    readonly freedom: FreedomName;
    readonly shownBy: Readonly<Partial<Record<Outcome, readonly string[]>>>;
  };
}

const nothing: Expected = { outcomes: [], fields: {}, numbers: {} };

export const foundBy: Readonly<Record<Presence, readonly Outcome[]>> = {
  yes: ['ok'],
  no: ['missing'],
  maybe: ['ok', 'missing'],
};

/** The end of time that a Date can have. */
const endOfTimeMs = 8.64e15;

export function expectedOf(model: Model, world: World, call: ApiCall): Expected {
  const expected = plainlyExpected(model, world, call);
  return { ...expected, outcomes: model.admits(expected.outcomes, call, world) };
}

function plainlyExpected(model: Model, world: World, call: ApiCall): Expected {
  if (call.op === 'interact') return ofEvents(model, world, call);
  const account = model.account(call, world);
  // HEAD and odd spellings are freedoms before anything else: a server may not know them at all.
  const isOdd = call.form === 'head' || call.form === 'slash';
  const lenient = (right: readonly Outcome[]): readonly Outcome[] =>
    isOdd ? [...new Set<Outcome>([...right, 'missing', 'refused'])] : right;
  if (account === undefined) return { ...nothing, outcomes: lenient(['unauthorized']) };
  if (isMalformed(call)) return { ...nothing, outcomes: ['refused', 'missing'] };
  switch (call.op) {
    case 'import-shades':
      return { ...nothing, outcomes: ofImport(model, world, call, account) };
    case 'list-shades': {
      const { items, presence } = catalogOf(model, world, call, account);
      const shades = model.shows({ items }, call, world) as ItemList<StoredShade>;
      return { ...nothing, outcomes: lenient(foundBy[presence]), ...(!hasNoBody(call) && { shades }) };
    }
    case 'create-session':
      return ofCreation(model, world, call, account);
    case 'analytics':
      return { ...ofAnalytics(model, world, call, account), outcomes: lenient(['ok']) };
    default: {
      const session = world.sessions.get(call.session ?? -1);
      if (session === undefined || call.misspelt !== undefined || !model.sees(account, session, call)) {
        const fields = model.fields({}, call, undefined, world);
        return { ...nothing, fields, outcomes: lenient(['missing', 'refused']) };
      }
      const read = ofSession(model, world, call, session);
      return { ...read, outcomes: lenient(read.outcomes) };
    }
  }
}

function ofImport(model: Model, world: World, call: ApiCall, account: string): readonly Outcome[] {
  const { catalog = '', shades = [] } = call;
  if (isOversize(call)) return ['refused'];
  if (shades.length === 0 || shades.some(isBadShade) || !shades.every(isPlainShade)) return ['ok', 'refused'];
  return world.catalogs.has(model.place(account, catalog, call)) ? ['ok'] : ['ok', 'missing'];
}

/** The elements of a catalog, and whether it exists. */
function catalogOf(
  model: Model,
  world: World,
  call: ApiCall,
  account: string,
): { readonly items: readonly Item<StoredShade>[]; readonly presence: Presence } {
  const span = model.span(call, world);
  const shelves = model
    .reads(account, call.catalog ?? '', call, world)
    .flatMap((place) => world.catalogs.get(place) ?? []);
  const all = shelves.map(({ existence }) => presenceOf(mayShow(existence, span, model.free, 'last')));
  return {
    presence: all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no',
    items: shelves.flatMap((shelf) => itemsOf(model, shelf.registers, span, 'reimport')),
  };
}

export function itemsOf<Value>(
  { free }: Model,
  registers: ReadonlyMap<string, { readonly name: string; readonly writes: Item<Value>['register'] }>,
  span: ReadSpan,
  precedence: 'reimport' | 'first',
): Item<Value>[] {
  const items: Item<Value>[] = [];
  for (const { name, writes } of registers.values())
    items.push({ name, may: mayShow(writes, span, free, precedence), register: writes });
  return items;
}

/** How many elements are surely shown, and how many may be. */
export function sizeOf(items: readonly Item<unknown>[]): readonly [least: number, most: number] {
  let least = 0;
  let most = 0;
  for (const { may } of items) {
    const presence = presenceOf(may);
    if (presence === 'yes') least += 1;
    if (presence !== 'no') most += 1;
  }
  return [least, most];
}

function ofCreation(model: Model, world: World, call: ApiCall, account: string): Expected {
  const { items, presence } = catalogOf(model, world, call, account);
  const [shortest, longest] = world.lifetimeMs;
  const soonestMs = Math.max(call.fromMs - model.promises.clockSkewMs, call.fromMs + shortest);
  const numbers = model.numbers(
    {
      shade_count: sizeOf(items),
      expires_at: [soonestMs, Math.min(endOfTimeMs, call.untilMs + longest)],
    },
    call,
    world,
  );
  const fields = model.fields({ 'form of expires_at': ['utc'] }, call, undefined, world);
  return { outcomes: foundBy[presence], fields, numbers };
}

function ofAnalytics(model: Model, world: World, call: ApiCall, account: string): Expected {
  const mine = world.counted.filter((each) => each.account === account && each.product === call.product);
  const span = model.span(call, world);
  const sureBeforeMs = span.fromMs - model.promises.freshnessMs;
  const least = mine.filter(({ isSure, untilMs }) => isSure && untilMs <= sureBeforeMs).length;
  const most = mine.filter(({ fromMs }) => fromMs < span.untilMs).length;
  const numbers = model.numbers({ total_sessions: [least, most] }, call, world);
  return { ...nothing, numbers: hasNoBody(call) ? {} : numbers };
}

function ofSession(model: Model, world: World, call: ApiCall, session: LearntSession): Expected {
  const span = model.span(call, world);
  const isThere = span.fromMs >= session.untilMs + model.promises.sessionVisibleMs;
  const outcomes = foundBy[isThere ? 'yes' : 'maybe'];
  if (hasNoBody(call)) return { ...nothing, outcomes };
  const fields = model.fields(
    {
      session_id: [session.id],
      product_id: [session.product],
      catalog_id: [session.catalog],
      locale: [session.locale],
      expires_at: [session.expiresMs],
      'form of expires_at': ['utc'],
    },
    call,
    session,
    world,
  );
  const registers = world.histories.get(model.home(session))?.registers ?? new Map();
  const own = (value: StoredEvent | undefined): boolean => value === undefined || value.session === session.n;
  const items = itemsOf<StoredEvent>(model, registers, span, 'first').map((item) =>
    item.may.every(({ value }) => own(value))
      ? item
      : { ...item, may: item.may.map((each) => (own(each.value) ? each : { ...each, value: undefined })) },
  );
  const shown = items.filter(({ may }) => may.some(({ value }) => value !== undefined));
  const events = model.shows({ items: shown }, call, world) as ItemList<StoredEvent>;
  return { ...countOf(model, world, call, session), outcomes, fields, events };
}

/** The number of shades that a session shows: at its creation, or now. */
function countOf(
  model: Model,
  world: World,
  call: ApiCall,
  { account, catalog, shadeCount }: LearntSession,
): Pick<Expected, 'numbers' | 'under'> {
  if (shadeCount === undefined) return { numbers: {} };
  const creation = [shadeCount, shadeCount] as const;
  const isAlive = model.free.allows('shadeCount', 'live');
  const live = isAlive ? sizeOf(catalogOf(model, world, { ...call, catalog }, account).items) : creation;
  const ranges = model.numbers({ creation, live }, call, world);
  const { creation: atCreation = creation, live: now = creation } = ranges;
  const isOpen = !model.free.isSettled('shadeCount');
  const both = [Math.min(atCreation[0], now[0]), Math.max(atCreation[1], now[1])] as const;
  return {
    numbers: { shade_count: isOpen ? both : isAlive ? now : atCreation },
    ...(isOpen && {
      under: {
        number: 'shade_count',
        freedom: 'shadeCount' as const,
        ranges: { creation: atCreation, live: now },
      },
    }),
  };
}

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
  const { by, session } = call;
  const asked = world.sessions.get(session ?? -1);
  if (asked === undefined) return { isOpen: false };
  if (model.promises.channel === 'key') {
    const account = model.account(call, world);
    return { isOpen: account !== undefined && model.sees(account, asked, call), holder: asked };
  }
  const holder = model.holder(call, world);
  if (holder !== undefined) {
    if (model.reaches(holder, asked, world)) return { isOpen: true, holder };
    return { isOpen: false, freedom: 'otherToken', holder };
  }
  return by.kind === 'key' ? { isOpen: false, freedom: 'keyOnChannel', holder: asked } : { isOpen: false };
}

/** Whether a session that a call needs may be over while it is under way: its own, or that of its token. */
export const isNearEnd = (model: Model, call: ApiCall, needed: readonly LearntSession[]): boolean =>
  needed.some((each) => call.untilMs > model.endsMs(each) - model.promises.clockSkewMs);

/** Whether it certainly is over when a call is sent. */
export const isOver = (model: Model, call: ApiCall, holder: LearntSession): boolean =>
  call.fromMs > model.endsMs(holder) + model.promises.clockSkewMs;

function ofEvents(model: Model, world: World, call: ApiCall): Expected {
  const { freedom, holder, isOpen } = channelAccess(model, world, call);
  const session = world.sessions.get(call.session ?? -1);
  const notLet: readonly Outcome[] = ['unauthorized', 'missing', 'refused'];
  if (session === undefined || holder === undefined)
    return { ...nothing, outcomes: call.by.kind === 'near token' ? notLet : ['unauthorized'] };
  if (isOver(model, call, holder)) return { ...nothing, outcomes: notLet };
  const batch = ofBatch(model, world, call, session);
  const isNear = isNearEnd(model, call, [holder, session]);
  const outcomes: readonly Outcome[] = isNear
    ? [...new Set<Outcome>([...batch.outcomes, ...notLet])]
    : batch.outcomes;
  // What is refused near the end of a session may be refused for that.
  const settled = (settles: Expected['settles']): Pick<Expected, 'settles'> => {
    if (settles === undefined) return {};
    const { ok = freedomOptions[settles.freedom] } = settles.shownBy;
    return { settles: isNear ? { ...settles, shownBy: { ok } } : settles };
  };
  const served = { ...batch, outcomes, ...settled(batch.settles) };
  if (isOpen) return served;
  if (freedom === undefined || !model.free.allows(freedom, 'taken')) return { ...nothing, outcomes: notLet };
  const isTaken = model.free.is(freedom, 'taken');
  if (isTaken) return served;
  const settles = settled({ freedom, shownBy: { ok: ['taken'], unauthorized: ['refused'] } });
  return { ...batch, outcomes: [...new Set<Outcome>([...outcomes, ...notLet])], ...settles };
}

function ofBatch(model: Model, world: World, call: ApiCall, session: LearntSession): Expected {
  if (isMalformed(call)) return { ...nothing, outcomes: ['refused', 'missing'] };
  const { events = [] } = call;
  const presence = events.map(({ sku }) => skuPresence(model, world, call, session, sku));
  const numbers = model.numbers({ accepted: acceptedOf(model, world, call, session, presence) }, call, world);
  const plain = { ...nothing, numbers };
  const notTaken: readonly Outcome[] = ['ok', 'refused', 'missing'];
  if (presence.includes('no')) {
    if (!model.free.allows('unknownSku', 'refused')) return { ...plain, outcomes: ['ok'] };
    if (model.free.isSettled('unknownSku')) return { ...plain, outcomes: ['refused', 'missing'] };
    const shownBy = { ok: ['taken', 'dropped'], refused: ['refused'], missing: ['refused'] };
    return { ...plain, outcomes: notTaken, settles: { freedom: 'unknownSku', shownBy } };
  }
  if (presence.every((each) => each === 'yes')) return { ...plain, outcomes: ['ok'] };
  if (model.free.isSettled('skus')) return { ...plain, outcomes: notTaken };
  const live = model.span(call, world);
  const isNow = events.every(({ sku }) => skuPresenceIn(model, world, call, session, sku, live) === 'yes');
  if (!isNow) return { ...plain, outcomes: notTaken };
  // Only the shades at the creation can be a reason to refuse what the catalog has now.
  const shownBy = { refused: ['creation'], missing: ['creation'] };
  return { ...plain, outcomes: notTaken, settles: { freedom: 'skus', shownBy } };
}

/** Whether an event of a session may name a SKU: by the freedom, its catalog has it now, or had it at its creation. */
export function skuPresence(
  model: Model,
  world: World,
  call: ApiCall,
  session: LearntSession,
  sku: string | undefined,
): Presence {
  const under = (option: 'live' | 'creation'): Presence =>
    skuPresenceIn(model, world, call, session, sku, option === 'live' ? model.span(call, world) : session);
  const live = model.free.allows('skus', 'live') ? under('live') : under('creation');
  return live === 'no' || model.free.isSettled('skus') || under('creation') === live ? live : 'maybe';
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
  return all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no';
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
  const isNewOnly = model.free.is('accepted', 'new') && model.free.is('repeatedId', 'once');
  return [least, isNewOnly ? most : events.length];
}
