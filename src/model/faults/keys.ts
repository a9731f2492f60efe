import { type ApiCall, type CallCredential, isMalformed, isWrite, type KeyForm, keyOf } from '../call.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';

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
const isNear = ({ by }: { readonly by: CallCredential }, form: string): boolean =>
  by.kind === 'near' && by.form === form;

/** How many characters a form of a key has in common with the real one, from its beginning. */
const alikeFor = (form: KeyForm): number =>
  lengthOf.get(form) ??
  (/^(with(out the last| a further| another last)|twice)/.test(form) ? Number.POSITIVE_INFINITY : 0);
const lengthOf = new Map<KeyForm, number>(
  ([8, 12, 16, 20, 24, 32, 36, 64, 72] as const).map((length) => [`cut to ${length} characters`, length]),
);
/** Forms of a key that a loose comparison accepts together. */
const likeness: Readonly<Record<string, (form: KeyForm) => boolean>> = {
  'is the beginning of a real one': (form) => /^(cut to|without the last)/.test(form),
  'begins with a real one': (form) => /^(with a further|twice)/.test(form),
  'begins or continues like a real one': (form) =>
    /^(cut to|without the last|with a further|twice)/.test(form),
  ...Object.fromEntries(
    [8, 12, 16, 20, 24, 32, 36, 64].map((length) => [
      `has the first ${length} characters of a real one`,
      (form: KeyForm) => alikeFor(form) >= length,
    ]),
  ),
};

export const keyFaults = [
  fault('key-not-checked', {
    says: 'A call with {credential} is served ({op}).',
    behind: 'The check runs only where a header is present, or a route was added outside the guard.',
    over: ['no key', 'no key or with a wrong one'].flatMap((credential) =>
      allOps.map((op) => ({ credential, op })),
    ),
    alters: (m, { credential, op }) => {
      const isLet = (call: ApiCall): boolean =>
        isOp(call, op) &&
        call.op !== 'interact' &&
        (credential === 'no key' ? call.by.kind === 'none' : call.by.kind !== 'key');
      return {
        account: letsIn(m, isLet),
        // HEAD and other spellings may be routes of their own, with a guard.
        admits: (right, call, world) => {
          const admitted = m.admits(right, call, world);
          return isLet(call) && call.form !== undefined ? [...admitted, 'unauthorized'] : admitted;
        },
      };
    },
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
  fault('key-compared-loosely', {
    says: 'A key is accepted that {how}.',
    behind: 'Keys are compared, looked up or cached by their beginning.',
    over: Object.keys(likeness).map((how) => ({ how })),
    alters: (m, { how }) => ({
      account: letsIn(
        m,
        ({ by }) => by.kind === 'near' && likeness[how]?.(by.form) === true,
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
    says: 'A bad credential gets a 5xx: {kind}.',
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
    says: 'A bad credential gets {status}, not 401: {kind}.',
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
    behind: 'Keys are cached by node, or one endpoint has a separate list of keys.',
    over: ({ calls }) => {
      const keys = [...new Set(calls.flatMap((call) => keyOf(call) ?? []))];
      return keys.flatMap((key) => allOps.map((op) => ({ key, op })));
    },
    alters: (m, { key, op }) => ({
      account: (call, world) => (keyOf(call) === key && isOp(call, op) ? undefined : m.account(call, world)),
    }),
  }),
];
