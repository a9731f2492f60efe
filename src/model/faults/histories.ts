import { type Folding, foldingNames, foldings } from '../alike.ts';
import { saidBy } from '../answer.ts';
import type { ApiCall, CallEvent } from '../call.ts';
import { itemsOf } from '../expect.ts';
import type { Divergence } from '../judge.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, StoredEvent } from '../world.ts';
import { isOfSame } from './certainty.ts';
import { faultsOf } from './fault.ts';

/** What a history shows. */

const fault = faultsOf('events');
const changing = (
  m: Model,
  change: (event: CallEvent, session: LearntSession, call: ApiCall) => CallEvent,
): Pick<Model, 'event'> => ({
  event: (event, call, session) => change(m.event(event, call, session), session, call),
});
const instants: Readonly<Record<string, (atMs: number) => number>> = {
  'rounded down to seconds': (atMs) => Math.floor(atMs / 1_000) * 1_000,
  'rounded to seconds': (atMs) => Math.round(atMs / 1_000) * 1_000,
  'rounded to hundredths': (atMs) => Math.floor(atMs / 10) * 10,
  'an hour later': (atMs) => atMs + 3_600_000,
  'an hour earlier': (atMs) => atMs - 3_600_000,
  'two hours later': (atMs) => atMs + 7_200_000,
  'of 1970': (atMs) => Math.floor(atMs / 1_000),
};

const skusBy = (how: Folding): string => `SKUs ${how}`;

export const historyFaults = [
  fault('event-in-other-session', {
    says: 'A history shows the events of every session of its {of}.',
    behind: 'A join on the wrong column.',
    over: [{ of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (m, { of }) => ({
      shows: (list, call, world) => {
        const own = world.sessions.get(call.session ?? -1);
        if (call.op !== 'read-session' || own === undefined) return m.shows(list, call, world);
        const span = m.span(call, world);
        const items = [...world.sessions.values()]
          .filter((each) => isOfSame(of, each, own))
          .flatMap((each) => {
            const registers = world.histories.get(m.home(each))?.registers ?? new Map();
            return itemsOf<StoredEvent>(m, registers, span, 'first');
          });
        return m.shows({ items }, call, world);
      },
      // Which session comes first is not known.
      order: (option) => {
        const isBefore = m.order(option);
        return (a, b) => a.value?.session === b.value?.session && isBefore(a, b);
      },
    }),
  }),
  fault('history-order-wrong', {
    says: 'A history is in the order of {by}.',
    behind: 'The query sorts by another column.',
    over: ['ids', 'SKUs', 'types', 'ids, descending', 'batches, each from its end'].map((by) => ({ by })),
    alters: (_, { by }) => ({
      order: () => (a, b) => {
        const text = (value: StoredEvent | undefined): string =>
          String(by.startsWith('ids') ? value?.id : by === 'SKUs' ? (value?.sku ?? '') : value?.type);
        if (by === 'ids, descending') return text(b.value) < text(a.value);
        if (by.startsWith('batches')) return a.untilMs < b.fromMs || (a.call === b.call && a.index > b.index);
        return text(a.value) < text(b.value);
      },
    }),
  }),
  fault('history-without-shades', {
    says: 'Histories show events without their SKU.',
    behind: 'The serialiser leaves the SKU out.',
    alters: (m) => changing(m, (event) => ({ ...event, sku: undefined })),
  }),
  fault('interaction-changed', {
    says: 'Events show {what}.',
    behind: 'A conversion on the way into the store.',
    over: [
      'the type shade_selected for cart_intent',
      'no SKU for cart_intent',
      ...foldingNames.map(skusBy),
    ].map((what) => ({ what })),
    alters: (m, { what }) =>
      changing(m, (event) => {
        if (what.startsWith('the type')) return { ...event, type: 'shade_selected' };
        if (what.startsWith('no SKU'))
          return event.type === 'cart_intent' ? { ...event, sku: undefined } : event;
        const how = foldingNames.find((each) => skusBy(each) === what);
        return how === undefined || event.sku === undefined
          ? event
          : { ...event, sku: foldings[how](event.sku) };
      }),
  }),
  fault('interaction-changed', {
    says: 'The {field} {from} of an event is shown as {to} in {where}.',
    behind: 'A conversion that one of several versions, nodes or shards has.',
    over: ({ divergences }) =>
      changesShown(divergences).flatMap((each) =>
        ['every session', 'some sessions'].map((where) => ({ ...each, where })),
      ),
    alters: (m, { field, from, to, where }, { calls }) => {
      const hasChange = (event: CallEvent): boolean => event[field] === to;
      const shown = calls.filter((call) => saidBy(call).events?.some(hasChange) === true);
      const some = new Set(shown.map(({ session }) => session));
      const isMeant = ({ n }: LearntSession): boolean => where === 'every session' || some.has(n);
      return changing(m, (event, session) =>
        event[field] === from && isMeant(session) ? ({ ...event, [field]: to } as CallEvent) : event,
      );
    },
    price: 3,
  }),
  fault('interaction-changed', {
    says: 'All events of a batch have the {field} of its {which} event.',
    behind: 'A variable that the events of a batch share, or a value that is read once for each message.',
    over: (['at', 'sku', 'type'] as const).flatMap((field) => [
      { field, which: 'first' },
      { field, which: 'last' },
    ]),
    alters: (m, { field, which }) =>
      changing(m, (event, _, { events = [] }) => {
        const source = events.at(which === 'first' ? 0 : -1) ?? event;
        return { ...event, ...(field === 'at' ? { atMs: source.atMs } : { [field]: source[field] }) };
      }),
  }),
  fault('interaction-changed', {
    says: 'The instant of an event is shown {how}.',
    behind: 'A column without milliseconds, or a local time.',
    over: Object.keys(instants).map((how) => ({ how })),
    alters: (m, { how }) =>
      changing(m, (event) => ({ ...event, atMs: instants[how]?.(event.atMs) ?? event.atMs })),
  }),
];

/** Values of events that are shown for others: the first few. */
function changesShown(
  divergences: readonly Divergence[],
): { field: 'type' | 'sku'; from: string; to: string }[] {
  const found = divergences.flatMap(({ expected, got, kind, of: field }) => {
    if (kind !== 'value' || (field !== 'type' && field !== 'sku')) return [];
    const { [field]: from = '' } = expected as CallEvent;
    const { [field]: to = '' } = got as CallEvent;
    return [{ field, from, to } as const];
  });
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()].slice(0, 3);
}
