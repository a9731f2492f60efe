import { type ApiCall, hasNoBody } from './call.ts';
import { type Expected, type ExpectedAnalytics, type MeanWays, nothing } from './expected.ts';
import { option, optionsOf } from './freedoms.ts';
import { mayShow, type Presence, presenceOf, type ReadSpan, type Write } from './register.ts';
import type { Item, Model, Range, TalliedSession } from './stages.ts';
import type { ModelledSession, StoredEvent, World } from './world.ts';

/**
 * What analytics of a product have to show, as intervals. What is newer than the promised freshness may be counted or not;
 * a session or an event that may not exist is in or out, jointly: means are taken to their extremes over the subsets.
 */

/** `isKnown`: whether the product has sessions that are counted. */
export function ofAnalytics(
  model: Model,
  world: World,
  call: ApiCall,
  account: string,
): Expected & { readonly isKnown: Presence } {
  const span = model.span(call, world);
  const visible = { fromMs: span.fromMs - model.promises.freshnessMs, untilMs: span.untilMs };
  const sessions = world.counted.flatMap((each) => {
    const presence = each.fromMs < visible.untilMs ? model.counts(each, call, account, world) : 'no';
    const isSure = presence === 'yes' && each.isSure && each.untilMs <= visible.fromMs;
    return presence === 'no' ? [] : [countedOf(model, world, call, each, visible, isSure)];
  });
  const least = sessions.filter(({ isSure }) => isSure).length;
  const isKnown = least > 0 ? 'yes' : sessions.length > 0 ? 'maybe' : 'no';
  if (hasNoBody(call)) return { ...nothing, isKnown };
  const times = sessions.map((each) => ({ ...each, times: model.times(each, call, world) }));
  const fewest = times.reduce((sum, each) => sum + (each.isSure ? each.times[0] : 0), 0);
  const most = times.reduce((sum, each) => sum + each.times[1], 0);
  const numbers = model.numbers({ total_sessions: [fewest, most] }, call, world);
  return { ...nothing, isKnown, numbers, analytics: analyticsOf(model, call, sessions) };
}

function analyticsOf(model: Model, call: ApiCall, sessions: readonly TalliedSession[]): ExpectedAnalytics {
  const shades = new Map<string, Range>();
  for (const { isSure, skus } of sessions)
    for (const [sku, [least, most]] of skus) {
      const [before, beforeMost] = shades.get(sku) ?? [0, 0];
      shades.set(sku, [before + (isSure ? least : 0), beforeMost + most]);
    }
  const means = [averageOf(model, sessions), rateOf(model, sessions)].map((mean) => ({
    ...mean,
    ways: mean.ways.map((way) => ({ ...way, range: model.mean(way.range, call, mean.field) })),
  }));
  return { means, shades };
}

/** The mean under each way to take it: what of a session is averaged, and over which sessions. */
const averageOf = (model: Model, sessions: readonly TalliedSession[]): MeanWays => ({
  field: 'avg_shades_per_session',
  ways: optionsOf('shadesPerSession').flatMap((of) =>
    optionsOf('sessionsAveraged').map((over) => ({
      given: [option('shadesPerSession', of), option('sessionsAveraged', over)],
      range: meanOf(sessions, (each) => model.worth(each, of), over === 'with-shades' ? 1 : undefined),
    })),
  ),
});

const rateOf = (model: Model, sessions: readonly TalliedSession[]): MeanWays => ({
  field: 'cart_intent_rate',
  ways: optionsOf('cartIntent').flatMap((of) =>
    optionsOf('cartOver').map((over) => ({
      given: [option('cartIntent', of), option('cartOver', over)],
      range: meanOf(sessions, (each) => model.worth(each, of), over === 'with-shades' ? 0 : undefined),
    })),
  ),
});

/**
 * The least and the most that a mean may be. `leastShaded`: only sessions with a shade count, each with at least so much; one
 * that may have a shade may count.
 */
function meanOf(
  sessions: readonly TalliedSession[],
  worthOf: (session: TalliedSession) => Range,
  leastShaded: number | undefined,
): Range {
  const isShaded = leastShaded !== undefined;
  const sure: Range[] = [];
  const maybe: Range[] = [];
  for (const each of sessions) {
    const [leastShades, mostShades] = each.distinct;
    if (isShaded && mostShades === 0) continue;
    const [least, most] = worthOf(each);
    const value = [Math.max(least, leastShaded ?? 0), Math.max(most, leastShaded ?? 0)] as const;
    (each.isSure && (!isShaded || leastShades > 0) ? sure : maybe).push(value);
  }
  const lows = maybe.map(([least]) => least).toSorted((a, b) => a - b);
  const highs = maybe.map(([, most]) => most).toSorted((a, b) => b - a);
  return [
    Math.min(
      ...meansOf(
        sure.map(([least]) => least),
        lows,
      ),
    ),
    Math.max(
      ...meansOf(
        sure.map(([, most]) => most),
        highs,
      ),
    ),
  ];
}

/** The mean of what counts for sure, and of that with more and more of what may count. Of no session it is 0. */
function meansOf(sure: readonly number[], inOrder: readonly number[]): readonly number[] {
  let count = sure.length;
  let sum = sure.reduce((all, each) => all + each, 0);
  const means = [count === 0 ? 0 : sum / count];
  for (const each of inOrder) {
    count += 1;
    sum += each;
    means.push(sum / count);
  }
  return means;
}

/** An event that analytics count for sure, or may count, with the span in which it was stored. */
interface CountedEvent extends ReadSpan {
  readonly isSure: boolean;
  readonly value: StoredEvent;
}

function countedOf(
  model: Model,
  world: World,
  call: ApiCall,
  counted: ModelledSession,
  visible: ReadSpan,
  isSure: boolean,
): TalliedSession {
  const session = counted.n === undefined ? undefined : world.sessions.get(counted.n);
  const shelf = session && world.histories.get(model.home(session));
  const own: Item<StoredEvent>[] = [];
  for (const { name, writes } of shelf?.registers.values() ?? []) {
    const register = writes.filter(({ value }) => value?.session === counted.n);
    if (register.length > 0) own.push({ name, register, may: mayShow(writes, visible, model.free, 'first') });
  }
  const tallied = session === undefined ? [] : model.tallies(own, session, call, world);
  return { n: counted.n, isSure, ...summaryOf(eventsOf(tallied, counted.n)) };
}

function eventsOf(items: readonly Item<StoredEvent>[], session: number | undefined): readonly CountedEvent[] {
  // Whether an event that is stored again counts again is open.
  const names = new Set<string>();
  return items.flatMap(({ may, name, register }) => {
    const values = new Map<string, StoredEvent>();
    for (const { value } of may)
      if (value?.session === session && value !== undefined) values.set(`${value.type} ${value.sku}`, value);
    const isSure = presenceOf(may) === 'yes' && values.size === 1 && !names.has(name);
    if (isSure) names.add(name);
    return [...values.values()].map((value) => ({ isSure, value, ...spanOf(register) }));
  });
}

/** In which of several writes an event came is not known. */
const spanOf = (register: readonly Write<StoredEvent>[]): ReadSpan => ({
  fromMs: Math.min(...register.map(({ fromMs }) => fromMs)),
  untilMs: Math.max(...register.map(({ untilMs }) => untilMs)),
});

function summaryOf(events: readonly CountedEvent[]): Omit<TalliedSession, 'isSure' | 'n'> {
  const selections = events.filter(({ value }) => value.type === 'shade_selected');
  const carts = events.filter(({ value }) => value.type === 'cart_intent');
  const skus = new Map<string, Range>();
  for (const { isSure, value } of selections) {
    const [least, most] = skus.get(value.sku ?? '') ?? [0, 0];
    skus.set(value.sku ?? '', [least + (isSure ? 1 : 0), most + 1]);
  }
  const ranges = [...skus.values()];
  const named = (some: readonly CountedEvent[]): number =>
    new Set(some.flatMap(({ value: { sku } }) => sku ?? [])).size;
  const sure = (some: readonly CountedEvent[]): number => some.filter(({ isSure }) => isSure).length;
  const isLast = carts.some((cart) => cart.isSure && selections.every((each) => isBefore(each, cart)));
  const isNotLast = selections.some((each) => each.isSure && carts.every((cart) => isBefore(cart, each)));
  return {
    skus,
    distinct: [ranges.filter(([least]) => least > 0).length, ranges.length],
    named: [named(events.filter(({ isSure }) => isSure)), named(events)],
    selections: [sure(selections), selections.length],
    carts: [sure(carts), carts.length],
    cartLast: [isLast ? 1 : 0, carts.length === 0 || isNotLast ? 0 : 1],
  };
}

/** Whether an event comes before another one for sure, by its arrival and by its own instant. */
const isBefore = (a: CountedEvent, b: CountedEvent): boolean =>
  a.untilMs < b.fromMs && a.value.atMs < b.value.atMs;
