import {
  type DurationText,
  named,
  parseDurationMs,
  percentileExpected,
  type RateText,
} from '../vocabulary/quantities.ts';
import { assertKnown, ratePerMs, wholeFrom } from './arguments.ts';

/**
 * Studies run after the load, where the next request depends on earlier answers. They are not part of the plan; their
 * bounds are announced.
 */

/** Finds out what kind of limiter the target has: probes until one kind is left, or the budget is spent. */
export interface LimitsStudy {
  readonly kind: 'limits';
  /** The longest that it may take. */
  readonly budgetMs: number;
  /** Requests per second that go on meanwhile with the keys of the pool, one key after another. */
  readonly otherKeysPerSecond?: number;
}

/** Finds the session quota's edge, with nothing but admitted sessions counted, one after another and at once. */
export interface QuotaStudy {
  readonly kind: 'quota';
  /** Sessions that it tries at most on a key before it gives up looking for the edge. */
  readonly cap: number;
  /** Sessions that go out at once around the edge. */
  readonly race: number;
}

/** Asks analytics many questions whose answers have to be consistent for any data. */
export interface AuditStudy {
  readonly kind: 'audit';
  /** The longest that it may take. */
  readonly budgetMs: number;
  /** Days that the questions reach back, today included. */
  readonly days: number;
  /** Products to query, in addition to the run's. */
  readonly products: readonly string[];
  /** Whether it opens a session, and more where there are few, to see it arrive in the numbers. */
  readonly canary: boolean;
}

/** Finds the highest rate and the most connections that keep a promise on latency, on a pool of keys. */
export interface CapacityStudy {
  readonly kind: 'capacity';
  /** The longest that it may take. */
  readonly budgetMs: number;
  readonly percentile: number;
  readonly maxMs: number;
  readonly errorShare: number;
  /** The first rate tried, and the highest; per second. */
  readonly fromPerSecond: number;
  readonly mostPerSecond: number;
  readonly mostConnections: number;
  /** The factor from each step of a climb to the next. */
  readonly factor: number;
  readonly stepMs: number;
  /** Steps near the knee at most, of each model. */
  readonly mostRepeats: number;
  readonly traffic: 'sessions' | 'reads';
}

export type Study = LimitsStudy | QuotaStudy | AuditStudy | CapacityStudy;

/**
 * A study of the rate limiter: kind, limit, window, whose it is, and whether its headers tell the truth. `otherKeys`: the
 * rate of requests with other keys, those of the pool in turn. A limiter that remembers few keys forgets the studied one.
 */
export function studyLimits(
  options: { readonly budget?: DurationText; readonly otherKeys?: RateText } = {},
): LimitsStudy {
  assertKnown('studyLimits', options, ['budget', 'otherKeys']);
  const { otherKeys } = options;
  return {
    kind: 'limits',
    budgetMs: budgetOf('studyLimits', options.budget ?? '12m'),
    ...(otherKeys === undefined
      ? {}
      : { otherKeysPerSecond: perSecondOf('studyLimits: otherKeys', otherKeys) }),
  };
}

/**
 * A study of the session quota, on the `quota` key; races on a `twin` key where one is given. `cap`: how far to look for
 * an edge that the profile does not tell.
 */
export function studyQuota(options: { readonly cap?: number; readonly race?: number } = {}): QuotaStudy {
  assertKnown('studyQuota', options, ['cap', 'race']);
  return {
    kind: 'quota',
    cap: wholeFrom(1, 'studyQuota: cap', options.cap ?? 500),
    race: wholeFrom(1, 'studyQuota: race', options.race ?? 200),
  };
}

/** Days that an audit may reach back: yesterday at least, since that is what some zones call today. */
const leastDays = 2;
const mostDays = 366;
/** Products that an audit asks for at most. */
const mostProducts = 50;

/**
 * An audit of GET /analytics/sessions over the last `days` days by relations between its answers. `canary: false`: it
 * writes nothing, no catalog and no session. `products`: those known to have sessions, besides the run's.
 */
export function auditAnalytics(
  options: {
    readonly budget?: DurationText;
    readonly days?: number;
    readonly products?: readonly string[];
    readonly canary?: boolean;
  } = {},
): AuditStudy {
  assertKnown('auditAnalytics', options, ['budget', 'days', 'products', 'canary']);
  const { days = 14, products = [], canary = true } = options;
  const budgetMs = budgetOf('auditAnalytics', options.budget ?? '5m');
  if (!Number.isSafeInteger(days) || days < leastDays || days > mostDays)
    throw new RangeError(
      `auditAnalytics: days: expected a whole number from ${leastDays} to ${mostDays}, got ${String(days)}`,
    );
  if (products.length > mostProducts || !products.every((id) => typeof id === 'string' && id !== ''))
    throw new RangeError(`auditAnalytics: products: expected up to ${mostProducts} product ids`);
  return { kind: 'audit', budgetMs, days, products, canary };
}

/**
 * A study of capacity in the open model: the highest rate of random arrivals that keeps `percentile` of response time
 * under `under` with at most `errors` failing. Response time counts from the intended instant. It also finds the most
 * connections of a closed loop that do. It climbs from `from` (and from one connection) by `factor`, bisects, and
 * repeats steps of `each` near the knee. `sessions` opens three sessions for each list of shades, `reads` only lists
 * shades.
 */
export function studyCapacity(options: {
  readonly under: DurationText;
  readonly percentile?: number;
  readonly errors?: number;
  readonly from?: RateText;
  readonly most?: RateText;
  readonly connections?: number;
  readonly factor?: number;
  readonly each?: DurationText;
  readonly repeats?: number;
  readonly traffic?: 'sessions' | 'reads';
  readonly budget?: DurationText;
}): CapacityStudy {
  assertKnown('studyCapacity', options, [
    ...['under', 'percentile', 'errors', 'from', 'most', 'connections', 'factor', 'each', 'repeats'],
    ...['traffic', 'budget'],
  ]);
  const { errors = 0.001, factor = 2, percentile = 99 } = options;
  const wrong = (name: string, expected: string, got: unknown): RangeError =>
    new RangeError(`studyCapacity: ${name}: expected ${expected}, got ${String(got)}`);
  if (!(percentile >= 1 && percentile < 100))
    throw wrong('percentile', percentileExpected(percentile, 'from 1 to less than 100'), percentile);
  if (!(errors >= 0 && errors < 1)) throw wrong('errors', 'a share from 0 to 1', errors);
  if (!(factor >= 1.2 && factor <= 4)) throw wrong('factor', 'a number from 1.2 to 4', factor);
  const maxMs = positiveMs('studyCapacity: under', options.under);
  const fromPerSecond = perSecondOf('studyCapacity: from', options.from ?? '50/s');
  const mostPerSecond = perSecondOf('studyCapacity: most', options.most ?? '5000/s');
  if (mostPerSecond < fromPerSecond) throw wrong('most', 'no less than from', options.most);
  return {
    kind: 'capacity',
    budgetMs: budgetOf('studyCapacity', options.budget ?? '3m'),
    percentile,
    maxMs,
    errorShare: errors,
    fromPerSecond,
    mostPerSecond,
    mostConnections: wholeFrom(1, 'studyCapacity: connections', options.connections ?? 256),
    factor,
    stepMs: positiveMs('studyCapacity: each', options.each ?? '3s'),
    mostRepeats: wholeFrom(1, 'studyCapacity: repeats', options.repeats ?? 30),
    traffic: options.traffic ?? 'sessions',
  };
}

/** The study in a share of its time, from 0 to 1; an audit of fewer days. */
export function scaledStudy(study: Study, scale: number): Study {
  if (study.kind === 'quota') return study;
  const budgetMs = study.budgetMs * scale;
  return study.kind === 'audit'
    ? { ...study, budgetMs, days: Math.max(leastDays, Math.ceil(study.days * scale)) }
    : { ...study, budgetMs };
}

/** Throws a RangeError that names the option unless it is a duration of more than nothing. */
function positiveMs(name: string, text: DurationText): number {
  return moreThanNothing(
    name,
    text,
    named(name, () => parseDurationMs(text)),
  );
}

/** The same for a rate. */
function perSecondOf(name: string, text: RateText): number {
  return moreThanNothing(name, text, ratePerMs(name, text) * 1e3);
}

function moreThanNothing(name: string, text: DurationText | RateText, value: number): number {
  if (value > 0) return value;
  throw new RangeError(`${name}: expected more than 0, got ${JSON.stringify(text)}`);
}

/** Milliseconds of a study's budget. Throws a RangeError that names the study. */
function budgetOf(study: string, budget: DurationText): number {
  return named(`${study}: budget`, () => parseDurationMs(budget));
}

interface LoadAndStudies {
  readonly load: readonly unknown[];
  readonly study: readonly Study[];
}

/** Whether a scenario only audits: no shopper of this run is in the numbers. */
export function onlyAudits({ load, study }: LoadAndStudies): boolean {
  return load.length === 0 && study.length > 0 && study.every(({ kind }) => kind === 'audit');
}

/** Whether a scenario writes nothing, so that nothing is to be set up for it either. */
export function onlyReads(scenario: LoadAndStudies): boolean {
  return onlyAudits(scenario) && scenario.study.every((each) => each.kind === 'audit' && !each.canary);
}
