import { counted, range, span, verb } from '../../amounts.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { type CheckResult, evidence, type Interval, type Shown, type Verdict } from '../verdict.ts';
import type { Freshness, FreshnessOutcome, LagFigures } from './freshness.ts';
import type { AnalyticsTable } from './table.ts';

/** Whether analytics show what happened as soon as the profile wants it. What never shows is lost, which is for other checks. */
export function freshnessResult(freshness: Freshness): CheckResult {
  const { boundMs, lag, outcome } = freshness;
  const seqs = 'seqs' in outcome ? outcome.seqs : [];
  return {
    id: 'analytics.freshness',
    title: 'New sessions appear in analytics as soon as promised',
    verdict: verdicts[outcome.kind],
    expected: { 'lag, ms': { max: boundMs } },
    observed: { polls: freshness.polls.length, ...(lag === null ? {} : lagShown(lag)) },
    explanation: [explain(outcome, freshness), ...(lag === null ? [] : [lagText(lag)])].join(' '),
    evidence: seqs.length === 0 ? [] : [evidence(evidenceWords[outcome.kind], seqs)],
    ...(outcome.kind === 'late' || outcome.kind === 'stale'
      ? { causes: [staleness(shown, boundMs, outcome)] }
      : {}),
  };
}

function staleness(
  how: typeof shown,
  promisedMs: number,
  { atLeastMs, seqs }: Extract<FreshnessOutcome, { kind: 'late' | 'stale' }>,
): Suspect {
  // What the polls before the last lacked shows it no better.
  return how('stale-analytics', { lagMs: atLeastMs, promisedMs }, seqs.slice(-1));
}

/** Where differences came about, unless they can come of age alone: then nothing is said to be lost anywhere. */
export function placedBy({ outcome }: Freshness, table: AnalyticsTable): AnalyticsTable {
  return outcome.kind === 'stale' ? { ...table, sources: { ...table.sources, located: [] } } : table;
}

/** What a failure may come of that stale answers explain, before anything else that would. */
export function withAge({ boundMs, outcome }: Freshness, result: CheckResult): CheckResult {
  if (outcome.kind !== 'stale' || result.verdict !== 'fail' || result.id === 'analytics.freshness')
    return result;
  const age = `Analytics are stale by ${span(outcome.atLeastMs)} or more, which may be all of it: see analytics.freshness.`;
  const explanation = `${age} ${result.explanation}`;
  // A period that is written wrong has no age.
  return result.id === 'analytics.period'
    ? { ...result, explanation }
    : { ...result, explanation, causes: [staleness(fits, boundMs, outcome)] };
}

const verdicts: Readonly<Record<FreshnessOutcome['kind'], Verdict>> = {
  fresh: 'pass',
  late: 'fail',
  stale: 'fail',
  missing: 'inconclusive',
  unclear: 'inconclusive',
  beyond: 'inconclusive',
  unasked: 'inconclusive',
};

const evidenceWords: Readonly<Record<FreshnessOutcome['kind'], string>> = {
  fresh: '',
  late: 'answers that lacked what is older than the bound',
  stale: 'answers that lacked what is older than the bound',
  missing: 'answers that lacked sessions',
  unclear: 'answers that lacked sessions',
  beyond: 'answers with more sessions than were opened',
  unasked: '',
};

function explain(outcome: FreshnessOutcome, { boundMs, polls, productId }: Freshness): string {
  const bound = `the bound is ${span(boundMs)} (profile: analytics.freshness)`;
  switch (outcome.kind) {
    case 'fresh':
      return `Each of ${counted(polls.length, 'poll')} of product ${productId} showed every session opened more than ${span(boundMs)} before.`;
    case 'late':
      return `Analytics are late: sessions showed no sooner than ${span(outcome.atLeastMs)} after they were opened, and ${bound}. They did show later, so none of them is lost.`;
    case 'stale':
      return outcome.asOfNs === null
        ? `Analytics are stale: on ${counted(outcome.products, 'product')} they show no session at all, ${span(outcome.atLeastMs)} after the first was opened, and ${bound}. Either they lag by more than that, or they count nothing.`
        : `Analytics are stale, and nothing is lost as far as can be told: ${counted(outcome.lacking, 'session')} on ${counted(outcome.products, 'product')} did not show, and ${verb(outcome.lacking, 'that is just the one', 'those are just the ones')} opened after ${span(outcome.asOfNs / 1e6)} of the run. Answers are at least ${span(outcome.atLeastMs)} old, and ${bound}.`;
    case 'missing':
      return `${counted(outcome.lacking, 'session')} did not show to the end, and ${verb(outcome.lacking, 'it is not the newest one', 'they are not the newest ones')}: that is loss and not lag, for which see analytics.total-sessions.`;
    case 'unclear':
      return `${counted(outcome.lacking, 'session')} did not show by the last poll. Whether ${verb(outcome.lacking, 'it is', 'they are')} late or lost cannot be told: ${verb(outcome.lacking, 'it may be the newest one', 'they may be the newest ones')}, or any.`;
    case 'beyond':
      return 'More sessions showed than were opened, so that their number says nothing of how old it is.';
    case 'unasked':
      return 'Analytics were not polled while sessions were opened or after.';
  }
}

function lagText({ sessions, p50Ms, p99Ms, maxMs }: LagFigures): string {
  return `Lag of ${counted(sessions, 'session')} from opening to showing: median ${lag(p50Ms)}, p99 ${lag(p99Ms)}, longest ${lag(maxMs)}.`;
}

function lagShown({ sessions, p50Ms, p99Ms, maxMs }: LagFigures): { [name: string]: Shown } {
  return {
    'sessions looked for': sessions,
    'lag p50, ms': whole(p50Ms),
    'lag p99, ms': whole(p99Ms),
    'lag max, ms': whole(maxMs),
  };
}

/** Rounded outwards: it still holds what it held. */
function whole({ min = 0, max }: Interval): Interval {
  return { min: Math.floor(min), ...(max === undefined ? {} : { max: Math.ceil(max) }) };
}

function lag({ min = 0, max }: Interval): string {
  if (max === undefined) return `over ${span(min)}`;
  return min < 1 ? `at most ${span(max)}` : range({ min, max }, span);
}
