import {
  type ApiCall,
  type CallCredential,
  isMalformed,
  isWrite,
  type KeyForm,
  keyOf,
  mayHaveEffect,
  type Outcome,
} from '../call.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { admitting } from './certainty.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';
import { besideImports } from './imports.ts';

/** Who is let in, and whose data a caller sees. */

const fault = faultsOf('keys');
const keyedOps = ['list-shades', 'read-session', 'analytics', 'import-shades', 'create-session'] as const;
const allOps = ['any', 'reads', ...keyedOps] as const;
const isOp = (call: ApiCall, op: string): boolean =>
  op === 'any' || call.op === op || (op === 'reads' && !isWrite(call));

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
/** How many characters a form of a key has in common with the real one, from its beginning. */
const alikeFor = (form: KeyForm): number =>
  lengthOf.get(form) ??
  (/^(with(out the last| a further| another last)|twice)/.test(form) ? Number.POSITIVE_INFINITY : 0);
const lengthOf = new Map<KeyForm, number>(
  ([8, 12, 16, 20, 24, 32, 36, 64, 72] as const).map((length) => [`cut to ${length} characters`, length]),
);
/** Forms of a key that a loose comparison accepts together. */
const likeness: Readonly<Record<string, (form: KeyForm) => boolean>> = {
  'that is the beginning of a real one': (form) => /^(cut to|without the last)/.test(form),
  'that begins with a real one': (form) => /^(with a further|twice)/.test(form),
  'that begins or continues like a real one': (form) =>
    /^(cut to|without the last|with a further|twice)/.test(form),
  ...Object.fromEntries(
    [8, 12, 16, 20, 24, 32, 36, 64].map((length) => [
      `that has the first ${length} characters of a real one`,
      (form: KeyForm) => alikeFor(form) >= length,
    ]),
  ),
};

/** Another answer to credentials that are not good. */
const answeringBad = (m: Model, isMeant: (by: CallCredential) => boolean, outcome: Outcome): Partial<Model> =>
  admitting(m, (call, _, world) =>
    call.op !== 'interact' && m.account(call, world) === undefined && isMeant(call.by)
      ? [outcome]
      : undefined,
  );

/** Credentials that are no keys, and that may be let in. */
const otherCredentials: Readonly<Record<string, (by: CallCredential) => boolean>> = {
  'no key': ({ kind }) => kind === 'none',
  'no key or with a wrong one': ({ kind }) => kind !== 'key',
  'a key that does not exist': ({ kind }) => kind === 'near',
  'the token of a session as its key': ({ kind }) => kind === 'token',
};

export const keyFaults = [
  fault('key-not-checked', {
    says: 'A call with {credential} is served ({op}).',
    behind:
      'The check runs only where a header is present, a route was added outside the guard, or one table serves for keys and tokens.',
    over: Object.keys(otherCredentials).flatMap((credential) => allOps.map((op) => ({ credential, op }))),
    alters: (m, { credential, op }) => {
      const isLet = (call: ApiCall): boolean =>
        isOp(call, op) && call.op !== 'interact' && otherCredentials[credential]?.(call.by) === true;
      return {
        account: letsIn(m, isLet, ({ by }, world) =>
          by.kind === 'token' ? world.sessions.get(by.of)?.account : undefined,
        ),
        // HEAD and other spellings may be routes of their own, with a guard.
        ...admitting(m, (call, allowed) =>
          isLet(call) && call.form !== undefined ? [...allowed, 'unauthorized'] : undefined,
        ),
      };
    },
  }),
  fault('key-compared-loosely', {
    says: 'A key is accepted {how}.',
    behind:
      'Keys are compared, looked up or cached by a prefix, without regard to case, or after a hash that cuts its input (bcrypt: 72 bytes).',
    over: (evidence) => [...formsOf(evidence), ...Object.keys(likeness)].map((how) => ({ how })),
    alters: (m, { how }) => ({
      account: letsIn(
        m,
        ({ by }) => by.kind === 'near' && (likeness[how]?.(by.form) ?? by.form === how),
        ({ by }) => (by.kind === 'near' ? m.promises.accounts[by.key] : undefined),
      ),
    }),
  }),
  fault('key-not-checked', {
    says: '{what} needs no key, where GET does.',
    behind: 'The guard is bound to methods by name, or to exact paths.',
    over: [
      { what: 'HEAD', form: 'head' },
      { what: 'A path with a slash at its end', form: 'slash' },
    ],
    alters: (m, { form }) => {
      const isMeant = (call: ApiCall): boolean => call.form === form && call.by.kind === 'none';
      return {
        account: letsIn(m, isMeant),
        ...admitting(m, (call) => (isMeant(call) ? ['ok'] : undefined)),
      };
    },
  }),
  fault('key-refused-otherwise', {
    says: 'A malformed request without a good key gets a 4xx for its form, not 401.',
    behind: 'The body is parsed and validated before the key is checked.',
    alters: (m) =>
      admitting(m, (call, allowed) =>
        isMalformed(call) && allowed.includes('unauthorized') && call.op !== 'interact'
          ? ['refused']
          : undefined,
      ),
  }),
  fault('key-check-crashes', {
    says: 'A bad credential gets a 5xx: {kind}.',
    behind: 'The owner of a key is used without a test whether there is one.',
    over: [{ kind: 'any' }, { kind: 'near' }, { kind: 'none' }, { kind: 'token' }],
    alters: (m, { kind }) =>
      answeringBad(m, (by) => (kind === 'any' ? by.kind !== 'none' : by.kind === kind), 'failed'),
  }),
  fault('key-refused-otherwise', {
    says: 'A bad credential gets {status}, not 401: {kind}.',
    behind: 'Missing and unknown keys take different ways through the code.',
    over: ['any', 'none', 'near', 'token'].flatMap((kind) => [
      { kind, status: '403' },
      { kind, status: '404' },
    ]),
    alters: (m, { kind, status }) =>
      answeringBad(m, (by) => kind === 'any' || by.kind === kind, status === '404' ? 'missing' : 'refused'),
  }),
  fault('valid-key-refused', {
    says: 'The valid key {key} gets 401 ({op}).',
    behind: 'Keys are cached by node, or one endpoint has a separate list of keys.',
    over: ({ calls }) => {
      const keys = [...new Set(calls.flatMap((call) => keyOf(call) ?? []))];
      return keys.flatMap((key) => allOps.map((op) => ({ key, op })));
    },
    alters: (m, { key, op }) => ({
      account: (call, world) => (keyOf(call) === key && isOp(call, op) ? undefined : m.account(call, world)),
    }),
  }),
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
];
