import { type DurationText, parseDurationMs } from './quantities.ts';

/**
 * Studies: what a run does after its load when the next request depends on the answers before it. They are no part of
 * the plan; what each may spend is announced like everything else.
 */

/** Finds out what kind of limiter the target has: probes until one kind is left, or the budget is spent. */
export interface LimitsStudy {
  readonly kind: 'limits';
  /** The longest that it may take. */
  readonly budgetMs: number;
}

/** Finds the session quota's edge, with nothing but admitted sessions counted, one after another and at once. */
export interface QuotaStudy {
  readonly kind: 'quota';
  /** Sessions that it tries at most on a key before it gives up looking for the edge. */
  readonly cap: number;
  /** Sessions that go out at once around the edge. */
  readonly race: number;
}

/** Asks analytics many questions whose answers have to go together, whatever the truth is. */
export interface AuditStudy {
  readonly kind: 'audit';
  /** The longest that it may take. */
  readonly budgetMs: number;
  /** Days that the questions reach back, today included. */
  readonly days: number;
  /** Products to ask for, besides the run's own. */
  readonly products: readonly string[];
  /** Whether it opens one session, to see it arrive in the numbers. */
  readonly canary: boolean;
}

export const studyKinds = ['limits', 'quota', 'audit'] as const;
export type Study = LimitsStudy | QuotaStudy | AuditStudy;

/** A study of the rate limiter: kind, limit, window, whose it is, and whether its headers tell the truth. */
export function studyLimits(options: { readonly budget?: DurationText } = {}): LimitsStudy {
  return { kind: 'limits', budgetMs: budgetOf('studyLimits', options.budget ?? '12m') };
}

/**
 * A study of the session quota, on the `quota` key; races on a `twin` key where one is given. `cap`: how far to look for
 * an edge that the profile does not tell.
 */
export function studyQuota(options: { readonly cap?: number; readonly race?: number } = {}): QuotaStudy {
  const { cap = 500, race = 200 } = options;
  for (const [name, value] of Object.entries({ cap, race })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`studyQuota: ${name}: expected a whole number from 1, got ${String(value)}`);
  }
  return { kind: 'quota', cap, race };
}

/** Days that an audit may reach back: yesterday at least, since that is what some zones call today. */
const leastDays = 2;
const mostDays = 366;
/** Products that an audit asks for at most. */
const mostProducts = 50;

/**
 * An audit of GET /analytics/sessions over the last `days` days by relations between its answers. `canary: false`: nothing
 * is written at all, no catalog and no session. `products`: those known to have sessions, besides the run's own.
 */
export function auditAnalytics(
  options: {
    readonly budget?: DurationText;
    readonly days?: number;
    readonly products?: readonly string[];
    readonly canary?: boolean;
  } = {},
): AuditStudy {
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

/** Milliseconds of a study's budget. Throws a RangeError that names the study. */
function budgetOf(study: string, budget: DurationText): number {
  try {
    return parseDurationMs(budget);
  } catch (error) {
    throw new RangeError(`${study}: budget: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Parts {
  readonly load: readonly unknown[];
  readonly study: readonly Study[];
}

/** Whether a scenario does nothing but audits: no shopper of its own is in the numbers. */
export function onlyAudits({ load, study }: Parts): boolean {
  return load.length === 0 && study.every(({ kind }) => kind === 'audit');
}

/** Whether a scenario writes nothing, so that nothing is to be set up for it either. */
export function onlyReads(scenario: Parts): boolean {
  return onlyAudits(scenario) && scenario.study.every((each) => each.kind === 'audit' && !each.canary);
}
