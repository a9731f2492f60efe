import { z } from 'zod';
import { percentileExpected } from '../vocabulary/quantities.ts';
import { durationSchema, perSecondSchema, positiveDurationSchema } from '../vocabulary/quantity-schemas.ts';
import { oneOf, optionsOf, readOptions, wholeNumber } from './arguments.ts';

/**
 * Studies run after the load, where the next request depends on earlier answers. They are not part of the plan; their
 * bounds are announced. Each has its options as a schema; `budget` is the longest that it may take.
 */

const limitsOptions = optionsOf({
  budget: durationSchema.prefault('12m'),
  /** Requests that go on meanwhile with the keys of the pool, one key after another. */
  otherKeys: perSecondSchema.optional(),
}).transform(({ budget, otherKeys }) => ({
  kind: 'limits' as const,
  budgetMs: budget,
  ...(otherKeys === undefined ? {} : { otherKeysPerSecond: otherKeys }),
}));
export type LimitsStudy = z.output<typeof limitsOptions>;

/**
 * A study of the rate limiter: kind, limit, window, whose it is, and whether its headers tell the truth. `otherKeys`: the
 * rate of requests with other keys, those of the pool in turn. A limiter that remembers few keys forgets the studied one.
 */
export function studyLimits(options: z.input<typeof limitsOptions> = {}): LimitsStudy {
  return readOptions('studyLimits', limitsOptions, options);
}

const quotaOptions = optionsOf({
  /** Sessions that it tries at most on a key before it gives up looking for the edge. */
  cap: wholeNumber(1).default(500),
  /** Sessions that go out at once around the edge. */
  race: wholeNumber(1).default(200),
}).transform((options) => ({ kind: 'quota' as const, ...options }));
export type QuotaStudy = z.output<typeof quotaOptions>;

/**
 * A study of the session quota, on the `quota` key; races on a `twin` key where one is given. `cap`: how far to look for
 * an edge that the profile does not tell.
 */
export function studyQuota(options: z.input<typeof quotaOptions> = {}): QuotaStudy {
  return readOptions('studyQuota', quotaOptions, options);
}

/** Days that an audit reaches back: yesterday at least, since that is what some zones call today. */
const leastDays = 2;
const mostDays = 366;
/** Products that an audit asks for at most. */
const mostProducts = 50;

const auditOptions = optionsOf({
  budget: durationSchema.prefault('5m'),
  /** Days that the questions reach back, today included. */
  days: wholeNumber(leastDays, mostDays).default(14),
  /** Products to query, in addition to the run's. */
  products: z
    .array(z.string().min(1), `expected up to ${mostProducts} product ids`)
    .max(mostProducts)
    .default([]),
  /** Whether it opens a session, and more where there are few, to see it arrive in the numbers. */
  canary: z.boolean().default(true),
}).transform(({ budget, ...options }) => ({ kind: 'audit' as const, budgetMs: budget, ...options }));
export type AuditStudy = z.output<typeof auditOptions>;

/**
 * An audit of GET /analytics/sessions over the last `days` days by relations between its answers. `canary: false`: it
 * writes nothing, no catalog and no session. `products`: those known to have sessions, besides the run's.
 */
export function auditAnalytics(options: z.input<typeof auditOptions> = {}): AuditStudy {
  return readOptions('auditAnalytics', auditOptions, options);
}

const numberIn = (expected: string, has: (value: number) => boolean) =>
  z.custom<number>((value) => has(Number(value)), {
    error: ({ input }) => `expected ${expected}, got ${String(input)}`,
  });

const capacityOptions = optionsOf({
  under: positiveDurationSchema,
  percentile: z
    .number()
    .refine((percentile) => percentile >= 1 && percentile < 100, {
      error: ({ input }) => `expected ${percentileExpected(Number(input), 'from 1 to less than 100')}`,
    })
    .default(99),
  errors: numberIn('a share from 0 to 1', (share) => share >= 0 && share < 1).default(0.001),
  /** The first rate tried, and the highest. */
  from: perSecondSchema.prefault('50/s'),
  most: perSecondSchema.prefault('5000/s'),
  connections: wholeNumber(1).default(256),
  /** From each step of a climb to the next. */
  factor: numberIn('a number from 1.2 to 4', (factor) => factor >= 1.2 && factor <= 4).default(2),
  each: positiveDurationSchema.prefault('3s'),
  /** Steps near the knee at most, of each model. */
  repeats: wholeNumber(1).default(30),
  traffic: oneOf(['sessions', 'reads']).default('sessions'),
  budget: durationSchema.prefault('3m'),
})
  .refine(({ from, most }) => most >= from, { path: ['most'], error: 'expected no less than from' })
  .transform(({ budget, connections, each, errors, from, most, repeats, under, ...options }) => ({
    ...options,
    kind: 'capacity' as const,
    budgetMs: budget,
    maxMs: under,
    errorShare: errors,
    fromPerSecond: from,
    mostPerSecond: most,
    mostConnections: connections,
    stepMs: each,
    mostRepeats: repeats,
  }));
export type CapacityStudy = z.output<typeof capacityOptions>;

/**
 * A study of capacity in the open model: the highest rate of random arrivals that keeps `percentile` of response time
 * under `under` with at most `errors` failing. Response time counts from the intended instant. It also finds the most
 * connections of a closed loop that do. It climbs from `from` (and from one connection) by `factor`, bisects, and
 * repeats steps of `each` near the knee. `sessions` opens three sessions for each list of shades, `reads` only lists
 * shades.
 */
export function studyCapacity(options: z.input<typeof capacityOptions>): CapacityStudy {
  return readOptions('studyCapacity', capacityOptions, options);
}

export type Study = LimitsStudy | QuotaStudy | AuditStudy | CapacityStudy;

/** The study in a share of its time, from 0 to 1; an audit of fewer days. */
export function scaledStudy(study: Study, scale: number): Study {
  if (study.kind === 'quota') return study;
  const budgetMs = study.budgetMs * scale;
  return study.kind === 'audit'
    ? { ...study, budgetMs, days: Math.max(leastDays, Math.ceil(study.days * scale)) }
    : { ...study, budgetMs };
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
