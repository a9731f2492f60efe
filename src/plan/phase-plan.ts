import type { Catalog } from '../catalog/catalog.ts';
import type { Errand, Journey, JourneyStep } from '../shoppers/journey.ts';
import type { Role } from '../target/profile.ts';
import { MinHeap } from './heap.ts';
import type { Lanes } from './lanes.ts';

/** One request that a plan wants sent. */
export interface PlannedRequest {
  /** Its own in the plan, by its lane and its place there. */
  readonly number: number;
  /** Nanoseconds since the start of the load. */
  readonly atNs: number;
  /** Index of the phase in the plan. */
  readonly phase: number;
  /** Whose key pays, or whose session is acted upon. */
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

/** The part of a population that a plan needs. */
export interface Journeys {
  journey(k: number): Journey;
  errand(k: number): Errand;
}

/** All that a phase's requests are made from. */
export interface PhaseContext {
  readonly phase: number;
  readonly role: Role;
  readonly startNs: number;
  /** Nothing is planned at or after this instant: the load is over. */
  readonly horizonNs: number;
  readonly catalog: Catalog;
  readonly population: Journeys;
  /** Number of the phase's first shopper. */
  readonly firstShopper: number;
  /** Only shoppers in lanes of one's own are there. */
  readonly lanes: Lanes;
}

/** A shopper part way through a journey. */
interface Visit {
  readonly lane: number;
  readonly journey: Journey;
  next: number;
}

/** Puts a visit into a queue until its next step is due, if it has one. */
type Enqueue = (visit: Visit, afterNs: number) => void;

/**
 * Lays journeys into slots. Every slot gets exactly one request that spends the key's rate limit: of the shoppers under way in
 * its lane the step that has been due the longest, or else the first step of a new shopper. Acts over the interaction channel
 * need no slot and come at their own think times.
 */
export function* journeysInSlots(context: PhaseContext, slots: Iterable<number>): Generator<PlannedRequest> {
  const { firstShopper, horizonNs, lanes, startNs } = context;
  const acts = new MinHeap<Visit>();
  const queues = Array.from({ length: lanes.count }, (_, lane) => ({
    waiting: new MinHeap<Visit>(),
    newcomer: firstShopper + lane,
  }));
  const enqueue: Enqueue = (visit, afterNs) => {
    const step = visit.journey.steps[visit.next];
    if (step === undefined) return;
    const queue = step.kind === 'interact' ? acts : queues[visit.lane]?.waiting;
    queue?.push(afterNs + step.afterMs * 1e6, visit);
  };
  const nextAct = (untilNs: number): PlannedRequest | undefined => takeDue(context, acts, untilNs, enqueue);
  let nth = 0;
  for (const slot of slots) {
    const lane = nth++ % lanes.count;
    const queue = queues[lane];
    if (queue === undefined || !lanes.isOwn(lane)) continue;
    const slotNs = startNs + slot;
    for (let act = nextAct(slotNs); act !== undefined; act = nextAct(slotNs)) yield act;
    let visit = queue.waiting.minKey <= slotNs ? queue.waiting.pop() : undefined;
    if (visit === undefined) {
      visit = visitOf(context, lane, queue.newcomer);
      queue.newcomer += lanes.count;
    }
    const step = take(context, visit, slotNs);
    enqueue(visit, slotNs);
    yield step;
  }
  for (let act = nextAct(horizonNs); act !== undefined; act = nextAct(horizonNs)) yield act;
}

/** Shoppers who arrive at given instants and act at their own pace from then on. */
export function* journeysFrom(context: PhaseContext, arrivals: Iterable<number>): Generator<PlannedRequest> {
  const { firstShopper, horizonNs, lanes, startNs } = context;
  const due = new MinHeap<Visit>();
  const enqueue: Enqueue = (visit, afterNs) => {
    const step = visit.journey.steps[visit.next];
    if (step !== undefined) due.push(afterNs + step.afterMs * 1e6, visit);
  };
  const next = (untilNs: number): PlannedRequest | undefined => takeDue(context, due, untilNs, enqueue);
  let nth = -1;
  for (const arrival of arrivals) {
    const lane = ++nth % lanes.count;
    if (!lanes.isOwn(lane)) continue;
    const arrivalNs = startNs + arrival;
    for (let step = next(arrivalNs); step !== undefined; step = next(arrivalNs)) yield step;
    enqueue(visitOf(context, lane, firstShopper + nth), arrivalNs);
  }
  for (let step = next(horizonNs); step !== undefined; step = next(horizonNs)) yield step;
}

/** A new session in every slot, and nothing in it. */
export function sessionsInSlots(context: PhaseContext, slots: Iterable<number>): Iterable<PlannedRequest> {
  return oneEach(context, slots, (shopper) => creation(context, shopper, context.population.errand(shopper)));
}

/** GET /shades in every slot. */
export function readsInSlots(context: PhaseContext, slots: Iterable<number>): Iterable<PlannedRequest> {
  const step = { kind: 'list-shades', catalogId: context.catalog.id } as const;
  return oneEach(context, slots, () => step);
}

/** A shopper with one step in every slot. */
function* oneEach(
  context: PhaseContext,
  slots: Iterable<number>,
  stepOf: (shopper: number) => PlannedStep,
): Generator<PlannedRequest> {
  const { firstShopper, lanes, startNs } = context;
  let nth = -1;
  for (const slot of slots) {
    const lane = ++nth % lanes.count;
    if (!lanes.isOwn(lane)) continue;
    const shopper = firstShopper + nth;
    yield request(context, lane, startNs + slot, shopper, true, stepOf(shopper));
  }
}

function visitOf({ population }: PhaseContext, lane: number, shopper: number): Visit {
  return { lane, journey: population.journey(shopper), next: 0 };
}

/** The first step in a queue, if it is due before an instant, with the one after it put back into a queue. */
function takeDue(
  context: PhaseContext,
  queue: MinHeap<Visit>,
  untilNs: number,
  enqueue: Enqueue,
): PlannedRequest | undefined {
  if (queue.minKey >= untilNs) return undefined;
  const atNs = Math.round(queue.minKey);
  const visit = queue.pop();
  if (visit === undefined) return undefined;
  const step = take(context, visit, atNs);
  enqueue(visit, atNs);
  return step;
}

function take(context: PhaseContext, visit: Visit, atNs: number): PlannedRequest {
  const { journey, lane } = visit;
  const step = journey.steps[visit.next];
  if (step === undefined) throw new Error(`shopper ${journey.shopper}: no step ${visit.next}`);
  visit.next++;
  const last = visit.next === journey.steps.length;
  return request(context, lane, atNs, journey.shopper, last, planned(context, journey, step));
}

function planned(context: PhaseContext, journey: Journey, step: JourneyStep): PlannedStep {
  switch (step.kind) {
    case 'list-shades':
      return { kind: 'list-shades', catalogId: context.catalog.id };
    case 'create-session':
      return creation(context, journey.shopper, journey);
    case 'interact':
      return step;
    case 'read-session':
      return { kind: 'read-session' };
  }
}

function creation(context: PhaseContext, shopper: number, errand: Errand): PlannedStep {
  const product = context.catalog.products[errand.product];
  if (product === undefined)
    throw new Error(`shopper ${shopper}: the catalog has no product ${errand.product}`);
  return {
    kind: 'create-session',
    productId: product.id,
    catalogId: context.catalog.id,
    locale: errand.locale,
    patienceMs: errand.patienceMs,
  };
}

function request(
  { lanes, phase, role }: PhaseContext,
  lane: number,
  atNs: number,
  shopper: number,
  last: boolean,
  step: PlannedStep,
): PlannedRequest {
  return { number: lanes.nextNumber(lane), atNs, phase, role, step, shopper, last };
}
