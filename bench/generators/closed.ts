/** A plan of our driver that goes as fast as the answers come on its connections, like a closed loop. */

import { type Clock, systemClock } from '../../src/drive/clock/clock.ts';
import { Lanes, whole } from '../../src/plan/lanes.ts';
import { journeysInSlots, sessionsInSlots } from '../../src/plan/phase-plan.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { generateCatalog } from '../../src/scenario/catalog/generate.ts';
import { createPopulation } from '../../src/scenario/shoppers/population.ts';
import type { Kind } from '../cost.ts';
import { eventsPerJourney } from './usage.ts';

/** Time between requests of the plan, in the time that the clock below shows. */
const stepNs = 1e6;
/** About twice what an answer takes in that time, so that about as many shoppers are under way as in the closed loop. */
const thinkMs = 100;

/**
 * A clock that jumps: a wait for an instant waits only for a free connection, and then it is that instant. So an open
 * plan goes as fast as a closed loop.
 */
export class LeapingClock implements Clock {
  readonly #real = systemClock();
  readonly zeroEpochMs = this.#real.zeroEpochMs;
  #leapNs = 0;
  #free: (() => void) | undefined;
  isFree = (): boolean => true;

  nowNs = (): number => this.#real.nowNs() + this.#leapNs;

  until(ns: number): Promise<void> {
    if (this.isFree()) {
      this.#leap(ns);
      return atOnce;
    }
    return new Promise((resolve) => {
      this.#free = () => {
        this.#leap(ns);
        resolve();
      };
    });
  }

  #leap(ns: number): void {
    this.#leapNs += Math.max(0, ns - this.nowNs());
  }

  /** An answer came. */
  answered(): void {
    if (this.#free === undefined || !this.isFree()) return;
    const free = this.#free;
    this.#free = undefined;
    free();
  }
}

const atOnce = Promise.resolve();

function* instants(count: number, everyNs: number): Generator<number> {
  for (let n = 0; n < count; n++) yield (n + 1) * everyNs;
}

const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 12 });
const population = createPopulation({ seed: 1, catalog });
const perJourney = eventsPerJourney + 2;
const context = {
  phase: 0,
  role: 'load',
  startNs: 0,
  horizonNs: Number.POSITIVE_INFINITY,
  untilNs: Number.POSITIVE_INFINITY,
  interactionsTakeSlots: false,
  catalog,
  corners: undefined,
  firstShopper: 0,
  population: {
    errand: population.errand,
    journey: (k: number) => {
      // The price of making a journey is paid; then every shopper does the same, so that both generators do.
      const journey = population.journey(k);
      const sku = catalog.products[journey.product]?.shades[0]?.sku ?? '';
      const event = {
        kind: 'interact',
        afterMs: thinkMs,
        events: [{ type: 'shade_selected', sku }],
      } as const;
      const events = Array.from({ length: eventsPerJourney }, () => event);
      const steps = [
        { kind: 'create-session', afterMs: 0 } as const,
        ...events,
        { kind: 'read-session', afterMs: thinkMs } as const,
      ];
      return { ...journey, patienceMs: 1e9, steps };
    },
  },
} as const;

/** The slots of a journey besides its events: it opens a session and reads it back. */
const slotsPerJourney = 2;
/** As many as a phase of so high a pace has. */
const lanes = { pressure: 1, journeys: 48 } as const;

/**
 * `requests` requests, of journeys or for sessions only; denser in proportion to the workers, so that each has the
 * same work.
 */
export function closedPlan(kind: Kind, requests: number, workers = 1): Plan {
  const everyNs = stepNs / workers;
  const range = { first: 0, count: lanes[kind], inPlan: lanes[kind] };
  return {
    phases: [],
    horizonNs: 0,
    laneCount: lanes[kind],
    requests: (shard = whole) => {
      const own = { ...context, lanes: new Lanes(range, shard) };
      if (kind === 'pressure') return sessionsInSlots(own, instants(requests, everyNs));
      const perSlot = perJourney / slotsPerJourney;
      return journeysInSlots(own, instants(requests / perSlot, everyNs * perSlot));
    },
  };
}
