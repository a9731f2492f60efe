import { type ApiCall, mayHaveEffect, outcomeOf, type SentShade } from '../call.ts';
import { besides } from '../features.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';

/** Caches: an answer, or what it shows, is that of an earlier call. */

const fault = faultsOf('any');
/** What a cache keeps, and for how long. */
interface CacheHabits {
  readonly keptMs: number;
  /** Calls with one key share an answer. `account`: of the call. */
  readonly keyOf: (asked: { readonly call: ApiCall; readonly account: string }) => string;
  readonly isMeant: (call: ApiCall) => boolean;
  readonly isKept?: (call: ApiCall) => boolean;
  readonly isRemoved?: (kept: ApiCall, by: ApiCall, world: World) => boolean;
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
      for (const [own, each] of kept) if (isRemoved(each, call, world)) kept.delete(own);
    },
  };
}

/** Gets the answer to an earlier call. */
function cached(m: Model, habits: CacheHabits): Pick<Model, 'asked' | 'notes'> {
  const { former, notes } = keeping(m, habits);
  return { notes, asked: (call, world) => former(call, world) ?? m.asked(call, world) };
}

/** What the key of a cache may have. */
const columns = {
  account: ({ account }) => account,
  catalog: ({ call }) => call.catalog ?? '',
  session: ({ call }) => String(call.session),
  product: ({ call }) => call.product ?? '',
  connection: ({ call }) => String(call.line),
} as const satisfies Record<string, CacheHabits['keyOf']>;
type CacheColumn = keyof typeof columns;
const keyBy =
  (...of: readonly CacheColumn[]): CacheHabits['keyOf'] =>
  (asked) =>
    `${asked.call.op} ${of.map((column) => columns[column](asked))}`;

/** The keys of caches, the right ones first: others lack something. */
type CacheKeys = Readonly<Record<string, readonly CacheColumn[]>>;
const keysFor = (own: CacheColumn): CacheKeys => ({
  [`account and ${own}`]: ['account', own],
  [`${own}, whoever asks`]: [own],
  [`account, whichever ${own}`]: ['account'],
});
const cacheKeys: Readonly<Record<'list-shades' | 'read-session' | 'analytics', CacheKeys>> = {
  'list-shades': keysFor('catalog'),
  'read-session': keysFor('session'),
  analytics: { ...keysFor('product'), dates: [] },
};
const cachedOps = Object.keys(cacheKeys) as (keyof typeof cacheKeys)[];

const isWrittenBy = (kept: ApiCall, by: ApiCall): boolean =>
  mayHaveEffect(by) &&
  (by.op === 'import-shades'
    ? kept.catalog === by.catalog
    : by.op === 'interact' && kept.session === by.session);

/** What makes a cache forget an answer: that something is written to what it shows, or only that something new is. */
const forgets: Readonly<Record<string, (m: Model, kept: ApiCall, by: ApiCall, world: World) => boolean>> = {
  '': () => false,
  ', unless it was written to': (_, kept, by) => isWrittenBy(kept, by),
  ', unless a new SKU was imported': (m, kept, by, world) => {
    const account = m.account(by, world);
    const shelf = world.catalogs.get(m.place(account ?? '', by.catalog ?? '', by));
    const isNew = ({ sku = '' }: SentShade): boolean =>
      shelf?.of(m.skuSlot(sku, by, world)).some(({ call }) => call !== by.n) !== true;
    return by.op === 'import-shades' && isWrittenBy(kept, by) && (by.shades ?? []).some(isNew);
  },
};

/** What explains only zeros explains nothing: whatever counts nothing gives them. */
const unlessZeros = ({ divergences }: FaultEvidence): readonly (keyof typeof cacheKeys)[] =>
  divergences.length > 0 && divergences.every(({ got, kind }) => kind === 'number' && got === 0)
    ? cachedOps.slice(0, -1)
    : cachedOps;

/** A cache with the right key that every write empties does no harm. */
function untilsOf(op: keyof typeof cacheKeys, isRight: boolean): readonly string[] {
  const [never, written, isNew] = Object.keys(forgets) as [string, string, string];
  if (op === 'analytics') return [never];
  return [never, ...(isRight ? [] : [written]), ...(op === 'list-shades' ? [isNew] : [])];
}

export const cacheFaults = [
  fault('answers-cached', {
    says: 'An answer ({op}) is given again at least within {seconds} s for the same {key}{until}.',
    behind: 'A cache without invalidation, or one whose key lacks a part of what was asked.',
    over: (evidence) =>
      unlessZeros(evidence).flatMap((op) =>
        Object.keys(cacheKeys[op]).flatMap((key, at) =>
          untilsOf(op, at === 0).flatMap((until) =>
            [1, 2, 5, 10, 30, 60, 300].map((seconds) => ({ op, key, seconds, until })),
          ),
        ),
      ),
    alters: (m, { key, op, seconds, until }) =>
      cached(m, {
        ...{
          keptMs: 1_000 * seconds,
          keyOf: keyBy(...(cacheKeys[op][key] ?? [])),
          isMeant: (call) => call.op === op,
        },
        isRemoved: (kept, by, world) => forgets[until]?.(m, kept, by, world) === true,
      }),
    price: 2,
  }),
  fault('answers-cached', {
    says: 'An answer ({op}) is what was right when the same was asked for before.',
    behind: 'A cache gives its old answer, and fetches the new one for the next request.',
    over: cachedOps.map((op) => ({ op })),
    alters: (m, { op }) =>
      cached(m, {
        ...{ keptMs: Number.POSITIVE_INFINITY, isRenewed: true, isMeant: (call) => call.op === op },
        keyOf: keyBy(...(Object.values(cacheKeys[op])[0] ?? [])),
      }),
    price: 2,
  }),
  fault('shade-count-wrong', {
    says: '`shade_count` of new sessions stays {time} what an earlier session of the same {key} had.',
    behind: 'A count is cached, and imports do not refresh it.',
    over: Object.keys(cacheKeys['list-shades']).flatMap((key) => [
      { key, time: 'for good', seconds: 86_400 },
      ...[1, 2, 5, 10, 30].map((seconds) => ({ key, time: `for ${seconds} s`, seconds })),
    ]),
    alters: (m, { key, seconds }) => {
      const { former, notes } = keeping(m, {
        ...{ keptMs: 1_000 * seconds, isMeant: ({ op }) => op === 'create-session' },
        keyOf: keyBy(...(cacheKeys['list-shades'][key] ?? [])),
      });
      return {
        notes,
        span: (call, world) => former(call, world) ?? m.span(call, world),
        reads: (account, catalog, call, world) => {
          const old = former(call, world);
          const by = old && m.account(old, world);
          return m.reads(by ?? account, old?.catalog ?? catalog, call, world);
        },
      };
    },
    price: 2,
  }),
  fault('absence-remembered', {
    says: 'A catalog that was asked for before it existed stays unknown for {seconds} s.',
    behind: 'A cache keeps the answer 404.',
    over: [1, 2, 5, 10, 30, 300].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      cached(m, {
        ...{ keptMs: 1_000 * seconds, keyOf: keyBy('account', 'catalog') },
        isMeant: ({ op }) => op === 'list-shades',
        isKept: ({ answer }) => answer.status === 404,
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
  ...(
    [
      ['session-read-stale', 'A session that is read', ['session'], ['read-session']],
      [
        'session-read-stale',
        'A session or a list that is read',
        ['session', 'catalog'],
        ['read-session', 'list-shades'],
      ],
      ['lists-differ', 'A catalog that is listed', ['catalog'], ['list-shades']],
    ] as const
  ).map(([cause, what, key, ops]) =>
    fault(cause, {
      says: `${what} again over a connection shows what the first answer over it showed.`,
      behind: 'A cache of each connection or process, or a snapshot of the database.',
      alters: (m) =>
        cached(m, {
          ...{ keptMs: Number.POSITIVE_INFINITY, keyOf: keyBy('connection', ...key) },
          isMeant: ({ op }) => ops.some((each) => each === op),
        }),
      price: 2,
    }),
  ),
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
