import type { Catalog } from '../scenario/catalog/catalog.ts';
import type { CornerCatalog } from '../scenario/catalog/unusual-shades.ts';
import {
  type Errand,
  type Journey,
  type JourneyStep,
  type Population,
  unusualPlace,
  unusualSteps,
} from '../scenario/shoppers/population.ts';
import type { Role } from '../vocabulary/roles.ts';
import { MinHeap } from './heap.ts';
import type { Lanes } from './lanes.ts';

/** One request that a plan wants sent. */
export interface PlannedRequest {
  /** Different from every other's in the plan: see `Lanes.nextNumber`. */
  readonly number: number;
  /** Nanoseconds since the start of the load. */
  readonly atNs: number;
  /** Index of the phase in the plan. */
  readonly phase: number;
  /** Whose key pays, or whose session gets events. */
  readonly role: Role;
  readonly step: PlannedStep;
  /** The shopper whose step it is. */
  readonly shopper: number;
  /** No later step of this shopper is planned. */
  readonly last: boolean;
}

export type PlannedStep =
  | { readonly kind: 'list-shades'; readonly catalogId: string }
  | {
      readonly kind: 'create-session';
      readonly productId: string;
      readonly catalogId: string;
      readonly locale: string;
      readonly patienceMs: number;
    }
  | Extract<JourneyStep, { kind: 'interact' }>
  | { readonly kind: 'read-session' };

/** All that a phase's requests are made from. */
export interface PhaseContext {
  readonly phase: number;
  readonly role: Role;
  readonly startNs: number;
  /** Nothing is planned at or after this instant: the load is over. */
  readonly horizonNs: number;
  /** When the next phase sends with this key, or the load ends: shoppers of a paced phase do nothing from then on. */
  readonly untilNs: number;
  /** In a paced phase interactions take slots, since they spend the key's rate limit like all else. */
  readonly interactionsTakeSlots: boolean;
  readonly catalog: Catalog;
  readonly population: Population;
  /** Unusual shades for some of the shoppers; undefined: for none. */
  readonly corners: CornerCatalog | undefined;
  /** Number of the phase's first shopper. */
  readonly firstShopper: number;
  /** Which shoppers' requests are made. */
  readonly lanes: Lanes;
}

/** What a session is opened with. */
type VisitOpening = Pick<
  Extract<PlannedStep, { kind: 'create-session' }>,
  'productId' | 'catalogId' | 'locale'
>;

/** A shopper part way through a journey. */
interface LaneVisit {
  readonly lane: number;
  readonly journey: Journey;
  /** Undefined for a shopper who is not one's own. */
  readonly opening: VisitOpening | undefined;
  next: number;
}

/** Puts a visit into a queue until its next step is due, if it has one. */
type Enqueue = (visit: LaneVisit, afterNs: number) => void;

/**
 * Puts journeys into slots. Every slot gets exactly one request that spends the key's rate limit: the longest due
 * step of the lane's shoppers, else the first step of a new shopper. Interactions that spend no limit need no slot
 * and come at their think times. They end before the next phase with the same key: they may spend its limit after
 * all, and a recovery phase must be quiet.
 */
export function* journeysInSlots(context: PhaseContext, slots: Iterable<number>): Generator<PlannedRequest> {
  const { interactionsTakeSlots, lanes, startNs, untilNs } = context;
  const interactions = new MinHeap<LaneVisit>();
  const queues = Array.from({ length: lanes.count }, (_, lane) => ({
    waiting: new MinHeap<LaneVisit>(),
    newcomer: lane,
  }));
  const enqueue: Enqueue = (visit, afterNs) => {
    const step = visit.journey.steps[visit.next];
    if (step === undefined) return;
    const queue =
      step.kind === 'interact' && !interactionsTakeSlots ? interactions : queues[visit.lane]?.waiting;
    queue?.push(afterNs + step.afterMs * 1e6, visit);
  };
  let nth = 0;
  for (const slot of slots) {
    const lane = nth++ % lanes.count;
    const queue = queues[lane];
    if (queue === undefined || !lanes.hasOwn(lane)) continue;
    const slotNs = startNs + slot;
    yield* dueBefore(slotNs, context, interactions, enqueue);
    let visit = queue.waiting.minKey <= slotNs ? queue.waiting.pop() : undefined;
    if (visit === undefined) {
      visit = visitOf(context, queue.newcomer);
      queue.newcomer += lanes.count;
    }
    const step = take(context, visit, slotNs);
    enqueue(visit, slotNs);
    if (step !== undefined) yield step;
  }
  yield* dueBefore(untilNs, context, interactions, enqueue);
}

/** Shoppers who arrive at given instants and then send at their think times. */
export function* journeysFrom(context: PhaseContext, arrivals: Iterable<number>): Generator<PlannedRequest> {
  const { horizonNs, lanes, startNs } = context;
  const due = new MinHeap<LaneVisit>();
  const enqueue: Enqueue = (visit, afterNs) => {
    const step = visit.journey.steps[visit.next];
    if (step !== undefined) due.push(afterNs + step.afterMs * 1e6, visit);
  };
  let nth = -1;
  for (const arrival of arrivals) {
    if (!lanes.hasOwn(++nth % lanes.count)) continue;
    const arrivalNs = startNs + arrival;
    yield* dueBefore(arrivalNs, context, due, enqueue);
    enqueue(visitOf(context, nth), arrivalNs);
  }
  yield* dueBefore(horizonNs, context, due, enqueue);
}

/** A new session in every slot, and nothing in it. */
export function sessionsInSlots(context: PhaseContext, slots: Iterable<number>): Iterable<PlannedRequest> {
  return oneEach(context, slots, (shopper) => {
    const errand = context.population.errand(shopper);
    return creation(openingOf(context, shopper, errand), errand);
  });
}

/** GET /shades in every slot. */
export function readsInSlots(context: PhaseContext, slots: Iterable<number>): Iterable<PlannedRequest> {
  const step = { kind: 'list-shades', catalogId: context.catalog.id } as const;
  const unusual = { ...step, catalogId: context.corners?.id ?? step.catalogId };
  return oneEach(context, slots, (shopper) => (unusualPlace(shopper) === undefined ? step : unusual));
}

/** A shopper with one step in every slot. */
function* oneEach(
  context: PhaseContext,
  slots: Iterable<number>,
  stepOf: (shopper: number) => PlannedStep,
): Generator<PlannedRequest> {
  const { firstShopper, lanes, phase, role, startNs } = context;
  let nth = -1;
  for (const slot of slots) {
    const number = lanes.nextNumber(++nth % lanes.count);
    if (!lanes.isOwn(nth)) continue;
    const shopper = firstShopper + nth;
    yield { number, atNs: startNs + slot, phase, role, step: stepOf(shopper), shopper, last: true };
  }
}

/** With what the phase's n-th shopper comes. */
function visitOf(context: PhaseContext, nth: number): LaneVisit {
  const { corners, firstShopper, lanes, population } = context;
  const shopper = firstShopper + nth;
  const journey = population.journey(shopper);
  const lane = nth % lanes.count;
  if (!lanes.isOwn(nth)) return { lane, journey, opening: undefined, next: 0 };
  const opening = openingOf(context, shopper, journey);
  const place = unusualPlace(shopper);
  if (corners === undefined || place === undefined) return { lane, journey, opening, next: 0 };
  const steps = unusualSteps(journey.steps, corners, place);
  return { lane, journey: { ...journey, steps }, opening, next: 0 };
}

/** The steps in a queue that are due before an instant, each followed in a queue by the one after it. */
function* dueBefore(
  untilNs: number,
  context: PhaseContext,
  queue: MinHeap<LaneVisit>,
  enqueue: Enqueue,
): Generator<PlannedRequest> {
  while (queue.minKey < untilNs) {
    const atNs = Math.round(queue.minKey);
    const visit = queue.pop();
    if (visit === undefined) return;
    const step = take(context, visit, atNs);
    enqueue(visit, atNs);
    if (step !== undefined) yield step;
  }
}

/** Goes on with a visit: its next step, if the shopper is one's own. */
function take(context: PhaseContext, visit: LaneVisit, atNs: number): PlannedRequest | undefined {
  const { journey, lane, opening } = visit;
  const step = journey.steps[visit.next];
  if (step === undefined) throw new Error(`shopper ${journey.shopper}: no step ${visit.next}`);
  visit.next++;
  const number = context.lanes.nextNumber(lane);
  if (opening === undefined) return undefined;
  const last = visit.next === journey.steps.length;
  const { phase, role } = context;
  return { number, atNs, phase, role, step: planned(opening, journey, step), shopper: journey.shopper, last };
}

function planned(opening: VisitOpening, errand: Errand, step: JourneyStep): PlannedStep {
  switch (step.kind) {
    case 'list-shades':
      return { kind: 'list-shades', catalogId: opening.catalogId };
    case 'create-session':
      return creation(opening, errand);
    case 'interact':
      return step;
    case 'read-session':
      return { kind: 'read-session' };
  }
}

/** With what a shopper opens a session. */
function openingOf({ catalog, corners }: PhaseContext, shopper: number, errand: Errand): VisitOpening {
  const product = catalog.products[errand.product];
  if (product === undefined)
    throw new Error(`shopper ${shopper}: the catalog has no product ${errand.product}`);
  const isUnusual = corners !== undefined && unusualPlace(shopper) !== undefined;
  return {
    productId: product.id,
    catalogId: isUnusual ? corners.id : catalog.id,
    locale: errand.locale,
  };
}

function creation(opening: VisitOpening, { patienceMs }: Errand): PlannedStep {
  return { kind: 'create-session', ...opening, patienceMs };
}
