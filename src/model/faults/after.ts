import { type ApiCall, isMalformed, keyOf, type Outcome, outcomeOf } from '../call.ts';
import type { Presence } from '../register.ts';
import type { Model } from '../stages.ts';
import type { World } from '../world.ts';
import { faultsOf } from './fault.ts';
import { effectsIn, opsIn, outcomeBy } from './generic.ts';

/** What a call leaves behind for later ones: on its connection, in a pool, in a lock. */

const fault = faultsOf('any');
type IsMeant = (call: ApiCall) => boolean;

/** What a call came after. */
const kinds: Readonly<Record<string, IsMeant>> = {
  'a rejected call': ({ answer: { status } }) =>
    status >= 400 && status < 500 && status !== 401 && status !== 404,
  'a bad credential': ({ answer: { status }, by, op }) =>
    status === 401 && by.kind !== 'key' && op !== 'interact',
  'a call that was answered with 4xx': ({ answer: { status } }) => status >= 400 && status < 500,
  'a call that was answered with 404': ({ answer: { status } }) => status === 404,
  'a rejected import': ({ answer: { status }, op }) =>
    op === 'import-shades' && status >= 400 && status < 500 && status !== 401 && status !== 404,
  'a HEAD': ({ form }) => form === 'head',
  'a body that is not JSON': (call) => call.form === 'broken-json' && outcomeOf(call) === 'refused',
  'a malformed call': isMalformed,
  'an import': ({ op }) => op === 'import-shades',
  'a large import': ({ shades = [] }) => shades.length > 100,
  'a new session': ({ op }) => op === 'create-session',
  'a batch of events': ({ op }) => op === 'interact',
  'a call of another account': () => true,
};
const kindNames = Object.keys(kinds);
const ownKind = {
  'create-session': 'a new session',
  'import-shades': 'an import',
  interact: 'a batch of events',
};

/** Which call is the next one. An endpoint is reached by what is let in. */
const scopes: Readonly<Record<string, (call: ApiCall) => IsMeant>> = {
  'on its connection':
    ({ line }) =>
    (each) =>
      each.line === line,
  'of the service': () => () => true,
  'at its endpoint':
    ({ op }) =>
    (each) =>
      each.op === op && each.answer.status !== 401,
};

/** Ours: the explorer sends fewer at once. */
const mostAtOnce = 16;

/** Whether the call before, in a scope, is of a kind. */
function isNext(m: Model, kind: string, scope: string): (call: ApiCall, world: World) => Presence {
  const isMeant = (each: ApiCall, call: ApiCall): boolean =>
    kinds[kind]?.(each) === true &&
    (!kind.endsWith('another account') || accountOf(m, each) !== accountOf(m, call));
  return (call, { calls }) => {
    const isNear = scopes[scope]?.(call);
    const before: ApiCall[] = [];
    let last: ApiCall | undefined;
    // Those that were sent before the last one may overlap with it: no more than are sent at once.
    for (let at = calls.length - 1, left = mostAtOnce; at >= 0 && left > 0; at--) {
      const each = calls[at];
      if (each === undefined || each.n === call.n || each.fromMs >= call.untilMs) continue;
      if (isNear?.(each) !== true) continue;
      before.push(each);
      if (last !== undefined) left -= 1;
      else if (each.untilMs <= call.fromMs) last = each;
    }
    const rivals = before.filter(({ untilMs }) => last === undefined || untilMs >= last.fromMs);
    if (!rivals.some((each) => isMeant(each, call))) return 'no';
    return rivals.every((each) => isMeant(each, call)) ? 'yes' : 'maybe';
  };
}

const accountOf = (m: Model, call: ApiCall): string | undefined => m.promises.accounts[keyOf(call) ?? ''];

/** Another answer, whatever would be right; on a connection even a bad credential meets it. */
const meeting = (
  m: Model,
  isMet: (call: ApiCall, world: World) => Presence,
  outcome: Outcome,
  isAlways: boolean,
): Pick<Model, 'admits'> => ({
  admits: (right, call, world) => {
    const allowed = m.admits(right, call, world);
    if (!isAlways && !allowed.includes('ok')) return allowed;
    const presence = isMet(call, world);
    if (presence === 'no') return allowed;
    return presence === 'yes' ? [outcome] : [...new Set([...allowed, outcome])];
  },
});

/** A call is answered as if it were served, and changes nothing. */
function withoutEffect(m: Model, isMet: (call: ApiCall, world: World) => Presence): Partial<Model> {
  return {
    imports: (rows, call, world) => (isMet(call, world) === 'yes' ? [] : m.imports(rows, call, world)),
    events: (events, call, world) => (isMet(call, world) === 'yes' ? [] : m.events(events, call, world)),
    isCertain: (call, world) => m.isCertain(call, world) && isMet(call, world) !== 'maybe',
    opens: (call, world) => isMet(call, world) !== 'yes' && m.opens(call, world),
  };
}

/** A time in which every call meets the same. */
interface Spell {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly shownBy: number;
}

/** The first wrong answer shows that a spell began; until its end, all calls have to meet the same. */
function spells(
  m: Model,
  {
    isMeant,
    least,
    lengthMs,
    outcome,
  }: { isMeant: IsMeant; least: number; lengthMs: number; outcome: Outcome },
): Partial<Model> {
  const known: Spell[] = [];
  /** Calls that came first after one of the kind: each of them may have been the first of a spell. */
  const chances = new Map<number, boolean>();
  let count = 0;
  let last: ApiCall | undefined;
  const isOpen = ({ by, op }: ApiCall): boolean =>
    outcome !== 'unauthorized' || (op !== 'interact' && by.kind === 'key');
  const isDue = (call: ApiCall): boolean =>
    last !== undefined && last.fromMs < call.untilMs && (count >= least || known.length === 0);
  return {
    admits: (right, call, world) => {
      const allowed = m.admits(right, call, world);
      if (!isOpen(call)) return allowed;
      const either = [...new Set([...allowed, outcome])];
      const spell = known.findLast(
        (each) =>
          each.shownBy !== call.n && each.fromMs < call.untilMs && call.fromMs < each.untilMs + lengthMs,
      );
      if (spell === undefined) return (chances.get(call.n) ?? isDue(call)) ? either : allowed;
      const isWhole = spell.untilMs <= call.fromMs && call.untilMs <= spell.fromMs + lengthMs;
      return isWhole ? [outcome] : either;
    },
    after(call) {
      const latest = known.at(-1);
      if (latest === undefined || call.fromMs >= latest.fromMs + lengthMs) {
        if (isOpen(call)) chances.set(call.n, isDue(call));
        if (isOpen(call) && outcomeOf(call) === outcome && !isMeant(call)) {
          if (last !== undefined && isDue(call))
            known.push({ fromMs: last.fromMs, untilMs: last.untilMs, shownBy: call.n });
          count = 0;
          last = undefined;
        } else if (isMeant(call)) {
          count += 1;
          last = call;
        } else if (last !== undefined && call.fromMs >= last.untilMs && isOpen(call)) last = undefined;
      }
    },
  };
}

export const afterFaults = [
  fault('after-kind-of-call', {
    says: 'After {least} × {kind}, all calls {effect} for {seconds} s.',
    behind: 'A lock against guessing, a circuit breaker, or connections of a pool that are not given back.',
    over: (evidence) =>
      effectsIn(evidence).flatMap((effect) =>
        [
          'a bad credential',
          'a call that was answered with 4xx',
          'a call that was answered with 404',
        ].flatMap((kind) =>
          [1, 1.5, 2, 3, 5].flatMap((seconds) =>
            [25, 20, 10, 5, 3, 1].map((least) => ({ kind, effect, seconds, least })),
          ),
        ),
      ),
    alters: (m, { effect, kind, least, seconds }) =>
      spells(m, {
        isMeant: kinds[kind] ?? (() => false),
        least,
        lengthMs: 1_000 * seconds,
        outcome: outcomeBy(effect),
      }),
    price: 2,
  }),
  fault('after-kind-of-call', {
    says: 'The next call ({op}) {scope} after {kind} {effect}.',
    behind: 'A state that the call before leaves behind.',
    over: (evidence) => {
      const ops = opsIn(evidence);
      return Object.keys(scopes).flatMap((scope) =>
        [...(ops.length > 1 || scope !== 'at its endpoint' ? ['any'] : []), ...ops].flatMap((op) =>
          effectsIn(evidence).flatMap((effect) => kindNames.map((kind) => ({ op, scope, kind, effect }))),
        ),
      );
    },
    alters: (m, { effect, kind, op, scope }) => {
      const next = isNext(m, kind, scope);
      const isMet = (call: ApiCall, world: World): Presence =>
        op === 'any' || call.op === op ? next(call, world) : 'no';
      return meeting(m, isMet, outcomeBy(effect), op === 'any' && scope === 'on its connection');
    },
    price: 5,
  }),
  fault('after-kind-of-call', {
    says: 'The next call ({op}) {scope} after {kind} is accepted, and has no effect.',
    behind: 'A transaction that was broken off is used again.',
    // After a call of the same kind, at its endpoint, comes every call but the first.
    over: Object.keys(scopes).flatMap((scope) =>
      Object.entries(ownKind).flatMap(([op, own]) =>
        kindNames.flatMap((kind) =>
          kind === own && scope === 'at its endpoint' ? [] : [{ op, scope, kind }],
        ),
      ),
    ),
    alters: (m, { kind, op, scope }) => {
      const next = isNext(m, kind, scope);
      return withoutEffect(m, (call, world) => (call.op === op ? next(call, world) : 'no'));
    },
    price: 3,
  }),
  fault('key-of-connection', {
    says: 'The {which} key on a connection holds for later requests {when}.',
    behind: 'An identity is kept with the connection, or a proxy shares connections among clients.',
    over: [
      { which: 'first', when: 'with any key' },
      { which: 'first', when: 'without a good one' },
      { which: 'last good', when: 'without a good one' },
    ],
    alters: (m, { when, which }) => {
      const held = new Map<number, string>();
      const ofCall = new Map<number, string | undefined>();
      const accountNow = (call: ApiCall, world: World): string | undefined => {
        const own = m.account(call, world);
        return when === 'with any key' ? (held.get(call.line) ?? own) : (own ?? held.get(call.line));
      };
      return {
        account: (call, world) => (ofCall.has(call.n) ? ofCall.get(call.n) : accountNow(call, world)),
        after(call, world) {
          ofCall.set(call.n, accountNow(call, world));
          const own = m.account(call, world);
          if (own !== undefined && call.op !== 'interact' && (which !== 'first' || !held.has(call.line)))
            held.set(call.line, own);
        },
      };
    },
    price: 2,
  }),
];
