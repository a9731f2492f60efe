import { type ApiCall, type CallCredential, isMalformed, keyOf, outcomeOf } from '../call.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, ModelledSession, World } from '../world.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';
import { isAfter, isLater, otherwise } from './sure.ts';

/** Who is let in, and whose data a caller sees. */

const fault = faultsOf('keys');
const keyedOps = ['list-shades', 'read-session', 'analytics', 'import-shades', 'create-session'] as const;
const allOps = ['any', ...keyedOps] as const;
const isOp = (call: ApiCall, op: string): boolean => op === 'any' || call.op === op;

/** Lets further calls in, for the account that they would have. */
const letsIn =
  (
    model: Model,
    isLet: (call: ApiCall) => boolean,
    as?: (call: ApiCall, world: World) => string | undefined,
  ) =>
  (call: ApiCall, world: World): string | undefined =>
    model.account(call, world) ??
    (isLet(call) ? (as?.(call, world) ?? Object.values(model.promises.accounts)[0]) : undefined);

/** The bad credentials that a record has. */
const formsOf = ({ calls }: FaultEvidence): string[] => [
  ...new Set(calls.flatMap(({ by }) => (by.kind === 'near' && by.form !== 'unknown' ? [by.form] : []))),
];
const isNear = ({ by }: { readonly by: CallCredential }, form: string): boolean =>
  by.kind === 'near' && by.form === form;

export const keyFaults = [
  fault('key-not-checked', {
    says: 'A call with {credential} is served ({op}).',
    behind: 'The check runs only where a header is present, or a route was added outside the guard.',
    over: ['no key', 'no key or with a wrong one'].flatMap((credential) =>
      allOps.map((op) => ({ credential, op })),
    ),
    alters: (m, { credential, op }) => ({
      account: letsIn(
        m,
        (call) =>
          isOp(call, op) &&
          call.op !== 'interact' &&
          (credential === 'no key' ? call.by.kind === 'none' : call.by.kind !== 'key'),
      ),
    }),
  }),
  fault('key-not-checked', {
    says: 'A key that does not exist is accepted ({op}).',
    behind: 'The presence of a key is checked, not the key.',
    over: allOps.map((op) => ({ op })),
    alters: (m, { op }) => ({ account: letsIn(m, (call) => call.by.kind === 'near' && isOp(call, op)) }),
  }),
  fault('key-compared-loosely', {
    says: 'A key is accepted {form}.',
    behind:
      'Keys are compared by a prefix, without regard to case, or after a hash that cuts its input (bcrypt: 72 bytes).',
    over: (evidence) => formsOf(evidence).map((form) => ({ form })),
    alters: (m, { form }) => ({
      account: letsIn(
        m,
        (call) => isNear(call, form),
        ({ by }) => (by.kind === 'near' ? m.promises.accounts[by.key] : undefined),
      ),
    }),
  }),
  fault('key-not-checked', {
    says: 'The token of a session is accepted as an API key ({op}).',
    behind: 'One table or one signature serves for keys and tokens.',
    over: allOps.map((op) => ({ op })),
    alters: (m, { op }) => ({
      account: letsIn(
        m,
        (call) => call.by.kind === 'token' && call.op !== 'interact' && isOp(call, op),
        ({ by }, world) => (by.kind === 'token' ? world.sessions.get(by.of)?.account : undefined),
      ),
    }),
  }),
  fault('key-not-checked', {
    says: 'HEAD needs no key, where GET does.',
    behind: 'The guard is bound to methods by name.',
    alters: (m) => ({
      account: letsIn(m, ({ by, form }) => form === 'head' && by.kind === 'none'),
      admits: (right, call, world) =>
        call.form === 'head' && call.by.kind === 'none' ? ['ok'] : m.admits(right, call, world),
    }),
  }),
  fault('key-not-checked', {
    says: 'A path with a slash at its end needs no key.',
    behind: 'A proxy guards exact paths, and the application is tolerant.',
    alters: (m) => ({
      account: letsIn(m, ({ by, form }) => form === 'slash' && by.kind === 'none'),
      admits: (right, call, world) =>
        call.form === 'slash' && call.by.kind === 'none' ? ['ok'] : m.admits(right, call, world),
    }),
  }),
  fault('key-refused-otherwise', {
    says: 'A malformed request without a good key gets a 4xx for its form, not 401.',
    behind: 'The body is parsed and validated before the key is checked.',
    alters: (m) => ({
      admits: (right, call, world) =>
        isMalformed(call) && right.includes('unauthorized') && call.op !== 'interact'
          ? ['refused']
          : m.admits(right, call, world),
    }),
  }),
  fault('key-check-crashes', {
    says: 'A bad credential gets a 5xx ({kind}).',
    behind: 'The owner of a key is used without a test whether there is one.',
    over: [{ kind: 'any' }, { kind: 'near' }, { kind: 'none' }, { kind: 'token' }],
    alters: (m, { kind }) => ({
      admits: (right, call, world) =>
        call.op !== 'interact' &&
        m.account(call, world) === undefined &&
        (kind === 'any' || call.by.kind === kind) &&
        (kind === 'none' || call.by.kind !== 'none')
          ? ['failed']
          : m.admits(right, call, world),
    }),
  }),
  fault('key-refused-otherwise', {
    says: 'A bad credential gets {status}, not 401 ({kind}).',
    behind: 'Missing and unknown keys take different ways through the code.',
    over: ['any', 'none', 'near', 'token'].flatMap((kind) => [
      { kind, status: '403' },
      { kind, status: '404' },
    ]),
    alters: (m, { kind, status }) => ({
      admits: (right, call, world) =>
        call.op !== 'interact' &&
        m.account(call, world) === undefined &&
        (kind === 'any' || call.by.kind === kind)
          ? [status === '404' ? 'missing' : 'refused']
          : m.admits(right, call, world),
    }),
  }),
  fault('valid-key-refused', {
    says: 'The valid key {key} gets 401 ({op}).',
    behind: 'Keys are cached by node, or one endpoint has a list of keys of its own.',
    over: ({ calls }) => {
      const keys = [...new Set(calls.flatMap((call) => keyOf(call) ?? []))];
      return keys.flatMap((key) => allOps.map((op) => ({ key, op })));
    },
    alters: (m, { key, op }) => ({
      account: (call, world) => (keyOf(call) === key && isOp(call, op) ? undefined : m.account(call, world)),
    }),
  }),
  fault('valid-key-refused', {
    says: 'After a bad credential, the next call is refused with 401, whatever its key.',
    behind: 'The result of the last check is kept on the connection or in a shared variable.',
    over: [{ of: 'connection' }, { of: 'service' }],
    price: 3,
    alters: (m, { of }) =>
      otherwise(
        m,
        (call, world) => {
          const before = world.calls.filter(
            (each) =>
              each.n !== call.n &&
              each.fromMs < call.untilMs &&
              (of === 'service' || each.line === call.line),
          );
          const isBad = (each: ApiCall): boolean =>
            each.answer.status === 401 && m.account(each, world) === undefined;
          const last = before.findLast(({ untilMs }) => untilMs <= call.fromMs);
          const rivals = before.filter(({ untilMs }) => last === undefined || untilMs > last.fromMs);
          if (call.op === 'interact' || !rivals.some(isBad)) return 'no';
          return rivals.every(isBad) ? 'yes' : 'maybe';
        },
        'unauthorized',
      ),
  }),
  fault('key-of-connection', {
    says: 'The key of the first request on a connection holds for every later one.',
    behind: 'An identity is kept with the connection, or a proxy shares connections among clients.',
    alters: (m) => {
      const held = new Map<number, string>();
      return {
        account: (call, world) => held.get(call.line) ?? m.account(call, world),
        after(call, world) {
          const account = m.account(call, world);
          if (account !== undefined && !held.has(call.line)) held.set(call.line, account);
          m.after(call, world);
        },
      };
    },
    price: 2,
  }),
  fault('accounts-not-separate', {
    says: 'A session can be read with the key of another account.',
    behind: 'A session is looked up by its id alone.',
    alters: () => ({ sees: () => true }),
  }),
  fault('sessions-of-the-key-alone', {
    says: 'A session can be read with the key that opened it alone, not with another key of the account.',
    behind: 'Sessions are stored under the key, not under its account.',
    alters: (m) => ({
      sees: (account, session, call) => m.sees(account, session, call) && keyOf(call) === session.key,
    }),
  }),
  fault('foreign-import-stored', {
    says: 'Accounts share one catalog of each id.',
    behind: 'Catalogs are stored by their id alone.',
    alters: () => ({ place: (_, catalog) => catalog }),
  }),
  fault('catalogs-of-the-key-alone', {
    says: 'Each key has catalogs of its own, though keys share an account.',
    behind: 'Catalogs are stored under the key, not under its account.',
    alters: (m) => ({
      place: (account, catalog, call) => `${m.place(account, catalog, call)} ${keyOf(call) ?? ''}`,
    }),
  }),
  fault('accounts-not-separate', {
    says: 'A catalog that the account does not have is read from another account.',
    behind: 'A look-up falls back to one without the account.',
    alters: (m) => ({
      reads: (account, catalog, call, world) => {
        const own = m.reads(account, catalog, call, world);
        const isOwn = (place: string): boolean =>
          world.catalogs.get(place)?.existence.some(({ untilMs }) => untilMs <= call.fromMs) === true;
        if (own.some(isOwn)) return own;
        const others = Object.values(m.promises.accounts).map((each) => m.place(each, catalog, call));
        return others.filter((place) => world.catalogs.has(place)).slice(0, 1);
      },
    }),
  }),
  fault('foreign-import-stored', {
    says: 'An import changes the catalog of that id in every account that has one.',
    behind: 'The update is not limited to the account.',
    alters: (m) => ({
      reads: (account, catalog, call, world) => {
        const own = m.reads(account, catalog, call, world);
        return own.some((place) => world.catalogs.has(place)) ? [`every ${catalog}`] : own;
      },
      after(call, world) {
        if (call.op !== 'import-shades' || call.answer.status >= 300) return;
        for (const account of new Set(Object.values(m.promises.accounts))) {
          const shelf = world.catalogs.get(m.place(account, call.catalog ?? '', call));
          const shared = world.catalog(`every ${call.catalog ?? ''}`);
          for (const each of shelf?.existence ?? []) if (each.call === call.n) shared.existence.push(each);
          for (const [slot, { name, writes }] of shelf?.registers ?? [])
            for (const write of writes) if (write.call === call.n) shared.open(slot, name).push(write);
        }
        m.after(call, world);
      },
    }),
  }),
  fault('analytics-pool-accounts', {
    says: 'total_sessions counts the sessions of all accounts.',
    behind: 'The query of analytics does not name the account.',
    alters: (m) => ({
      numbers: (numbers, call, world) =>
        m.numbers(
          call.op === 'analytics'
            ? countBy(m, call, world, ({ product }) => product === call.product)
            : numbers,
          call,
          world,
        ),
    }),
  }),
];

/** The range of a total, by which sessions count. */
export function countBy(
  model: Model,
  call: ApiCall,
  { counted }: World,
  isMine: (session: ModelledSession) => boolean,
): { readonly total_sessions: readonly [number, number] } {
  const mine = counted.filter(isMine);
  const sureMs = call.fromMs - model.promises.freshnessMs;
  return {
    total_sessions: [
      mine.filter(({ isSure, untilMs }) => isSure && untilMs <= sureMs).length,
      mine.filter(({ fromMs }) => fromMs < call.untilMs).length,
    ],
  };
}

const tokenFault = faultsOf('keys');

export const tokenFaults = [
  tokenFault('foreign-token-accepted', {
    says: 'The token of a session is accepted at another session of the same {of}.',
    behind: 'The token is checked for itself, or for its account, but not for the session of the path.',
    over: [{ of: 'service' }, { of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (m, { of }) => ({
      reaches: (holder, asked, world) =>
        m.reaches(holder, asked, world) ||
        of === 'service' ||
        (holder.account === asked.account &&
          (of === 'account' ||
            (of === 'catalog' ? holder.catalog === asked.catalog : holder.product === asked.product))),
    }),
  }),
  tokenFault('altered-token-accepted', {
    says: 'A token {form} is accepted.',
    behind: 'A token is read for its session, and not compared or verified as a whole.',
    over: ({ calls }) =>
      [...new Set(calls.flatMap(({ by }) => (by.kind === 'near token' ? [by.form as string] : [])))].map(
        (form) => ({ form }),
      ),
    alters: (m, { form }) => ({
      holder: (call, world) =>
        call.by.kind === 'near token' && call.by.form === form
          ? world.sessions.get(call.by.of)
          : m.holder(call, world),
    }),
  }),
  tokenFault('newest-token-alone', {
    says: 'Only the token of the newest session of the {of} is accepted.',
    behind: 'A new session replaces the token that is kept for its owner.',
    over: [{ of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (m, { of }) =>
      otherwise(
        m,
        (call, world) => {
          const own = call.by.kind === 'token' ? world.sessions.get(call.by.of) : undefined;
          if (call.op !== 'interact' || own === undefined) return 'no';
          const isAlike = ({ account, catalog, product }: LearntSession): boolean =>
            account === own.account &&
            (of === 'account' || (of === 'catalog' ? catalog === own.catalog : product === own.product));
          const newer = [...world.sessions.values()].filter(
            (each) =>
              each.n !== own.n && isAlike(each) && each.fromMs < call.untilMs && each.untilMs > own.fromMs,
          );
          if (newer.some(({ fromMs, untilMs }) => fromMs > own.untilMs && untilMs <= call.fromMs))
            return 'yes';
          return newer.length > 0 ? 'maybe' : 'no';
        },
        'unauthorized',
      ),
  }),
  tokenFault('token-of-one-use', {
    says: 'A token is accepted once, and then no longer.',
    behind: 'Tokens are consumed, as those against forged requests are.',
    alters: (m) =>
      otherwise(
        m,
        (call, world) => {
          const { by } = call;
          if (call.op !== 'interact' || by.kind !== 'token') return 'no';
          return isAfter(
            call,
            world,
            (each) =>
              each.op === 'interact' &&
              each.by.kind === 'token' &&
              each.by.of === by.of &&
              outcomeOf(each) === 'ok',
          );
        },
        'unauthorized',
      ),
    price: 2,
  }),
  tokenFault('session-ends-early', {
    says: 'A session takes no events after {seconds} s, though it expires later.',
    behind: 'Tokens and sessions have lifetimes of their own.',
    over: [1, 2, 5].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      otherwise(
        m,
        (call, world) => {
          const own = call.by.kind === 'token' ? world.sessions.get(call.by.of) : undefined;
          return call.op === 'interact' && own !== undefined ? isLater(call, own, 1_000 * seconds) : 'no';
        },
        'unauthorized',
      ),
    price: 2,
  }),
];
