import type { Bounds } from '../../../vocabulary/bounds.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { decimalsOf } from '../compare/fit.ts';
import {
  type AskedQuestion,
  type Audit,
  between,
  familiesOf,
  isSame,
  seqsOf,
  sessionsOf,
  standing,
} from './audit.ts';
import { Comparisons, type RelationFinding, resultOf } from './findings.ts';
import { type Mean, means, type Over, recombine, slack, type Union, unionsOf } from './recombine.ts';
import { fittingSums } from './sums.ts';

/**
 * A mean over the sessions of two periods, or of all products, is that of the parts weighted by their sessions; over
 * sessions with shades alone it lies at least between them. And a mean over n sessions is a whole number of n-ths.
 */
export function judgeAverages(audit: Audit): CheckFinding {
  const { unions, skipped } = unionsOf(audit);
  const findings = new Comparisons();
  findings.skipped = skipped;
  let isTold = false;
  const weighted: Mean['field'][] = [];
  const observed: Record<string, string> = {};
  for (const mean of means) {
    const tried = oversOf(audit, mean).map((over) => ({ over, ...faultsOf(audit, unions, mean, over) }));
    const best = tried.find(({ faults }) => faults.length === 0) ?? tried[0];
    if (best === undefined) continue;
    findings.judged += best.judged;
    const isOverAll = best.over === 'all' && best.faults.length === 0;
    isTold ||= best.isTold;
    if (isOverAll && (best.isTold || isWeightShown(audit, mean))) weighted.push(mean.field);
    const causes = best.faults.length === 0 ? [] : causesOf(audit, unions, mean);
    findings.broken.push(...best.faults.map((fault) => ({ ...fault, causes })));
    if (best.faults.length === 0 && best.judged > 0)
      observed[mean.field] = `as over ${best.over === 'all' ? 'all sessions' : 'sessions with shades'}`;
  }
  // Where all sessions are in one part, an average of it all recombines however it is weighted.
  if (!isTold && weighted.length === 0) findings.judged = 0;
  return resultOf(findings, {
    id: 'analytics.audit-averages',
    expected: {
      'of a period or of all products': 'the mean of its parts, weighted by their sessions',
      'of n sessions': 'a whole number of n-ths',
      'rounded to decimals': audit.profile.decimals,
    },
    passed: reason('audit-averages-pass', { comparisons: findings.judged, excluded: weighted }),
    nothing: nothingTold(unions),
    observed,
  });
}

function nothingTold(unions: readonly Union[]): Reason {
  if (unions.length === 0) return reason('audit-averages-moved');
  const [widest] = unions.toSorted((a, b) => b.rest.max - a.rest.max);
  if (widest !== undefined && widest.rest.max > 0)
    return reason('audit-averages-unknown-products', {
      rest: widest.rest,
      sessions: between(widest.whole, sessionsOf),
    });
  return reason('audit-averages-one-part');
}

/** Which sessions a mean may be over, as far as the profile says; all of them first. */
function oversOf({ profile }: Audit, { field }: Mean): Over[] {
  const { sessions_averaged: said } = profile;
  if (said === 'all') return ['all'];
  // The profile speaks of averages; a rate may be over all sessions all the same.
  return said === 'with-shades' && field === 'avg_shades_per_session'
    ? ['with-shades']
    : ['all', 'with-shades'];
}

/** What would make the values of a field right: other sessions that it is over, or fewer decimals. */
function causesOf(audit: Audit, unions: readonly Union[], mean: Mean): Suspect[] {
  const { decimals: promised } = audit.profile;
  const { field } = mean;
  const values = audit.questions.flatMap((question) => standing(question) ?? []).map(mean.of);
  const decimals = Math.max(0, ...values.map(decimalsOf));
  if (decimals === 0 && values.some((value) => value !== 0))
    return [fits('integer-division', { fields: [field] })];
  const rounded: Audit = { ...audit, profile: { ...audit.profile, decimals } };
  if (decimals > 0 && decimals < promised && faultsOf(rounded, unions, mean, 'all').faults.length === 0)
    return [fits('rounded-too-far', { fields: [field], decimals })];
  // Where totals are wrong or answers vary, averages over fewer sessions fit by accident.
  const isSteady = audit.questions.every(({ reads: [first, ...others] }) =>
    others.every(({ report }) => first !== undefined && isSame(report, first.report)),
  );
  if (audit.profile.sessions_averaged !== 'all' || !isSteady || fittingSums(audit).length === 0) return [];
  if (faultsOf(audit, unions, mean, 'with-shades').faults.length > 0) return [];
  // Where others' products are unknown, any average fits sessions with shades.
  const isOpen = (union: Union): boolean => recombine(audit, union, mean, 'with-shades') === undefined;
  if (unions.some((union) => isOpen(union) && recombine(audit, union, mean, 'all')?.isBroken)) return [];
  return [
    audit.wasTold('sessions_averaged')
      ? fits('profile-false', { field: 'analytics.sessions_averaged', told: 'all', found: 'with-shades' })
      : fits('inactive-sessions-left-out', { fields: [field] }),
  ];
}

function faultsOf(
  audit: Audit,
  unions: readonly Union[],
  mean: Mean,
  over: Over,
): { readonly judged: number; readonly isTold: boolean; readonly faults: RelationFinding[] } {
  const { field, of } = mean;
  const half = 0.5 * 10 ** -audit.profile.decimals;
  const faults: RelationFinding[] = [];
  let isTold = false;
  let judged = 0;
  for (const union of unions) {
    const found = recombine(audit, union, mean, over);
    if (found === undefined) continue;
    judged++;
    isTold ||= found.isTold;
    if (found.isBroken) faults.push(brokenUnion(union, mean, found.expected));
  }
  for (const question of audit.questions) {
    const report = standing(question);
    if (report === undefined || report.sessions === 0) continue;
    judged++;
    if (isFraction(of(report), report.sessions, half, over)) continue;
    faults.push({
      reason: reason('audit-averages-no-fraction', {
        asked: question.asked,
        field,
        got: of(report),
        sessions: report.sessions,
      }),
      seqs: seqsOf([question]),
    });
  }
  return { judged, isTold, faults };
}

function brokenUnion({ parts, whole }: Union, { field, of }: Mean, expected: Bounds): RelationFinding {
  const filled = parts.filter((part) => between(part, sessionsOf).max > 0);
  const shown = filled.map((part) => ({ mean: between(part, of), sessions: between(part, sessionsOf) }));
  return {
    reason: reason('audit-averages-broken', {
      asked: whole.asked,
      field,
      got: between(whole, of),
      expected: { min: expected.min, max: Math.min(expected.max, Number.MAX_VALUE) },
      parts: shown.slice(0, 4),
    }),
    seqs: seqsOf([whole, ...filled]),
  };
}

/** Whether a mean can be that of whole numbers: over all of `sessions`, or over some of them. */
function isFraction(value: number, sessions: number, half: number, over: Over): boolean {
  const fits = (weight: number): boolean => {
    const sum = value * weight;
    return Math.abs(sum - Math.round(sum)) <= half * weight + slack(sum);
  };
  if (over === 'all') return fits(sessions);
  // Over that many, every value is near some fraction.
  if (sessions * half >= 0.5 || sessions > 1_000) return true;
  for (let weight = sessions; weight > 0; weight--) if (fits(weight)) return true;
  return value === 0;
}

/**
 * Whether the audit's own session moved a mean of all products as much as one of many sessions does, and less than the only
 * session of one of many products would. That shows the weights where most products are not known. It is no ground for a
 * failure: others may have been at work.
 */
function isWeightShown(audit: Audit, mean: Mean): boolean {
  const found = beforeAndAfter(audit);
  if (found === undefined) return false;
  const [before, after] = [found.before, found.after.report];
  if (after.sessions !== before.sessions + 1) return false;
  const [was, is] = [mean.of(before), mean.of(after)];
  const half = 0.5 * 10 ** -decimalsShown(audit, mean);
  const tolerance = 2 * half + 1e-9;
  const expected = (was * before.sessions + 1) / after.sessions;
  if (Math.abs(is - expected) > tolerance) return false;
  // The more products, the less one of them counts.
  const mostProducts = productsAtMost(audit, found.question, before.sessions);
  return Math.abs(1 - was) * (1 / (mostProducts + 1) - 1 / after.sessions) > 2 * tolerance;
}

function beforeAndAfter(audit: Audit) {
  const { questions, records } = audit;
  const asked = records.find(
    ({ phase, productId }) => phase === studyPhases.auditBefore && productId === null,
  );
  const isDone = records.some(({ probe, status }) => probe === 'audit:acts' && isSuccessStatus(status));
  const question = questions.find(
    ({ end, product, start }) =>
      product === null && start === asked?.query.start_date && end === asked.query.end_date,
  );
  const [before, after] = [asked?.report ?? undefined, question?.first];
  return isDone && before !== undefined && question?.last !== undefined && after !== undefined
    ? { before, question, after }
    : undefined;
}

/** Products that there can have been before the audit's own, each with a session at least. */
function productsAtMost(audit: Audit, whole: AskedQuestion, sessions: number): number {
  const family = familiesOf(audit).find((each) => each.whole === whole);
  const known = (family?.products ?? []).flatMap((product) =>
    product.isOwn || product.first === undefined || product.last === undefined
      ? []
      : between(product, sessionsOf).min,
  );
  const filled = known.filter((count) => count > 0);
  return filled.length + Math.max(0, sessions - filled.reduce((sum, count) => sum + count, 0));
}

/** As many as answers have, where that is more than the profile promises. */
function decimalsShown({ profile, questions }: Audit, { of }: Mean): number {
  const values = questions.flatMap(({ reads }) => reads.map(({ report }) => of(report)));
  return Math.max(profile.decimals, ...values.map(decimalsOf));
}
