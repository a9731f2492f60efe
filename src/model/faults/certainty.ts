import type { ApiCall, Outcome } from '../call.ts';
import { overlaps } from '../features.ts';
import { type Presence, presenceOf, type ReadSpan, type Write } from '../register.ts';
import type { Item, ItemList, Model } from '../stages.ts';
import type { World } from '../world.ts';

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

/** Whether a call is at least so long after an instant that lies in a span. */
export function isLater(
  call: ApiCall,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ms: number,
): Presence {
  if (call.fromMs >= untilMs + ms) return 'yes';
  return call.untilMs < fromMs + ms ? 'no' : 'maybe';
}

/** Gives calls that are right another outcome: where it is not certain that they are meant, either one is. */
export const otherwise = (
  m: Model,
  isMeant: (call: ApiCall, world: World) => Presence,
  outcome: Outcome,
): Pick<Model, 'admits'> => ({
  admits: (right, call, world) => {
    const allowed = m.admits(right, call, world);
    if (!allowed.includes('ok')) return allowed;
    const presence = isMeant(call, world);
    if (presence === 'no') return allowed;
    return presence === 'yes' ? [outcome] : [...new Set([...allowed, outcome])];
  },
});

/** A list without some of its elements at an end. Where writes overlap, it is not known which: any that may be there. */
export function withoutEnd(items: readonly Item[], end: 'first' | 'last', left: number): ItemList {
  const shown = items
    .filter(({ may }) => presenceOf(may) !== 'no')
    .map((item) => ({ item, born: bornIn(item) }));
  const inOrder = end === 'last' ? shown : shown.toReversed();
  const kept = inOrder.slice(0, left);
  const gone = inOrder.slice(left);
  const doubtful = new Set(kept.filter(({ born }) => gone.some((each) => isOverlapping(born, each.born))));
  if (doubtful.size === 0) return { items: kept.map(({ item }) => item) };
  const near = gone.filter(({ born }) => [...doubtful].some((each) => isOverlapping(born, each.born)));
  return {
    items: [
      ...kept.map((each) => (doubtful.has(each) ? optional(each.item) : each.item)),
      ...near.map(({ item }) => optional(item)),
    ],
    size: kept.length,
  };
}

/** An element that may be absent, too. */
export const optional = (item: Item): Item => ({ ...item, may: [...item.may, absentWrite] });

const absentWrite: Write<never> = {
  ...{ value: undefined, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY },
  ...{ isSure: true, call: -1, index: 0 },
};

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

/** Whether two elements may have been written for the first time in either order. */
export const isOverlapping = (a: Birth, b: Birth): boolean =>
  a.fromMs < b.untilMs && b.fromMs < a.untilMs && (a.call === undefined || a.call !== b.call);

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
