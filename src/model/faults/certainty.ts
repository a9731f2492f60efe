import { saidBy } from '../answer.ts';
import { type ApiCall, type Outcome, outcomeOf } from '../call.ts';
import { overlaps } from '../features.ts';
import { absence, type Presence, type ReadSpan } from '../register.ts';
import type { Item, Model, Range } from '../stages.ts';
import type { LearntSession, StoredEvent, StoredShade, World } from '../world.ts';
import type { FaultEvidence } from './fault.ts';

/** What a row knows for certain: calls overlap, so "after" and "the last" are sometimes not known. */

/** Whether a call came after one of a kind: certainly, certainly not, or perhaps. */
export function isAfter(call: ApiCall, { known }: World, isMeant: (earlier: ApiCall) => boolean): Presence {
  let presence: Presence = 'no';
  for (const each of known) {
    if (each.n === call.n || each.fromMs >= call.untilMs || !isMeant(each)) continue;
    if (each.untilMs <= call.fromMs) return 'yes';
    presence = 'maybe';
  }
  return presence;
}

/** Another outcome of some calls; undefined: what it would be anyway. */
export const admitting = (
  m: Model,
  outcomesOf: (call: ApiCall, allowed: readonly Outcome[], world: World) => readonly Outcome[] | undefined,
): Pick<Model, 'admits'> => ({
  admits: (right, call, world) => {
    const allowed = m.admits(right, call, world);
    return outcomesOf(call, allowed, world) ?? allowed;
  },
});

/** Another range of some numbers of an answer. */
export const ranging = (
  m: Model,
  names: readonly string[],
  change: (range: Range, call: ApiCall, world: World) => Range,
): Pick<Model, 'numbers'> => ({
  numbers: (numbers, call, world) =>
    Object.fromEntries(
      Object.entries(m.numbers(numbers, call, world)).map(([name, range]) => [
        name,
        names.includes(name) ? change(range, call, world) : range,
      ]),
    ),
});

/** Whether two sessions are of one account, and by what is named of its catalog or product. */
export const isOfSame = (of: string, a: LearntSession, b: LearntSession): boolean =>
  a.account === b.account &&
  (of === 'account' || (of === 'catalog' ? a.catalog === b.catalog : a.product === b.product));

/** The newest sessions that a cache of a fixed size may hold, and of what. */
export const newestOf = [1, 2, 3, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64].flatMap((most) =>
  ['the service', 'an account', 'a catalog', 'a product'].map((of) => ({ most, of })),
);

/** Whether a session has at least this many newer ones when a call is sent. */
export function hasNewer(
  session: LearntSession,
  call: ApiCall,
  { sessions }: World,
  most: number,
  of: string,
): Presence {
  const newer = [...sessions.values()].filter(
    (each) =>
      each.n !== session.n &&
      each.untilMs > session.fromMs &&
      each.fromMs < call.untilMs &&
      (of === 'the service' || isOfSame(of.slice(of.indexOf(' ') + 1), each, session)),
  );
  const sure = newer.filter((each) => each.fromMs > session.untilMs && each.untilMs <= call.fromMs);
  return sure.length >= most ? 'yes' : newer.length >= most ? 'maybe' : 'no';
}

/** Whether a call is at least so long after an instant that lies in a span. */
export function isLater(call: ReadSpan, { fromMs, untilMs }: ReadSpan, ms: number): Presence {
  if (call.fromMs >= untilMs + ms) return 'yes';
  return call.untilMs < fromMs + ms ? 'no' : 'maybe';
}

/** Gives calls that are right another outcome: where it is not certain that they are meant, either one is. */
export const otherwise = (
  m: Model,
  isMeant: (call: ApiCall, world: World) => Presence,
  outcome: Outcome,
): Pick<Model, 'admits'> =>
  admitting(m, (call, allowed, world) => {
    const presence = allowed.includes('ok') ? isMeant(call, world) : 'no';
    if (presence === 'no') return undefined;
    // What may be refused for another reason may be refused for that first.
    return [...new Set([...allowed.filter((each) => presence === 'maybe' || each !== 'ok'), outcome])];
  });

/** Unlike `absence`, it says nothing of what was written. */
export const hidden = { ...absence };

/** An element that may be absent, too. */
export const optional = <Value extends StoredShade | StoredEvent>(
  item: Item<Value>,
  as = absence,
): Item<Value> =>
  item.may.some(({ value }) => value === undefined) ? item : { ...item, may: [...item.may, as] };

/** The span in which an element was written first, and the one call that did it where it is known. */
export interface Birth extends ReadSpan {
  readonly call: number | undefined;
}

export function bornIn({ register }: Item): Birth {
  const [only] = register;
  if (only !== undefined && register.length === 1) return only;
  const untilMs = Math.min(...register.filter(({ isSure }) => isSure).map((each) => each.untilMs));
  const all = register.filter(({ fromMs }) => fromMs <= untilMs);
  const calls = new Set(all.map(({ call }) => call));
  const fromMs = Math.min(...all.map((each) => each.fromMs));
  return { fromMs, untilMs, call: calls.size === 1 ? all[0]?.call : undefined };
}

/** Of imports into one catalog at the same time, or of batches to one session, none is certain. */
export function unsureAtOnce(
  m: Model,
  calls: readonly ApiCall[],
  op: 'import-shades' | 'interact',
): Pick<Model, 'isCertain'> {
  const unsure = overlaps(
    calls,
    (a, b) => a.op === op && b.op === op && a.catalog === b.catalog && a.session === b.session,
  );
  return { isCertain: (call, world) => m.isCertain(call, world) && !unsure.has(call.n) };
}

/** The requests with events of a session, or of any, that were sent before a call ended, in their order; it may be one of them. */
export function batchesOf(
  { known, record }: World,
  session: number | 'any',
  call: ApiCall,
): readonly ApiCall[] {
  const all = batches.get(record) ?? Map.groupBy(known, ({ op, session: of }) => op === 'interact' && of);
  if (record.length > 0) batches.set(record, all);
  all.delete(false);
  const own = session === 'any' ? [...all.values()].flat() : (all.get(session) ?? []);
  return own.filter((each) => each.fromMs < call.untilMs);
}

/** Every event asks again. */
const batches = new WeakMap<readonly ApiCall[], Map<number | false | undefined, ApiCall[]>>();

export const isRefusedBatch = (call: ApiCall): boolean =>
  call.form === undefined &&
  call.by.kind === 'token' &&
  (outcomeOf(call) === 'refused' || outcomeOf(call) === 'missing');

/** The usual numbers, and the first lengths of lists that lack something, and of what is stored of imports: a bound may be any number. */
export function boundsOf({ calls, divergences }: FaultEvidence, usual: readonly number[]): readonly number[] {
  const missing = divergences.filter(({ kind }) => kind === 'missing');
  const lacking = new Set(missing.map(({ call }) => call));
  const lengths = calls.flatMap((call) => {
    const { events, shades } = lacking.has(call.n) ? saidBy(call) : {};
    return (shades ?? events)?.length ?? [];
  });
  const places = missing.flatMap(({ of }) => {
    const names = ({ events = [], shades = [] }: ApiCall): readonly unknown[] =>
      events.length > 0 ? events.map(({ id }) => id) : shades.map(({ sku }) => sku);
    const from = calls.find((call) => names(call).includes(of));
    return from === undefined ? [] : names(from).indexOf(of);
  });
  const all = [...usual, ...lengths.slice(0, 3), ...places.slice(0, 3)];
  return [...new Set(all)].filter((each) => each > 0);
}
