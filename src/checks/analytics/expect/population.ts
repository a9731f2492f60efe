import type { Profile } from '../../../target/profile.ts';
import type { Prior } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Frame } from '../conventions/conventions.ts';
import type { Baseline, Query, Questions, Returned } from '../record/questions.ts';
import { periodIn } from './cells.ts';

/**
 * Whose sessions an answer may count beside the run's own. Most product ids are unique to the run, so filtered answers are
 * the run's alone; others come on top of what the account held, and of what others do meanwhile.
 */
export interface AnswerPopulation {
  /**
   * `closed`: no other client adds to it, which only the profile can know. `open`: foreign sessions may have been added, so
   * only lower bounds hold. That an account was empty before the run does not close it to others during the run.
   */
  readonly kind: 'closed' | 'open';
  readonly prior: Prior;
  /** What analytics said of it; null where they were not asked. */
  readonly before: Returned | null;
  /** Why it is open; null when closed. */
  readonly openBecause: Reason | null;
}

/** What a new account holds. */
export const nothingThere: Prior = { sessions: 0, average: { min: 0, max: 0 }, rate: { min: 0, max: 0 } };
export const nothingSaid: Returned = {
  period: null,
  totalSessions: 0,
  avgShadesPerSession: 0,
  cartIntentRate: 0,
  topShades: [],
};
const alone: AnswerPopulation = {
  kind: 'closed',
  prior: nothingThere,
  before: nothingSaid,
  openBecause: null,
};

/** A query in a frame. */
interface FramedQuery {
  readonly query: Query;
  readonly frame: Frame;
  /** Turns a run instant (ns) into the target's clock at its latest. */
  readonly latestTargetMs: (runNs: number) => number;
}

/** The population of a query in a frame. */
export function populationOf(
  asked: FramedQuery,
  questions: Questions,
  profile: Profile['analytics'],
): AnswerPopulation {
  const { frame, latestTargetMs, query } = asked;
  const isOwn = query.productId !== null && !query.hasPast;
  const startMs = periodIn(frame, query)?.startMs ?? Number.NEGATIVE_INFINITY;
  // What is still to come holds nothing of anybody.
  if (isOwn || startMs > latestTargetMs(questions.judged.at(-1)?.answeredNs ?? 0)) return alone;
  const relevant = questions.baselines.filter(
    ({ credential, returned }) => credential === query.credential && returned.totalSessions !== null,
  );
  // An account that was empty for longer than the query's period was empty in it before the run.
  const wasEmpty = relevant.some(
    (candidate) => candidate.returned.totalSessions === 0 && covers(candidate, asked, 'at least'),
  );
  if (wasEmpty) {
    return profile.exclusive
      ? alone
      : { ...alone, kind: 'open', openBecause: reason('account-used-by-others') };
  }
  const baseline = query.hasPast
    ? undefined
    : relevant.findLast((candidate) => covers(candidate, asked, 'exactly'));
  const sessions = baseline?.returned.totalSessions ?? null;
  if (baseline === undefined || sessions === null) {
    return {
      kind: 'open',
      prior: nothingThere,
      before: null,
      openBecause: reason(relevant.length === 0 ? 'account-not-read-before' : 'account-period-unknown', {}),
    };
  }
  const slack = 0.5 * 10 ** -profile.decimals;
  const around = (value: number | null): Bounds | null =>
    value === null ? null : { min: Math.max(0, value - slack), max: value + slack };
  return {
    kind: profile.exclusive ? 'closed' : 'open',
    prior: {
      sessions,
      average: around(baseline.returned.avgShadesPerSession),
      // More than 1 is no rate: what that means of the sessions is not known.
      rate: (baseline.returned.cartIntentRate ?? 0) > 1 ? null : around(baseline.returned.cartIntentRate),
    },
    before: baseline.returned,
    openBecause: profile.exclusive ? null : reason('account-held-sessions', { sessions }),
  };
}

/**
 * Whether a baseline tells what the period of a query held before the run: of that period exactly, or of one that holds
 * it. Days that were still to come when the baseline was read held nothing.
 */
function covers(
  baseline: Baseline,
  { frame, latestTargetMs, query }: FramedQuery,
  how: 'exactly' | 'at least',
): boolean {
  if (baseline.startDate === query.startDate && baseline.endDate === query.endDate) return true;
  const read = periodIn(frame, baseline);
  const asked = periodIn(frame, query);
  if (read === undefined || asked === undefined) return false;
  const nowMs = latestTargetMs(baseline.sentNs);
  const endRead = Math.min(read.endLowMs, nowMs);
  const endAsked = Math.min(asked.endHighMs, nowMs);
  return how === 'exactly'
    ? read.startMs === asked.startMs && endRead === endAsked
    : read.startMs <= asked.startMs && endRead >= endAsked;
}

/** How many selections of a SKU the account may have held before the run. */
export function priorSelections(population: AnswerPopulation, sku: string): Bounds {
  const { topShades } = population.before ?? { topShades: null };
  if (topShades === null) return { min: 0, max: Number.POSITIVE_INFINITY };
  const listed = topShades.find((shade) => shade.sku === sku);
  if (listed !== undefined) return { min: listed.selections, max: listed.selections };
  // Not among the baseline's top: at most as often as the last that is.
  return { min: 0, max: topShades.at(-1)?.selections ?? 0 };
}
