import { type ApiCall, type CallEvent, isLost, outcomeOf } from '../call.ts';
import type { Write } from '../register.ts';
import type { Item, Model } from '../stages.ts';
import type { LearntSession, StoredEvent, World } from '../world.ts';
import { batchesOf, isRefusedBatch, optional } from './certainty.ts';
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

const roundings = [
  'cut to whole numbers',
  'rounded to one digit',
  'cut to one digit',
  'rounded to whole numbers',
];

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
  ...(['integer-division', 'rounded-too-far'] as const).map((cause) =>
    fault(cause, {
      says: `{fields} of analytics are {how}${cause === 'rounded-too-far' ? '' : ': the fraction is lost'}.`,
      behind: 'A division of two integers in SQL, or a column or a format of too few digits.',
      over: ['Averages and rates', 'Rates', 'Averages'].flatMap((fields) =>
        roundings
          .filter((how) => how.endsWith('cut to whole numbers') === (cause === 'integer-division'))
          .map((how) => ({ fields, how })),
      ),
      alters: (m, { fields, how }) => ({
        mean: (range, call, field) => {
          const means = m.mean(range, call, field);
          if (fields === (field === 'cart_intent_rate' ? 'Averages' : 'Rates')) return means;
          const scale = how.endsWith('digit') ? 10 : 1;
          const round = how.startsWith('cut') ? Math.floor : Math.round;
          return [round(means[0] * scale) / scale, round(means[1] * scale) / scale];
        },
      }),
    }),
  ),
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
        const more = batchesOf(world, session.n, call)
          .filter(isRefusedBatch)
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
        const more = batchesOf(world, session.n, call)
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
      tallying(m, (events, _session, _call, { byNumber }) => {
        const typed = (write: Write<StoredEvent>): Write<StoredEvent> => {
          const batch = byNumber.get(write.call)?.events;
          const type = batch?.at(which === 'first' ? 0 : -1)?.type;
          const { value } = write;
          return value === undefined || type === undefined ? write : { ...write, value: { ...value, type } };
        };
        return events.map((each) => ({ ...each, may: each.may.map(typed) }));
      }),
  }),
];
