import { saidBy } from '../answer.ts';
import { type ApiCall, type Outcome, outcomeOf } from '../call.ts';
import type { Presence, ReadSpan } from '../register.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, World } from '../world.ts';
import {
  admitting,
  hasNewer,
  isAfter,
  isLater,
  isOfSame,
  newestOf,
  optional,
  otherwise,
} from './certainty.ts';
import { faultsOf } from './fault.ts';

/** Ids and tokens that are not a session's own, and which tokens a session takes. */

const fault = faultsOf('sessions');

const owners = (['account', 'catalog', 'product', 'product and locale'] as const).map((of) => ({ of }));

/** A new session gets a field of the first session of the same owner. */
const reusing = (
  m: Model,
  of: (typeof owners)[number]['of'],
  field: 'session_id' | 'token',
  withinMs = Number.POSITIVE_INFINITY,
): Partial<Model> => ({
  fields: (fields, call, session, world) => {
    const shown = m.fields(fields, call, session, world);
    if (call.op !== 'create-session') return shown;
    const account = m.account(call, world);
    const same = [...world.sessions.values()].filter(
      (each) =>
        each.n !== call.n &&
        each.fromMs < call.untilMs &&
        call.fromMs - each.untilMs < withinMs &&
        each.account === account &&
        (of !== 'catalog' || each.catalog === call.catalog) &&
        (!of.startsWith('product') || (each.product === call.product && each.catalog === call.catalog)) &&
        (of !== 'product and locale' || each.locale === call.locale),
    );
    const ownOf = (each: LearntSession): unknown => (field === 'token' ? each.token : each.id);
    const known = same
      .filter(({ fromMs, untilMs }) => untilMs <= call.fromMs && call.untilMs - fromMs < withinMs)
      .map(ownOf);
    if (known.length > 0) return { ...shown, [field]: known };
    // Of several at the same time, the first gets a new one.
    return same.length === 0
      ? shown
      : { ...shown, [field]: [...same.map(ownOf), saidBy(call).fields[field]] };
  },
});

/** The sessions with one id: which of them a call about it means is not known. */
const namesakes = ({ sessions }: World, session: LearntSession): readonly LearntSession[] =>
  [...sessions.values()].filter(({ id }) => id === session.id);

/** Whether each of several sessions with one id counts is another question. */
const countingOpenly = (
  m: Model,
  isMeant: (session: LearntSession, all: readonly LearntSession[]) => boolean,
): Pick<Model, 'counts'> => ({
  counts: (session, call, account, world) => {
    const counted = m.counts(session, call, account, world);
    const own = world.sessions.get(session.n ?? -1);
    const all = own === undefined ? [] : namesakes(world, own);
    return own !== undefined && all.length > 1 && isMeant(own, all) && counted === 'yes' ? 'maybe' : counted;
  },
});

/** Sessions that are created so near each other may have one id; what becomes of them then is open. */
function colliding(m: Model, withinMs: number): Partial<Model> {
  const isNear = (a: ReadSpan, b: ReadSpan): boolean =>
    a.fromMs - b.untilMs <= withinMs && b.fromMs - a.untilMs <= withinMs;
  const isMerged = (call: ApiCall, world: World): boolean => {
    const asked = world.sessions.get(call.session ?? -1);
    return asked !== undefined && namesakes(world, asked).length > 1;
  };
  return {
    fields: (fields, call, session, world) => {
      const shown = m.fields(fields, call, session, world);
      if (session !== undefined) {
        const named = namesakes(world, session);
        // The one that is shown may have told its id to others, and been told another one.
        const all = [...world.sessions.values()].filter((each) => named.some((other) => isNear(each, other)));
        const { expires_at: _, ...rest } = shown;
        return named.length < 2
          ? shown
          : {
              ...rest,
              product_id: all.map(({ product }) => product),
              catalog_id: all.map(({ catalog }) => catalog),
              locale: all.map(({ locale }) => locale),
            };
      }
      if (call.op !== 'create-session') return shown;
      const { session_id: id, token } = saidBy(call).fields;
      // An id that another one has is that of a near one; the token goes with it.
      const isShared = [...world.sessions.values()].some(
        (each) => each.n !== call.n && each.id === id && isNear(each, call),
      );
      return isShared ? { ...shown, session_id: [id], token: [token] } : shown;
    },
    numbers: (numbers, call, world) => (isMerged(call, world) ? {} : m.numbers(numbers, call, world)),
    ...admitting(m, (call, _, world) =>
      isMerged(call, world) ? ['ok', 'missing', 'unauthorized', 'refused'] : undefined,
    ),
    targets: (session, call, world) => {
      const all = namesakes(world, session);
      return all.length > 1 ? all : m.targets(session, call, world);
    },
    ...countingOpenly(m, () => true),
    tallies: (events, session, call, world) => {
      const counted = m.tallies(events, session, call, world);
      return namesakes(world, session).length > 1 ? counted.map((each) => optional(each)) : counted;
    },
  };
}

const ofKeys = faultsOf('keys');
/** Events with the own token of some sessions are rejected. */
const refusing = (
  m: Model,
  isMeant: (call: ApiCall, world: World, holder: LearntSession) => Presence,
): Pick<Model, 'admits'> =>
  otherwise(
    m,
    (call, world) => {
      const holder = call.by.kind === 'token' ? world.sessions.get(call.by.of) : undefined;
      return call.op === 'interact' && holder !== undefined ? isMeant(call, world, holder) : 'no';
    },
    'unauthorized',
  );

export const sessionIdFaults = [
  fault('session-id-reused', {
    says: 'A new session of the same {of} gets the id of the one before {within}.',
    behind: 'Creation is made idempotent by the body of the request, or repeated clicks are filtered.',
    over: owners.flatMap(({ of }) =>
      [
        { within: 'whenever that was', seconds: 86_400 },
        ...[0, 0.5, 1, 1.5, 2, 3, 5, 10].map((seconds) => ({
          within: seconds === 0 ? 'at the same time' : `within ${seconds} s`,
          seconds,
        })),
      ].map((each) => ({ of, ...each })),
    ),
    alters: (m, { of, seconds }) => ({
      ...reusing(m, of, 'session_id', seconds * 1_000),
      ...countingOpenly(m, (session, [first]) => session !== first),
    }),
    price: 2,
  }),
  fault('session-token-reused', {
    says: 'A new session of the same {of} gets the token of the one before.',
    behind: 'Tokens are cached, or made from the key and the time alone.',
    over: owners,
    alters: (m, { of }) => reusing(m, of, 'token'),
    price: 2,
  }),
  fault('session-id-reused', {
    says: 'Sessions that are created {within} get one id, whatever they are of.',
    behind:
      'Ids are made from a clock that is too coarse, or requests share the variable that holds the answer.',
    over: [0, 1, 10, 100, 1_000].map((ms) => ({
      within: ms === 0 ? 'at the same time' : `within ${ms} ms of each other`,
      ms,
    })),
    alters: (m, { ms }) => colliding(m, ms),
    price: 3,
  }),
  ofKeys('token-late', {
    says: 'The token of a new session is rejected until {when}.',
    behind: 'An instant is rounded up, or the token reaches the channel later.',
    over: [
      { when: 'the next whole second', seconds: 0 },
      ...[0.1, 0.25, 0.5, 1, 2, 5].map((seconds) => ({
        when: `${seconds} s after its session was opened`,
        seconds,
      })),
    ],
    alters: (m, { seconds }) =>
      admitting(m, (call, allowed, world) => {
        const holder = call.op === 'interact' ? m.holder(call, world) : undefined;
        const startOf = (ms: number): number =>
          seconds === 0 ? Math.ceil(ms / 1_000) * 1_000 : ms + 1_000 * seconds;
        if (holder === undefined || call.fromMs >= startOf(holder.untilMs)) return undefined;
        const isEarly = call.untilMs < startOf(holder.fromMs);
        return isEarly ? ['unauthorized'] : [...new Set<Outcome>([...allowed, 'unauthorized'])];
      }),
  }),
  ofKeys('foreign-token-accepted', {
    says: 'The token of a session is accepted at another session of the same {of}, and {stored} stores the events.',
    behind: 'The token is checked for itself, or for its account, but not for the session of the path.',
    over: ['that one', 'the session of the token'].flatMap((stored) =>
      (['service', 'account', 'catalog', 'product'] as const).map((of) => ({ of, stored })),
    ),
    alters: (m, { of, stored }) => ({
      ...(stored !== 'that one' && {
        targets: (session, call, world) => {
          const holder = m.holder(call, world);
          return holder === undefined ? m.targets(session, call, world) : [holder];
        },
      }),
      reaches: (holder, asked, world) =>
        m.reaches(holder, asked, world) || of === 'service' || isOfSame(of, holder, asked),
    }),
  }),
  ofKeys('altered-token-accepted', {
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
  ofKeys('newest-token-alone', {
    says: 'Only the tokens of the newest {most:session} of {of} are accepted.',
    behind: 'A new session replaces the token that is kept for its owner, or a cache of tokens is full.',
    over: newestOf,
    alters: (m, { most, of }) =>
      refusing(m, (call, world, holder) => hasNewer(holder, call, world, most, of)),
  }),
  ofKeys('token-of-one-use', {
    says: 'A token is accepted once, and then no longer.',
    behind: 'Tokens are consumed, as those against forged requests are.',
    alters: (m) =>
      refusing(m, (call, world, { n }) =>
        isAfter(
          call,
          world,
          (each) => each.by.kind === 'token' && each.by.of === n && outcomeOf(each) === 'ok',
        ),
      ),
    price: 2,
  }),
  ofKeys('session-ends-early', {
    says: 'A session takes no events after {seconds} s, though it expires later.',
    behind: 'Tokens and sessions have separate lifetimes.',
    over: [1, 2, 5].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => refusing(m, (call, _, holder) => isLater(call, holder, 1_000 * seconds)),
    price: 2,
  }),
];
