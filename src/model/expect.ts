import {
  type ApiCall,
  flawsOf,
  hasNoBody,
  isMalformed,
  isOversize,
  type Outcome,
  outcomeOf,
} from './call.ts';
import { ofAnalytics } from './expect-analytics.ts';
import { isNearEnd, ofEvents } from './expect-events.ts';
import { type Expected, nothing } from './expected.ts';
import { isElsewhere, refusable, repeatsIn } from './refusals.ts';
import {
  anyOf,
  mayShow,
  opposite,
  type Presence,
  presenceOf,
  type ReadSpan,
  type Write,
} from './register.ts';
import { type FieldValues, hasOtherFinish, type Item, type ItemList, type Model } from './stages.ts';
import type { LearntSession, StoredEvent, StoredShade, World } from './world.ts';

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
  if (account === undefined) {
    return {
      ...nothing,
      outcomes: lenient(isUnreadable(call) ? ['unauthorized', 'refused'] : ['unauthorized']),
    };
  }
  if (isMalformed(call)) return { ...nothing, outcomes: ['refused', 'missing'] };
  switch (call.op) {
    case 'import-shades':
      return { ...nothing, ...ofImport(model, world, call, account) };
    case 'list-shades': {
      const { items, presence, unnamed } = catalogOf(model, world, call, account);
      const shades = model.shows({ items, unnamed }, call, world) as ItemList<StoredShade>;
      const outcomes = lenient(foundIn(model, world, call, account, presence));
      return { ...nothing, outcomes, ...(!hasNoBody(call) && { shades }) };
    }
    case 'create-session':
      return ofCreation(model, world, call, account);
    case 'analytics': {
      const { isKnown, ...shown } = ofAnalytics(model, world, call, account);
      const refusal = { freedom: 'unknownProduct', applies: opposite[isKnown] } as const;
      const { outcomes, settles } = refusable(model, ['ok'], [refusal], ['missing']);
      return { ...shown, outcomes: lenient(outcomes), ...(!isOdd && settles && { settles }) };
    }
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

/** What a server may refuse before it looks at a key: RFC 6750 has 400 for a malformed header; paths and bodies are parsed early. */
const isUnreadable = ({ by, form, misspelt }: ApiCall): boolean =>
  (by.kind === 'near' && by.form === 'in quotes') || form === 'broken-json' || misspelt === 'not decodable';

function ofImport(
  model: Model,
  world: World,
  call: ApiCall,
  account: string,
): Pick<Expected, 'outcomes' | 'settles'> {
  const { catalog = '', shades = [] } = call;
  if (isOversize(call)) return { outcomes: ['refused'] };
  const isPlain = shades.length > 0 && flawsOf(call).arePlain && !world.texts.mayRefuse(call);
  const right: readonly Outcome[] = isPlain ? ['ok'] : ['ok', 'refused'];
  const shelf = world.catalogs.get(model.place(account, catalog, call));
  const slots = shades.map(({ sku = '' }) => model.skuSlot(sku, call, world));
  return refusable(model, shelf === undefined && isPlain ? [...right, 'missing'] : right, [
    { freedom: 'skuTwice', applies: new Set(slots).size < slots.length ? 'yes' : 'no' },
    { freedom: 'knownSku', applies: repeatsIn(model, shelf, slots, call, world, 'knownSku') },
    { freedom: 'otherFinish', applies: shades.some((each) => hasOtherFinish(model, each)) ? 'yes' : 'no' },
    { freedom: 'foreignCatalog', applies: isElsewhere(model, world, call, account) },
  ]);
}

/** Whether a catalog is found. One that another account has may be refused otherwise than with 404. */
const foundIn = (
  model: Model,
  world: World,
  call: ApiCall,
  account: string,
  presence: Presence,
): readonly Outcome[] => {
  const found = foundBy[presence];
  return presence !== 'yes' && isElsewhere(model, world, call, account) !== 'no'
    ? [...found, 'refused']
    : found;
};

interface ShownCatalog {
  readonly items: readonly Item<StoredShade>[];
  readonly presence: Presence;
  /** Shades without a SKU that the service may have given one. */
  readonly unnamed: readonly Write<never>[];
}

/** The elements of a catalog, and whether it exists. */
function catalogOf(model: Model, world: World, call: ApiCall, account: string): ShownCatalog {
  const span = model.span(call, world);
  const shelves = model
    .reads(account, call.catalog ?? '', call, world)
    .flatMap((place) => world.catalogs.get(place) ?? []);
  const all = shelves.map(({ existence }) => presenceOf(mayShow(existence, span, model.free, 'last')));
  return {
    presence: anyOf(all),
    items: shelves.flatMap((shelf) => itemsOf(model, shelf.registers, span, 'reimport')),
    unnamed: model.free.allows('unnamedShade', 'given a SKU')
      ? shelves.flatMap(({ unnamed }) => unnamed).filter(({ fromMs }) => fromMs < span.untilMs)
      : [],
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
export function sizeOf(items: readonly Item<unknown>[], unnamed = 0): readonly [least: number, most: number] {
  let least = 0;
  let most = unnamed;
  for (const { may } of items) {
    const presence = presenceOf(may);
    if (presence === 'yes') least += 1;
    if (presence !== 'no') most += 1;
  }
  return [least, most];
}

function ofCreation(model: Model, world: World, call: ApiCall, account: string): Expected {
  const { items, presence, unnamed } = catalogOf(model, world, call, account);
  const [shortest, longest] = world.lifetimeMs;
  const soonestMs = Math.max(call.fromMs - model.promises.clockSkewMs, call.fromMs + shortest);
  const numbers = model.numbers(
    {
      shade_count: sizeOf(items, unnamed.length),
      expires_at: [soonestMs, Math.min(endOfTimeMs, call.untilMs + longest)],
    },
    call,
    world,
  );
  const fields = model.fields({ 'form of expires_at': ['utc'] }, call, undefined, world);
  return { outcomes: foundIn(model, world, call, account, presence), fields, numbers };
}

function ofSession(model: Model, world: World, call: ApiCall, session: LearntSession): Expected {
  const span = model.span(call, world);
  const isThere = span.fromMs >= session.untilMs + model.promises.sessionVisibleMs;
  // What is over may be gone.
  const isKept = isThere && !isNearEnd(model, call, [session]);
  const outcomes = foundBy[isKept ? 'yes' : 'maybe'];
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
  const count = countOf(model, world, call, session);
  const expiry = expiryOf(model, world, call, session, fields);
  return {
    ...{ outcomes, events, fields: expiry?.fields ?? fields },
    numbers: { ...count.numbers, ...expiry?.numbers },
    under: [...(count.under ?? []), ...(expiry?.under ?? [])],
  };
}

/** The instants that `expires_at` of a session may be, where its use may move it. */
function expiryOf(
  { free }: Model,
  { calls, lifetimeMs }: World,
  call: ApiCall,
  { n, untilMs }: LearntSession,
  { expires_at: shown = [], ...fields }: FieldValues,
): Pick<Expected, 'fields' | 'numbers' | 'under'> | undefined {
  const [fixed] = shown;
  if (
    shown.length !== 1 ||
    typeof fixed !== 'number' ||
    Number.isNaN(fixed) ||
    !free.allows('expiry', 'moved')
  )
    return undefined;
  const isUsed = (each: ApiCall): boolean =>
    each.op === 'interact' && each.session === n && outcomeOf(each) === 'ok' && each.untilMs <= call.fromMs;
  const mayStay = !calls.some((each) => isUsed(each) && each.fromMs > untilMs + roundingMs(fixed));
  const latest = Math.max(fixed, call.untilMs + lifetimeMs[1] + roundingMs(fixed));
  const moved = [mayStay ? fixed : fixed + 1, latest] as const;
  const ranges = { fixed: [fixed, fixed], moved } as const;
  const least = free.allows('expiry', 'fixed') ? fixed : moved[0];
  return {
    fields,
    numbers: { expires_at: [least, moved[1]] },
    under: [{ number: 'expires_at', freedom: 'expiry', ranges }],
  };
}

/** The rounding of an instant: whole seconds and minutes are usual. */
export const roundingMs = (instant: number): number => (instant % 60_000 === 0 ? 60_000 : 1_000);

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
  const now = isAlive ? catalogOf(model, world, { ...call, catalog }, account) : undefined;
  const live = now === undefined ? creation : sizeOf(now.items, now.unnamed.length);
  const ranges = model.numbers({ creation, live }, call, world);
  const { creation: atCreation = creation, live: atRead = creation } = ranges;
  const isOpen = !model.free.isSettled('shadeCount');
  const both = [Math.min(atCreation[0], atRead[0]), Math.max(atCreation[1], atRead[1])] as const;
  return {
    numbers: { shade_count: isOpen ? both : isAlive ? atRead : atCreation },
    ...(isOpen && {
      under: [
        {
          number: 'shade_count',
          freedom: 'shadeCount' as const,
          ranges: { creation: atCreation, live: atRead },
        },
      ],
    }),
  };
}
