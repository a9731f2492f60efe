import type { CallCredential, CallRequest } from '../model/call.ts';
import { byKey, type CallDrawer } from './draw.ts';
import { type Oddity, oddities } from './pools.ts';
import type { CallGroup } from './sent.ts';

const keyedOddities = oddities.filter(({ op }) => op !== 'interact');

/** A credential that is not good for the request, or a malformed request: mostly about what was touched lately. */
export function oddCall(drawer: CallDrawer): CallRequest {
  const oddity = drawer.dice.deal(drawer.hasChannel ? oddities : keyedOddities);
  const isOwn = oddity.who === 'own';
  const base = drawer.any(oddity.op, { isClean: !isOwn, ...(oddity.isEmpty && { size: 0 }) });
  const by = credential(drawer, oddity, base);
  const { form, misspelt } = oddity;
  return { ...base, by, ...(form !== undefined && { form }), ...(misspelt !== undefined && { misspelt }) };
}

function credential(
  drawer: CallDrawer,
  { keyForm, tokenForm, who }: Oddity,
  base: CallRequest,
): CallCredential {
  const key = drawer.key();
  switch (who) {
    case 'own':
      return base.by;
    case 'none':
      return { kind: 'none' };
    case 'key':
      return byKey(key);
    case 'near':
      return { kind: 'near', key: drawer.key(0), form: keyForm ?? 'unknown' };
    case 'token':
      // Of the very session, where one is read: that is what a service may let in.
      return { kind: 'token', of: base.session ?? drawer.session()?.n ?? -1 };
    case 'near token':
      return { kind: 'near token', of: base.session ?? -1, form: tokenForm ?? 'with a further character' };
    default: {
      const mine = drawer.sessions.find(({ n }) => n === base.session);
      const isNear = drawer.dice.odds(0.5);
      const others = drawer.sessions.filter(
        (each) => each !== mine && (!isNear || each.account === mine?.account),
      );
      return { kind: 'token', of: (others.length > 0 ? drawer.dice.pick(others) : mine)?.n ?? -1 };
    }
  }
}

/** Several at once about one thing, or about things that are alike. */
export function overlap(drawer: CallDrawer): CallGroup {
  const { dice } = drawer;
  const size = 2 + dice.below(7);
  const catalog = drawer.catalog();
  const key = drawer.key();
  const session = drawer.session();
  const few = (): number => dice.pick([1, 2, 5, 12]);
  const kinds: readonly (() => CallRequest)[] = [
    () => drawer.imported({ key, catalog, size: few() }),
    () =>
      dice.odds(0.5)
        ? drawer.imported({ key, catalog, size: dice.pick([1, 12, 30, 120]) })
        : drawer.listed(key, catalog),
    () => drawer.created(key, catalog),
    () => drawer.created(),
    () => drawer.listed(drawer.key(dice.below(drawer.keys.accounts.length)), catalog),
    () => drawer.shown(),
    () => drawer.any(),
    ...(drawer.hasChannel
      ? [
          () => drawer.acted(session, dice.pick([1, 2, 5])),
          () => drawer.acted(drawer.session(), 1),
          () => (dice.odds(0.6) ? drawer.acted(session, 1) : drawer.shown(session)),
          () => drawer.lastBatch(session) ?? drawer.any(),
        ]
      : []),
  ];
  const kind = dice.pick(kinds);
  return Array.from({ length: size }, () => drawer.send(kind()));
}

/** Several imports and lists of one catalog at once. */
export function overlapOfShades(drawer: CallDrawer, sizes: readonly number[]): CallGroup {
  const { dice } = drawer;
  const [catalog, key] = [drawer.catalog(), drawer.key()];
  return Array.from({ length: 2 + dice.below(4) }, () =>
    drawer.send(
      dice.odds(0.6)
        ? drawer.imported({ key, catalog, size: dice.deal(sizes) })
        : drawer.listed(key, catalog),
    ),
  );
}
