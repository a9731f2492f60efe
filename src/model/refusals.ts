import type { ApiCall, Outcome } from './call.ts';
import type { Expected } from './expected.ts';
import { type FreedomName, type FreedomOption, optionsOf } from './freedoms.ts';
import { anyOf, mayShow, type Presence, presenceOf, type Write } from './register.ts';
import type { Model } from './stages.ts';
import type { RegisterShelf, World } from './world.ts';

/** What a service may refuse, as the interface does not say what becomes of it: found by consistency, one freedom a reason. */

type RefusalFreedom = {
  [Name in FreedomName]: 'refused' extends FreedomOption<Name> ? Name : never;
}[FreedomName];

/** A reason to refuse a call, and whether the call has it. */
interface Refusal {
  readonly freedom: RefusalFreedom;
  readonly applies: Presence;
}

/** The outcomes where a call may be refused for some reasons beside what else is right, and what an outcome settles. */
export function refusable(
  { free }: Model,
  right: readonly Outcome[],
  reasons: readonly Refusal[],
  as: readonly Outcome[] = ['refused', 'missing'],
): Pick<Expected, 'outcomes' | 'settles'> {
  const open = reasons.filter(({ applies, freedom }) => applies !== 'no' && free.allows(freedom, 'refused'));
  if (open.length === 0) return { outcomes: right };
  if (open.some(({ applies, freedom }) => applies === 'yes' && free.is(freedom, 'refused')))
    return { outcomes: as };
  // What may be refused for something else says nothing of the reason.
  const telling = open.length === 1 ? as.filter((each) => !right.includes(each)) : [];
  const refused = Object.fromEntries(telling.map((each) => [each, ['refused']]));
  return {
    outcomes: [...new Set([...right, ...as])],
    settles: open.map(({ applies, freedom }) => ({
      freedom,
      shownBy: {
        ...(applies === 'yes' && { ok: optionsOf(freedom).filter((each) => each !== 'refused') }),
        ...refused,
      },
    })),
  };
}

/** Whether other calls have written to one of some slots. */
export function repeatsIn<Value>(
  { free, span }: Model,
  shelf: RegisterShelf<Value> | undefined,
  slots: readonly string[],
  call: ApiCall,
  world: World,
  freedom: RefusalFreedom,
): Presence {
  if (shelf === undefined || !free.allows(freedom, 'refused')) return 'no';
  const isOther = (write: Write<Value>): boolean => write.call !== call.n;
  const all = slots.map((slot) =>
    presenceOf(mayShow(shelf.of(slot).filter(isOther), span(call, world), free, 'last')),
  );
  return anyOf(all);
}

/** Whether another account has a catalog of the same id. */
export function isElsewhere(model: Model, world: World, call: ApiCall, account: string): Presence {
  const { catalog = '' } = call;
  const own = model.place(account, catalog, call);
  const all = [...new Set(Object.values(model.promises.accounts))].flatMap((each) => {
    const place = model.place(each, catalog, call);
    const shelf = place === own ? undefined : world.catalogs.get(place);
    if (shelf === undefined) return [];
    return presenceOf(mayShow(shelf.existence, model.span(call, world), model.free, 'last'));
  });
  return anyOf(all);
}
