import { type ApiCall, mayHaveEffect, outcomeOf } from '../call.ts';
import { besides } from '../features.ts';
import { resourceOf } from '../judge.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';

/** Caches: an answer, or what it shows, is that of an earlier call. */

const fault = faultsOf('any');
const asker = (call: ApiCall): string => `${call.op} ${resourceOf(call)}`;
const isRead = ({ op }: ApiCall): boolean => op === 'list-shades' || op === 'read-session';

/** What a cache keeps, and for how long. */
interface CacheHabits {
  readonly keptMs: number;
  /** Calls with one key share an answer. `account`: of the call. */
  readonly keyOf: (asked: { readonly call: ApiCall; readonly account: string }) => string;
  readonly isMeant: (call: ApiCall) => boolean;
  readonly isKept?: (call: ApiCall) => boolean;
  readonly isRemoved?: (kept: ApiCall, by: ApiCall) => boolean;
  /** Each call keeps what the next one gets. */
  readonly isRenewed?: boolean;
}

/** Remembers for each call the former one whose answer was kept for it, as long as it is kept. */
function keeping(
  m: Model,
  {
    isKept = ({ answer }) => answer.status === 200,
    isMeant,
    isRemoved = () => false,
    isRenewed = false,
    keptMs,
    keyOf,
  }: CacheHabits,
): {
  readonly former: (call: ApiCall, world: World) => ApiCall | undefined;
  readonly notes: Model['notes'];
} {
  const kept = new Map<string, ApiCall>();
  const ofCall = new Map<number, ApiCall | undefined>();
  const keyFor = (call: ApiCall, world: World): string | undefined => {
    const account = isMeant(call) ? m.account(call, world) : undefined;
    return account === undefined ? undefined : keyOf({ call, account });
  };
  const former = (call: ApiCall, world: World): ApiCall | undefined => {
    if (ofCall.has(call.n)) return ofCall.get(call.n);
    const old = kept.get(keyFor(call, world) ?? '');
    return old !== undefined && call.fromMs - old.fromMs < keptMs ? old : undefined;
  };
  return {
    former,
    notes(call, world) {
      const key = keyFor(call, world);
      if (key !== undefined) {
        const old = former(call, world);
        ofCall.set(call.n, old);
        if ((old === undefined || isRenewed) && isKept(call) && call.form === undefined) kept.set(key, call);
      }
      for (const [own, each] of kept) if (isRemoved(each, call)) kept.delete(own);
    },
  };
}

/** Shows what an earlier call showed: of the same account, or of any. */
function cached(m: Model, habits: CacheHabits): Pick<Model, 'span' | 'reads' | 'counts' | 'notes'> {
  const { former, notes } = keeping(m, habits);
  return {
    notes,
    span: (call, world) => former(call, world) ?? m.span(call, world),
    reads: (account, catalog, call, world) => {
      const old = call.op === 'list-shades' ? former(call, world) : undefined;
      const by = old && m.account(old, world);
      return m.reads(by ?? account, catalog, call, world);
    },
    counts: (session, call, asking, world) => {
      const old = former(call, world) ?? call;
      return m.counts(session, old, m.account(old, world) ?? asking, world);
    },
  };
}

/** The same, for what a connection or its process keeps. */
const perConnection = (m: Model, isMeant: (call: ApiCall) => boolean): Partial<Model> =>
  cached(m, {
    ...{ keptMs: Number.POSITIVE_INFINITY, isMeant },
    keyOf: ({ call }) => `${call.line} ${asker(call)}`,
  });

/** What explains only zeros explains nothing: whatever counts nothing gives them. */
const unlessZeros = ({ divergences }: FaultEvidence, seconds: readonly number[]): readonly number[] =>
  divergences.length > 0 && divergences.every(({ got, kind }) => kind === 'number' && got === 0)
    ? []
    : seconds;

/** What the key of a cache of analytics has. */
const analyticsKeys: Readonly<Record<string, CacheHabits['keyOf']>> = {
  'a product': ({ account, call }) => `${account} ${call.product ?? ''}`,
  'a product, by whatever account,': ({ call }) => call.product ?? '',
  'an account, for whatever product,': ({ account }) => account,
};

export const cacheFaults = [
  fault('answers-cached', {
    says: '{what} within {seconds} s gets the former answer{until}.',
    behind: 'A cache without invalidation, or one whose key lacks the account.',
    over: ['', ' unless its catalog is imported'].flatMap((until) =>
      ['A read that is repeated', 'A list that is repeated', 'A list that another account repeats'].flatMap(
        (what) => [1, 2, 5, 10, 30, 300].map((seconds) => ({ what, seconds, until })),
      ),
    ),
    alters: (m, { seconds, until, what }) =>
      cached(m, {
        keptMs: 1_000 * seconds,
        keyOf: ({ account, call }) => (what.includes('another') ? asker(call) : `${asker(call)} ${account}`),
        isMeant: (call) => isRead(call) && (call.op === 'list-shades' || what.startsWith('A read')),
        isRemoved: (kept, by) =>
          until !== '' && by.op === 'import-shades' && mayHaveEffect(by) && kept.catalog === by.catalog,
      }),
    price: 2,
  }),
  fault('answers-cached', {
    says: '{what} shows what was right when it was asked for before.',
    behind: 'A cache gives its old answer, and fetches the new one for the next request.',
    over: [{ what: 'A list' }, { what: 'A history' }, { what: 'An answer of analytics' }],
    alters: (m, { what }) => {
      const op = what === 'A list' ? 'list-shades' : what === 'A history' ? 'read-session' : 'analytics';
      return cached(m, {
        ...{ keptMs: Number.POSITIVE_INFINITY, isRenewed: true, isMeant: (call) => call.op === op },
        keyOf: ({ account, call }) => `${asker(call)} ${account}`,
      });
    },
    price: 2,
  }),
  fault('shade-count-wrong', {
    says: '`shade_count` of new sessions stays {time} what an earlier session of the catalog had.',
    behind: 'A count is cached by its catalog, and imports do not refresh it.',
    over: [
      { time: 'for good', seconds: 86_400 },
      ...[1, 2, 5, 10, 30].map((seconds) => ({ time: `for ${seconds} s`, seconds })),
    ],
    alters: (m, { seconds }) =>
      cached(m, {
        keptMs: 1_000 * seconds,
        keyOf: ({ account, call }) => `${account} ${call.catalog ?? ''}`,
        isMeant: ({ op }) => op === 'create-session',
      }),
    price: 2,
  }),
  fault('absence-remembered', {
    says: 'A catalog that was asked for before it existed stays unknown for {seconds} s.',
    behind: 'A cache keeps the answer 404.',
    over: [1, 2, 5, 10, 30, 300].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => {
      const { notes, span } = cached(m, {
        keptMs: 1_000 * seconds,
        keyOf: ({ account, call }) => `${asker(call)} ${account}`,
        isMeant: ({ op }) => op === 'list-shades',
        isKept: ({ answer }) => answer.status === 404,
      });
      return { notes, span };
    },
    price: 2,
  }),
  fault('answers-cached', {
    says: 'Analytics of {what} that are asked again within {seconds} s get the former answer.',
    behind: 'A cache without invalidation, or one whose key lacks the account or the product.',
    over: (evidence) =>
      Object.keys(analyticsKeys).flatMap((what) =>
        unlessZeros(evidence, [1, 2, 5, 10, 30, 60, 300]).map((seconds) => ({ what, seconds })),
      ),
    alters: (m, { seconds, what }) =>
      cached(m, {
        keptMs: 1_000 * seconds,
        keyOf: analyticsKeys[what] ?? (({ call }) => asker(call)),
        isMeant: ({ op }) => op === 'analytics',
      }),
    price: 2,
  }),
  fault('answers-swapped', {
    says: 'A call gets the answer of another one ({op}) that is under way at the same time.',
    behind: 'A variable that requests share, or equal requests that are merged by too little.',
    over: [{ op: 'read-session' }, { op: 'list-shades' }, { op: 'analytics' }] as const,
    alters: (m, { op }, { calls }) => {
      const near = besides(calls, (...two) => two.every((each) => each.op === op && each.form === undefined));
      return {
        instead: (call, world) => {
          const others = near.get(call.n);
          return others === undefined
            ? m.instead(call, world)
            : world.calls.filter((each) => others.has(each.n) && outcomeOf(each) === 'ok');
        },
      };
    },
    price: 2,
  }),
  fault('session-read-stale', {
    says: 'A session that is read again over a connection ({of}) shows what the first read over it showed.',
    behind: 'A cache of each connection or process, or a snapshot of the database.',
    over: [{ of: 'sessions' }, { of: 'sessions and lists' }],
    alters: (m, { of }) =>
      perConnection(m, (call) => call.op === 'read-session' || (of !== 'sessions' && isRead(call))),
    price: 2,
  }),
  fault('lists-differ', {
    says: 'A catalog that is listed again over a connection shows what the first list over it showed.',
    behind: 'A cache of each connection or process, or a snapshot of the database.',
    alters: (m) => perConnection(m, ({ op }) => op === 'list-shades'),
    price: 2,
  }),
  fault('lists-differ', {
    says: 'A list may be that of an earlier call within {seconds} s, though its catalog was imported since.',
    behind: 'Each of several processes has a cache, and an import empties one of them alone.',
    over: [5, 30, 300].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({
      instead: (call, world) => {
        if (call.op !== 'list-shades' || call.form !== undefined) return m.instead(call, world);
        const own = world.calls.filter(
          (each) =>
            each.catalog === call.catalog &&
            each.untilMs <= call.fromMs &&
            each.fromMs > call.fromMs - 1_000 * seconds &&
            outcomeOf(each) === 'ok' &&
            m.account(each, world) === m.account(call, world),
        );
        // Lists between the same imports show the same.
        return own.filter(({ op }, at) => op === 'list-shades' && own[at + 1]?.op === 'import-shades');
      },
    }),
    price: 2,
  }),
];
