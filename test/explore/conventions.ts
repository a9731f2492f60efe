import { type FreedomName, type FreedomOption, freedomNames, optionsOf } from '../../src/model/freedoms.ts';
import { type ModelPromises, usualMostEvents } from '../../src/model/stages.ts';
import { randomStream } from '../../src/random.ts';

/** A target that promises what is usual. */
export const usualPromises: ModelPromises = {
  accounts: { load: 'A', twin: 'A', other: 'B' },
  channel: 'token',
  importVisibleMs: 10_000,
  eventsVisibleMs: 1_000,
  sessionVisibleMs: 0,
  mostEvents: usualMostEvents,
  finishes: ['matte'],
  freshnessMs: 10_000,
  decimals: 2,
  clockSkewMs: 2_000,
  redeliveredMs: 0,
  freedoms: { refusedImport: 'nothing', refusedEvents: 'nothing' },
};

/** How a service decides each freedom. */
export type FreedomChoices = { readonly [Name in FreedomName]?: FreedomOption<Name> };

/** A service of some conventions: how it decides what the interface leaves open, and what its network does. */
export interface SimulatedService {
  readonly seed: number;
  readonly freedoms: FreedomChoices;
  readonly importStatus: 200 | 201 | 202;
  /** How long an effect may stay invisible after a 202. */
  readonly lagMs: number;
  readonly lifetimeMs: number;
  readonly mendsShades: boolean;
  readonly createsEmpty: boolean;
  /** A request with more events is refused. */
  readonly mostEvents: number;
  readonly hexCase: 'kept' | 'upper' | 'lower';
  /** How late analytics are, how many decimals their means have, and how many shades they list. */
  readonly analyticsLagMs: number;
  readonly decimals: number;
  readonly topShades: number;
  /** How many elements of a list are on its first page; the others are not read. */
  readonly pageSize?: number | undefined;
  /** Shares of calls that lose their answer, are delivered twice, and meet a limit. */
  readonly lost: number;
  readonly repeated: number;
  readonly limited: number;
}

/** The usual service: no loss, no delay. */
export const plainService: Omit<SimulatedService, 'seed'> = {
  freedoms: Object.fromEntries(freedomNames.map((name) => [name, optionsOf(name)[0]])),
  importStatus: 200,
  lagMs: 0,
  lifetimeMs: 1_800_000,
  mendsShades: false,
  createsEmpty: true,
  mostEvents: Number.POSITIVE_INFINITY,
  hexCase: 'kept',
  analyticsLagMs: 0,
  decimals: 4,
  topShades: 10,
  lost: 0,
  repeated: 0,
  limited: 0,
};

/** A service whose conventions are drawn. What the promises pin stays. */
export function drawnService(seed: number, { freedoms, freshnessMs }: ModelPromises): SimulatedService {
  const random = randomStream(seed, 'conventions');
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const one = (name: FreedomName): readonly [string, string] => {
    const promised = freedoms[name] ?? optionsOf(name);
    return [name, typeof promised === 'string' ? promised : pick<string>(promised)];
  };
  const choices = Object.fromEntries(freedomNames.map(one));
  const importStatus = pick([200, 201, 202] as const);
  const lagMs = pick([0, 0, 300, 900]);
  // What is refused before it is queued is never stored.
  const isQueued = importStatus === 202 && lagMs > 0;
  return {
    seed,
    freedoms: isQueued ? { ...choices, refusedImport: 'nothing' } : choices,
    importStatus,
    lagMs,
    lifetimeMs: pick([1_800_000, 86_400_000, 2_000]),
    hexCase: pick(['kept', 'upper', 'lower']),
    pageSize: pick([undefined, undefined, undefined, 50]),
    lost: pick([0, 0, 0.01, 0.05]),
    repeated: pick([0, 0, 0.05]),
    limited: pick([0, 0, 0.02]),
    mendsShades: pick([false, false, true]),
    createsEmpty: pick([true, false]),
    mostEvents: pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 100, 25]),
    analyticsLagMs: pick([0, 0, 0.3, 0.95]) * freshnessMs,
    decimals: pick([2, 4, 15]),
    topShades: pick([1, 5, 10, 1_000]),
  };
}

/** What a judge has to be told of such a service. */
export function promisesOf(service: SimulatedService, base: ModelPromises = usualPromises): ModelPromises {
  return { ...base, redeliveredMs: service.repeated > 0 ? redeliveredMs : 0 };
}

export const redeliveredMs = 1_000;
