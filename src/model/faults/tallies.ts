import { type ApiCall, type CallEvent, isLost, outcomeOf } from '../call.ts';
import { featureOf, featuresOf } from '../features.ts';
import { anyOf, type Presence, type Write } from '../register.ts';
import type { Item, Model } from '../stages.ts';
import type { LearntSession, StoredEvent, World } from '../world.ts';
import { bornIn, optional, withoutEnd } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** What analytics count of sessions whose histories are right. */

const fault = faultsOf('events');

type Events = readonly Item<StoredEvent>[];

/** Another choice of the events that analytics count of a session. */
const tallying = (
  m: Model,
  choose: (events: Events, session: LearntSession, call: ApiCall, world: World) => Events,
): Pick<Model, 'tallies'> => ({
  tallies: (events, session, call, world) =>
    choose(m.tallies(events, session, call, world), session, call, world),
});

/** Leaves out the events that are meant; those that may be meant may count. */
const without = (events: Events, isMeant: (event: Item<StoredEvent>) => Presence): Events =>
  events.flatMap((each) => {
    const presence = isMeant(each);
    return presence === 'yes' ? [] : presence === 'no' ? [each] : [optional(each)];
  });

/** An event that analytics count beside those of the history, from a call that was sent before. */
function counted(m: Model, event: CallEvent, name: string, from: ApiCall, call: ApiCall): Item<StoredEvent> {
  const write = {
    ...{ value: { ...event, session: from.session ?? -1 }, fromMs: from.fromMs, untilMs: from.untilMs },
    ...{ isSure: true, call: from.n, index: 0 },
  };
  const item = { name, may: [write], register: [write] };
  const isSeen = !isLost(from) && from.untilMs <= call.fromMs - m.promises.freshnessMs;
  return isSeen ? item : optional(item);
}

/** The batches of a session that were sent before a call ended, in their order. */
const batchesOf = ({ calls }: World, { n }: LearntSession, call: ApiCall): readonly ApiCall[] =>
  calls.filter((each) => each.op === 'interact' && each.session === n && each.fromMs < call.untilMs);

const isRefused = (call: ApiCall): boolean =>
  call.form === undefined &&
  call.by.kind === 'token' &&
  (outcomeOf(call) === 'refused' || outcomeOf(call) === 'missing');

/** Whether an event came after a call. */
function isAfter(event: Item<StoredEvent>, call: ApiCall): Presence {
  const { fromMs, untilMs } = bornIn(event);
  return fromMs >= call.untilMs ? 'yes' : untilMs <= call.fromMs ? 'no' : 'maybe';
}

const roundings = (...all: readonly string[]): { fields: string; how: string }[] =>
  ['Averages and rates', 'Rates', 'Averages'].flatMap((fields) => all.map((how) => ({ fields, how })));

/** Averages, rates or both, rounded. */
const rounded = (m: Model, { fields, how }: { fields: string; how: string }): Pick<Model, 'mean'> => ({
  mean: (range, call, field) => {
    const means = m.mean(range, call, field);
    if (fields === (field === 'cart_intent_rate' ? 'Averages' : 'Rates')) return means;
    const scale = how.endsWith('digit') ? 10 : 1;
    const round = how.startsWith('cut') ? Math.floor : Math.round;
    return [round(means[0] * scale) / scale, round(means[1] * scale) / scale];
  },
});

export const tallyFaults = [
  fault('mean-of-means', {
    says: 'Averages and rates of a period are those of its days, divided by {days:day}, with sessions or without.',
    behind: 'Values of days that are averaged again.',
    over: [2, 3, 7, 8, 30, 31].map((days) => ({ days })),
    alters: (m, { days }) => ({
      mean: (range, call, field) => {
        const [least, most] = m.mean(range, call, field);
        return [least / days, most / days];
      },
    }),
  }),
  fault('integer-division', {
    says: '{fields} of analytics are {how}: the fraction is lost.',
    behind: 'A division of two integers in SQL.',
    over: roundings('cut to whole numbers'),
    alters: rounded,
  }),
  fault('rounded-too-far', {
    says: '{fields} of analytics are {how}.',
    behind: 'A column or a format of too few digits.',
    over: roundings('rounded to one digit', 'cut to one digit', 'rounded to whole numbers'),
    alters: rounded,
  }),
  fault('mean-of-other', {
    says: '`{field}` counts {what}.',
    behind: 'A query over all events of a session, or a join that has a row for each of them.',
    over: [
      { field: 'avg_shades_per_session', what: 'the shades of cart intents, too' },
      { field: 'avg_shades_per_session', what: 'every event' },
      { field: 'avg_shades_per_session', what: 'cart intents' },
      { field: 'cart_intent_rate', what: 'cart intents, not sessions' },
      { field: 'cart_intent_rate', what: 'sessions with a shade' },
    ],
    alters: (m, { field, what }) => ({
      worth: (session, of) => {
        const { carts, named, selections } = session;
        if ((of === 'ever' || of === 'last') !== (field === 'cart_intent_rate')) return m.worth(session, of);
        if (what === 'the shades of cart intents, too') return named;
        if (what.startsWith('cart intents')) return carts;
        const [least, most] = selections;
        return what === 'every event'
          ? [least + carts[0], most + carts[1]]
          : [Math.min(1, least), Math.min(1, most)];
      },
    }),
  }),
  fault('depends-on-value', {
    says: '{what} with {feature} do not count in analytics.',
    behind: 'A rule, a join or a partition that leaves these out.',
    over: ({ calls }) =>
      featuresOf(calls).flatMap(({ name }) =>
        ['Sessions', 'The events of calls'].map((what) => ({ what, feature: name })),
      ),
    alters: (m, { feature, what }, { calls }) => {
      const has = featureOf(calls, feature);
      const meant = new Set(calls.filter(has).map(({ n }) => n));
      return what === 'Sessions'
        ? {
            counts: (session, call, account, world) =>
              meant.has(session.n ?? -1) ? 'no' : m.counts(session, call, account, world),
          }
        : tallying(m, (events) =>
            without(events, (event) => (meant.has(bornIn(event).call ?? -1) ? 'yes' : 'no')),
          );
    },
    price: 4,
  }),
  fault('events-capped', {
    says: 'Analytics count only the {which} {most:event} of each session.',
    behind: 'A read of events with a LIMIT, or of one page alone.',
    over: [1, 2, 3, 4, 5, 8, 10, 20, 50, 100].flatMap((most) => [
      { which: 'first', most },
      { which: 'newest', most },
    ]),
    alters: (m, { most, which }) =>
      tallying(m, (events) => withoutEnd(events, which === 'first' ? 'last' : 'first', most).items),
  }),
  fault('rejected-events-counted', {
    says: 'Analytics count the events of batches that are rejected ({part}).',
    behind: 'Events are counted when they come in, before they are validated.',
    over: [{ part: 'all of them' }, { part: 'those with a known SKU' }],
    alters: (m, { part }) =>
      tallying(m, (events, session, call, world) => {
        const known = new Set(events.map(({ name }) => name));
        const shelf = world.catalogs.get(m.place(session.account, session.catalog, call));
        const isMeant = ({ id, sku }: CallEvent): boolean =>
          !known.has(id) &&
          (part === 'all of them' || sku === undefined || shelf?.registers.has(sku) === true);
        const more = batchesOf(world, session, call)
          .filter(isRefused)
          .flatMap((from) =>
            (from.events ?? []).filter(isMeant).map((event) => counted(m, event, event.id, from, call)),
          );
        return [...events, ...new Map(more.toReversed().map((each) => [each.name, each])).values()];
      }),
  }),
  fault('repeats-counted', {
    says: 'Analytics count an event again that is sent again, and histories show it once.',
    behind: 'A counter that goes up with each request, and a table with unique ids.',
    alters: (m) =>
      tallying(m, (events, session, call, world) => {
        const seen = new Set<string>();
        const more = batchesOf(world, session, call)
          .filter((each) => outcomeOf(each) === 'ok' || isLost(each))
          .flatMap((from) =>
            (from.events ?? []).flatMap((event, at) => {
              if (seen.has(event.id)) return [counted(m, event, `${event.id} ${from.n} ${at}`, from, call)];
              seen.add(event.id);
              return [];
            }),
          );
        return [...events, ...more];
      }),
  }),
  fault('events-not-counted', {
    says: 'Analytics take all events of a batch for the type of its {which}.',
    behind: 'The type is read once for each message.',
    over: [{ which: 'first' }, { which: 'last' }],
    alters: (m, { which }) =>
      tallying(m, (events, _session, _call, { calls }) => {
        const typed = (write: Write<StoredEvent>): Write<StoredEvent> => {
          const batch = calls.find(({ n }) => n === write.call)?.events;
          const type = batch?.at(which === 'first' ? 0 : -1)?.type;
          const { value } = write;
          return value === undefined || type === undefined ? write : { ...write, value: { ...value, type } };
        };
        return events.map((each) => ({ ...each, may: each.may.map(typed) }));
      }),
  }),
  fault('events-not-counted', {
    says: 'Analytics miss the events of a session after {what}.',
    behind: 'A message that cannot be handled blocks its queue, or the session is taken for finished.',
    over: [{ what: 'a batch that was rejected' }, { what: 'a cart intent' }, { what: 'its first batch' }],
    alters: (m, { what }) =>
      tallying(m, (events, session, call, world) => {
        const batches = batchesOf(world, session, call);
        const taken = batches.filter((each) => outcomeOf(each) === 'ok');
        const isCart = ({ events: all = [] }: ApiCall): boolean =>
          all.some(({ type }) => type === 'cart_intent');
        const ends = {
          'a batch that was rejected': batches.filter(isRefused),
          'a cart intent': taken.filter(isCart),
          'its first batch': taken.slice(0, 1),
        }[what];
        return without(events, (event) => anyOf((ends ?? []).map((each) => isAfter(event, each))));
      }),
  }),
  fault('late-events-ignored', {
    says: 'Analytics miss the events that come more than {seconds} s after their session was opened.',
    behind: 'A rollup that is taken once, too early.',
    over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      tallying(m, (events, { fromMs, untilMs }) =>
        without(events, (event) => {
          const born = bornIn(event);
          if (born.fromMs > untilMs + 1_000 * seconds) return 'yes';
          return born.untilMs < fromMs + 1_000 * seconds ? 'no' : 'maybe';
        }),
      ),
  }),
  fault('early-events-ignored', {
    says: 'Analytics miss events that come less than {seconds} s after their session was opened, at times.',
    behind: 'They are joined with sessions that are loaded later.',
    over: [0.1, 0.2, 0.5, 1, 2, 3, 5, 10].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) =>
      tallying(m, (events, { untilMs }) =>
        without(events, (event) => (bornIn(event).fromMs < untilMs + 1_000 * seconds ? 'maybe' : 'no')),
      ),
    price: 3,
  }),
  fault('events-not-counted', {
    says: 'Analytics miss the selections of a shade that is imported again afterwards.',
    behind: 'Selections are joined with shades by a row id, which a new import changes.',
    alters: (m) =>
      tallying(m, (events, session, call, world) => {
        const shelf = world.catalogs.get(m.place(session.account, session.catalog, call));
        return without(events, (event) => {
          const { sku, type } = event.may.findLast(({ value }) => value !== undefined)?.value ?? {};
          if (sku === undefined || type !== 'shade_selected') return 'no';
          const born = bornIn(event);
          const later = (shelf?.of(m.skuSlot(sku, call, world)) ?? []).filter(
            (each) => each.untilMs > born.fromMs && each.fromMs < call.untilMs,
          );
          if (later.length === 0) return 'no';
          const isSure = later.some((each) => each.fromMs >= born.untilMs && each.untilMs <= call.fromMs);
          return isSure ? 'yes' : 'maybe';
        });
      }),
  }),
  fault('sessions-counted-in-part', {
    says: 'Analytics count the events of the {which} session of a product alone.',
    behind: 'A join that finds one row for each product.',
    over: [{ which: 'last' }, { which: 'first' }],
    alters: (m, { which }) =>
      tallying(m, (events, session, call, world) => {
        const presence = hasRival(session, which, call, world);
        return without(events, () => presence);
      }),
  }),
];

/** Whether a session of the same product takes the place of one: the last or the first of them. */
function hasRival(session: LearntSession, which: string, call: ApiCall, { sessions }: World): Presence {
  const { account, n, product } = session;
  const rivals = [...sessions.values()].filter(
    (each) =>
      each.n !== n && each.account === account && each.product === product && each.fromMs < call.untilMs,
  );
  return anyOf(
    rivals.map((other) => {
      const [early, late] = which === 'last' ? [session, other] : [other, session];
      return early.untilMs <= late.fromMs ? 'yes' : late.untilMs <= early.fromMs ? 'no' : 'maybe';
    }),
  );
}
