import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type AskedQuestion, type Audit, between, haveCommonInstant, seqsOf, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { allows, type End, ends, type SplitPeriod, splitsOf } from './periods.ts';

/** Splits whose totals could be compared, under one meaning of end dates. */
interface Adjacency {
  readonly end: End;
  readonly splits: readonly SplitPeriod[];
  /** Those that do not add up. */
  readonly broken: readonly SplitPeriod[];
  /** Those that do not even if sessions may count in both parts. */
  readonly beyondOverlap: readonly SplitPeriod[];
  /** Splits that could not be compared. */
  readonly skipped: number;
  /** Some period has a session. */
  readonly hasSessions: boolean;
}

/** Adds up every period that was also requested in two parts, for each meaning of end dates. */
function adjacencies(audit: Audit): Adjacency[] {
  const all = splitsOf(audit.questions);
  return ends.map((end) => {
    const ofEnd = all.filter((split) => split.end === end);
    const splits = ofEnd.filter(({ whole, left, right }) => haveCommonInstant(audit, [whole, left, right]));
    return {
      end,
      splits,
      broken: splits.filter((split) => !addsUp(split)),
      beyondOverlap: splits.filter((split) => !mayOverlap(split)),
      skipped: ofEnd.length - splits.length,
      hasSessions: splits.some(({ whole, left, right }) => ![whole, left, right].every(isEmpty)),
    };
  });
}

/** The meanings of end dates, of those that the profile allows, under which every period adds up. */
export function fittingEnds(audit: Audit): Adjacency[] {
  return adjacencies(audit).filter(
    ({ broken, end, splits }) => splits.length > 0 && broken.length === 0 && allows(audit.profile, end),
  );
}

export function judgeAdjacent(audit: Audit): CheckFinding {
  const judged = adjacencies(audit).filter(({ splits }) => splits.length > 0);
  const allowed = judged.filter(({ end }) => allows(audit.profile, end));
  const fitting = allowed.filter(({ broken }) => broken.length === 0);
  const best = fitting[0] ?? allowed.toSorted((a, b) => a.broken.length - b.broken.length)[0];
  const instead = judged.find(({ broken, end }) => broken.length === 0 && !allows(audit.profile, end));
  const findings = new Comparisons();
  findings.skipped = best?.skipped ?? 0;
  if (best?.hasSessions) {
    const { session_day } = audit.profile;
    const overlapFits = best.beyondOverlap.length === 0;
    for (const split of best.splits) {
      const isBroken = best.broken.includes(split);
      // Nothing and nothing is nothing, whatever is added up.
      if (!isBroken && [split.whole, split.left, split.right].every(isEmpty)) continue;
      const seqs = (): number[] => seqsOf([split.whole, split.left, split.right]);
      if (isBroken && overlapFits && session_day === 'discover')
        findings.doubt(brokenSplit(split, true), seqs());
      else
        findings.made(
          isBroken && !(overlapFits && session_day === 'each-interaction')
            ? brokenSplit(split, false)
            : undefined,
          seqs,
          () => (instead === undefined ? [notAddedUp(split)] : [otherEnd(audit, instead.end)]),
        );
    }
  }
  const result = resultOf(findings, {
    id: 'analytics.audit-adjacent-periods',
    expected: expects('analytics.audit-adjacent-periods'),
    passed: reason('audit-adjacent-pass', {
      periods: findings.judged,
      end: fitting.length === 1 ? (fitting[0]?.end ?? null) : null,
    }),
    nothing: allowed.length === 0 ? reason('audit-adjacent-none') : reason('audit-adjacent-empty'),
    observed: { 'end dates': fitting.length === 0 ? null : fitting.map(({ end }) => end) },
  });
  return findings.broken.length === 0 || instead === undefined
    ? result
    : {
        ...result,
        reasons: [
          ...(result.reasons ?? []),
          reason('audit-adjacent-other-end', { fitting: instead.end, told: audit.profile.end_date }),
        ],
      };
}

/** Everything adds up if end dates are otherwise than promised. */
function otherEnd({ wasTold }: Audit, end: End): Suspect {
  const promised = end === 'exclusive' ? 'inclusive' : 'exclusive';
  return wasTold('end_date')
    ? fits('profile-false', { field: 'analytics.end_date', told: promised, found: end })
    : shown(end === 'exclusive' ? 'end-date-exclusive' : 'end-date-inclusive', {});
}

function notAddedUp({ left, right, whole }: SplitPeriod): Suspect {
  const sum = plus(between(left, sessionsOf), between(right, sessionsOf));
  const total = between(whole, sessionsOf);
  return sum.min > total.max
    ? fits('periods-do-not-add-up', { whole: total.max, parts: sum.min })
    : fits('periods-do-not-add-up', { whole: total.min, parts: sum.max });
}

function isEmpty(question: AskedQuestion): boolean {
  return between(question, sessionsOf).max === 0;
}

function addsUp({ left, right, whole }: SplitPeriod): boolean {
  const sum = plus(between(left, sessionsOf), between(right, sessionsOf));
  const total = between(whole, sessionsOf);
  return sum.min <= total.max && sum.max >= total.min;
}

/** Whether it is possible that some sessions count in both parts. */
function mayOverlap({ left, right, whole }: SplitPeriod): boolean {
  const [one, other, total] = [left, right, whole].map((each) => between(each, sessionsOf));
  if (one === undefined || other === undefined || total === undefined) return true;
  return total.max >= Math.max(one.min, other.min) && total.min <= one.max + other.max;
}

function brokenSplit({ left, right, whole }: SplitPeriod, maybeEachDay: boolean): Reason {
  return reason('audit-adjacent-broken', {
    whole: whole.asked,
    sessions: between(whole, sessionsOf),
    left: left.asked,
    leftSessions: between(left, sessionsOf),
    right: right.asked,
    rightSessions: between(right, sessionsOf),
    maybeEachDay,
  });
}

function plus(a: Bounds, b: Bounds): Bounds {
  return { min: a.min + b.min, max: a.max + b.max };
}
