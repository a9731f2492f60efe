import type { ApiCall } from '../call.ts';
import { keyOf } from '../call.ts';
import { foundBy } from '../expect.ts';
import { overlaps } from '../features.ts';
import { resourceOf } from '../judge.ts';
import { mayShow, type Presence, presenceOf, type ReadSpan } from '../register.ts';
import type { Item, Model } from '../stages.ts';
import { faultsOf } from './fault.ts';
import { isLater, optional } from './sure.ts';

/** Replicas, caches, connections and races: what a read shows is right for another instant, or an effect is lost. */

const fault = faultsOf('any');
const reads = ['list-shades', 'read-session', 'analytics', 'create-session'] as const;
const spans = (m: Model, of: (call: ApiCall, span: ReadSpan) => ReadSpan): Pick<Model, 'span'> => ({
  span: (call, world) => of(call, m.span(call, world)),
});
const asker = (call: ApiCall): string => `${call.op} ${resourceOf(call)}`;
/** The instant that a call is at: for a record in between of the two ends. */
const at = (call: ApiCall): ReadSpan => ({ fromMs: call.fromMs, untilMs: call.untilMs });

/** Shows what an earlier read showed, as long as it is kept. */
const cached =
  (keptMs: number, keyOfCall: (call: ApiCall) => string, isMeant: (call: ApiCall) => boolean = () => true) =>
  (m: Model): Partial<Model> => {
    const kept = new Map<string, ReadSpan>();
    const ofCall = new Map<number, ReadSpan>();
    return {
      span: (call, world) => ofCall.get(call.n) ?? m.span(call, world),
      after(call, world) {
        if ((call.op === 'list-shades' || call.op === 'read-session') && isMeant(call)) {
          const key = keyOfCall(call);
          const old = kept.get(key);
          if (old !== undefined && call.fromMs - old.fromMs < keptMs) ofCall.set(call.n, old);
          else if (call.answer.status === 200 && call.form === undefined) kept.set(key, at(call));
        }
        m.after(call, world);
      },
    };
  };

const ageOf = ({ register }: Item, call: ApiCall, ms: number): Presence => {
  const [earliest] = register;
  return earliest === undefined ? 'yes' : isLater(call, earliest, ms);
};

export const delayFaults = [
  fault('shades-listed-late', {
    says: 'What was imported is listed only after {seconds} s.',
    behind: 'Lists come from a replica or an index that is behind.',
    over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      spans(m, ({ op }, { fromMs, untilMs }) =>
        op === 'list-shades'
          ? { fromMs: fromMs - 1_000 * seconds, untilMs: untilMs - 1_000 * seconds }
          : { fromMs, untilMs },
      ),
  }),
  fault('new-shades-listed-late', {
    says: 'A new shade is listed only after {seconds} s, though a change of an old one shows at once.',
    behind: 'The list takes its rows from an index that is behind, and their values from the store.',
    over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        if (call.op !== 'list-shades') return shown;
        const ages = shown.items.map((item) => ({ item, age: ageOf(item, call, 1_000 * seconds) }));
        const items = ages
          .filter(({ age }) => age !== 'no')
          .map(({ age, item }) => (age === 'yes' ? item : optional(item)));
        return { ...shown, items };
      },
    }),
  }),
  fault('history-late', {
    says: 'Events show in a history only after {seconds} s.',
    behind: 'Events go through a queue, or histories come from a replica.',
    over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({
      ...spans(m, ({ op }, { fromMs, untilMs }) =>
        op === 'read-session'
          ? { fromMs: fromMs - 1_000 * seconds, untilMs: untilMs - 1_000 * seconds }
          : { fromMs, untilMs },
      ),
      // The session itself is there at once.
      admits: (right, call, world) =>
        call.op === 'read-session' && right.join() === 'ok,missing' ? ['ok'] : m.admits(right, call, world),
    }),
  }),
  fault('count-late', {
    says: 'A new session counts the shades of {seconds} s ago.',
    behind: 'The number is cached.',
    over: [1, 2, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({
      ...spans(m, ({ op }, { fromMs, untilMs }) =>
        op === 'create-session'
          ? { fromMs: fromMs - 1_000 * seconds, untilMs: untilMs - 1_000 * seconds }
          : { fromMs, untilMs },
      ),
      // Whether the catalog exists is looked up now.
      admits: (right, call, world) => {
        const account = m.account(call, world);
        if (call.op !== 'create-session' || account === undefined || right.includes('refused'))
          return m.admits(right, call, world);
        const places = m.reads(account, call.catalog ?? '', call, world);
        const writes = places.flatMap((place) => world.catalogs.get(place)?.existence ?? []);
        const presence = presenceOf(mayShow(writes, m.span(call, world), m.free, 'last'));
        return m.admits(foundBy[presence], call, world);
      },
    }),
  }),
  fault('reads-behind', {
    says: 'Reads ({op}) are up to {seconds} s behind.',
    behind: 'Some of several replicas are behind.',
    over: reads.flatMap((op) => [1, 5, 30, 300].map((seconds) => ({ op, seconds }))),
    alters: (m, { op, seconds }) =>
      spans(m, (call, { fromMs, untilMs }) => ({
        fromMs: call.op === op ? fromMs - 1_000 * seconds : fromMs,
        untilMs,
      })),
    price: 4,
  }),
  fault('answers-cached', {
    says: 'A read that is repeated within {seconds} s gets the former answer.',
    behind: 'A cache before the service, without invalidation.',
    over: [1, 2, 5, 10, 30, 300].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      cached(1_000 * seconds, (call) => `${asker(call)} ${m.promises.accounts[keyOf(call) ?? ''] ?? ''}`)(m),
    price: 2,
  }),
  fault('session-read-stale', {
    says: 'A read ({of}) over a connection shows what the first one over it showed.',
    behind: 'A connection keeps a snapshot of the database.',
    over: [{ of: 'read-session' }, { of: 'list-shades' }, { of: 'any' }],
    alters: (m, { of }) =>
      cached(
        Number.POSITIVE_INFINITY,
        (call) => `${call.line} ${asker(call)}`,
        (call) => of === 'any' || call.op === of,
      )(m),
    price: 2,
  }),
  fault('depends-on-connection', {
    says: 'A session is found over the connection that opened it alone.',
    behind: 'Each process keeps its sessions in its own memory.',
    alters: (m) => ({
      admits: (right, call, world) => {
        const opener = world.calls.find(({ n }) => n === call.session);
        return call.op === 'read-session' && right.join() === 'ok' && opener?.line !== call.line
          ? ['missing']
          : m.admits(right, call, world);
      },
    }),
    price: 2,
  }),
  fault('concurrent-imports-lost', {
    says: 'Of imports into one catalog at the same time, some are lost in part or as a whole.',
    behind: 'The catalog is read, changed and written back without a lock.',
    alters: (m, _, { calls }) => {
      const lost = overlaps(
        calls,
        (a, b) => a.op === 'import-shades' && b.op === a.op && a.catalog === b.catalog,
      );
      return { isCertain: (call, world) => m.isCertain(call, world) && !lost.has(call.n) };
    },
    price: 3,
  }),
  fault('concurrent-interactions-lost', {
    says: 'Of batches to one session at the same time, some are lost.',
    behind: 'The history is read, added to and written back without a lock.',
    alters: (m, _, { calls }) => {
      const lost = overlaps(calls, (a, b) => a.op === 'interact' && b.op === a.op && a.session === b.session);
      return { isCertain: (call, world) => m.isCertain(call, world) && !lost.has(call.n) };
    },
    price: 3,
  }),
  fault('interactions-lost', {
    says: 'Events that were accepted are lost at times.',
    behind: 'A queue that drops, or a write that is not awaited.',
    alters: (m) => ({ isCertain: (call, world) => m.isCertain(call, world) && call.op !== 'interact' }),
    price: 8,
  }),
  fault('shades-missing', {
    says: 'Imports that were accepted are lost at times.',
    behind: 'A queue that drops, or a write that is not awaited.',
    alters: (m) => ({ isCertain: (call, world) => m.isCertain(call, world) && call.op !== 'import-shades' }),
    price: 8,
  }),
];
