import { type ApiCall, type Outcome, outcomeOf } from '../call.ts';
import type { Presence } from '../register.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, World } from '../world.ts';
import { admitting, hasNewer, isAfter, isLater, isOfSame, newestOf, otherwise } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** Which tokens a session takes. */

const fault = faultsOf('keys');

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

export const tokenFaults = [
  fault('token-late', {
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
  fault('foreign-token-accepted', {
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
  fault('altered-token-accepted', {
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
  fault('newest-token-alone', {
    says: 'Only the tokens of the newest {most:session} of {of} are accepted.',
    behind: 'A new session replaces the token that is kept for its owner, or a cache of tokens is full.',
    over: newestOf,
    alters: (m, { most, of }) =>
      refusing(m, (call, world, holder) => hasNewer(holder, call, world, most, of)),
  }),
  fault('token-of-one-use', {
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
  fault('session-ends-early', {
    says: 'A session takes no events after {seconds} s, though it expires later.',
    behind: 'Tokens and sessions have separate lifetimes.',
    over: [1, 2, 5].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => refusing(m, (call, _, holder) => isLater(call, holder, 1_000 * seconds)),
    price: 2,
  }),
];
