import { type Folding, foldingNames, foldings } from '../alike.ts';
import { type ApiCall, keyOf, outcomeOf } from '../call.ts';
import { besides } from '../features.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { ranging } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** What is counted: the shades of a session, and the sessions of analytics. */

const fault = faultsOf('sessions');

/** Another number of shades: a session's at its creation, and what it shows. */
const counting = (
  m: Model,
  change: (count: number, call: ApiCall, world: World) => number,
): Pick<Model, 'numbers'> =>
  ranging(m, ['shade_count', 'live'], ([least, most], call, world) => [
    change(least, call, world),
    change(most, call, world),
  ]);

/** What a join of sessions with their events has a row for. */
const rowsOfJoin = { carts: 'cart intents', selections: 'selections', distinct: 'different shades' } as const;

export const countFaults = [
  fault('shade-count-wrong', {
    says: '`shade_count` of a session is {what} {number}.',
    behind:
      'An index in place of a number, a row that is not stored, the first page alone, or a field that nothing fills.',
    over: [
      ...[-1, 1, 2, -2].map((number) => ({ what: 'that of its catalog, and', number })),
      ...[10, 20, 25, 50, 100, 200, 250, 500, 1_000].map((number) => ({ what: 'at most', number })),
      ...[0, 1].map((number) => ({ what: 'always', number })),
    ],
    alters: (m, { number, what }) =>
      counting(m, (count) =>
        what === 'always' ? number : what === 'at most' ? Math.min(number, count) : count + number,
      ),
  }),
  fault('sku-counted-twice', {
    says: '`shade_count` counts a SKU again for each time it was imported ({when}).',
    behind: 'The count goes up by the rows of an import, not by the shades that are new.',
    over: [{ when: 'within one import' }, { when: 'over all imports' }],
    alters: (m, { when }) => {
      const extra = new Map<string, number>();
      return {
        notes(call, world) {
          const account = m.account(call, world);
          if (call.op === 'import-shades' && outcomeOf(call) === 'ok' && account !== undefined) {
            const place = m.place(account, call.catalog ?? '', call);
            const shelf = world.catalogs.get(place);
            const skus = (call.shades ?? []).map(({ sku }) => sku ?? '');
            const slots = new Set(skus.map((sku) => m.skuSlot(sku, call, world)));
            const known = [...slots].filter((slot) =>
              shelf?.of(slot).some((each) => each.call !== call.n),
            ).length;
            const more = skus.length - slots.size + (when === 'over all imports' ? known : 0);
            extra.set(place, (extra.get(place) ?? 0) + more);
          }
        },
        ...counting(m, (count, call, world) => {
          const account = m.account(call, world);
          const catalog = call.catalog ?? world.sessions.get(call.session ?? -1)?.catalog;
          if (account === undefined || catalog === undefined) return count;
          return count + (extra.get(m.place(account, catalog, call)) ?? 0);
        }),
      };
    },
    price: 2,
  }),
  fault('product-filter-ignored', {
    says: 'Analytics of one product count the sessions of all products.',
    behind: 'The filter of the query is not applied.',
    alters: () => countedBy(() => true),
  }),
  fault('products-matched-loosely', {
    says: 'Analytics compare product ids {how}.',
    behind: 'A collation, or a pattern in place of a comparison.',
    over: ['by the beginning of the longer one', ...foldingNames].map((how) => ({ how })),
    alters: (_, { how }) =>
      countedBy((product, asked) => {
        const fold = foldings[how as Folding];
        return fold === undefined ? product.startsWith(asked) : fold(product) === fold(asked);
      }),
  }),
  fault('analytics-count-by-key', {
    says: 'Analytics count the sessions of the key alone, not those of its account.',
    behind: 'Sessions are stored under the key.',
    alters: () => ({
      counts: ({ key, product }, call) => (key === keyOf(call) && product === call.product ? 'yes' : 'no'),
    }),
  }),
  fault('total-lost-at-once', {
    says: 'Of sessions that are created at the same time, analytics count only some.',
    behind: 'A counter is read, added to and written back without a lock.',
    alters: (m, _, { calls }) => {
      const near = besides(calls, (a, b) => a.op === 'create-session' && b.op === a.op);
      return {
        counts: (session, call, account, world) => {
          const counted = m.counts(session, call, account, world);
          return counted === 'yes' && near.has(session.n ?? -1) ? 'maybe' : counted;
        },
      };
    },
    price: 3,
  }),
  fault('sessions-counted-again', {
    says: 'Analytics count a session twice at times.',
    behind: 'A gateway repeats a request, or a worker takes a message again.',
    alters: () => ({ times: () => [1, 2] }),
    price: 4,
  }),
  fault('sessions-counted-again', {
    says: '`total_sessions` counts a session once for each of its {what}, and one without any once.',
    behind: 'A join with the events: a session is a row for each of them.',
    over: (['carts', 'selections', 'distinct'] as const).map((of) => ({ of, what: rowsOfJoin[of] })),
    alters: (m, { of }) => ({
      times: (session, call, world) => {
        const [least, most] = m.times(session, call, world);
        return [least * Math.max(1, session[of][0]), most * Math.max(1, session[of][1])];
      },
    }),
  }),
  fault('rejected-sessions-counted', {
    says: '`total_sessions` counts requests for sessions that were answered with 404, too.',
    behind: 'A counter goes up before the catalog is looked up.',
    alters: (m) =>
      ranging(m, ['total_sessions'], ([least, most], call, world) => {
        const account = m.account(call, world);
        const more = world.calls.filter(
          (each) =>
            each.op === 'create-session' &&
            each.answer.status === 404 &&
            each.product === call.product &&
            m.account(each, world) === account,
        );
        const sure = more.filter(({ untilMs }) => untilMs <= call.fromMs - m.promises.freshnessMs).length;
        return [least + sure, most + more.length];
      }),
  }),
  fault('analytics-pool-accounts', {
    says: 'Analytics count the sessions of all accounts.',
    behind: 'The query of analytics does not name the account.',
    alters: () => ({ counts: ({ product }, call) => (product === call.product ? 'yes' : 'no') }),
  }),
];

/** Analytics count a session by its product. */
const countedBy = (isMeant: (product: string, asked: string) => boolean): Pick<Model, 'counts'> => ({
  counts: ({ account, product }, call, asking) =>
    account === asking && isMeant(product, call.product ?? '') ? 'yes' : 'no',
});
