import { counted, verb } from '../../amounts.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import {
  type Audit,
  type Bounds,
  between,
  haveCommonInstant,
  type Question,
  seqsOf,
  sessionsOf,
} from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { allows, type End, ends, type Split, splitsOf } from './periods.ts';
import { boundsText } from './words.ts';

/** Splits whose totals could be compared, under one meaning of end dates. */
export interface Adjacency {
  readonly end: End;
  readonly splits: readonly Split[];
  /** Those that do not add up. */
  readonly broken: readonly Split[];
  /** Those that do not even if sessions may count in both parts. */
  readonly beyondOverlap: readonly Split[];
  /** Splits that could not be compared. */
  readonly skipped: number;
  /** Some period has a session. */
  readonly hasSessions: boolean;
}

/** Adds up every period that was asked about in two parts, as ends may be meant. */
export function adjacencies(audit: Audit): Adjacency[] {
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

export function judgeAdjacent(audit: Audit): CheckResult {
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
        findings.doubt(
          `${splitText(split)}, as it may be where a session counts on each day on which something is done in it (profile: analytics.session_day)`,
          seqs(),
        );
      else
        findings.made(
          isBroken && !(overlapFits && session_day === 'each-interaction') ? splitText(split) : undefined,
          seqs,
          () => (instead === undefined ? [notAddedUp(split)] : [otherEnd(audit, instead.end)]),
        );
    }
  }
  const result = resultOf(findings, {
    id: 'analytics.audit-adjacent-periods',
    title: 'Two adjacent periods have as many sessions as the whole period',
    expected: 'total_sessions of two periods, one beginning where the other ends, add up to that of both',
    passed: `${counted(findings.judged, 'period')} with sessions ${verb(findings.judged, 'adds', 'add')} up from two parts${fitting.length === 1 ? `, end dates being ${fitting[0]?.end}` : ''}.`,
    nothing:
      allowed.length === 0
        ? 'No period was answered both as a whole and in parts.'
        : 'There is no session in any period, so that nothing is shown by their adding up.',
    observed: { 'end dates': fitting.length === 0 ? null : fitting.map(({ end }) => end) },
  });
  return findings.broken.length === 0 || instead === undefined
    ? result
    : {
        ...result,
        explanation: `${result.explanation} Everything adds up if end dates are ${instead.end}, but the profile says ${audit.profile.end_date} (analytics.end_date).`,
      };
}

/** Everything adds up if end dates are otherwise than promised. */
function otherEnd({ wasTold }: Audit, end: End): Suspect {
  const promised = end === 'exclusive' ? 'inclusive' : 'exclusive';
  return wasTold('end_date')
    ? fits('profile-false', { field: 'analytics.end_date', told: promised, found: end })
    : shown(end === 'exclusive' ? 'end-date-exclusive' : 'end-date-inclusive', {});
}

function notAddedUp({ left, right, whole }: Split): Suspect {
  const sum = plus(between(left, sessionsOf), between(right, sessionsOf));
  const total = between(whole, sessionsOf);
  return sum.min > total.max
    ? fits('periods-do-not-add-up', { whole: total.max, parts: sum.min })
    : fits('periods-do-not-add-up', { whole: total.min, parts: sum.max });
}

function isEmpty(question: Question): boolean {
  return between(question, sessionsOf).max === 0;
}

function addsUp({ left, right, whole }: Split): boolean {
  const sum = plus(between(left, sessionsOf), between(right, sessionsOf));
  const total = between(whole, sessionsOf);
  return sum.min <= total.max && sum.max >= total.min;
}

/** Whether it is possible that some sessions count in both parts. */
function mayOverlap({ left, right, whole }: Split): boolean {
  const [one, other, total] = [left, right, whole].map((each) => between(each, sessionsOf));
  if (one === undefined || other === undefined || total === undefined) return true;
  return total.max >= Math.max(one.min, other.min) && total.min <= one.max + other.max;
}

function splitText({ left, right, whole }: Split): string {
  const [one, other, total] = [left, right, whole].map((each) => boundsText(between(each, sessionsOf)));
  return `${left.start} / ${left.end} has ${one} and ${right.start} / ${right.end} ${other} sessions, but ${whole.label} ${total}`;
}

function plus(a: Bounds, b: Bounds): Bounds {
  return { min: a.min + b.min, max: a.max + b.max };
}
