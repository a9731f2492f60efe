import type { ApiCall, Outcome } from '../call.ts';
import { type Presence, presenceOf, type Write } from '../register.ts';
import type { Item, ItemList, Model } from '../stages.ts';
import type { World } from '../world.ts';

/** What a row knows for certain: calls overlap, so "after" and "the last" are sometimes not known. */

/** Whether a call came after one of a kind: certainly, certainly not, or perhaps. */
export function isAfter(call: ApiCall, { calls }: World, isMeant: (earlier: ApiCall) => boolean): Presence {
  let presence: Presence = 'no';
  for (const each of calls) {
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
  const shown = items.filter(({ may }) => presenceOf(may) !== 'no');
  const inOrder = end === 'last' ? shown : shown.toReversed();
  const kept = inOrder.slice(0, left);
  const gone = inOrder.slice(left);
  const isOptional = (item: Item): boolean => gone.some((other) => isOverlapping(item, other));
  const doubtful = kept.filter(isOptional);
  if (doubtful.length === 0) return { items: kept };
  const near = gone.filter((item) => doubtful.some((other) => isOverlapping(item, other)));
  return {
    items: [...kept.map((each) => (isOptional(each) ? optional(each) : each)), ...near.map(optional)],
    size: kept.length,
  };
}

/** An element that may be absent, too. */
export const optional = (item: Item): Item => ({ ...item, may: [...item.may, absentWrite] });

const absentWrite: Write<never> = {
  ...{ value: undefined, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY },
  ...{ isSure: true, call: -1, index: 0 },
};

/** Whether two elements may have been written in either order. */
function isOverlapping(a: Item, b: Item): boolean {
  return a.may.some((x) =>
    b.may.some(
      (y) => x.call !== y.call && x.call >= 0 && y.call >= 0 && x.fromMs < y.untilMs && y.fromMs < x.untilMs,
    ),
  );
}
