import { type ApiCall, isMalformed, isOversize, isWrite, keyOf, type Outcome, outcomeOf } from '../call.ts';
import type { Presence } from '../register.ts';
import type { Model } from '../stages.ts';
import { entry, type World } from '../world.ts';
import { admitting } from './certainty.ts';
import { faultsOf } from './fault.ts';
import { effectsIn, opsIn, outcomeBy } from './generic.ts';

/** What a call leaves behind for later ones: on its connection, in a pool, in a lock. */

const fault = faultsOf('any');
type IsMeant = (call: ApiCall) => boolean;

/** What a call came after. */
const kinds: Readonly<Record<string, IsMeant>> = {
  'a rejected call': (call) => outcomeOf(call) === 'refused',
  'a bad credential': ({ answer: { status }, by, op }) =>
    status === 401 && by.kind !== 'key' && op !== 'interact',
  'a key that resembles another one': ({ answer: { status }, by }) =>
    status === 401 && by.kind === 'near' && by.form !== 'unknown',
  'a call that was answered with 4xx': ({ answer: { status } }) => status >= 400 && status < 500,
  'a call that was answered with 404': ({ answer: { status } }) => status === 404,
  'a rejected import': (call) => call.op === 'import-shades' && outcomeOf(call) === 'refused',
  'an import of more than 500 shades': isOversize,
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
const scopes: Readonly<Record<string, (call: ApiCall, each: ApiCall, m: Model) => boolean>> = {
  'on its connection': ({ line }, each) => each.line === line,
  'of the service': () => true,
  'at its endpoint': isOfEndpoint,
  'of its account at its endpoint': (call, each, m) =>
    isOfEndpoint(call, each) && accountOf(m, each) === accountOf(m, call),
  'about the same catalog or session': ({ catalog, op, session }, each) =>
    isWrite(each) && (op === 'interact' ? each.session === session : each.catalog === catalog),
};
const ofAllKinds: readonly string[] = ['on its connection', 'of the service'];
function isOfEndpoint({ op }: ApiCall, each: ApiCall): boolean {
  return each.op === op && each.answer.status !== 401;
}

/** Ours: the explorer sends fewer at once. */
const mostAtOnce = 16;

/** Whether the call before, in a scope, is of a kind. */
function isNext(m: Model, kind: string, scope: string): (call: ApiCall, world: World) => Presence {
  const isMeant = (each: ApiCall, call: ApiCall): boolean =>
    kinds[kind]?.(each) === true &&
    (!kind.endsWith('another account') || accountOf(m, each) !== accountOf(m, call));
  return (call, { calls }) => {
    const before: ApiCall[] = [];
    let last: ApiCall | undefined;
    // Those that were sent before the last one may overlap with it: no more than are sent at once.
    for (let at = calls.length - 1, left = mostAtOnce; at >= 0 && left > 0; at--) {
      const each = calls[at];
      if (each === undefined || each.n === call.n || each.fromMs >= call.untilMs) continue;
      if (scopes[scope]?.(call, each, m) !== true) continue;
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
): Pick<Model, 'admits'> =>
  admitting(m, (call, allowed, world) => {
    const presence = isAlways || allowed.includes('ok') ? isMet(call, world) : 'no';
    if (presence === 'no') return undefined;
    return presence === 'yes' ? [outcome] : [...new Set([...allowed, outcome])];
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

/** What is known of spells: of all calls, or of those with one key. */
interface SpellState {
  readonly known: Spell[];
  /** Calls that came first after one of the kind: each of them may have been the first of a spell. */
  readonly chances: Map<number, boolean>;
  count: number;
  last: ApiCall | undefined;
}

/** What begins a spell, and what all calls of its scope meet then. */
interface SpellHabits {
  readonly isMeant: IsMeant;
  readonly least: number;
  readonly lengthMs: number;
  readonly outcome: Outcome;
  readonly scopeOf: (call: ApiCall) => string;
}

/** The first wrong answer shows that a spell began; until its end, all calls of a scope have to meet the same. */
function spells(m: Model, { isMeant, least, lengthMs, outcome, scopeOf }: SpellHabits): Partial<Model> {
  const states = new Map<string, SpellState>();
  const stateOf = (call: ApiCall): SpellState =>
    entry(states, scopeOf(call), () => ({ known: [], chances: new Map(), count: 0, last: undefined }));
  const isOpen = ({ by, op }: ApiCall): boolean =>
    outcome !== 'unauthorized' || (op !== 'interact' && by.kind === 'key');
  const isDue = ({ count, known, last }: SpellState, call: ApiCall): boolean =>
    last !== undefined && last.fromMs < call.untilMs && (count >= least || known.length === 0);
  return {
    admits: (right, call, world) => {
      const allowed = m.admits(right, call, world);
      if (!isOpen(call)) return allowed;
      const state = stateOf(call);
      const either = [...new Set([...allowed, outcome])];
      const spell = state.known.findLast(
        (each) =>
          each.shownBy !== call.n && each.fromMs < call.untilMs && call.fromMs < each.untilMs + lengthMs,
      );
      if (spell === undefined) return (state.chances.get(call.n) ?? isDue(state, call)) ? either : allowed;
      const isWhole = spell.untilMs <= call.fromMs && call.untilMs <= spell.fromMs + lengthMs;
      return isWhole ? [outcome] : either;
    },
    notes(call) {
      const state = stateOf(call);
      const { known, last } = state;
      const latest = known.at(-1);
      if (latest === undefined || call.fromMs >= latest.fromMs + lengthMs) {
        if (isOpen(call)) state.chances.set(call.n, isDue(state, call));
        if (isOpen(call) && outcomeOf(call) === outcome && !isMeant(call)) {
          if (last !== undefined && isDue(state, call))
            known.push({ fromMs: last.fromMs, untilMs: last.untilMs, shownBy: call.n });
          state.count = 0;
          state.last = undefined;
        } else if (isMeant(call)) {
          state.count += 1;
          state.last = call;
        } else if (last !== undefined && call.fromMs >= last.untilMs && isOpen(call)) state.last = undefined;
      }
    },
  };
}

/** Of all calls, or of those with a key and with what resembles it. */
const spellScopes: Readonly<Record<string, (call: ApiCall) => string>> = {
  'all calls': () => '',
  'calls with the key that it resembles': ({ by }) => ('key' in by ? by.key : ''),
};

export const afterFaults = [
  fault('after-kind-of-call', {
    says: 'After {least} × {kind}, {who} {effect} for {seconds} s.',
    behind: 'A lock against guessing, a circuit breaker, or connections of a pool that are not given back.',
    over: (evidence) =>
      effectsIn(evidence).flatMap((effect) =>
        [
          { kind: 'a bad credential', who: 'all calls' },
          { kind: 'a key that resembles another one', who: 'calls with the key that it resembles' },
          { kind: 'a call that was answered with 4xx', who: 'all calls' },
          { kind: 'a call that was answered with 404', who: 'all calls' },
        ].flatMap((each) =>
          [1, 1.5, 2, 3, 5].flatMap((seconds) =>
            [25, 20, 10, 5, 3, 1].map((least) => ({ ...each, effect, seconds, least })),
          ),
        ),
      ),
    alters: (m, { effect, kind, least, seconds, who }) =>
      spells(m, {
        scopeOf: spellScopes[who] ?? (() => ''),
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
    // Elsewhere, every call but the first comes after one of the same kind.
    over: Object.keys(scopes).flatMap((scope) =>
      Object.entries(ownKind).flatMap(([op, own]) =>
        kindNames.flatMap((kind) =>
          kind === own && !ofAllKinds.includes(scope) ? [] : [{ op, scope, kind }],
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
    says: 'The {which} holds for {when}.',
    behind: 'An identity is kept with a connection: of the client, of a proxy, or of a pool to the store.',
    over: [
      { which: 'first key on a connection', when: 'later requests with any key' },
      { which: 'first key on a connection', when: 'later requests without a good one' },
      { which: 'last good key on a connection', when: 'later requests without a good one' },
      { which: 'key of a call that is answered with 4xx', when: 'the next call' },
    ],
    alters: (m, { when, which }) => {
      const held = new Map<number, { readonly account: string; readonly fromMs: number }>();
      const ofCall = new Map<number, string | undefined>();
      const isNext = when === 'the next call';
      const placeOf = ({ line }: ApiCall): number => (isNext ? 0 : line);
      const accountNow = (call: ApiCall, world: World): string | undefined => {
        const own = m.account(call, world);
        const kept = held.get(placeOf(call));
        if (kept === undefined || (isNext && (own === undefined || kept.fromMs > call.fromMs))) return own;
        return when.endsWith('without a good one') ? (own ?? kept.account) : kept.account;
      };
      return {
        account: (call, world) => (ofCall.has(call.n) ? ofCall.get(call.n) : accountNow(call, world)),
        notes(call, world) {
          const account = isNext ? accountNow(call, world) : m.account(call, world);
          ofCall.set(call.n, accountNow(call, world));
          const isKept = isNext
            ? kinds['a call that was answered with 4xx']?.(call) === true
            : !which.startsWith('first') || !held.has(call.line);
          if (account !== undefined && call.op !== 'interact') {
            if (isKept) held.set(placeOf(call), { account, fromMs: call.untilMs });
            else if (isNext) held.delete(0);
          }
        },
      };
    },
    price: 2,
  }),
];
