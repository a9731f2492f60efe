import type { Profile } from '../../target/profile.ts';
import type { Bounds, Prior } from './expectation.ts';
import { type EndConvention, periodOf } from './period.ts';
import type { Baseline, Query, Questions, ReturnedShade } from './questions.ts';

/**
 * Whose sessions an answer may count beside the run's own. Product ids are unique to the run, so filtered answers are
 * the run's alone; unfiltered ones come on top of what the account held, and of what others do meanwhile.
 */
export interface Population {
  /** `closed`: nobody else adds to it. `open`: foreign sessions may have been added, so only lower bounds hold. */
  readonly kind: 'closed' | 'open';
  readonly prior: Prior;
  /** top_shades of the baseline; null when it was not read. Empty: nothing was there. */
  readonly priorShades: readonly ReturnedShade[] | null;
  /** Why it is open, for the reader; null when closed. */
  readonly openBecause: string | null;
}

const nothing: Prior = { sessions: 0, average: { min: 0, max: 0 }, rate: { min: 0, max: 0 } };
const alone: Population = { kind: 'closed', prior: nothing, priorShades: [], openBecause: null };

/** The population of `query`, under a convention of the period's end. `clockNowMs` turns a run instant (ns) into the target's clock at its earliest. */
export function populationOf(
  query: Query,
  end: EndConvention,
  questions: Questions,
  profile: Profile['analytics'],
  latestTargetMs: (runNs: number) => number,
): Population {
  if (query.productId !== null) return alone;
  const baseline = questions.baselines.findLast((candidate) =>
    applies(candidate, query, end, latestTargetMs),
  );
  const sessions = baseline?.returned.totalSessions ?? null;
  if (baseline === undefined || sessions === null) {
    return {
      kind: 'open',
      prior: nothing,
      priorShades: null,
      openBecause: 'the account was not read before the run, so that what it held already is unknown',
    };
  }
  if (sessions === 0) return alone;
  const slack = 0.5 * 10 ** -profile.decimals;
  const around = (value: number | null): Bounds | null =>
    value === null ? null : { min: Math.max(0, value - slack), max: value + slack };
  return {
    kind: profile.exclusive ? 'closed' : 'open',
    prior: {
      sessions,
      average: around(baseline.returned.avgShadesPerSession),
      rate: around(baseline.returned.cartIntentRate),
    },
    priorShades: baseline.returned.topShades,
    openBecause: profile.exclusive
      ? null
      : `the account held ${sessions} sessions before the run, and others may use it (profile: analytics.exclusive is false)`,
  };
}

/** Whether a baseline tells what an unfiltered query's period held: the same dates, or an end that both put in the future. */
function applies(
  baseline: Baseline,
  query: Query,
  end: EndConvention,
  latestTargetMs: (runNs: number) => number,
): boolean {
  if (baseline.credential !== query.credential || baseline.startDate !== query.startDate) return false;
  if (baseline.endDate === query.endDate) return true;
  const asked = periodOf(baseline.startDate, baseline.endDate, end);
  const wanted = periodOf(query.startDate, query.endDate, end);
  const nowMs = latestTargetMs(baseline.sentNs);
  return asked !== undefined && wanted !== undefined && asked.endLowMs > nowMs && wanted.endLowMs > nowMs;
}

/** How many selections of a SKU the account may have held before the run. */
export function priorSelections(population: Population, sku: string): Bounds {
  if (population.priorShades === null) return { min: 0, max: Number.POSITIVE_INFINITY };
  const listed = population.priorShades.find((shade) => shade.sku === sku);
  if (listed !== undefined) return { min: listed.selections, max: listed.selections };
  // Not among the baseline's top: at most as often as the last that is.
  return { min: 0, max: population.priorShades.at(-1)?.selections ?? 0 };
}
