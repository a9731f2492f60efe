import type { Interval } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { AnalyticsTable } from '../results/table.ts';
import type { Freshness, FreshnessOutcome, LagFigures } from './freshness.ts';
import type { AgeGrowth } from './lags.ts';

/**
 * Whether analytics show what happened as soon as the profile wants it. What never shows is lost, which is for other checks.
 * `totals`: the verdict on total_sessions.
 */
export function freshnessResult(found: Freshness, totals: Verdict): CheckFinding {
  const freshness = totals === 'fail' ? withoutSurplus(found) : found;
  const { boundMs, growth, lag, outcome, polls } = freshness;
  const seqs = 'seqs' in outcome ? outcome.seqs : [];
  return {
    id: 'analytics.freshness',
    verdict: growth === null ? verdicts[outcome.kind] : 'fail',
    expected: { 'lag, ms': { max: boundMs } },
    observed: { polls: polls.length, ...(lag === null ? {} : lagShown(lag)) },
    reasons: [
      ...(growth === null ? [] : [reason('freshness-lag-grows', agesOf(growth))]),
      ...explain(outcome, freshness),
      ...lagReasons(freshness),
    ],
    evidence: seqs.length === 0 ? [] : [evidence(evidenceWords[outcome.kind], seqs)],
    causes: [
      ...(growth === null
        ? []
        : [
            fits(
              'analytics-lag-grows',
              agesOf(growth),
              polls.slice(-3).map(({ seq }) => seq),
            ),
          ]),
      ...(outcome.kind === 'late' || outcome.kind === 'stale' ? [latenessOf(freshness, outcome)] : []),
      ...(outcome.kind === 'passing-surplus'
        ? [
            fits(
              'sessions-overcounted-at-times',
              { sessions: outcome.shown, opened: outcome.opened },
              outcome.seqs,
            ),
          ]
        : []),
    ],
  };
}

/** Where totals are wrong anyway, a surplus for a while is no separate finding. */
function withoutSurplus(freshness: Freshness): Freshness {
  const { outcome } = freshness;
  return outcome.kind === 'passing-surplus'
    ? { ...freshness, outcome: { kind: 'beyond', seqs: outcome.seqs } }
    : freshness;
}

function agesOf({ afterNs, beforeNs }: AgeGrowth): { beforeMs: number; afterMs: number } {
  return { beforeMs: Math.round(beforeNs / 1e6), afterMs: Math.round(afterNs / 1e6) };
}

/** The same whole numbers as in what was observed. */
function lagReasons({ boundMs, lag, outcome }: Freshness): Reason[] {
  if (lag === null) return [];
  const [p50Ms, p99Ms, maxMs] = [whole(lag.p50Ms), whole(lag.p99Ms), whole(lag.maxMs)];
  const { max = 0 } = maxMs;
  return [
    reason('freshness-lag', { sessions: lag.sessions, p50Ms, p99Ms, maxMs }),
    ...(outcome.kind === 'fresh' && max > boundMs
      ? [reason('freshness-lag-uncertain', { maxMs: max, boundMs })]
      : []),
  ];
}

/** A count that falls after it was complete does not come of age: answers of other replicas, or of another account, lie between. */
function latenessOf(
  { boundMs, polls }: Freshness,
  outcome: Extract<FreshnessOutcome, { kind: 'late' | 'stale' }>,
): Suspect {
  const late = new Set(outcome.seqs);
  const falls = polls.flatMap((poll, place) => {
    const most = polls.slice(0, place).findLast(({ shown: before }) => before > poll.shown);
    return late.has(poll.seq) && most !== undefined ? [[most.seq, poll.seq]] : [];
  });
  return falls.length === late.size
    ? fits('answers-vary', { fields: ['total_sessions'] }, falls.flat())
    : staleness(shown, boundMs, outcome);
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
export function withAge({ boundMs, outcome }: Freshness, finding: CheckFinding): CheckFinding {
  if (outcome.kind !== 'stale' || finding.verdict !== 'fail' || finding.id === 'analytics.freshness')
    return finding;
  const age = reason('answers-stale', { atLeastMs: outcome.atLeastMs });
  const aged = { ...finding, reasons: [age, ...(finding.reasons ?? [])] };
  // A period that is written wrong has no age.
  return finding.id === 'analytics.period' ? aged : { ...aged, causes: [staleness(fits, boundMs, outcome)] };
}

const verdicts: Readonly<Record<FreshnessOutcome['kind'], Verdict>> = {
  fresh: 'pass',
  late: 'fail',
  stale: 'fail',
  missing: 'inconclusive',
  unclear: 'inconclusive',
  'passing-surplus': 'fail',
  beyond: 'inconclusive',
  unasked: 'inconclusive',
};

const evidenceWords: Readonly<Record<FreshnessOutcome['kind'], string>> = {
  fresh: '',
  late: 'answers that lacked what is older than the bound',
  stale: 'answers that lacked what is older than the bound',
  missing: 'answers that lacked sessions',
  unclear: 'answers that lacked sessions',
  'passing-surplus': 'an answer with more sessions than were created, and a later one with fewer',
  beyond: 'answers with more sessions than were opened',
  unasked: '',
};

function explain(outcome: FreshnessOutcome, { boundMs, polls, productId }: Freshness): Reason[] {
  switch (outcome.kind) {
    case 'fresh':
      return [reason('freshness-fresh', { polls: polls.length, productId: productId ?? '', boundMs })];
    case 'late':
      return [reason('freshness-late', { atLeastMs: outcome.atLeastMs, boundMs })];
    case 'stale': {
      const { asOfNs, atLeastMs, lacking, products } = outcome;
      return asOfNs === null
        ? [reason('freshness-shows-nothing', { products, atLeastMs, boundMs })]
        : [
            reason('freshness-stale', { atLeastMs, boundMs }),
            reason('freshness-stale-since', { lacking, products, asOfMs: asOfNs / 1e6 }),
          ];
    }
    case 'missing':
    case 'unclear':
      return [reason(`freshness-${outcome.kind}`, { lacking: outcome.lacking })];
    case 'passing-surplus': {
      const { later, opened, shown: sessions } = outcome;
      return [reason('freshness-surplus', { sessions, opened, later })];
    }
    case 'beyond':
      return [reason('freshness-beyond')];
    case 'unasked':
      return [reason('freshness-not-polled')];
  }
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
