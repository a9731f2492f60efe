import type { Catalog } from '../catalog/catalog.ts';
import type { Errand, Journey, JourneyStep } from '../shoppers/journey.ts';
import type { Role } from '../target/profile.ts';
import { MinHeap } from './heap.ts';

/** One request that a plan wants sent. */
export interface PlannedRequest {
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
}

/** A shopper part way through a journey. */
interface Visit {
  readonly journey: Journey;
  next: number;
}

/**
 * Lays journeys into slots. Every slot gets exactly one request that spends the key's rate limit: the step of a shopper
 * under way that has been due the longest, or else the first step of a new shopper. Acts over the interaction channel
 * need no slot and come at their own think times.
 */
export function* journeysInSlots(context: PhaseContext, slots: Iterable<number>): Generator<PlannedRequest> {
  const acts = new MinHeap<Visit>();
  const waiting = new MinHeap<Visit>();
  let shopper = context.firstShopper;
  const enqueue = (visit: Visit, afterNs: number): void => {
    const step = visit.journey.steps[visit.next];
    if (step === undefined) return;
    (step.kind === 'interact' ? acts : waiting).push(afterNs + step.afterMs * 1e6, visit);
  };
  for (const slot of slots) {
    const slotNs = context.startNs + slot;
    yield* drain(context, acts, slotNs, enqueue);
    const visit = (waiting.minKey <= slotNs ? waiting.pop() : undefined) ?? {
      journey: context.population.journey(shopper++),
      next: 0,
    };
    yield take(context, visit, slotNs);
    enqueue(visit, slotNs);
  }
  yield* drain(context, acts, context.horizonNs, enqueue);
}

/** Shoppers who arrive at given instants and act at their own pace from then on. */
export function* journeysFrom(context: PhaseContext, arrivals: Iterable<number>): Generator<PlannedRequest> {
  const due = new MinHeap<Visit>();
  let shopper = context.firstShopper;
  const enqueue = (visit: Visit, afterNs: number): void => {
    const step = visit.journey.steps[visit.next];
    if (step !== undefined) due.push(afterNs + step.afterMs * 1e6, visit);
  };
  for (const arrival of arrivals) {
    const arrivalNs = context.startNs + arrival;
    yield* drain(context, due, arrivalNs, enqueue);
    enqueue({ journey: context.population.journey(shopper++), next: 0 }, arrivalNs);
  }
  yield* drain(context, due, context.horizonNs, enqueue);
}

/** A new session in every slot, and nothing in it. */
export function* sessionsInSlots(context: PhaseContext, slots: Iterable<number>): Generator<PlannedRequest> {
  let shopper = context.firstShopper;
  for (const slot of slots) {
    const step = creation(context, shopper, context.population.errand(shopper));
    yield request(context, context.startNs + slot, shopper, true, step);
    shopper++;
  }
}

/** GET /shades in every slot. */
export function* readsInSlots(context: PhaseContext, slots: Iterable<number>): Generator<PlannedRequest> {
  let shopper = context.firstShopper;
  for (const slot of slots) {
    yield request(context, context.startNs + slot, shopper++, true, {
      kind: 'list-shades',
      catalogId: context.catalog.id,
    });
  }
}

function* drain(
  context: PhaseContext,
  queue: MinHeap<Visit>,
  untilNs: number,
  enqueue: (visit: Visit, afterNs: number) => void,
): Generator<PlannedRequest> {
  while (queue.minKey < untilNs) {
    const atNs = Math.round(queue.minKey);
    const visit = queue.pop();
    if (visit === undefined) return;
    yield take(context, visit, atNs);
    enqueue(visit, atNs);
  }
}

function take(context: PhaseContext, visit: Visit, atNs: number): PlannedRequest {
  const step = visit.journey.steps[visit.next];
  if (step === undefined) throw new Error(`shopper ${visit.journey.shopper}: no step ${visit.next}`);
  visit.next++;
  const last = visit.next === visit.journey.steps.length;
  return request(context, atNs, visit.journey.shopper, last, planned(context, visit.journey, step));
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
  context: PhaseContext,
  atNs: number,
  shopper: number,
  last: boolean,
  step: PlannedStep,
): PlannedRequest {
  return { atNs, phase: context.phase, role: context.role, step, shopper, last };
}
