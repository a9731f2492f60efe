import type { Catalog } from '../catalog/catalog.ts';
import type { Errand, Journey, JourneyStep } from '../shoppers/journey.ts';
import type { Role } from '../target/profile.ts';
import { MinHeap } from './heap.ts';
import { isIn, type Shard, whole } from './shard.ts';

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

/** In place of a request for a shopper who is another shard's: only that there is one, and when. */
export interface Elsewhere {
  readonly atNs: number;
  readonly step: undefined;
}

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
  /** Whose requests are made; what others do is not left out, since who is next in a slot depends on all. */
  readonly shard?: Shard;
}

/** A shopper part way through a journey. */
type Visit = OwnVisit | VisitElsewhere;

interface OwnVisit {
  readonly journey: Journey;
  next: number;
}

/** Of a shopper of another shard nothing is kept but the waits. */
interface VisitElsewhere {
  readonly journey: undefined;
  readonly waits: readonly number[];
  next: number;
}

function visitOf({ population, shard = whole }: PhaseContext, shopper: number): Visit {
  const journey = population.journey(shopper);
  if (isIn(shard, shopper)) return { journey, next: 0 };
  return { journey: undefined, waits: journey.steps.map(waitFor), next: 0 };
}

/** Think time before a step, ms; of a step that spends the rate the negative of it, which may be −0. */
function waitFor({ afterMs, kind }: JourneyStep): number {
  return kind === 'interact' ? afterMs : -afterMs;
}

function isAct(wait: number): boolean {
  return wait > 0 || Object.is(wait, 0);
}

/** The wait for a visit's next step; undefined after the last. */
function nextWait(visit: Visit): number | undefined {
  if (visit.journey === undefined) return visit.waits[visit.next];
  const step = visit.journey.steps[visit.next];
  return step === undefined ? undefined : waitFor(step);
}

/** What a phase's stream gives: as many as there are requests in the plan, in their order. */
type Planned = PlannedRequest | Elsewhere;

/**
 * Lays journeys into slots. Every slot gets exactly one request that spends the key's rate limit: the step of a shopper
 * under way that has been due the longest, or else the first step of a new shopper. Acts over the interaction channel
 * need no slot and come at their own think times.
 */
export function* journeysInSlots(context: PhaseContext, slots: Iterable<number>): Generator<Planned> {
  const acts = new MinHeap<Visit>();
  const waiting = new MinHeap<Visit>();
  const enqueue = (visit: Visit, afterNs: number): void => {
    const wait = nextWait(visit);
    if (wait !== undefined) (isAct(wait) ? acts : waiting).push(afterNs + Math.abs(wait) * 1e6, visit);
  };
  const nextAct = (untilNs: number): Planned | undefined => takeDue(context, acts, untilNs, enqueue);
  let shopper = context.firstShopper;
  for (const slot of slots) {
    const slotNs = context.startNs + slot;
    for (let act = nextAct(slotNs); act !== undefined; act = nextAct(slotNs)) yield act;
    const visit = (waiting.minKey <= slotNs ? waiting.pop() : undefined) ?? visitOf(context, shopper++);
    const step = take(context, visit, slotNs);
    enqueue(visit, slotNs);
    yield step;
  }
  const { horizonNs } = context;
  for (let act = nextAct(horizonNs); act !== undefined; act = nextAct(horizonNs)) yield act;
}

/** Shoppers who arrive at given instants and act at their own pace from then on. */
export function* journeysFrom(context: PhaseContext, arrivals: Iterable<number>): Generator<Planned> {
  const due = new MinHeap<Visit>();
  const enqueue = (visit: Visit, afterNs: number): void => {
    const wait = nextWait(visit);
    if (wait !== undefined) due.push(afterNs + Math.abs(wait) * 1e6, visit);
  };
  const next = (untilNs: number): Planned | undefined => takeDue(context, due, untilNs, enqueue);
  let shopper = context.firstShopper;
  for (const arrival of arrivals) {
    const arrivalNs = context.startNs + arrival;
    for (let step = next(arrivalNs); step !== undefined; step = next(arrivalNs)) yield step;
    enqueue(visitOf(context, shopper++), arrivalNs);
  }
  const { horizonNs } = context;
  for (let step = next(horizonNs); step !== undefined; step = next(horizonNs)) yield step;
}

/** A new session in every slot, and nothing in it. */
export function* sessionsInSlots(context: PhaseContext, slots: Iterable<number>): Generator<Planned> {
  const { shard = whole } = context;
  let shopper = context.firstShopper;
  for (const slot of slots) {
    const atNs = context.startNs + slot;
    yield isIn(shard, shopper)
      ? request(context, atNs, shopper, true, creation(context, shopper, context.population.errand(shopper)))
      : elsewhere(atNs);
    shopper++;
  }
}

/** GET /shades in every slot. */
export function* readsInSlots(context: PhaseContext, slots: Iterable<number>): Generator<Planned> {
  const { catalog, shard = whole } = context;
  const step = { kind: 'list-shades', catalogId: catalog.id } as const;
  let shopper = context.firstShopper;
  for (const slot of slots) {
    const atNs = context.startNs + slot;
    yield isIn(shard, shopper) ? request(context, atNs, shopper, true, step) : elsewhere(atNs);
    shopper++;
  }
}

/** The first step in a queue, if it is due before an instant, with the one after it put back into a queue. */
function takeDue(
  context: PhaseContext,
  queue: MinHeap<Visit>,
  untilNs: number,
  enqueue: (visit: Visit, afterNs: number) => void,
): Planned | undefined {
  if (queue.minKey >= untilNs) return undefined;
  const atNs = Math.round(queue.minKey);
  const visit = queue.pop();
  if (visit === undefined) return undefined;
  const step = take(context, visit, atNs);
  enqueue(visit, atNs);
  return step;
}

function elsewhere(atNs: number): Elsewhere {
  return { atNs, step: undefined };
}

function take(context: PhaseContext, visit: Visit, atNs: number): Planned {
  if (visit.journey === undefined) {
    visit.next++;
    return elsewhere(atNs);
  }
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
