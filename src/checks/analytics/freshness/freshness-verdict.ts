import type { Interval } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Freshness, FreshnessOutcome } from './freshness.ts';

/**
 * Whether analytics show what happened as soon as the profile wants it. What never shows is lost, which is for other checks.
 * `totals`: the verdict on total_sessions.
 */
export function freshnessResult(found: Freshness, totals: Verdict): CheckFinding {
  const { boundMs, growth, lag, outcome, polls } = found;
  const { causes = [], reasons, verdict, what } = judged(found, totals);
  const ages = growth && {
    beforeMs: Math.round(growth.beforeNs / 1e6),
    afterMs: Math.round(growth.afterNs / 1e6),
  };
  const lags = lag && { p50Ms: whole(lag.p50Ms), p99Ms: whole(lag.p99Ms), maxMs: whole(lag.maxMs) };
  const maxMs = lags?.maxMs.max ?? 0;
  const lagShown: Shown =
    lag && lags
      ? {
          ...{ 'sessions looked for': lag.sessions, 'lag p50, ms': lags.p50Ms },
          ...{ 'lag p99, ms': lags.p99Ms, 'lag max, ms': lags.maxMs },
        }
      : {};
  return {
    id: 'analytics.freshness',
    verdict: ages === null ? verdict : 'fail',
    expected: { 'lag, ms': { max: boundMs } },
    observed: { polls: polls.length, ...lagShown },
    reasons: [
      ...(ages === null ? [] : [reason('freshness-lag-grows', ages)]),
      ...reasons,
      ...(lag && lags ? [reason('freshness-lag', { sessions: lag.sessions, ...lags })] : []),
      ...(outcome.kind === 'fresh' && maxMs > boundMs
        ? [reason('freshness-lag-uncertain', { maxMs, boundMs })]
        : []),
    ],
    evidence: evidenceIfAny(what ?? '', 'seqs' in outcome ? outcome.seqs : []),
    causes: [
      ...(ages === null
        ? []
        : [
            fits(
              'analytics-lag-grows',
              ages,
              polls.slice(-3).map(({ seq }) => seq),
            ),
          ]),
      ...causes,
    ],
  };
}

/** What an outcome means, and what its requests show. */
interface OutcomeMeaning {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly what?: string;
  readonly causes?: readonly Suspect[];
}

const tooOld = 'answers that lacked what is older than the bound';

function judged({ boundMs, outcome, polls, productId }: Freshness, totals: Verdict): OutcomeMeaning {
  switch (outcome.kind) {
    case 'fresh': {
      const figures = { polls: polls.length, productId: productId ?? '', boundMs };
      return { verdict: 'pass', reasons: [reason('freshness-fresh', figures)] };
    }
    case 'late': {
      const late = reason('freshness-late', { atLeastMs: outcome.atLeastMs, boundMs });
      return {
        verdict: 'fail',
        reasons: [late],
        what: tooOld,
        causes: [latenessOf(boundMs, polls, outcome)],
      };
    }
    case 'stale': {
      const { asOfNs, atLeastMs, lacking, products } = outcome;
      const reasons =
        asOfNs === null
          ? [reason('freshness-shows-nothing', { products, atLeastMs, boundMs })]
          : [
              reason('freshness-stale', { atLeastMs, boundMs }),
              reason('freshness-stale-since', { lacking, products, asOfMs: asOfNs / 1e6 }),
            ];
      return { verdict: 'fail', reasons, what: tooOld, causes: [latenessOf(boundMs, polls, outcome)] };
    }
    case 'missing':
    case 'unclear': {
      const { kind, lacking } = outcome;
      const reasons = [reason(`freshness-${kind}`, { lacking })];
      return { verdict: 'inconclusive', reasons, what: 'answers that lacked sessions' };
    }
    case 'passing-surplus': {
      const { later, opened, seqs, shown: sessions } = outcome;
      // Where totals are wrong anyway, a surplus for a while is no separate finding.
      if (totals === 'fail') return beyond;
      return {
        verdict: 'fail',
        reasons: [reason('freshness-surplus', { sessions, opened, later })],
        what: 'an answer with more sessions than were created, and a later one with fewer',
        causes: [fits('sessions-overcounted-at-times', { sessions, opened }, seqs)],
      };
    }
    case 'beyond':
      return beyond;
    case 'unasked':
      return { verdict: 'inconclusive', reasons: [reason('freshness-not-polled')] };
  }
}

const beyond: OutcomeMeaning = {
  verdict: 'inconclusive',
  reasons: [reason('freshness-beyond')],
  what: 'answers with more sessions than were opened',
};

/** A count that falls after it was complete does not come of age: answers of other replicas, or of another account, lie between. */
function latenessOf(
  boundMs: number,
  polls: Freshness['polls'],
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

/** What a failure may come of that stale answers explain, before anything else that would. */
export function withAge({ boundMs, outcome }: Freshness, finding: CheckFinding): CheckFinding {
  if (outcome.kind !== 'stale' || finding.verdict !== 'fail' || finding.id === 'analytics.freshness')
    return finding;
  const age = reason('answers-stale', { atLeastMs: outcome.atLeastMs });
  const aged = { ...finding, reasons: [age, ...(finding.reasons ?? [])] };
  // A period that is written wrong has no age.
  return finding.id === 'analytics.period' ? aged : { ...aged, causes: [staleness(fits, boundMs, outcome)] };
}

/** Rounded outwards: it still holds what it held. */
function whole({ min = 0, max }: Interval): Interval {
  return { min: Math.floor(min), ...(max === undefined ? {} : { max: Math.ceil(max) }) };
}
