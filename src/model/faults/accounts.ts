import { keyOf, mayHaveEffect } from '../call.ts';
import { faultsOf } from './fault.ts';
import { besideImports } from './imports.ts';

/** Whose data a caller sees. */

const fault = faultsOf('keys');

export const accountFaults = [
  fault('accounts-not-separate', {
    says: 'A session can be read with the key of another account.',
    behind: 'A session is looked up by its id alone.',
    alters: () => ({ sees: () => true }),
  }),
  fault('foreign-import-stored', {
    says: 'Accounts share one catalog of each id.',
    behind: 'Catalogs are stored by their id alone.',
    alters: () => ({ place: (_, catalog) => catalog }),
  }),
  fault('sessions-of-the-key-alone', {
    says: 'A session can be read with the key that opened it alone, not with another key of the account.',
    behind: 'Sessions are stored under the key, not under its account.',
    alters: (m) => ({
      sees: (account, session, call) => m.sees(account, session, call) && keyOf(call) === session.key,
    }),
  }),
  fault('catalogs-of-the-key-alone', {
    says: 'Each key has separate catalogs, though keys share an account.',
    behind: 'Catalogs are stored under the key, not under its account.',
    alters: (m) => ({
      place: (account, catalog, call) => `${m.place(account, catalog, call)} ${keyOf(call) ?? ''}`,
    }),
  }),
  fault('accounts-not-separate', {
    says: 'A catalog that the account does not have is {how} in another account.',
    behind: 'A look-up leaves the account out, or falls back to one without it.',
    over: [{ how: 'found' }, { how: 'found by new sessions' }, { how: 'listed' }],
    alters: (m, { how }) => ({
      reads: (account, catalog, call, world) => {
        const own = m.reads(account, catalog, call, world);
        if (how !== 'found' && (call.op === 'list-shades') !== (how === 'listed')) return own;
        const isOwn = (place: string): boolean =>
          world.catalogs.get(place)?.existence.some(({ untilMs }) => untilMs <= call.fromMs) === true;
        if (own.some(isOwn)) return own;
        const others = Object.values(m.promises.accounts).map((each) => m.place(each, catalog, call));
        return others.filter((place) => world.catalogs.has(place)).slice(0, 1);
      },
    }),
  }),
  fault('foreign-import-stored', {
    says: 'An import goes into the catalog of the account that had its id first.',
    behind: 'An import finds its catalog by the id alone; reads name the account.',
    alters: (m) => {
      const owners = new Map<string, string>();
      return {
        place: (account, catalog, call) =>
          m.place((call.op === 'import-shades' && owners.get(catalog)) || account, catalog, call),
        ...besideImports(m, mayHaveEffect, (call, _, world) => {
          const account = m.account(call, world) ?? '';
          if (!owners.has(call.catalog ?? '')) owners.set(call.catalog ?? '', account);
        }),
      };
    },
    price: 2,
  }),
  fault('foreign-import-stored', {
    says: 'Of a SKU in catalogs of one id, one account alone has the shade: the one that imported it {when}.',
    behind:
      'Shades are unique by catalog and SKU, without the account: an import of another account updates the row.',
    over: [{ when: 'first' }, { when: 'last' }],
    alters: (m, { when }) => {
      const rowsOf = (account: string, catalog: string): string => `rows of ${account} ${catalog}`;
      const owners = new Map<string, { readonly account: string; readonly untilMs: number }>();
      return {
        reads: (account, catalog, call, world) => {
          const own = m.reads(account, catalog, call, world);
          return own.some((place) => world.catalogs.has(place)) ? [rowsOf(account, catalog)] : own;
        },
        after(call, world) {
          const account = m.account(call, world);
          const { catalog = '', op } = call;
          const shelf =
            op === 'import-shades' && account !== undefined
              ? world.catalogs.get(m.place(account, catalog, call))
              : undefined;
          if (account === undefined || shelf === undefined || !mayHaveEffect(call)) return;
          const own = world.catalog(rowsOf(account, catalog));
          own.existence.push(...shelf.existence.filter((each) => each.call === call.n));
          for (const [slot, { name, writes }] of shelf.registers) {
            const owner = owners.get(`${catalog} ${slot}`);
            const isOthers = owner !== undefined && owner.account !== account;
            const theirs = isOthers ? world.catalog(rowsOf(owner.account, catalog)) : own;
            // Of two that come at the same time, either may be the first.
            const isSure = !isOthers || owner.untilMs <= call.fromMs;
            const mine = writes.filter((each) => each.call === call.n);
            for (const each of mine) {
              const write = isSure ? each : { ...each, isSure };
              if (!isOthers || when === 'first') theirs.open(slot, name).push(write);
              else theirs.open(slot, name).push({ ...write, value: undefined });
              if (isOthers && (when === 'last' || !isSure)) own.open(slot, name).push(write);
            }
            if (mine.length > 0 && (owner === undefined || when === 'last'))
              owners.set(`${catalog} ${slot}`, { account, untilMs: call.untilMs });
          }
        },
      };
    },
    price: 2,
  }),
];
